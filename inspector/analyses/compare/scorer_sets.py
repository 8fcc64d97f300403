"""The page of `compare` on which scorers are right together."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from inspector.analyses import Params
from inspector.render.blocks import Block, Facts, Note, quiet_notes
from inspector.render.table_blocks import Column, bar_column, count, figure, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.common_cases import (
    ScorerField,
    aligned_cases,
    compare_command,
    comparison_sections,
    field_head,
    need_two,
    set_aside,
    without_gold,
)
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance
from scoring.metrics.correct_sets import CorrectSet, correct_sets
from scoring.metrics.first_error import SIDES
from scoring.metrics.official_rows import METRICS
from scoring.metrics.resampling import SMALL
from scoring.selection.query import joined
from scoring.selection.result_set import ResultSet

SET_ROWS = {
    **{name: METRICS[name] for name in ("scorer", "benchmark", "subset")},
    "side": pl.String(),
    "kind": pl.String(),
    "right": pl.String(),
    "n_right": pl.Int64(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "count": pl.Int64(),
    "left_out": pl.Int64(),
    "small": pl.Boolean(),
    "reason": METRICS["reason"],
    "where": pl.String(),
}
_SET_NOTES = (
    (
        "every case that all scorers tried is in one row of its side: `right` names those that have it right, the "
        "others have it wrong; `where` selects the `count` cases, and `value` is their share of the `n`"
    ),
    f"low and high: 95%, Wilson's, cases taken as independent; small: n below {SMALL}",
)
MOST_SETS = 12
"""Sets of one side that people see, beside those of nobody, everybody and one alone."""
NAMED = 3
"""Scorers of a set that are named; of larger sets those that are missing are, if they are as few."""


def sets_view(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing is resampled
    """Show every set of scorers that are right together, by benchmark and side, the largest first."""
    need_two(results)
    rows, notes, sections = [], [*_SET_NOTES], {}
    for benchmark, aligned in aligned_cases(results).items():
        field = ScorerField.of(results, benchmark, aligned)
        rows += [{"benchmark": benchmark, "subset": "all", **row} for row in _set_rows(field)]
        notes += [f"{benchmark}: {words}" for words in set_aside(aligned)]
        sections[benchmark] = _set_blocks(results, field)
    notes += [*first_run_notes(results), *without_gold(results)]
    facts = provenance(results, compare_command(results, "--upset", form=params.form), tuple(notes))
    frame = pl.DataFrame(rows, schema=SET_ROWS, orient="row")
    return View(frame, facts, title="Right together", lay_out=lambda: comparison_sections(results, sections))


def _set_rows(field: ScorerField) -> Iterator[dict[str, Any]]:
    aligned, columns = field.aligned, field.columns
    if len(columns) < 2:
        why = f"only {aligned.names[columns[0]]} tried a case" if columns else "no scorer tried a case"
        yield from ({"side": side, "metric": "share", "n": 0, "reason": why} for side in SIDES)
        return
    left_out = aligned.left_out(columns)
    for correct_set in field.sets or correct_sets(aligned, columns):
        low, high = correct_set.interval
        names = [aligned.names[column] for column in correct_set.right]
        yield {
            "scorer": names[0] if correct_set.kind == "lone_right" else None,
            "side": correct_set.side,
            "kind": correct_set.kind,
            "right": joined(names),
            "n_right": len(names),
            "metric": "share",
            "value": correct_set.share,
            "low": low,
            "high": high,
            "n": correct_set.n,
            "count": correct_set.count,
            "small": 0 < correct_set.n < SMALL,
            "reason": None if correct_set.n else f"no {correct_set.side} case in common",
            "left_out": left_out,
            "where": " AND ".join((*field.inside, correct_set.where)),
        }


def _set_blocks(results: ResultSet, field: ScorerField) -> Iterator[Block]:
    yield from field_head(field)
    letters = {place: _sign(at) for at, place in enumerate(field.columns)}
    if field.sets:
        yield Facts(tuple((letters[place], field.aligned.names[place]) for place in field.columns))
    for side in SIDES:
        there = [correct_set for correct_set in field.sets if correct_set.side == side and correct_set.count]
        total = sum(correct_set.count for correct_set in there)
        if not total:
            continue
        always = {"unanimous_wrong", "unanimous_right", "lone_right"}
        listed = [correct_set for at, correct_set in enumerate(there) if at < MOST_SETS or correct_set.kind in always]
        lines = []
        for correct_set in listed:
            low, high = correct_set.interval
            share = {
                "value": correct_set.share,
                "low": low,
                "high": high,
                "reason": None,
                "small": correct_set.n < SMALL,
            }
            dots = " ".join(letters[place] if place in correct_set.right else "·" for place in field.columns)
            line = [text(dots), text(_who(correct_set, field), "bad" if not correct_set.right else "")]
            lines.append([*line, count(correct_set.count, field.link(correct_set)), figure(share)])
        title = f"{side.capitalize()}: who is right together, {counted(total, 'case')}"
        signs = " ".join(letters.values())
        yield table(title, [signs, "right", Column("cases"), bar_column("share")], lines, labels=2)
        if rest := [correct_set for correct_set in there if correct_set not in listed]:
            n = counted(sum(correct_set.count for correct_set in rest), "case")
            yield Note(f"and {len(rest)} smaller sets of {n} in all; these are in --csv and --json", "quiet")
    yield from quiet_notes(without_gold(results, field.benchmark))


def _sign(at: int) -> str:
    """What a scorer is called in the lines: a small letter, by its place."""
    return chr(ord("a") + at) if at < 26 else "+"


def _who(correct_set: CorrectSet, field: ScorerField) -> str:
    right = [field.aligned.names[place] for place in correct_set.right]
    missing = [name for name in field.names if name not in right]
    if not right:
        return "nobody"
    if not missing:
        return "everybody"
    if len(right) == 1:
        return f"{right[0]} alone"
    if len(right) <= NAMED:
        return ", ".join(right)
    return f"all but {', '.join(missing)}" if len(missing) <= NAMED else f"{len(right)} of {len(field.columns)}"
