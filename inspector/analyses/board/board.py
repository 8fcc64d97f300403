"""The board: a line a scorer (who is tied with the best, bias, differences)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, Params, analysis
from inspector.analyses.board.arrangement import (
    BEST_FIRST,
    COMPARED,
    NAMES,
    ROWS,
    SOURCES,
    UNSORTABLE,
    Arrangement,
    arranged,
    kind_of,
    meanings,
    sort_of_word,
    title_of,
)
from inspector.analyses.board.board_rows import BoardSlice, board_frame, pieces, published_frame, unscored_frame
from inspector.analyses.board.cells import BEST, PUBLISHED, TIED, name_title
from inspector.analyses.board.drills import board_drill
from inspector.analyses.board.standings import Ranks, Standings, own_figures, standings
from inspector.render.blocks import Block, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, count, figure, number, points, table, text
from inspector.render.texts.sentences import F1, PRMSCORE, counted
from inspector.render.view import View
from inspector.state.case_list.listed import cleared
from inspector.state.comparability import NOT_COMPARABLE, incomparable
from inspector.state.figure_notes import boundary_notes, mean_notes, stem_notes, unlike_notes
from inspector.state.label_words import other_labels, published_note, with_own_labels
from inspector.state.opening import inspect
from inspector.state.provenance import provenance
from inspector.state.screen_state import ScreenState
from inspector.state.subject import every_benchmark
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Row
from scoring.evaluation.case_counts import runs_among
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.benchmark_metrics import leading_metrics
from scoring.metrics.own import own_metrics
from scoring.selection.query import split
from scoring.selection.result_set import ResultSet, with_evaluations, within

BIAS = "bias: accuracy on what is right minus on what is wrong, all subsets together; fp, fn: of the erroneous (GR-Ben)"
STANDING = "standing: best, or tied where the 95% interval of the paired difference to the best holds 0"
STANDINGS = {BEST: "best", TIED: "tied"}
KINDS = {**dict.fromkeys(("interval", "on_wrong", "on_right", "fp", "fn", "sd"), Kind.SHARE), "bias": Kind.POINTS}
"""How the columns of fractions without an interval are written."""
SIDES = {"on_wrong": "on erroneous", "on_right": "on clean"}
"""What the accuracies of first errors are called."""


@analysis(
    "Board",
    examples=(
        "prm-inspect board --benchmark demo --rows subset --sort bias",
        "prm-inspect board --benchmark demo --against ledger --json",
    ),
    options=(
        Option(
            "rows",
            "a row a scorer and benchmark (or each scorer's with its subsets, or the scorers under each subset)",
            choices=ROWS,
        ),
        Option("sort", "COLUMN, COLUMN:asc or COLUMN:desc (best first)", metavar="KEY"),
        Option("columns", "these columns and no others, in this order; a wrong name lists them", metavar="A,B,..."),
        Option(
            "against",
            "differences to this scorer (with paired intervals on the cases that both tried)",
            metavar="SCORER",
        ),
        Option("published", "also the figures that the benchmark's paper prints"),
    ),
)
def board(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # all of it is resampled
    """Return the board of the chosen scorers, arranged as asked.

    Raises:
        UsageError: there is no such column, order or scorer.
    """
    return board_view(inspect(results), _arrangement(results, params), params.form, results.chosen)


def _arrangement(results: ResultSet, params: Params) -> Arrangement:
    columns = params.get("columns")
    if columns is not None and not split(columns):
        raise UsageError(
            "--columns is empty.", "Give it names with commas between, or leave it out for the usual ones."
        )
    for name in split(columns or ""):
        if name not in meanings():
            raise UsageError(f"the board has no column {name!r}.", f"There are: {', '.join(meanings())}.")
    order = params.get("sort", "")
    sort = sort_of_word(order) if order else BEST_FIRST
    if sort is None:
        orders = ", ".join(name for name in meanings() if name not in UNSORTABLE)
        raise UsageError(f"the board cannot be sorted by {order!r}.", f"There are: {orders}.")
    names = [evaluation.scorer.name for evaluation in results.evaluations]
    against = match_name(params.get("against"), names, "scorer") if params.get("against") else ""
    return Arrangement(params.get("rows", ROWS[0]), sort, split(columns or ""), against, bool(params.get("published")))


def board_view(state: ScreenState, how: Arrangement, form: str = "", scorers: tuple[str, ...] | None = None) -> View:
    """Show the board as it is arranged: a column on screen is one of the rows here, or those that it is made of.

    `kind` says of rows that are no scorer's what they are, and `standing` stands beside a score. Where there is a
    reference, the differences to it are `d_score` and so on, on `d_n` cases. `scorers` are names; None = all.
    """
    results = every_benchmark(cleared(state))
    base, search = state.base, state.base_search
    # A condition may speak of any scorer, of those as well that no row is of.
    parts = pieces(results, base, search, subsets=how.subsets)
    frame = board_frame(results, base, search, subsets=how.subsets, scorers=scorers)
    every = tuple(evaluation.scorer.name for evaluation in results.evaluations)
    if scorers is not None and scorers != every:
        query = results.query.of(scorers)
        chosen = tuple(
            evaluation for evaluation in results.evaluations if evaluation.scorer.name in {*scorers, how.against}
        )
        results = with_evaluations(replace(results, query=query, chosen=scorers), chosen)
    if how.published or not frame.height:
        printed = published_frame((piece.benchmark, piece.subset) for piece in parts)
        frame = pl.concat([frame, printed], how="diagonal")
    known = replace(standings(results, parts, how.against), own=(own := own_figures(results, parts)))
    for fault in own.faults.values():
        raise fault
    rows = arranged(known.beside(frame), how)
    kind = kind_of(rows, how, several=len(results.benchmarks) > 1)
    names = ["kind", *(name for key in kind.keys for name in _sources(key, against=bool(how.against)))]
    made = rows.select(list(dict.fromkeys(names)))
    command = results.query.command("board", *how.words, form=form)
    beside = published_note(results.labels.adjudicated) if (rows["kind"] == PUBLISHED).any() else ()
    of_runs = (*unlike_notes(results), *mean_notes(results), *_first_runs(results))
    alone = (*stem_notes(results), *_unscored(parts, frame), *boundary_notes(results), *of_runs)
    notes = (*beside, *_notes(known, how, rows), *alone)

    def lay_out() -> tuple[Section, ...]:
        by_key = {(piece.benchmark, piece.subset): piece for piece in parts}
        blocks = [
            *_blocks(results, rows, by_key, how, kind.keys),
            *_warnings(results, parts),
            *(() if how.against else _standing_cases(known)),
            *(Note(f"{_begun(note, results)}.", "quiet") for note in (*beside, *alone)),
        ]
        return (Section(", ".join(dict.fromkeys(rows["benchmark"])), "board", tuple(blocks)),)

    empty = "" if rows.height else "No scorer has anything for these cases yet, so there is no figure."
    return View(made, provenance(results, command, notes), title="Board", lay_out=lay_out, empty=empty)


def _first_runs(results: ResultSet) -> Iterator[str]:
    """Say which columns are of one run beside those that are means over several."""
    several = [evaluation for evaluation in results.chosen_evaluations if runs_among(evaluation, results.mask) > 1]
    if several:
        names = ", ".join(evaluation.scorer.name for evaluation in several)
        yield f"outcomes, bias, fp and fn are those of the first run: {names}"


def _begun(note: str, results: ResultSet) -> str:
    """The note as a sentence begins; a scorer's name stays as it is."""
    names = {evaluation.scorer.name for evaluation in results.chosen_evaluations}
    named = any(note.startswith((f"{name} on ", f"{name}: ")) for name in names)
    return note if named else f"{note[:1].upper()}{note[1:]}"


def _unscored(parts: Sequence[BoardSlice], frame: pl.DataFrame) -> Iterator[str]:
    """A sentence where nobody has scored some of the benchmarks."""
    scored = frame.filter(pl.col("kind") != PUBLISHED)["benchmark"]
    rows = unscored_frame(parts, set(scored)).iter_rows(named=True) if scored.len() else ()
    if missing := ", ".join(f"{row['benchmark']} ({counted(row['cases'], 'case')})" for row in rows):
        yield f"nobody has scored {missing} yet"


def _sources(key: str, *, against: bool) -> Iterator[str]:
    """The columns of the rows that a column on screen is made of."""
    own = SOURCES.get(key, (key,))
    if not against:
        yield from own
    elif key == "score":
        yield from ("d_score", "d_n", "d_reason")
    else:
        yield from (f"d_{name}" if name in COMPARED else name for name in own)


def _notes(known: Standings, how: Arrangement, rows: pl.DataFrame) -> Iterator[str]:
    yield BIAS
    if not how.against:
        yield STANDING
        for (benchmark, subset), ranks in known.ranks.items():
            where = benchmark if subset is None else f"{benchmark}, {name_title(subset)}"
            yield f"{where}: {_standing_words(ranks)}"
    else:
        yield f"d_score and the like: less those of {how.against}, on the cases that both tried, paired bootstrap"
    if F1 in set(rows["metric"]):
        yield "score: F1 is the mean over subsets where there are some"
    for title, reported in leading_metrics().items():
        if reported.own and title in set(rows["metric"]):
            yield f"score: {title} is {reported.about}; the accuracies beside it are of first errors"


# -- what people see


def _warnings(results: ResultSet, parts: Sequence[BoardSlice]) -> Iterator[Note]:
    """Why the figures are not comparable as they stand, as the app's board says it."""
    if labels := other_labels(results.labels.adjudicated):
        yield Note(f"{NOT_COMPARABLE} {with_own_labels(labels)}.", "warning")
    names = [evaluation.scorer.name for evaluation in results.evaluations]
    whole = (piece for piece in parts if piece.subset is None)
    reasons = (incomparable(results, names, piece.benchmark, piece.rows) for piece in whole)
    # What differs between scorers may be the same on every benchmark.
    for sentence in dict.fromkeys(map(str, chain.from_iterable(reasons))):
        yield Note(f"{NOT_COMPARABLE}: {sentence}.", "warning")


def _standing_cases(known: Standings) -> Iterator[Note]:
    """Who takes no part in best and tied, and on which cases these were found then."""
    for (benchmark, subset), ranks in known.ranks.items():
        if ranks.why and subset is None:
            yield Note(f"{benchmark}: {_standing_words(ranks)}.", "quiet")


def _standing_words(ranks: Ranks) -> str:
    if ranks.scorers < 2 or (ranks.why and not any(ranks.kinds.values())):
        return f"no best one is marked: {ranks.why or 'fewer than two scorers tried all cases'}"
    cases = f"standing on the {ranks.n:,} cases that {ranks.scorers} scorers tried"
    return f"{cases}; {ranks.why}" if ranks.why else cases


def _blocks(
    results: ResultSet,
    rows: pl.DataFrame,
    parts: Mapping[tuple[str, str | None], BoardSlice],
    how: Arrangement,
    keys: Sequence[str],
) -> Iterator[Block]:
    kind = kind_of(rows, how, several=len(results.benchmarks) > 1)
    # An interval stands behind its score where both are shown.
    keys = [key for key in keys if key != "interval" or "score" not in keys]
    outcomes = [name for name in OUTCOMES if rows[name].sum()]
    heads: list[str | Column] = []
    for key in keys:
        if key == "outcomes":
            heads += [Column(name.replace("_", " "), 2) for name in outcomes]
        elif key == "threshold":
            heads += [Column("threshold", 1), Column("its source", 1)]
        else:
            # Beside the outcomes `clean` alone would say two things.
            title = "" if PRMSCORE in kind.metrics else SIDES.get(key, "")
            heads.append(Column(title or title_of(key, kind), 0 if key in {*NAMES, "score"} else 1))
    lines = []
    for row in rows.iter_rows(named=True):
        piece = parts[row["benchmark"], row["subset"]]
        lines.append([cell for key in keys for cell in _cells(results, piece, row, key, how, outcomes)])
    labels = next((at for at, key in enumerate(keys) if key not in NAMES), len(keys))
    yield table("", heads, lines, labels=labels)


def _cells(
    results: ResultSet, piece: BoardSlice, row: Row, key: str, how: Arrangement, outcomes: Sequence[str]
) -> Iterator[Cell]:
    """What stands in a column of the board; in several where it is made of several."""

    def opens(column: str) -> CaseLink | None:
        link = board_drill(results, piece, row, column, how.against)
        if not isinstance(link, CaseLink):
            return None
        return replace(link, where=(*within(results, piece.benchmark), *link.where))

    dim = "" if row["kind"] == "scorer" else "dim"
    if key in NAMES:
        yield text(name_title(row[key]), dim)
    elif how.against and key in {*COMPARED, "interval"}:
        yield _difference(row, key, opens(key))
    elif key == "score":
        made = figure({**row, "value": row["score"]}, link=opens(key), style=dim or "strong")
        yield replace(made, note=STANDINGS.get(row.get("standing") or "", ""))
    elif key == "outcomes":
        yield from (count(row[name], opens(name), dim) for name in outcomes)
    elif key == "threshold":
        yield replace(number(row["threshold"]), link=opens(key) if row["threshold"] is not None else None)
        yield text(row["threshold_source"] or "", "dim")
    elif key == "coverage":
        yield count(row["scored"], opens(key), dim, "" if row["cases"] is None else f"of {row['cases']:,}")
    elif key in (kinds := _kinds()):
        link = opens(key) if key in KINDS else None
        yield Cell(row["low" if key == "interval" else key], kinds[key], link=link, style=dim)
    else:
        yield count(row[key], opens(key), dim)


def _kinds() -> dict[str, Kind]:
    """How columns of fractions and metrics of the user's own are written."""
    own = {made.name: Kind.SHARE if made.kind == "share" else Kind.NUMBER for made in own_metrics()}
    return {**KINDS, **own}


def _difference(row: Row, key: str, link: CaseLink | None) -> Cell:
    """A figure less that of the reference."""
    if key == "score":
        ends = {"value": row["d_score"], "low": row["d_low"], "high": row["d_high"], "reason": row["d_reason"]}
        return points(ends, link)
    return Cell(row.get(f"d_{key}"), Kind.POINTS, link=link)
