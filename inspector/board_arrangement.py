"""How a board is arranged: what its rows are grouped by, their order, the columns, and what the scores are told as."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import polars as pl

from inspector.board_cells import PUBLISHED, REFERENCE, coverage_text
from inspector.board_columns import COMPARED, MEANINGS, NAME_WIDTH, SMALLEST_FIRST, UNSORTABLE, BoardKind
from inspector.headline import F1
from inspector.ordering import DIRECTIONS

Rows = Literal["benchmark", "scorer", "subset"]
ROWS: tuple[Rows, ...] = get_args(Rows)
"""A row a scorer and benchmark; the same and every subset under its scorer; the scorers under each subset."""
BEST_FIRST = "score:desc"


@dataclass(frozen=True)
class Arrangement:
    """How a board is arranged.

    `rows` are one of ROWS, `sort` is `COLUMN:asc` or `COLUMN:desc` within a group, `columns` are keys of
    `inspector.board_columns.MEANINGS` in their order, () for the usual ones. `against` names the scorer that scores are
    told as differences to, "" for none; `published` adds printed figures.
    """

    rows: Rows = "benchmark"
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
        from inspector.request import joined

        return (
            *(("--rows", self.rows) if self.rows != "benchmark" else ()),
            *(("--sort", self.sort) if self.sort != BEST_FIRST else ()),
            *(("--columns", joined(self.columns)) if self.columns else ()),
            *((f"--against={self.against}",) if self.against else ()),
            *(("--published",) if self.published else ()),
        )


def sort_of_word(word: str) -> str | None:
    """A sort key in full: with its direction, the usual one where none is said. None: there is no such order."""
    key, colon, direction = word.rpartition(":")
    if not colon or direction not in DIRECTIONS:
        key, direction = word, "asc" if word in SMALLEST_FIRST else "desc"
    return f"{key}:{direction}" if key in MEANINGS and key not in UNSORTABLE else None


def as_kept(rows: str, sort: str, columns: tuple[str, ...]) -> Arrangement:
    """An arrangement as it was remembered; what is not known here is the usual."""
    kept = tuple(key for key in columns if key in MEANINGS)
    found = Arrangement(sort=sort_of_word(sort) or BEST_FIRST, columns=kept)
    return next((replace(found, rows=known) for known in ROWS if known == rows), found)


def arranged(frame: pl.DataFrame, how: Arrangement) -> pl.DataFrame:
    """The rows of a board, with what stands beside them, in the order asked for.

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


def kind_of(frame: pl.DataFrame, how: Arrangement, *, several: bool) -> BoardKind:
    """Which columns a board of these rows has; `several` says that there are several benchmarks."""
    widths = [len(coverage_text(*pair)) for pair in frame.select("scored", "cases").drop_nulls().iter_rows()]
    return BoardKind(
        rows=how.rows,
        several=several,
        subsets=frame["subset"].is_not_null().any(),
        metrics=tuple(frame["metric"].unique().sort()) or (F1,),
        chosen=how.columns,
        against=bool(how.against),
        scored_width=max([7, *widths]),
        long_names=bool((frame["scorer"].str.len_chars() > NAME_WIDTH).any()),
    )
