"""The page of `compare` for two scorers: verdict, differences, and cases that only one of them has right."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from inspector.analyses._columns import axis_of, column_title, usual_error_column, value_title
from inspector.analyses._pair import (
    ScorerPair,
    difference_table,
    oracle_table,
    overlap_table,
    quadrant_cells,
    setting_blocks,
)
from inspector.render.blocks import Block, Note, Panel
from inspector.render.cells import share, signed
from inspector.render.chart_blocks import Square, SquareSide
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, CellChart, Column, Kind, count, p_value, points, table, text
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import clean
from inspector.state.common_cases import aligned_cases, aligned_official
from inspector.state.comparability import incomparable
from scoring.data.schema import Bools, Row
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.aligned_conditions import OF_SIDE, common_of, conjunction
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.first_error import SIDES
from scoring.metrics.paired import quadrants
from scoring.metrics.resampling import Figure
from scoring.metrics.scorer_pairs import covered_rows, oracle_rows
from scoring.metrics.shared_draws import Shared, compared_metrics, shared
from scoring.selection.result_set import ResultSet

ON_SIDE = {"erroneous": "cases with an error", "clean": "clean cases"}
"""Sides of cases, as written in a sentence."""
LONGEST = 40
"""Longest scorer name in a sentence, in cells."""
MOST_VALUES, LEAST_CASES = 8, 4
"""Most values listed for a column, and least cases for each."""


class PairFigures(NamedTuple):
    """Rows of a comparison of two scorers: differences and both figures, by subset and metric."""

    differences: Mapping[tuple[str, str], Row]
    alone: Mapping[tuple[str, str, str], Row]

    @classmethod
    def of(cls, rows: Sequence[Row], names: tuple[str, str]) -> "PairFigures":
        """Select the rows about two scorers."""
        differences = {(row["subset"], row["metric"]): row for row in rows if (row["scorer"], row["other"]) == names}
        alone = {(row["scorer"], row["subset"], row["metric"]): row for row in rows if row["other"] is None}
        return cls(differences, alone)


def pair_blocks(
    results: ResultSet, benchmark: str, aligned: AlignedScorers, rows: Sequence[Row], tests: Note, seed: int | None
) -> Iterator[Block]:
    """Say which of A and B is better, by how much and on which cases, then describe their oracle."""
    pair = ScorerPair.of(results, benchmark, aligned, rows)
    a, b = pair.names
    n = int(aligned.common((0, 1)).sum())
    figures = PairFigures.of(rows, pair.names)
    judged = figures.differences.get(("all", f"{metrics_of(benchmark).name}_difference"), {}).get("value") is not None
    if not n and not judged:
        yield Note(f"{a} against {b}", "lead")
        for name, why in zip(aligned.names, aligned.nothing, strict=True):
            if why:
                yield Note(f"{name}: {why}.")
        yield Note("No case was tried by both. Score the same cases with both, or choose another scorer.")
        return
    sentence, *others = verdict(pair, figures)
    warnings = (
        Note(f"Not quite comparable: {reason}.", "warning")
        for reason in incomparable(results, pair.names, pair.benchmark, results.mask)
        # Links open the shared cases, and the first of several runs.
        if reason.why not in {"cases", "runs"}
    )
    yield Panel("Verdict", (Note(sentence, "lead"), *([Note(" ".join(others))] if others else []), *warnings))
    table_of_differences = replace(difference_table(pair, figures.differences, figures.alone), title="")
    yield Panel("Difference", (table_of_differences,), "A − B, points, 95%")
    if n:
        for side, members in aligned.sides:
            yield side_panel(pair, figures, side, members)
        yield _together_panel(pair, figures, seed)
        if (panel := _columns_panel(results, pair)) is not None:
            yield panel
        if (panel := _field_panel(results, pair, seed)) is not None:
            yield panel
    yield Panel("What differs between them", tuple(setting_blocks(results, pair.names, titled=False)), place="half")
    yield _method(pair, figures, tests, n)


def _method(pair: ScorerPair, figures: PairFigures, tests: Note, n: int) -> Panel:
    left_out = pair.aligned.left_out((0, 1))
    cases = f"On the {counted(n, 'case')} that both tried" + (f", {left_out:,} left out" if left_out else "")
    notes: list[Block] = [Note(f"{cases}.", "quiet"), tests]
    rows = [(side, figures.differences.get(("all", f"{side}_mcnemar"), {})) for side in SIDES]
    lines = [[text(ON_SIDE[side]), p_value(row.get("p")), p_value(row.get("p_holm"))] for side, row in rows if row]
    if lines:
        notes.append(table("", ["", "p McNemar", "p Holm"], lines))
    if any(figures.differences.get(("all", f"{side}_mcnemar"), {}).get("note") for side in SIDES):
        notes.append(Note("Cases share problems, and McNemar's test takes them as independent.", "quiet"))
    return Panel("How this is tested", tuple(notes), place="method")


# -- the verdict


def verdict(pair: ScorerPair, figures: PairFigures) -> list[str]:
    """Return sentences: the official difference, differences on one side, and differences not ruled out."""
    head = metrics_of(pair.benchmark).name
    candidates = (figures.differences.get((subset, f"{head}_difference")) for subset in ("average", "all"))
    rows = [row for row in candidates if row is not None]
    row = next((row for row in rows if row["value"] is not None), None)
    a, b = (short_name(clean(name), LONGEST, pair.names) for name in pair.names)
    title = metrics_of(pair.benchmark).title
    why = next((row["reason"] for row in rows if row["reason"]), "")
    if row is None:
        return [f"{title} of {a} (A) and {b} (B) cannot be compared{f': {why}' if why else ''}."]
    difference = f"{signed(row['value'])} points"
    low, high = row["low"], row["high"]
    # The figure over all subsets together is not the official one.
    instead = [] if row is rows[0] else [f"The average over subsets is undefined{f': {why}' if why else ''}."]
    title = f"{title} of all subsets together" if instead else title
    if low is None or high is None:
        return [f"{title} of {a} (A) minus that of {b} (B): {difference}.", *instead]
    interval = f"{difference}, 95% from {signed(low)} to {signed(high)}"
    if low > 0 or high < 0:
        better, worse = (f"{a} (A)", f"{b} (B)") if low > 0 else (f"{b} (B)", f"{a} (A)")
        sentences = [f"{better} is better than {worse} in {title}: {interval}."]
        least = f"The true difference may be as small as {_least(low, high)} points."
        return [*sentences, *instead, *_on_sides(figures), least]
    sentences = [f"No evidence that {a} (A) and {b} (B) differ in {title}: {interval}."]
    return [*sentences, *instead, *_on_sides(figures), *_not_ruled_out(low, high)]


def _on_sides(figures: PairFigures) -> Iterator[str]:
    """Yield a sentence for each side on which the interval of the difference excludes 0."""
    for side, metric in zip(SIDES, ("error_acc", "correct_acc"), strict=True):
        row = figures.differences.get(("average", f"{metric}_difference"))
        if row is None or row["low"] is None or row["high"] is None or row["low"] <= 0 <= row["high"]:
            continue
        better = "A" if row["low"] > 0 else "B"
        yield f"{better} is better on {ON_SIDE[side]} ({signed(row['value'])})."


def _least(low: float, high: float) -> str:
    return share(min(abs(low), abs(high)))


def _not_ruled_out(low: float, high: float) -> Iterator[str]:
    """Describe the differences that the interval does not rule out; yield nothing if it has no width."""
    if low == high:
        return
    for_a, for_b = (share(max(0.0, end)) for end in (high, -low))
    if for_a == for_b:
        yield f"A difference of up to {for_a} points, either way, cannot be ruled out."
        return
    yield f"A may be up to {for_a} points better, or up to {for_b} points worse."


# -- a side


def side_panel(pair: ScorerPair, figures: PairFigures, side: str, members: Bools) -> Panel:
    """Draw right and wrong verdicts on the cases of a side, and describe the oracle."""
    counts = quadrants(pair.aligned, 0, 1, members)
    both, only_a, only_b, neither = quadrant_cells(pair, side, counts)
    drawn = Square(
        "", SquareSide("A right", "A wrong"), SquareSide("B right", "B wrong"), (both, only_a, only_b, neither)
    )
    n = sum(counts.values())
    alone = {"A": counts["only_scorer_right"], "B": counts["only_other_right"]}
    union = counts["both_right"] + sum(alone.values())
    does = "finds" if side == "erroneous" else "clears"
    (first, most), (second, least) = sorted(alone.items(), key=lambda pair: -pair[1])
    notes = [Note(f"{first} alone {does} {most:,}, {second} alone {least:,}.")]
    if n:
        words = f"Together they would {does.rstrip('s')} {union:,} of {n:,} ({share(union / n, 0)}%)."
        notes.append(Note(words))
    p = figures.differences.get(("all", f"{side}_mcnemar"), {}).get("p")
    title = f"{ON_SIDE[side].capitalize()} ({n:,})"
    return Panel(title, (drawn, *notes), "" if p is None else f"McNemar {p_text(p)}", place="half")


def p_text(p: float) -> str:
    """Write a p-value in a few characters: `p = 0.90`, `p < 0.001`."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.3f}"


# -- the oracle of both


def _together_panel(pair: ScorerPair, figures: PairFigures, seed: int | None) -> Panel:
    rows = [*oracle_rows(pair.aligned, seed), *covered_rows(pair.aligned)]
    cells = {(row["scorer"], row["side"], row["metric"]): row for row in rows}
    better = next((row["better"] for row in rows if row.get("better")), None)
    oracle = oracle_table(pair, cells, better, figures.alone)
    note = Note("An oracle takes the verdict of whichever of the two is right.", "quiet")
    return Panel("Better together", (oracle, note, overlap_table(pair, cells)), place="half")


# -- largest differences


def _columns_panel(results: ResultSet, pair: ScorerPair) -> Panel | None:
    """Return the error types (else subsets) with the largest differences in accuracy; None if too few."""
    column = usual_error_column(results, pair.benchmark)
    side = "erroneous" if column else "all"
    column = column or "subset"
    members = pair.aligned.common((0, 1))
    if side != "all":
        members = members & dict(pair.aligned.sides)[side]
    axis = axis_of(results, column)
    values = axis.numbers[pair.aligned.rows]
    lines: list[tuple[float, list[Cell]]] = []
    for number, value in enumerate(axis.values):
        taken = members & (values == number)
        n = int(taken.sum())
        if n < LEAST_CASES or value is None:
            continue
        first, second = (float(pair.aligned.right[taken, place].mean()) for place in (0, 1))
        where = conjunction((*([OF_SIDE[side]] if side != "all" else []), common_of(pair.aligned, (0, 1), side)))
        link = CaseLink(
            (*pair.inside, axis.conditions[number], where),
            n,
            f"{column_title(column)} {value_title(value)}, tried by both",
            pair.names[0],
            pair.names,
            pair.benchmark,
        )
        row = {"value": first - second, "low": None, "high": None, "reason": None}
        cells = [text(value_title(value)), *(Cell(each, Kind.SHARE) for each in (first, second)), points(row)]
        lines.append((-abs(first - second) * np.sqrt(n), [*cells, count(n, link)]))
    if len(lines) < 2:
        return None
    heads: list[str | Column] = ["", "A", "B", Column("A − B", chart=CellChart.DIFFERENCE), "n"]
    listed = [cells for _, cells in sorted(lines, key=lambda line: line[0])[:MOST_VALUES]]
    what = "errors found" if side != "all" else "cases right"
    return Panel(
        "Where they differ most", (table("", heads, listed),), f"{what}, by {column_title(column)}", place="half"
    )


# -- all scorers


def _field_panel(results: ResultSet, pair: ScorerPair, seed: int | None) -> Panel | None:
    """Rank all scorers on the cases that all of them tried; None if only A and B exist."""
    names = tuple(
        evaluation.scorer.name
        for evaluation in results.evaluations
        if evaluation.scorer.name not in pair.names and evaluation.coverage.covers(pair.benchmark)
    )
    if not names:
        return None
    everyone = replace(results, chosen=(*pair.names, *names))
    aligned = aligned_official(everyone).get(pair.benchmark) or aligned_cases(everyone).get(pair.benchmark)
    if aligned is None or not aligned.trying or not aligned.common(aligned.trying).any():
        return None
    scores: Shared = shared(aligned, aligned.trying, seed)
    metric = compared_metrics(aligned)[0]
    best, letters = scores.best(metric), {pair.names[0]: "A", pair.names[1]: "B"}
    lines: list[tuple[float, list[Cell]]] = []
    for column, name in zip(aligned.trying, scores.names, strict=True):
        own = scores.estimate(metric, column)
        if own.value is None or best is None:
            continue
        cells = [
            text(letters.get(name, "")),
            text(name),
            Cell(own.value, Kind.SHARE, own.low, own.high, style="strong"),
        ]
        behind = Cell("best", style="good") if column == best else _points_of(scores.difference(metric, column, best))
        lines.append((-own.value, [*cells, replace(behind, low=None, high=None)]))
    if len(lines) < 2:
        return None
    heads: list[str | Column] = ["", "", Column(metrics_of(pair.benchmark).title, chart=CellChart.FOREST), "vs. best"]
    rows = [cells for _, cells in sorted(lines, key=lambda line: line[0])]
    return Panel(
        "All scorers", (table("", heads, rows, labels=2),), f"on the {scores.n:,} cases they share", place="side"
    )


def _points_of(figure: Figure) -> Cell:
    return points({"value": figure.value, "low": figure.low, "high": figure.high, "reason": None})
