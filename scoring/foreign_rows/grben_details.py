"""Step rewards as the details of a PRM on GR-Ben, 1-based, -1 = no error.

Rows: `id, domain, generator, gt_label, pred_label, threshold, probs, is_correct_prediction`. Source:
`evaluation/run_prm_eval.py` and `evaluation/metrics.py` of spirit-moon-fly/GR-Ben. `run_prm_eval.py eval` decides anew
from `probs`, groups by `domain` where there is one, and takes whatever is no -1 for an error: a case without gold, or
without rewards, would be counted wrongly and is left out.
"""

from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows.given import Decided, Given, compared, on_the_edge, without_rewards
from scoring.foreign_rows.grben import one_based
from scoring.foreign_rows.line import Line, left_out

COMPARISON = "<"
"""How a reward stands to the threshold where GR-Ben takes the step for wrong."""


def line(case: Mapping[str, Any], given: Given, decided: Decided) -> Line:
    """The row of one case (a row of `scoring.schema.METADATA`), decided as GR-Ben does: wrong iff below the threshold.

    A label beyond the last step is written as it is; GR-Ben's code and this program agree that no verdict equals it.
    """
    if given.rewards is None:
        return left_out(without_rewards(given))
    if case["earliest_error"] is None:
        return left_out("no earliest error is labelled")
    threshold = decided.rule.threshold
    if given.labels is not None or threshold is None:
        return left_out("not decided by a threshold on its rewards")
    if compared(given.rewards, decided.rule) is not given.rewards:
        return left_out("decided on differences of rewards, which GR-Ben does not do")
    verdict = next((step for step, reward in enumerate(given.rewards) if reward < threshold), -1)
    row = {
        "id": case["id"],
        **({} if case["subset"] is None else {"domain": case["subset"]}),
        "generator": case["generator"],
        "gt_label": one_based(case["earliest_error"]),
        "pred_label": one_based(verdict),
        "threshold": threshold,
        "probs": given.rewards,
        "is_correct_prediction": verdict == case["earliest_error"],
    }
    ties = on_the_edge(given.rewards, decided.rule, COMPARISON)
    return Line(row, (("steps exactly on the threshold, right to GR-Ben", ties),) if ties else ())
