"""What stands out about scorers, beyond chance."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Params, analysis
from inspector.analyses._columns import usual_axes
from inspector.render.blocks import Block, Note, Section, quiet_notes
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, count, figure, forest_column, points, table, text
from inspector.render.view import View
from inspector.state.figure_notes import INDEPENDENT, first_run_notes
from inspector.state.filtering.facets import column_words
from inspector.state.provenance import provenance
from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import EARLY, FALSE_ALARM, LATE, MISSED, OUTCOMES, UNPARSED
from scoring.metrics.bias import bias_rows
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.metrics_by_subset import MetricsBySubset
from scoring.metrics.outcome_conditions import behind
from scoring.metrics.slices import SUPPORT, slice_rows
from scoring.selection.result_set import ResultSet, by_benchmark, shown_benchmarks, within
from scoring.workspace.filtering.filters import Facet

MOST = 5
"""Facts of a scorer on a benchmark."""
SLICES = 3
"""Of them slices, of as many columns."""
LEVEL = 0.05
"""A slice is told where its p, adjusted for all the slices that were looked at, is below this."""
WORTH_TELLING = 0.05
"""A share with nothing to be held against, such as that of false alarms, is told where it is surely above this."""
HIGHLIGHTS = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "fact": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "difference": pl.Boolean(),
    "n": pl.Int64(),
    "where": pl.String(),
}
"""Columns: `value` is a share, or a difference of shares, with its 95% interval; `where` selects the `n` cases."""
_FINAL_ANSWER = {"true": "right", "false": "wrong"}
NOTES = (
    "a fact is told only where its 95% interval leaves out what would be none: no difference, half of the failures",
    f"slices: accuracy less that on the rest, {SUPPORT} cases or more each; `bias` has every one that was looked at",
    f"a slice is told where Fisher's exact p is below {LEVEL} after Holm over all that were looked at",
    "the surest first: by how far the nearer end of the interval is from nothing",
    "low and high: 95%, of false alarms the bootstrap of `metrics`, and Wilson's decides too whether they are told",
    f"low and high of other shares: Wilson's, of differences: Newcombe's; these {INDEPENDENT}",
)


class Highlight(Struct, frozen=True):
    """A sentence, its figure with an interval, and the conditions that select its `n` cases, with a word for these.

    `short` are the words beside an arrow that shows the sign of the figure. `sure` (0 to 1) is how far the interval
    stays from what would be no fact.
    """

    words: str
    short: str
    cases: str
    figure: Mapping[str, Any]
    n: int
    where: tuple[str, ...]
    sure: float
    difference: bool = False

    @property
    def cell(self) -> Cell:
        """The figure with its interval: points of a difference, or a share."""
        return points(self.figure) if self.difference else figure(self.figure)

    def link(self, scorer: str, benchmark: str) -> CaseLink:
        """Return the link to its cases."""
        return CaseLink(self.where, self.n, self.cases, scorer, benchmark=benchmark)


@analysis(
    "Highlights",
    whose="focus",
    help="What is furthest from the usual about the scorer in focus, as far as its interval carries the claim: which "
    "way it leans, what its failures are, and on which cases it is better or worse than on the rest. Each number opens "
    "its cases.",
    examples=(
        "prm-inspect highlights --benchmark demo --scorer tiny-prm-m",
        "prm-inspect highlights --benchmark demo --where \"subset = 'reasoning'\" --json",
    ),
)
def highlights(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # facts need theirs
    """Return the facts of the chosen scorers on the shown cases, the surest first."""
    axes = usual_axes(results) if results.chosen else ()
    rows, facts_by = [], {}
    for evaluation in results.chosen_evaluations:
        for benchmark, inside in by_benchmark(results):
            facts = highlights_of(results, evaluation, benchmark, inside, axes)
            facts_by[evaluation.scorer.name, benchmark] = facts
            rows += [_row(evaluation.scorer.name, benchmark, fact) for fact in facts]
    frame = pl.DataFrame(rows, schema=HIGHLIGHTS, orient="row")
    notes = (*NOTES, *first_run_notes(results))
    made = provenance(results, results.query.command("highlights", form=params.form), notes)
    nobody = "" if results.chosen else "No scorer has rewards for these cases yet."
    empty = nobody or ("" if results.shown.size else "No case is shown.")
    return View(frame, made, title="Highlights", lay_out=lambda: _sections(results, facts_by), empty=empty)


def highlights_of(
    results: ResultSet, evaluation: Evaluation, benchmark: str, inside: Bools, axes: Sequence[Any]
) -> tuple[Highlight, ...]:
    """Return the highlights of a scorer on the cases `inside` (n, bool) of a benchmark, the surest first."""
    every = sorted(facts_of(evaluation, inside, axes, results.unparsed(benchmark)), key=lambda fact: -fact.sure)
    where = within(results, benchmark)
    return tuple(replace(fact, where=(*where, *fact.where)) for fact in varied(every)[:MOST])


def facts_of(
    evaluation: Evaluation, rows: Bools, axes: Sequence[Any], unparsed: Unparsed = "wrong"
) -> Iterator[Highlight]:
    """Yield every fact that its interval carries, of the cases `rows` (n, bool)."""
    codes = evaluation.codes[rows]
    counts = np.bincount(codes, minlength=len(OUTCOMES))
    yield from _leaning(evaluation, rows, unparsed)
    yield from _failures(evaluation, counts)
    yield from _false_alarms(evaluation, rows)
    yield from _unparsed(evaluation, counts)
    slices = slice_rows(evaluation, rows, axes, unparsed)
    yield from (_slice(evaluation, row, unparsed) for row in slices if row["p_holm"] < LEVEL)


def _leaning(evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> Iterator[Highlight]:
    rates = {row["metric"]: row for row in bias_rows(evaluation, rows, unparsed, seed=None) if row["unit"] == "case"}
    bias = rates["bias"]
    if bias["value"] is None or bias["low"] <= 0 <= bias["high"]:
        return
    way = "lenient" if bias["value"] > 0 else "strict"
    clean, erroneous = (100 * rates[name]["value"] for name in ("correct_acc", "error_acc"))
    words = f"{way}: {clean:.0f}% of clean solutions kept, {erroneous:.0f}% of errors found"
    where = behind("f1", evaluation.scorer.name, unparsed)
    sure = min(abs(bias["low"]), abs(bias["high"]))
    yield Highlight(words, f"bias: {way}", "tried", bias, bias["n"], where, sure, difference=True)


def _failures(evaluation: Evaluation, counts: Any) -> Iterator[Highlight]:
    """What its failures are, of the numbers of cases by outcome."""
    failed = int(counts[EARLY] + counts[LATE] + counts[MISSED])
    named = {MISSED: "miss the error", LATE: "name a step after it", EARLY: "name a step before it"}
    most = max(named, key=lambda code: int(counts[code]))
    words = f"most of its {failed:,} failures on erroneous cases {named[most]}"
    yield from _share(evaluation, most, int(counts[most]), failed, words, 0.5)
    off = int(counts[EARLY] + counts[LATE])
    if most == MISSED and off:
        side = LATE if counts[LATE] > counts[EARLY] else EARLY
        words = f"where it names a wrong step, it is more often too {'late' if side == LATE else 'early'}"
        yield from _share(evaluation, side, int(counts[side]), off, words, 0.5)


def _false_alarms(evaluation: Evaluation, rows: Bools) -> Iterator[Highlight]:
    """The share of false alarms among clean cases with a verdict: 1 less the accuracy on them, with its interval."""
    *_, correct_acc, _ = MetricsBySubset(FIRST_ERRORS, (Decided(evaluation, "drop"),), rows).pooled()
    if correct_acc.value is None or correct_acc.low is None or correct_acc.high is None:
        return
    hits = int((evaluation.codes[rows] == FALSE_ALARM).sum())
    words = f"{hits:,} of {correct_acc.n:,} clean cases are false alarms"
    ends = (1 - correct_acc.high, 1 - correct_acc.low)
    yield from _share(evaluation, FALSE_ALARM, hits, correct_acc.n, words, WORTH_TELLING, ends)


def _unparsed(evaluation: Evaluation, counts: Any) -> Iterator[Highlight]:
    unread, tried = int(counts[UNPARSED]), int(counts[: UNPARSED + 1].sum())
    words = f"{unread:,} of {tried:,} answers cannot be read"
    yield from _share(evaluation, UNPARSED, unread, tried, words, WORTH_TELLING)


def _share(
    evaluation: Evaluation,
    code: int,
    hits: int,
    of: int,
    words: str,
    usual: float,
    ends: tuple[float, float] | None = None,
) -> Iterator[Highlight]:
    """A share of the cases with an outcome, if it is surely more than usual; `ends` are by default Wilson's.

    Where all cases are hits, a bootstrap has no width. So Wilson's interval decides too whether the share is told.
    """
    if not of:
        return
    wilson = tuple(float(end[0]) for end in wilson_interval(np.array([hits]), np.array([of])))
    low, high = ends or wilson
    sure = min(low, wilson[0]) - usual
    if sure > 0:
        figures = {"value": hits / of, "low": low, "high": high, "reason": None, "small": of < SUPPORT}
        where = (Facet(f"{evaluation.scorer.name}.outcome", (OUTCOMES[code],)).sql,)
        yield Highlight(words, words, OUTCOMES[code].replace("_", " "), figures, hits, where, sure)


def _slice(evaluation: Evaluation, row: Mapping[str, Any], unparsed: Unparsed) -> Highlight:
    metric = str(row["metric"]).removesuffix("_difference")
    side = "erroneous" if metric == "error_acc" else "clean"
    name = f"{column_words(str(row['column']))}: {row['slice'] or '(empty)'}"
    cases = f"{side} cases {_which(row, name)}"
    words = f"{'better' if row['value'] > 0 else 'worse'} on {cases}"
    where = (row["where"], *behind(metric, evaluation.scorer.name, unparsed))
    sure = min(abs(row["low"]), abs(row["high"]))
    return Highlight(words, cases, f"{name}, {side}", row, row["n"], where, sure, difference=True)


def _which(row: Mapping[str, Any], name: str) -> str:
    """Which cases those with a value of a column are, in words; `name` names column and value."""
    column, value = row["column"], row["slice"]
    if column == "final_answer_correct" and value in _FINAL_ANSWER:
        return f"whose final answer is {_FINAL_ANSWER[value]}"
    if column == "position":
        return f"whose first wrong step is {value}"
    return f"with {name}"


def varied(facts: Sequence[Highlight]) -> list[Highlight]:
    """Keep of the slices SLICES at most, one a column: values of one column say much the same."""
    columns: set[str] = set()
    kept = []
    for fact in facts:
        column = fact.figure.get("column")
        if column is not None:
            if column in columns or len(columns) == SLICES:
                continue
            columns.add(column)
        kept.append(fact)
    return kept


def _row(scorer: str, benchmark: str, fact: Highlight) -> dict[str, Any]:
    return {
        "scorer": scorer,
        "benchmark": benchmark,
        "fact": fact.words,
        "value": fact.figure["value"],
        "low": fact.figure["low"],
        "high": fact.figure["high"],
        "difference": fact.difference,
        "n": fact.n,
        "where": " AND ".join(f"({part})" for part in fact.where),
    }


def _sections(results: ResultSet, facts_by: Mapping[tuple[str, str], tuple[Highlight, ...]]) -> tuple[Section, ...]:
    sections: list[Section] = []
    for benchmark in shown_benchmarks(results) if results.shown.size else ():
        blocks: list[Block] = []
        for (scorer, of), facts in facts_by.items():
            if of == benchmark:
                blocks += [Note(scorer, "lead")] if len(results.chosen) > 1 else []
                blocks.append(_table(scorer, benchmark, facts))
        blocks += quiet_notes(first_run_notes(results, benchmark))
        sections.append(Section(benchmark, f"highlights-{len(sections)}", tuple(blocks)))
    return tuple(sections)


def _table(scorer: str, benchmark: str, facts: Sequence[Highlight]) -> Block:
    if not facts:
        return Note("Nothing stands out further than chance would have it.", "quiet")
    lines: list[list[Cell]] = []
    for fact in facts:
        words = text(f"{fact.words[:1].upper()}{fact.words[1:]}")
        lines.append([words, fact.cell, count(fact.n, fact.link(scorer, benchmark))])
    return table("", [Column("", wraps=True), forest_column("percent, 95%"), "cases"], lines)
