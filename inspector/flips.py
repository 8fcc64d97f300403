"""What a change of threshold turns over: cases whose outcome differs between two of them, and steps judged otherwise.

Steps are told of benchmarks whose official figure is of steps, and judged as that figure judges them.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from inspector.documents import provenance
from inspector.official_rows import step_benchmarks
from inspector.selection import Selection, surroundings
from scoring.benchmarks.registry import StepLabelled
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.filters import Facet
from scoring.metrics.step_flips import step_flips
from scoring.metrics.threshold_conditions import flip_conditions
from scoring.step_rewards import Bools
from scoring.verdicts import DEV, NO_VERDICT, OUTCOMES, RIGHT
from scoring.wishes import at_wish, check

FLIPS = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    "case": pl.String(),
    "earliest_error": pl.Int32(),
    "verdict_before": pl.Int32(),
    "verdict_after": pl.Int32(),
    "outcome_before": pl.String(),
    "outcome_after": pl.String(),
    "flip": pl.String(),
    "steps_right": pl.Int32(),
    "steps_wrong": pl.Int32(),
}
_STEPS = ("steps_right", "steps_wrong")
LISTED = 200
"""Cases that a condition names one by one at most."""
PRESENT = "present"
"""The threshold at which the selection is decided."""


def flips_document(selection: Selection, before: str, after: str, form: str = "") -> Document:
    """A row for every shown case and chosen scorer whose outcome, or a step of which, differs between two thresholds.

    Args:
        selection: its scorers without a threshold are passed over.
        before: as for `--threshold`, or PRESENT.
        after: likewise.
        form: of the document, for its provenance.

    `flip` is `right` (it became so), `wrong`, `other` (another mistake, or a case without gold), `left_out` or
    `taken_in` (it became a dev case, or was one), or `steps` (the outcome stays, only steps are judged otherwise).
    Steps are 0-based, -1 = none, null = no verdict. `steps_right` and `steps_wrong` count the labelled steps that are
    judged rightly from now on, or no longer; null where the benchmark's official figure is of first errors.

    Raises:
        UsageError: no scorer has a threshold, or what is asked is none.
    """
    for wish in {before, after} - {PRESENT}:
        check(wish)
    movable = [one for one in selection.chosen_evaluations if one.at_default().movable]
    if not movable:
        raise UsageError("no scorer here has a threshold, so no outcome can flip.", "Choose another with --scorer.")
    shown, around = selection.mask, surroundings(selection)
    frames = [pl.DataFrame(schema=FLIPS)]
    thresholds: dict[str, str] = {}
    wheres: dict[str, dict[str, str | None]] = {}
    for present in movable:
        old, new = (
            present if wish == PRESENT else at_wish(present.at_default(), wish, around) for wish in (before, after)
        )
        frames.append(_flipped(old, new, shown, step_benchmarks(selection)))
        thresholds[present.scorer.name] = f"{_words(old)} -> {_words(new)}"
        wheres[present.scorer.name] = selecting(old, new, frames[-1], as_now=present)
    rows = pl.concat(frames)
    words = () if (before, after) == ("default", PRESENT) else (before, after)
    facts = provenance(selection, selection.request.command("thresholds", "--flips", *words, form=form))
    facts |= {"threshold": None, "threshold_source": thresholds}
    facts["flips"] = {name: _count(rows.filter(pl.col("scorer") == name)) for name in thresholds}
    facts["where"] = wheres
    if step_benchmarks(selection):
        facts["steps"] = {name: _count_steps(rows.filter(pl.col("scorer") == name)) for name in thresholds}
    return Document(rows, facts)


def selecting(old: Evaluation, new: Evaluation, rows: pl.DataFrame, *, as_now: Evaluation) -> dict[str, str | None]:
    """By kind of flip the condition that selects its cases among those shown; null where none can.

    It speaks of thresholds where these say it, else it names the cases, up to LISTED of them.

    Args:
        old: the scorer at the first threshold.
        new: at the second.
        rows: the flips of this scorer, with FLIPS.
        as_now: as it is decided where the condition will be asked: while dev cases are left out of it, their columns
            are null, and no condition on these finds them.
    """
    between = None if as_now.left_out else flip_conditions(old, new)
    said = {str(flip): where for flip, where in (between or {}).items()}
    found: dict[str, str | None] = {}
    for flip in sorted(rows["flip"].unique()):
        names = tuple(rows.filter(pl.col("flip") == flip)["case"])
        listed = Facet("case", names).sql if len(names) <= LISTED else None
        found[flip] = said.get(flip, listed)
    return found


def flip_counts(rows: pl.DataFrame) -> pl.DataFrame:
    """How many cases flipped in which way, and of how many steps, by scorer and benchmark; the largest groups first."""
    keys = ["scorer", "benchmark", "flip", "outcome_before", "outcome_after"]
    steps = [name for name in _STEPS if rows[name].count()]
    counted = rows.group_by(keys, maintain_order=True).agg(pl.len().alias("cases"), pl.col(steps).sum())
    first = pl.col("scorer").rank("dense")
    return counted.sort(first, "benchmark", -pl.col("cases").cast(pl.Int64), maintain_order=True)


def _flipped(
    before: Evaluation, after: Evaluation, shown: Bools, of_steps: Iterable[tuple[str, StepLabelled]]
) -> pl.DataFrame:
    changed = shown & (before.codes != after.codes)
    counts = np.zeros((len(_STEPS), shown.size), dtype=np.int64)
    counted = np.zeros_like(shown)
    for benchmark, facts in of_steps:
        within = shown & (before.gold.cases["benchmark"] == benchmark).to_numpy()
        counts += step_flips(before, after, within, facts)
        counted |= within
    rows = np.flatnonzero(changed | counts.any(axis=0))
    cases = before.gold.cases.select("benchmark", "subset", "case", "earliest_error")[rows]
    columns: dict[str, Any] = {"flip": [_flip(int(before.codes[row]), int(after.codes[row])) for row in rows]}
    for name, one in (("before", before), ("after", after)):
        verdict = pl.Series(one.verdicts[rows])
        columns[f"verdict_{name}"] = verdict.set(verdict == NO_VERDICT, None).cast(pl.Int32)
        columns[f"outcome_{name}"] = [OUTCOMES[code] for code in one.codes[rows]]
    for name, count in zip(_STEPS, counts[:, rows], strict=True):
        columns[name] = pl.Series(count).set(pl.Series(~counted[rows]), None).cast(pl.Int32)
    named = cases.with_columns(pl.lit(before.scorer.name).alias("scorer"))
    return named.hstack(pl.DataFrame(columns, schema_overrides=FLIPS)).select(
        pl.col(name).cast(dtype) for name, dtype in FLIPS.items()
    )


def _flip(before: int, after: int) -> str:
    if before == after:
        return "steps"
    if DEV in {before, after}:
        return "left_out" if after == DEV else "taken_in"
    if (before in RIGHT) == (after in RIGHT):
        return "other"
    return "right" if after in RIGHT else "wrong"


def _words(one: Evaluation) -> str:
    return one.rule.source if one.rule.threshold is None else f"{one.rule.threshold!r} ({one.rule.source})"


def _count(rows: pl.DataFrame) -> dict[str, int]:
    """Cases by kind of flip."""
    return dict(rows.group_by("flip").len().sort("flip").iter_rows())


def _count_steps(rows: pl.DataFrame) -> dict[str, int]:
    """Labelled steps that became right, and wrong."""
    return {name.removeprefix("steps_"): int(rows[name].sum()) for name in _STEPS}
