"""Step rewards as lines of a checkpoint of mr_eval, PRMBench's toolkit.

Rows: `task_name, model_name, results{scores{step_level_validity_scores, step_level_validity_labels and the same for
redundancy}, idx, validity}`; of a valid result only prompted judges say `validity`. Source: `mr_eval/models/`,
`mr_eval/tasks/base_dataset/base_evaluation_dataset.py` and `mr_eval/tasks/prmtest_classified/task.py` of
ssmisya/PRMBench. It reads a checkpoint whose `model_name` is its own `--model`, counts `validity` false as an answer
that could not be read, and computes a case that has no line itself.
"""

from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows.given import Decided, Given, compared, on_the_edge, without_rewards
from scoring.foreign_rows.line import Line, left_out
from scoring.foreign_rows.prmbench import official_id

TASK = "prmtest_classified"
COMPARISON = "<="
"""How a reward stands to the threshold where mr_eval takes the step for wrong."""


def line(case: Mapping[str, Any], given: Given, decided: Decided) -> Line:
    """The row of one case (a row of `scoring.schema.METADATA`), decided as mr_eval does: right iff above the threshold.

    That is so of a reward, or of its difference from the one before where the rule compares these. Labels that the
    scorer gave itself stay as they are.
    """
    if given.refused is not None:
        return Line(_row(case, decided, {}, {"validity": False}), (("cases marked invalid, refused by the scorer", 1),))
    threshold = decided.rule.threshold
    notes = []
    scores: dict[str, Any] = {}
    if given.rewards is not None:
        scores["step_level_validity_scores"] = given.rewards
    if given.labels is not None:
        scores["step_level_validity_labels"] = given.labels
    elif given.rewards is None:
        return left_out(without_rewards(given))
    elif threshold is None:
        return left_out("not decided by a threshold on its rewards")
    else:
        values = compared(given.rewards, decided.rule)
        scores["step_level_validity_labels"] = [value > threshold for value in values]
        ties = on_the_edge(values, decided.rule, COMPARISON)
        notes = [("steps exactly on the threshold, wrong to mr_eval", ties)] if ties else []
    if given.redundancy is not None:
        scores["step_level_redundancy_scores"] = given.redundancy
    if given.redundancy_labels is not None:
        scores["step_level_redundancy_labels"] = given.redundancy_labels
    elif given.redundancy is not None:
        notes.append(("cases with redundancy scores and no labels, which mr_eval does not decide", 1))
    validity = {"validity": True} if decided.judge else {}
    return Line(_row(case, decided, scores, validity), tuple(notes))


def _row(
    case: Mapping[str, Any], decided: Decided, scores: Mapping[str, Any], validity: Mapping[str, bool]
) -> dict[str, Any]:
    results = {"scores": scores, "idx": official_id(case), **validity}
    return {"task_name": TASK, "model_name": decided.scorer, "results": results}
