"""Facts about the row of the board under the cursor: outcomes, highlights, curve, subsets, failures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses._columns import usual_axes, usual_error_column
from inspector.analyses.board.board_rows import BoardSlice, subset_facet, subset_heads, subsets_of
from inspector.analyses.board.cells import NOT_HERE
from inspector.analyses.board.drills import board_drill
from inspector.analyses.highlights import Highlight, highlights_of
from inspector.analyses.thresholds.curve_page import curve_chart
from inspector.render.chart_blocks import Curve
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell
from inspector.state.case_list.listed import cleared
from inspector.state.screen_state import ScreenState
from inspector.state.subject import subject
from scoring.data.errors import InspectError
from scoring.data.schema import NO_SUBSET, Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.instructive import instructive
from scoring.evaluation.verdicts import (
    EXACT,
    NO_VERDICT,
    ON_CLEAN,
    ON_ERRONEOUS,
    OUTCOMES,
    REFUSED,
    UNPARSED,
    Decision,
)
from scoring.metrics.deciding import rule_among
from scoring.metrics.first_error import FAILURES
from scoring.metrics.outcome_conditions import RIGHT_OUTCOMES, SIDES, tried
from scoring.metrics.reward_bins import reward_bins, with_rewards
from scoring.selection.result_set import ResultSet, by_benchmark
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import literal

MANY = 200_000
"""Number of cases from which only counts are shown, since other facts would slow down the keys."""
LISTED = 12
"""Most failures listed."""
FEWEST = 4
"""Least number of cases of an error type."""
BINS = 5
"""Number of reward ranges."""
REACH = 4
"""Greatest distance in steps from the error that is counted separately."""


ERRORS, CLEAN_CASES, OTHER = "errors", "clean", "other"
"""Groups of outcomes: cases with an error, clean cases, and cases that no figure counts."""


class OutcomeCount(Struct, frozen=True):
    """Number of cases of a group with an outcome, and a link to them."""

    group: str
    name: str
    n: int
    link: CaseLink | None


class NamedFigure(Struct, frozen=True):
    """A figure of a subset or an error type with `n` cases."""

    name: str
    figure: Cell
    n: int
    link: CaseLink | None = None


class FailedCase(NamedTuple):
    """A case that the scorer has wrong: its row id, and a link to it."""

    row: int
    link: CaseLink


class RewardCounts(Struct, frozen=True):
    """Numbers of right and wrong steps with a reward from `low` to `high`."""

    low: float
    high: float
    right: int
    wrong: int


class RowFacts(Struct, frozen=True, eq=False):
    """Facts about one row. `line` is the row itself; the other facts are missing for a row without a scorer.

    `offsets` counts named steps by their distance from the error, `rule` decides on these cases. `skipped` says that
    only counts were computed because of the number of cases, `trouble` why highlights and curve cannot be computed.
    """

    line: Mapping[str, Any]
    outcomes: tuple[OutcomeCount, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    curve: Curve | None = None
    rule: Decision | None = None
    subsets: tuple[NamedFigure, ...] = ()
    error_types: tuple[NamedFigure, ...] = ()
    failures: tuple[FailedCase, ...] = ()
    n_failures: int = 0
    offsets: tuple[tuple[int, int], ...] = ()
    rewards: tuple[RewardCounts, ...] = ()
    skipped: bool = False
    trouble: str = ""


def row_facts(state: ScreenState, piece: BoardSlice, line: Mapping[str, Any], *, wide: bool) -> RowFacts:
    """Compute the facts about a row of the board, in a worker thread.

    Args:
        state: the state of the board.
        piece: the cases of the row.
        line: the row.
        wide: whether subsets, error types and failures fit.
    """
    if line["kind"] in NOT_HERE:
        return RowFacts(line)
    results = state.results
    evaluation = results.evaluation(line["scorer"])
    counts = tuple(_outcomes(results, piece, line))
    rule = rule_among(evaluation, piece.rows, results.query.seed)
    if results.evaluated.height >= MANY:
        return RowFacts(line, counts, rule=rule, skipped=True)
    try:
        chosen = subject(cleared(state.focused(line["scorer"], piece.benchmark)), (line["scorer"],))
        inside = dict(by_benchmark(chosen))[piece.benchmark]
        (of_row,) = chosen.chosen_evaluations
        highlights = highlights_of(chosen, of_row, piece.benchmark, inside, usual_axes(chosen))
        curve = curve_chart(chosen, chosen.chosen_evaluations, piece.benchmark)
        trouble = ""
    except InspectError as error:
        highlights, curve, trouble = (), None, str(error)
    if not wide:
        return RowFacts(line, counts, highlights, curve, rule, trouble=trouble)
    failed = _failed(state, evaluation, piece)
    return RowFacts(
        line,
        counts,
        highlights,
        curve,
        rule,
        tuple(_subsets(results, evaluation, piece)),
        tuple(_error_types(results, evaluation, piece)),
        tuple(_failures(results, evaluation, failed[:LISTED])),
        failed.size,
        tuple(_offsets(evaluation, piece.rows)),
        tuple(_rewards(evaluation, piece.rows)),
        trouble=trouble,
    )


def _outcomes(results: ResultSet, piece: BoardSlice, line: Mapping[str, Any]) -> Iterator[OutcomeCount]:
    evaluation = results.evaluation(line["scorer"])
    lost = (UNPARSED, REFUSED) if results.unparsed(piece.benchmark) == "wrong" else ()
    for code, name in enumerate(OUTCOMES):
        if not line[name]:
            continue
        drill = board_drill(results, piece, line, name)
        link = drill if isinstance(drill, CaseLink) else None
        if code in lost and evaluation.coverage.nothing is None:
            # These outcomes count as wrong on the side of the label.
            yield from _by_side(evaluation, piece, code, link)
        else:
            group = ERRORS if code in ON_ERRONEOUS else CLEAN_CASES if code in ON_CLEAN else OTHER
            yield OutcomeCount(group, name, line[name], link)


def _by_side(evaluation: Evaluation, piece: BoardSlice, code: int, link: CaseLink | None) -> Iterator[OutcomeCount]:
    """Yield the cases with an outcome, by label."""
    gold = evaluation.gold
    there = piece.rows & (evaluation.codes == code)
    sides = {
        ERRORS: (gold.known & (gold.earliest >= 0), SIDES["erroneous"]),
        CLEAN_CASES: (gold.known & (gold.earliest < 0), SIDES["clean"]),
        OTHER: (~gold.known, "earliest_error IS NULL"),
    }
    for group, (side, condition) in sides.items():
        if n := int((there & side).sum()):
            of_side = None if link is None else replace(link, where=(*link.where, condition), n=n)
            yield OutcomeCount(group, OUTCOMES[code], n, of_side)


def _subsets(results: ResultSet, evaluation: Evaluation, piece: BoardSlice) -> Iterator[NamedFigure]:
    """Yield the official figure of each subset, if the row covers the whole benchmark."""
    names = subsets_of(results, piece.benchmark) if piece.subset is None else []
    heads = subset_heads(results, evaluation, piece) if names else {}
    for name in names:
        head = heads.get(name)
        if head is None:
            continue
        part = piece.rows & results.evaluated.passing((subset_facet(name).sql,))
        row = {"kind": "", "scorer": evaluation.scorer.name, "score": head.score}
        link = board_drill(results, BoardSlice(piece.benchmark, name, part, piece.whole), row, "score")
        figure = Cell(head.score, low=head.low, high=head.high, small=head.small)
        yield NamedFigure(name or NO_SUBSET, figure, head.n, link if isinstance(link, CaseLink) else None)


def _error_types(results: ResultSet, evaluation: Evaluation, piece: BoardSlice) -> Iterator[NamedFigure]:
    """Yield the share of errors found for each error type, the smallest first."""
    column = usual_error_column(results, piece.benchmark)
    if not column or results.evaluated.column(column).dtype != pl.String:
        return
    scorer, unparsed = evaluation.scorer.name, results.unparsed(piece.benchmark)
    counted_outcomes = [OUTCOMES.index(name) for name in (*RIGHT_OUTCOMES, *FAILURES[unparsed])]
    erroneous = evaluation.gold.known & (evaluation.gold.earliest >= 0)
    judged = piece.rows & erroneous & np.isin(evaluation.codes, counted_outcomes)
    counted = (
        pl.DataFrame({"type": results.evaluated.column(column), "found": evaluation.codes == EXACT})
        .filter(pl.Series(judged))
        .drop_nulls()
        .group_by("type")
        .agg(pl.col("found").sum(), pl.len().alias("n"))
        .filter(pl.col("n") >= FEWEST)
        .sort(pl.col("found") / pl.col("n"), -pl.col("n").cast(pl.Int64), "type")
    )
    subset = () if piece.subset is None else (subset_facet(piece.subset).sql,)
    for name, n_found, n in counted.iter_rows():
        where = (*subset, Facet(column, (name,)).sql, SIDES["erroneous"], tried(scorer, unparsed))
        link = CaseLink(where, n, f"{column.replace('_', ' ')}: {name}", scorer, (), piece.benchmark)
        yield NamedFigure(name, Cell(n_found / n, n=n), n, link)


def _failed(state: ScreenState, evaluation: Evaluation, piece: BoardSlice) -> Any:
    """Return the row ids of the failures, most instructive first."""
    wrong = [OUTCOMES.index(name) for name in FAILURES[state.results.unparsed(piece.benchmark)]]
    failed = piece.rows & np.isin(evaluation.codes, wrong)
    order = instructive(evaluation.margins, evaluation.codes)
    return order[failed[order]]


def _failures(results: ResultSet, evaluation: Evaluation, rows: Sequence[int]) -> Iterator[FailedCase]:
    names = results.cases["case"].gather(list(map(int, rows)))
    for row, name in zip(rows, names, strict=True):
        yield FailedCase(int(row), CaseLink((f"case = {literal(name)}",), 1, name, evaluation.scorer.name))


def _offsets(evaluation: Evaluation, rows: Bools) -> Iterator[tuple[int, int]]:
    """Count named steps by distance from the error, from -REACH to REACH; the ends include all steps further away."""
    gold, verdicts = evaluation.gold.earliest[rows], evaluation.verdicts[rows]
    named = (gold >= 0) & (verdicts >= 0) & (verdicts != NO_VERDICT)
    if not named.any():
        return
    apart = np.clip(verdicts[named] - gold[named], -REACH, REACH)
    yield from ((offset, int((apart == offset).sum())) for offset in range(-REACH, REACH + 1))


def _rewards(evaluation: Evaluation, rows: Bools) -> Iterator[RewardCounts]:
    """Count rewards by range: the earliest error is wrong, earlier steps are right, later steps do not count."""
    among = np.flatnonzero(with_rewards(evaluation, rows))
    rewards, earliest = evaluation.rewards.of_cases(among), evaluation.gold.earliest[among]
    if not rewards.values.size:
        return
    lengths = np.diff(rewards.offsets)
    case = np.repeat(np.arange(among.size), lengths)
    step, gold = np.arange(case.size) - rewards.offsets[:-1][case], earliest[case]
    bins = reward_bins(evaluation, BINS)
    right, wrong = (bins.counts(rewards.values[steps]) for steps in ((gold < 0) | (step < gold), step == gold))
    for (low, high), n_right, n_wrong in zip(bins.ends(), right.tolist(), wrong.tolist(), strict=True):
        yield RewardCounts(low, high, n_right, n_wrong)
