"""What a change of threshold turns over: cases whose outcome differs between two of them, and steps judged otherwise.

Steps are told of benchmarks whose official figure is of steps, and judged as that figure judges them.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.state.figure_notes import step_benchmarks
from scoring.data.errors import UsageError
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import DEV, NO_VERDICT, OUTCOMES, RIGHT
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.deciding import at_wish, threshold_number
from scoring.metrics.threshold_flips import flip_conditions, step_flips
from scoring.selection.result_set import ResultSet, surroundings
from scoring.workspace.filtering.filters import Facet

MOVED_CASES = {
    "benchmark": pl.String(),
    "subset": pl.String(),
    "case": pl.String(),
    "earliest_error": pl.Int32(),
    "verdict_before": pl.Int32(),
    "verdict_after": pl.Int32(),
    "outcome_before": pl.String(),
    "outcome_after": pl.String(),
    "flip": pl.String(),
}
"""What is told of a case that is decided twice: the verdicts 0-based, -1 = no error, null = none."""
FLIPS = {"scorer": pl.String(), **MOVED_CASES, "steps_right": pl.Int32(), "steps_wrong": pl.Int32()}
_STEPS = ("steps_right", "steps_wrong")
LISTED = 200
"""Cases that a condition names one by one at most."""
PRESENT = "present"
"""The threshold at which the result set is decided."""


class MovedThreshold(Struct, frozen=True, eq=False):
    """A scorer at the threshold of `before` and at that of `after`; `present` is as it is decided now."""

    before: Evaluation
    after: Evaluation
    present: Evaluation


def moved_scorers(results: ResultSet, before: str, after: str) -> tuple[MovedThreshold, ...]:
    """Put the chosen scorers that have a threshold at two of them.

    Args:
        results: its scorers without a threshold are passed over.
        before: as for `--threshold`, or PRESENT.
        after: likewise.

    Raises:
        UsageError: no scorer has a threshold, or what is asked is none.
    """
    for word in {before, after} - {PRESENT}:
        threshold_number(word)
    movable = [evaluation for evaluation in results.chosen_evaluations if evaluation.at_default().rule.is_movable]
    if not movable:
        raise UsageError("no scorer here has a threshold, so no outcome can flip.", "Choose another with --scorer.")
    around = surroundings(results)
    made = []
    for present in movable:
        old, new = (
            present if word == PRESENT else at_wish(present.at_default(), word, around) for word in (before, after)
        )
        made.append(MovedThreshold(old, new, present))
    return tuple(made)


def flip_rows(results: ResultSet, moved: Iterable[MovedThreshold]) -> pl.DataFrame:
    """Return a row for every shown case and scorer whose outcome, or a step of which, differs between both thresholds.

    `flip` is `right` (it became so), `wrong`, `other` (another mistake, or a case without gold), `left_out` or
    `taken_in` (it became a dev case, or was one), or `steps` (the outcome stays, only steps are judged otherwise).
    Steps are 0-based, -1 = none, null = no verdict. `steps_right` and `steps_wrong` count the labelled steps that are
    judged rightly from now on, or no longer; null where the benchmark's official figure is of first errors.
    """
    of_steps, mask = step_benchmarks(results), results.mask
    frames = [_flipped(change.before, change.after, mask, of_steps) for change in moved]
    return pl.concat([pl.DataFrame(schema=FLIPS), *frames])


def flip_facts(results: ResultSet, moved: Iterable[MovedThreshold], rows: pl.DataFrame) -> dict[str, Any]:
    """Record by scorer between which thresholds it moved, how many cases and steps flipped, and what selects them."""
    by_scorer = {
        change.before.scorer.name: rows.filter(pl.col("scorer") == change.before.scorer.name) for change in moved
    }
    source = {
        change.before.scorer.name: f"{threshold_words(change.before)} -> {threshold_words(change.after)}"
        for change in moved
    }
    facts: dict[str, Any] = {"threshold": None, "threshold_source": source}
    facts["flips"] = {name: _count(own) for name, own in by_scorer.items()}
    facts["where"] = {
        change.before.scorer.name: selecting(
            change.before, change.after, by_scorer[change.before.scorer.name], as_now=change.present
        )
        for change in moved
    }
    if step_benchmarks(results):
        facts["steps"] = {name: _count_steps(own) for name, own in by_scorer.items()}
    return facts


def selecting(old: Evaluation, new: Evaluation, rows: pl.DataFrame, *, as_now: Evaluation) -> dict[str, str | None]:
    """Return by kind of flip the condition that selects its cases among those shown; null where none can.

    It speaks of thresholds where these say it, else it names the cases, up to LISTED of them.

    Args:
        old: the scorer at the first threshold.
        new: at the second.
        rows: the flips of this scorer, with FLIPS.
        as_now: as it is decided where the condition will be asked: while dev cases are left out of it, their columns
            are null, and no condition on these finds them.
    """
    between = None if as_now.coverage.left_out else flip_conditions(old, new)
    where_of = {str(flip): where for flip, where in (between or {}).items()}
    conditions: dict[str, str | None] = {}
    for flip in sorted(rows["flip"].unique()):
        names = tuple(rows.filter(pl.col("flip") == flip)["case"])
        listed = Facet("case", names).sql if len(names) <= LISTED else None
        conditions[flip] = where_of.get(flip, listed)
    return conditions


def _flipped(
    before: Evaluation, after: Evaluation, mask: Bools, of_steps: Iterable[tuple[str, StepLabelled]]
) -> pl.DataFrame:
    changed = mask & (before.codes != after.codes)
    counts = np.zeros((len(_STEPS), mask.size), dtype=np.int64)
    counted = np.zeros_like(mask)
    for benchmark, facts in of_steps:
        within = mask & (before.gold.cases["benchmark"] == benchmark).to_numpy()
        counts += step_flips(before, after, within, facts)
        counted |= within
    rows = np.flatnonzero(changed | counts.any(axis=0))
    steps = {
        name: pl.Series(count).set(pl.Series(~counted[rows]), None)
        for name, count in zip(_STEPS, counts[:, rows], strict=True)
    }
    flips = moved_cases(before, after, rows, same="steps").with_columns(**steps, scorer=pl.lit(before.scorer.name))
    return flips.select(pl.col(name).cast(dtype) for name, dtype in FLIPS.items())


def moved_cases(before: Evaluation, after: Evaluation, rows: Ints, same: str) -> pl.DataFrame:
    """Return MOVED_CASES of the cases in these rows; `same` is the flip of one whose outcome stays. See `flip_rows`."""
    columns: dict[str, Any] = {"flip": [_flip(int(before.codes[row]), int(after.codes[row]), same) for row in rows]}
    for when, evaluation in (("before", before), ("after", after)):
        verdicts = pl.Series(evaluation.verdicts[rows])
        columns[f"verdict_{when}"] = verdicts.set(verdicts == NO_VERDICT, None).cast(pl.Int32)
        columns[f"outcome_{when}"] = [OUTCOMES[code] for code in evaluation.codes[rows]]
    cases = before.gold.cases.select("benchmark", "subset", "case", "earliest_error")[rows]
    return cases.hstack(pl.DataFrame(columns, schema_overrides=MOVED_CASES)).select(
        pl.col(name).cast(dtype) for name, dtype in MOVED_CASES.items()
    )


def _flip(before: int, after: int, same: str) -> str:
    if before == after:
        return same
    if DEV in {before, after}:
        return "left_out" if after == DEV else "taken_in"
    if (before in RIGHT) == (after in RIGHT):
        return "other"
    return "right" if after in RIGHT else "wrong"


def threshold_words(evaluation: Evaluation, *, short: bool = False) -> str:
    """Write the threshold of a scorer, exactly or in four digits, and where it comes from."""
    threshold = evaluation.rule.threshold
    if threshold is None:
        return evaluation.rule.source
    return f"{f'{threshold:.4g}' if short else repr(threshold)} ({evaluation.rule.source})"


def _count(rows: pl.DataFrame) -> dict[str, int]:
    """Cases by kind of flip."""
    return dict(rows.group_by("flip").len().sort("flip").iter_rows())


def _count_steps(rows: pl.DataFrame) -> dict[str, int]:
    """Labelled steps that became right, and wrong."""
    return {name.removeprefix("steps_"): int(rows[name].sum()) for name in _STEPS}
