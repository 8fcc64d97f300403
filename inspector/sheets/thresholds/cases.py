"""The cases that figures of a threshold are of, and those that it has wrong, with the conditions that select them."""

from dataclasses import dataclass

import numpy as np

from inspector.inspection import Inspection
from inspector.sheets.sheet import Drill, Piece
from inspector.sheets.words import count
from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.filters import Facet
from scoring.metrics.first_error import FAILURES, Unparsed
from scoring.metrics.outcome_conditions import RIGHT_OUTCOMES, tried, wrong
from scoring.metrics.threshold_conditions import AtThreshold
from scoring.sql_words import named
from scoring.step_rewards import Bools
from scoring.verdicts import OUTCOMES, Rule, under

_KNOWN = "earliest_error >= -1"


@dataclass(frozen=True)
class Counted:
    """How many cases a figure is of. `exact` says that its n counts them, and not their steps."""

    n: int
    drill: Drill
    exact: bool


def counted_cases(inspection: Inspection, subset: str | None = None) -> Counted | None:
    """The cases of the slice, or of one subset of it, that official figures of the scorer in focus are of.

    None where no condition tells them: under thresholds of dev sets some cases are left out.
    """
    evaluation = inspection.evaluation
    if evaluation is None or evaluation.left_out:
        return None
    name, rows = evaluation.scorer.name, inspection.slice
    where: tuple[str, ...] = ()
    if subset is not None:
        rows = rows & (inspection.cases["subset"] == subset).fill_null(value=False).to_numpy()
        where = (Facet("subset", (subset,)).sql,)
    if step_labelled(inspection.benchmark) is not None:
        n = int((np.isfinite(evaluation.step_accuracies) & rows).sum())
        conditions = (*where, f"{named(f'{name}.step_accuracy')} IS NOT NULL")
        words, exact = "cases whose steps the figure counts", False
    else:
        n = int(np.isin(evaluation.codes[rows], _codes((*RIGHT_OUTCOMES, *FAILURES[inspection.unparsed]))).sum())
        conditions = (*where, _KNOWN, tried(name, inspection.unparsed))
        words, exact = f"tried by {name}", True
    told = words if subset is None else f"{words}, {subset}"
    return Counted(n, Drill(conditions, n, told, name), exact)


def wrong_now(inspection: Inspection) -> Piece:
    """How many cases the present threshold has wrong."""
    evaluation = inspection.evaluation
    assert evaluation is not None  # noqa: S101  # the caller has looked
    name, unparsed = evaluation.scorer.name, inspection.unparsed
    n = sum(inspection.outcome_counts[outcome] for outcome in FAILURES[unparsed])
    return count(n, Drill((wrong(name, unparsed),), n, f"{name} is wrong, at the present threshold", name))


def wrong_at(inspection: Inspection, threshold: float | None) -> Piece | None:
    """How many cases another threshold would have wrong; None where none decides, or cases are left out."""
    evaluation = inspection.evaluation
    if evaluation is None or threshold is None or not isinstance(evaluation.rule, Rule):
        return None
    unparsed, name = inspection.unparsed, evaluation.scorer.name
    n = int((wrong_rows(evaluation, threshold, unparsed) & inspection.slice).sum())
    words = f"{name} is wrong at the threshold {threshold:.4g}"
    return count(n, Drill((wrong_condition(evaluation, threshold, unparsed),), n, words, name))


def wrong_rows(evaluation: Evaluation, threshold: float, unparsed: Unparsed) -> Bools:
    """The cases (n,) that count as wrong at a threshold, whatever the present one is."""
    rule, gold, floats = evaluation.rule, evaluation.gold, evaluation.floats
    assert isinstance(rule, Rule)  # noqa: S101  # the caller has looked
    before, at, lowest = (under(side, threshold, rule.comparison) for side in (floats.before, floats.at, floats.all))
    right = np.where(gold.earliest >= 0, at & ~before, ~lowest)
    moving = gold.known & np.isfinite(floats.all)
    still = np.isin(evaluation.codes, _codes(FAILURES[unparsed]))
    found: Bools = np.where(moving, ~right, still)
    return found


def wrong_condition(evaluation: Evaluation, threshold: float, unparsed: Unparsed) -> str:
    """The condition that selects them."""
    rule, name = evaluation.rule, evaluation.scorer.name
    assert isinstance(rule, Rule)  # noqa: S101  # the caller has looked

    decided = AtThreshold(name, threshold, rule.comparison).wrong
    # What no threshold decides is wrong at each of them, or at none.
    return f"{decided} OR ({named(f'{name}.lowest_compared')} IS NULL AND ({wrong(name, unparsed)}))"


def _codes(outcomes: tuple[str, ...]) -> list[int]:
    return [OUTCOMES.index(outcome) for outcome in outcomes]
