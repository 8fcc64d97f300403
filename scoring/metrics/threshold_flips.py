"""What a move between two thresholds turns over: cases as SQL conditions, and single steps.

Conditions speak of the columns `lowest_compared`, `lowest_to_gold` and `lowest_before_gold` of a scorer
(`scoring.evaluation.scorer_columns`), which no threshold changes. Cases that no threshold decides are in none of
them, and a dev case is not while it is left out.
"""

from typing import Literal

import numpy as np

from scoring.data.schema import Bools, Ints
from scoring.data.scorer import Comparison
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.step_contributions import asked_by_redundancy, judged_by_redundancy
from scoring.workspace.filtering.sql_words import literal, named

Flip = Literal["right", "wrong", "other"]
_UNDER: dict[Comparison, tuple[str, str]] = {"<": ("<", ">="), "<=": ("<=", ">")}
"""How SQL says that a number is under the threshold, and that it is not."""


class AtThreshold:
    """Conditions on the outcomes of one scorer at one threshold.

    `under` and `over` say of each of the three columns, by its name without `lowest_`, that it is under the threshold,
    and that it is not.
    """

    def __init__(self, scorer: str, threshold: float, comparison: Comparison) -> None:
        cut = literal(float(threshold))
        for_under, for_over = _UNDER[comparison]
        names = {side: named(f"{scorer}.lowest_{side}") for side in ("compared", "to_gold", "before_gold")}
        self.under = {side: f"{name} {for_under} {cut}" for side, name in names.items()}
        self.over = {side: f"{name} {for_over} {cut}" for side, name in names.items()}

    @property
    def exact(self) -> str:
        """The earliest error is named."""
        return f"earliest_error >= 0 AND {self.under['to_gold']} AND {self.over['before_gold']}"

    @property
    def early(self) -> str:
        """An earlier step is."""
        return f"earliest_error >= 0 AND {self.under['before_gold']}"

    @property
    def late(self) -> str:
        """A later step is."""
        return f"earliest_error >= 0 AND {self.under['compared']} AND {self.over['to_gold']}"

    @property
    def missed(self) -> str:
        """There is an error and no step is named."""
        return f"earliest_error >= 0 AND {self.over['compared']}"

    @property
    def clean(self) -> str:
        """There is no error and no step is named."""
        return f"earliest_error = -1 AND {self.over['compared']}"

    @property
    def false_alarm(self) -> str:
        """There is no error and a step is named."""
        return f"earliest_error = -1 AND {self.under['compared']}"

    @property
    def right(self) -> str:
        """Exact or clean."""
        return f"({self.exact} OR {self.clean})"

    @property
    def wrong(self) -> str:
        """Early, late, missed or a false alarm."""
        return f"({self.early} OR {self.late} OR {self.missed} OR {self.false_alarm})"


def flip_conditions(before: Evaluation, after: Evaluation) -> dict[Flip, str] | None:
    """Return which cases become right, wrong, or wrong in another way, from one threshold of a scorer to another.

    A higher threshold names steps earlier, or names one where it named none: what it turns right are errors that were
    missed or found late, and what it turns wrong are errors that were found and clean cases; a lower one does the
    opposite.

    None where no such condition says it: the two are not decided by one threshold each under one rule, or dev cases are
    left out of one of them.

    Args:
        before: decided at the first threshold.
        after: the same cases and rewards at the second.
    """
    old, new = before.rule.movable, after.rule.movable
    if old is None or new is None or old.at(0.0, "") != new.at(0.0, ""):
        return None
    if before.coverage.left_out or after.coverage.left_out:
        return None
    low, high = sorted((old.threshold, new.threshold))
    at_low, at_high = (AtThreshold(before.scorer.name, cut, old.comparison) for cut in (low, high))
    gained = (
        f"earliest_error >= 0 AND {at_low.over['to_gold']} AND {at_high.under['to_gold']}"
        f" AND {at_high.over['before_gold']}"
    )
    between = {side: f"{at_low.over[side]} AND {at_high.under[side]}" for side in ("before_gold", "compared")}
    lost = (
        f"(earliest_error >= 0 AND {at_low.under['to_gold']} AND {between['before_gold']}"
        f" OR earliest_error = -1 AND {between['compared']})"
    )
    to_early = f"{at_low.over['to_gold']} AND {at_high.under['before_gold']}"
    missed_or_late = f"{between['compared']} AND {at_high.over['to_gold']}"
    right, wrong = (gained, lost) if old.threshold <= new.threshold else (lost, gained)
    return {"right": right, "wrong": wrong, "other": f"earliest_error >= 0 AND ({to_early} OR {missed_or_late})"}


def step_flips(before: Evaluation, after: Evaluation, rows: Bools, facts: StepLabelled) -> Ints:
    """Count how many labelled steps of each case are judged rightly only after, and only before. Shape (2, n).

    Args:
        before: n cases decided in one way.
        after: the same cases and scorer, decided in another.
        rows: (n,) the cases to count in; those whose steps are not judged both times have 0.
        facts: in which classes redundancy decides.
    """
    by_redundancy = asked_by_redundancy(before, facts)
    judged = [judged_by_redundancy(evaluation, by_redundancy) for evaluation in (before, after)]
    taken = rows & judged[0].rows & judged[1].rows
    labels = judged[0].gold(before.gold)[taken[judged[0].cases]]
    was, is_now = ((judged_steps.wrong[taken[judged_steps.cases]] == (labels == WRONG_STEP)) for judged_steps in judged)
    case, known = judged[0].cases[taken[judged[0].cases]], labels != UNKNOWN_STEP
    flips: Ints = np.stack(
        [np.bincount(case[known & turned], minlength=taken.size) for turned in (~was & is_now, was & ~is_now)]
    )
    return flips
