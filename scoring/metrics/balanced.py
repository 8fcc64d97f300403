"""Hard2Verify's figures: steps and whole responses judged right or wrong, both sides weighing the same.

Pandit et al., arXiv 2510.13744; `calculate_metrics` and `grade_step_level_responses` of the authors' `utils.py`, read
in copies. TPR is the share of right steps (responses) judged right, TNR that of wrong ones judged wrong. The balanced
accuracy is their mean, the balanced F1 their harmonic mean, and steps are pooled over all responses. A response is
right iff all of its steps are, by the labels as by the judgements.

A step without a judgement, because there are fewer than steps or because the answer could not be read, counts as judged
the other way; judgements beyond the last step are cut. A response is judged by the judgements that there are. For error
identification (the figures of first errors beside these, where F1 is their balanced F1) what could not be read is
wrong.

The balanced accuracy of steps leads: steps are what is labelled, and it is defined where the F1 is not, for who calls
everything right, which comes to a half.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.gold import RIGHT_STEP, WRONG_STEP
from scoring.metrics.kernel import CasesOf, Decided, Sums, harmonic, share
from scoring.metrics.outcome_conditions import labelled_and_tried
from scoring.metrics.own import OwnMetric

NAMES = (
    "step_balanced_acc",
    "step_balanced_f1",
    "response_balanced_acc",
    "response_balanced_f1",
    "error_id_balanced_acc",
)
"""In the order in which they are reported, before the figures of first errors."""

_COUNTS = ("right", "right_hit", "wrong", "wrong_hit", "n")


def balanced_figures(*, official: bool) -> tuple[OwnMetric, ...]:
    """Return NAMES as metrics; each is undefined where a side is empty, and the F1s where both shares are 0.

    Args:
        official: judge a response whose answer could not be read as the authors' code does: its first step counts as
            judged the other way, so that a response with a wrong step is "judged wrong" iff its first step is right.
            Else such a response is judged neither right nor wrong, and counts as missed.
    """

    def responses(decided: Decided) -> Floats:
        return _of_responses(decided, official=official)

    return (
        _figure("step_balanced_acc", "balanced step acc", _of_steps, _mean, "step"),
        _figure("step_balanced_f1", "balanced step F1", _of_steps, _f1, "step"),
        _figure("response_balanced_acc", "balanced response acc", responses, _mean, "response"),
        _figure("response_balanced_f1", "balanced response F1", responses, _f1, "response"),
        _figure("error_id_balanced_acc", "balanced first-error acc", _of_first_errors, _mean, "response"),
    )


def _figure(
    name: str, title: str, count: Callable[[Decided], Floats], score: Callable[[Sums], Floats], what: str
) -> OwnMetric:
    def reason(sums: Sums) -> str:
        for side in ("right", "wrong"):
            if not sums[side]:
                return f"no {side} {what} was judged"
        return f"no right {what} was judged right and no wrong one wrong"

    mean = "harmonic mean" if score is _f1 else "mean"
    if count is _of_first_errors:
        about = f"the {mean} of the accuracies on erroneous and on clean responses, by their first errors"
    else:
        about = f"the {mean} of the shares of right and of wrong {what}s that are judged so, all pooled"
    cases = CasesOf(lambda decided: counted_in(name, decided), labelled_and_tried)
    unit: Literal["cases", "steps"] = "steps" if what == "step" else "cases"
    return OwnMetric(name, title, _COUNTS, count, score, "n", reason=reason, cases=cases, unit=unit, about=about)


def _mean(sums: Sums) -> Floats:
    return (_rates(sums)[0] + _rates(sums)[1]) / 2


def _f1(sums: Sums) -> Floats:
    return harmonic(*_rates(sums))


def _rates(sums: Sums) -> tuple[Floats, Floats]:
    """TPR and TNR."""
    return share(sums["right_hit"], sums["right"]), share(sums["wrong_hit"], sums["wrong"])


# -- what a case contributes, shape (n, len(_COUNTS))


class _Judgements(Struct, frozen=True, eq=False):
    """What is said of single steps, one entry a judgement; `rows` (n) are the cases of which anything is.

    `cases` are row ids, `steps` 0-based indices, and `wrong` whether the step is judged so. Where some judgements of an
    answer could not be read the others stand here all the same, and `gaps` (n) marks the case.
    """

    cases: Ints
    steps: Ints
    wrong: Bools
    rows: Bools
    gaps: Bools


def _judgements(decided: Decided) -> _Judgements:
    evaluation = decided.evaluation
    judged, some = evaluation.judged_steps, evaluation.rewards.truncated
    cases = np.repeat(np.arange(judged.rows.size), np.diff(some.offsets))
    gaps = np.zeros_like(judged.rows)
    # A PRM's rewards of a case that was cut off have no gaps: they decide nothing.
    gaps[cases[np.isnan(some.values)]] = True
    gaps &= ~judged.rows
    read = gaps[cases] & ~np.isnan(some.values)
    steps = np.arange(some.values.size) - some.offsets[cases]
    return _Judgements(
        np.concatenate([judged.cases, cases[read]]),
        np.concatenate([judged.steps, steps[read]]),
        np.concatenate([judged.wrong, some.values[read] <= 0]),
        judged.rows | gaps,
        gaps,
    )


def counted_in(name: str, decided: Decided) -> Bools:
    """Find the cases that one of NAMES is of. Shape (n,)."""
    if name.startswith("step"):
        return _members(decided)
    mask: Bools = decided.members & (decided.gold.listed if name.startswith("response") else decided.gold.known)
    return mask


def _members(decided: Decided) -> Bools:
    """The cases whose steps count: every step labelled, and judged one by one or not readable.

    There is none where no case is judged step by step: verdicts name one step and say nothing of the others.
    """
    judged = _judgements(decided).rows
    if not judged.any():
        return judged
    silent = decided.members & ~decided.evaluation.coverage.answered
    mask: Bools = decided.gold.listed & ((judged & decided.members) | silent)
    return mask


def _of_steps(decided: Decided) -> Floats:
    gold, judged = decided.gold, _judgements(decided)
    n, inside = gold.n_steps.size, _members(decided)
    of_step = np.repeat(np.arange(n), gold.n_steps)
    labels = gold.step_labels[(np.cumsum(gold.n_steps) - gold.n_steps)[judged.cases] + judged.steps]
    sides = []
    for label, hit in ((RIGHT_STEP, ~judged.wrong), (WRONG_STEP, judged.wrong)):
        sides.append(np.bincount(of_step[gold.step_labels == label], minlength=n) * inside)
        sides.append(np.bincount(judged.cases[(labels == label) & hit], minlength=n) * inside)
    return np.column_stack([*sides, sides[0] + sides[2]]).astype(np.float64)


def _of_responses(decided: Decided, *, official: bool) -> Floats:
    evaluation, gold, judged = decided.evaluation, decided.gold, _judgements(decided)
    n, inside = gold.n_steps.size, gold.listed & decided.members
    of_step = np.repeat(np.arange(n), gold.n_steps)
    erroneous, alarmed = np.zeros((2, n), dtype=np.bool_)
    erroneous[of_step[gold.step_labels == WRONG_STEP]] = True
    alarmed[judged.cases[judged.wrong]] = True
    called = judged.rows | evaluation.coverage.answered
    wrong = np.where(judged.rows, alarmed, evaluation.verdicts != -1)
    if official:
        # What could not be read is judged the other way, and of an answer in which nothing can be read the first step.
        starts = np.cumsum(gold.n_steps) - gold.n_steps
        unread = judged.gaps[of_step]
        unread[(starts[judged.cases] + judged.steps)[judged.gaps[judged.cases]]] = False
        unread &= np.arange(of_step.size) - starts[of_step] < np.diff(evaluation.rewards.truncated.offsets)[of_step]
        unread[starts[~called & (gold.n_steps > 0)]] = True
        flipped = np.zeros(n, dtype=np.bool_)
        flipped[of_step[unread & (gold.step_labels == RIGHT_STEP)]] = True
        wrong, called = np.where(called, wrong | flipped, flipped), np.ones(n, dtype=np.bool_)
    right_side, wrong_side = inside & ~erroneous, inside & erroneous
    columns = [right_side, right_side & called & ~wrong, wrong_side, wrong_side & called & wrong, inside]
    return np.column_stack(columns).astype(np.float64)


def _of_first_errors(decided: Decided) -> Floats:
    clean, erroneous = (decided.count(name) for name in ("clean", "erroneous"))
    columns = [clean, decided.count("clean_right"), erroneous, decided.count("exact"), clean | erroneous]
    return np.column_stack(columns).astype(np.float64)


FIGURES = balanced_figures(official=False)
AS_OFFICIAL = balanced_figures(official=True)
