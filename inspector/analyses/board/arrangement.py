"""How a board is arranged: its columns, what its rows are grouped by, their order, and what scores are told as."""

from typing import Literal, get_args

import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from inspector.analyses.board.cells import PUBLISHED, REFERENCE, scored_text
from inspector.render.charts.chart_columns import ChartAxis, axis_of
from inspector.render.table_blocks import Cell, CellChart, Kind
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.own import own_metrics
from scoring.selection.ordering import DIRECTIONS
from scoring.selection.query import joined

F1, PRMSCORE = "F1", "PRMScore"
MEANINGS = {
    "scorer": ("scorer", "its name"),
    "benchmark": ("benchmark", "the benchmark"),
    "subset": ("subset", "the benchmark's own partition; whole: all of it"),
    "metric": ("metric", "what the score is: F1, PRMScore or whatever else the benchmark reports"),
    "score": ("score", "the official metric, marked where it is the best or tied with it"),
    "interval": ("95%", "the interval of the score"),
    "on_wrong": ("on wrong", "accuracy on erroneous cases, or on wrong steps (PRMScore)"),
    "on_right": ("on right", "accuracy on clean cases, or on right steps (PRMScore)"),
    "bias": ("bias", "accuracy on what is right minus on what is wrong, all subsets together"),
    "fp": ("FP%", "erroneous cases called wrong before the earliest error, as GR-Ben counts"),
    "fn": ("FN%", "erroneous cases called wrong after it or not at all, as GR-Ben counts"),
    "outcomes": ("outcomes", "a bar with the share of each outcome"),
    "threshold": ("threshold", "the threshold and where it is from"),
    "coverage": ("scored", "cases with a verdict, of all"),
    "n": ("n", "cases or steps in the denominators of the score"),
    "cases": ("cases", "all cases"),
    **{name: (name.replace("_", " "), "cases with this outcome") for name in OUTCOMES},
    "sd": ("sd", "standard deviation of the score over several runs"),
    "runs": ("runs", "independent repetitions that the figures are means of"),
}
"""Titles and meanings of all columns, in the order in which they are offered."""


def meanings() -> dict[str, tuple[str, str]]:
    """Return titles and meanings of all columns that there are now, metrics of the user's own last."""
    return {
        **MEANINGS,
        **{made.name: (made.title, "a metric of your own, averaged as F1 is") for made in own_metrics()},
    }


UNSORTABLE = frozenset({"outcomes"})
SMALLEST_FIRST = frozenset({"scorer", "benchmark", "subset", "metric", "threshold"})
USUAL = ("score", "interval", "on_wrong", "on_right", "bias", "outcomes", "threshold", "coverage")
"""Default columns of the board, in addition to the names of the rows."""
ON_SCREEN = ("score", "interval", "on_wrong", "on_right", "coverage")
"""The default columns on screen; the panels below the table show the others."""
NAMES = ("scorer", "benchmark", "subset", "metric")
SOURCES: dict[str, tuple[str, ...]] = {
    "interval": ("low", "high"),
    "outcomes": OUTCOMES,
    "threshold": ("threshold", "threshold_source"),
    "coverage": ("scored", "cases"),
    "score": ("score", "standing"),
}
"""The columns of the frame that a column shows; of others the one of its name."""
COMPARED = ("score", "low", "high", "on_wrong", "on_right")
"""Columns of the frame that are differences where there is a reference: they are called `d_` and this."""

RowGrouping = Literal["benchmark", "scorer", "subset"]
ROWS: tuple[RowGrouping, ...] = get_args(RowGrouping)
"""A row a scorer and benchmark; the same and every subset under its scorer; the scorers under each subset."""
BEST_FIRST = "score:desc"


class Arrangement(Struct, frozen=True):
    """How a board is arranged.

    `rows` are one of ROWS, `sort` is `COLUMN:asc` or `COLUMN:desc` within a group, `columns` are keys of
    `MEANINGS` in their order, () for the usual ones. `against` names the scorer that
    scores are told as differences to, "" for none; `published` adds printed figures.
    """

    rows: RowGrouping = "benchmark"
    sort: str = BEST_FIRST
    columns: tuple[str, ...] = ()
    against: str = ""
    published: bool = False

    @property
    def subsets(self) -> bool:
        """Whether there are rows of subsets."""
        return self.rows != "benchmark"

    @property
    def words(self) -> tuple[str, ...]:
        """The same as words of `prm-inspect board`, the usual ones left out."""
        return (
            *(("--rows", self.rows) if self.rows != "benchmark" else ()),
            *(("--sort", self.sort) if self.sort != BEST_FIRST else ()),
            *(("--columns", joined(self.columns)) if self.columns else ()),
            *((f"--against={self.against}",) if self.against else ()),
            *(("--published",) if self.published else ()),
        )


def sort_of_word(word: str) -> str | None:
    """Return a sort key in full: with its direction, the usual one where none is said. None: there is no such order."""
    key, colon, direction = word.rpartition(":")
    if not colon or direction not in DIRECTIONS:
        key, direction = word, "asc" if word in SMALLEST_FIRST else "desc"
    return f"{key}:{direction}" if key in meanings() and key not in UNSORTABLE else None


def as_kept(rows: str, sort: str, columns: tuple[str, ...]) -> Arrangement:
    """Return an arrangement as it was remembered; what is not known here is the usual."""
    kept = tuple(key for key in columns if key in meanings())
    remembered = Arrangement(sort=sort_of_word(sort) or BEST_FIRST, columns=kept)
    return next((replace(remembered, rows=known) for known in ROWS if known == rows), remembered)


def arranged(frame: pl.DataFrame, how: Arrangement) -> pl.DataFrame:
    """Return the rows of a board, with what stands beside them, in the order asked for.

    Published figures stand after the scorers of their group, whatever the order. `repeated` says that a row has the
    group of the one above.
    """
    if how.rows == "subset":
        divided = pl.col("subset").is_not_null().any().over("benchmark")
        frame = frame.filter(pl.col("subset").is_not_null() | ~divided)
    key, _, direction = how.sort.rpartition(":")
    down = direction == "desc"
    by = _sorted_by(frame, key, how)
    frame = frame.with_row_index("_at").with_columns(
        pl.col("_at").min().over("benchmark", "subset").alias("_subset"),
        by.alias("_by"),
        (pl.col("kind") == PUBLISHED).alias("_printed"),
    )
    if how.rows == "scorer":
        # The order is that of the scorers, by their first rows; within one stand its benchmarks and subsets.
        first = pl.col("_by").first().over("_printed", "scorer")
        columns = ["_printed", first, "scorer", "benchmark", "_subset"]
        downwards = [False, down, False, False, False]
    else:
        columns = ["benchmark", "_subset", "_printed", "_by", "scorer"]
        downwards = [False, False, False, down, False]
    # The rows of a whole benchmark come before those of its subsets already.
    ordered = frame.sort(columns, descending=downwards, nulls_last=True, maintain_order=True)
    group = {"scorer": ["scorer"], "subset": ["benchmark", "subset"]}.get(how.rows, ["benchmark"])
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift()) for name in group)
    repeated = same & (pl.int_range(pl.len()) > 0)
    return ordered.with_columns(repeated.alias("repeated")).drop("_at", "_subset", "_by", "_printed")


def _sorted_by(frame: pl.DataFrame, key: str, how: Arrangement) -> pl.Expr:
    """What a sort key stands for; the reference itself differs by nothing."""
    own = {"interval": "low", "coverage": "scored"}.get(key, key)
    # While differences are computed, rows stand as they would without them.
    if not how.against or own not in COMPARED or not frame["d_score"].count():
        return pl.col(own)
    return pl.when(pl.col("d_standing") == REFERENCE).then(0.0).otherwise(pl.col(f"d_{own}"))


class BoardKind(Struct, frozen=True):
    """What decides which columns a board has and what they are called.

    `rows` is how they are grouped (see `inspector.analyses.board.arrangement`); `several` says that there are several
    benchmarks, `subsets` that rows are of subsets; `metrics` are those of the rows, `chosen` the requested columns, ()
    for the default ones; `against` says that scores are differences; `scored_width` are the cells of the longest of the
    texts about scored cases, `source_width` those of the longest threshold with its source. `scorers`, `benchmarks` and
    `parts` (the subsets) are the names in the rows, `empty` the usual columns that are hidden. `usual_keys` are USUAL
    or ON_SCREEN, and `axis` is that of all intervals.
    """

    rows: str = "benchmark"
    several: bool = False
    subsets: bool = False
    metrics: tuple[str, ...] = (F1,)
    chosen: tuple[str, ...] = ()
    against: bool = False
    scored_width: int = 0
    source_width: int = 0
    empty: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    usual_keys: tuple[str, ...] = USUAL
    axis: ChartAxis = ChartAxis(0.0, 1.0)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(key for key in self.chosen if key in meanings()) or self.filled

    @property
    def usual(self) -> tuple[str, ...]:
        """Those that are shown where none were chosen."""
        return (*self.names, *self.usual_keys, *(made.name for made in own_metrics()))

    @property
    def filled(self) -> tuple[str, ...]:
        """The usual ones but those that are empty."""
        return tuple(key for key in self.usual if key not in self.empty)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that say what a row is of; what it is grouped by stands first."""
        there = {"scorer", *(["benchmark"] if self.several else []), *(["subset"] if self.subsets else [])}
        there |= {"metric"} if len(self.metrics) > 1 else set()
        order = ("benchmark", "subset", "scorer", "metric") if self.rows == "subset" else NAMES
        return tuple(name for name in order if name in there)

    @property
    def group(self) -> str:
        """The column by which rows are grouped; "" where they are not."""
        return {"scorer": "scorer", "subset": "subset"}.get(self.rows, "benchmark" if self.several else "")


def title_of(key: str, kind: BoardKind) -> str:
    """Return the title of a column, true of all the metrics of the rows."""
    wrong, right = heads(kind.metrics)
    score = kind.metrics[0] if len(kind.metrics) == 1 else "score"
    return {"score": score, "on_wrong": wrong, "on_right": right}.get(key, meanings()[key][0])


def heads(metrics: tuple[str, ...]) -> tuple[str, str]:
    """Return the titles of the columns of the two accuracies, true of all the metrics."""
    return ("on wrong", "on right") if PRMSCORE in metrics else ("errors found", "clean kept")


def kind_of(frame: pl.DataFrame, how: Arrangement, *, several: bool) -> BoardKind:
    """Return which columns a board of these rows has; `several` says that there are several benchmarks."""
    against = bool(how.against)
    widths = [cell_len(scored_text(*pair)) for pair in frame.select("scored", "cases").drop_nulls().iter_rows()]
    return BoardKind(
        rows=how.rows,
        several=several,
        subsets=frame["subset"].is_not_null().any(),
        metrics=tuple(frame["metric"].unique().sort()) or (F1,),
        chosen=how.columns,
        against=against,
        scored_width=max(widths, default=0),
        source_width=len("0.500 ") + max(map(cell_len, frame["threshold_source"].drop_nulls()), default=0),
        scorers=_names_in(frame["scorer"]),
        benchmarks=_names_in(frame["benchmark"]),
        parts=_names_in(frame["subset"]),
        axis=_axis(frame, against=against),
    )


def _axis(frame: pl.DataFrame, *, against: bool) -> ChartAxis:
    """Return the shared axis of all intervals; it includes zero if scores are differences."""
    names = [f"{'d_' if against else ''}{name}" for name in ("score", "low", "high")]
    if against and names[0] not in frame.columns:
        return ChartAxis(-1.0, 1.0)
    cells = [Cell(value, Kind.SHARE, low, high) for value, low, high in frame.select(names).iter_rows()]
    return axis_of(cells, CellChart.DIFFERENCE if against else CellChart.FOREST)


def empty_keys(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the columns in which no row has a value, but not the score, which has its reasons; none without rows."""
    if not frame.height:
        return ()
    sources = {key: SOURCES.get(key, (key,)) for key in USUAL if key != "score"}
    return tuple(key for key, names in sources.items() if all(_says_nothing(frame[name]) for name in names))


def _says_nothing(column: pl.Series) -> bool:
    filled = column.drop_nulls()
    return not filled.len() or (column.dtype == pl.String and not filled.str.len_bytes().sum())


def _names_in(column: pl.Series) -> tuple[str, ...]:
    return tuple(column.drop_nulls().unique().sort())
