"""What a scorer said, cached: a folder of immutable Parquet parts a scorer.

`rewards/<slug>-<8 hex>/` holds `scorer.json`, `part-<uuid7>.parquet` (step rewards, labels or one number a solution)
and, for a critic, `votes-<uuid7>.parquet` (its answers and what they vote for); what parts were merged into has another
uuid7 behind that of the newest of them. A part is written under a dot-name, fsynced and renamed, so any number of
processes may write and read without a lock: none can leave a wrong or half row, and `scoring.runs.leases` keeps them
from computing a case twice. A notebook reads the same folder with `pl.read_parquet("part-*.parquet",
missing_columns="insert").unique(["key", "case", "vote"])`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.errors import FrameError
from scoring.data.schema import REWARDS, VOTES, conform
from scoring.data.storage.files import uuid7
from scoring.data.storage.parquet import parquet_schema, read_parquet, write_parquet
from scoring.workspace.rows_of_cases import rows_of_cases

# -- where in a Parquet part the rows of one content are, so that a screen reads these and no others


_SEED = 0


def runs_of(part: Path, key: str) -> list[tuple[int, int]]:
    """(first row, 0-based; how many) of every run of neighbouring rows that may have this key.

    Rows are found by a hash of their key: whoever reads them keeps those that have the key itself. What was found out
    of a part is remembered: parts never change. Eight bytes a row are kept.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it cannot be read, or has no keys.
    """
    rows = np.flatnonzero(_hashes(part) == key_hashes(pl.Series([key], dtype=pl.String))[0])
    if not rows.size:
        return []
    breaks = np.flatnonzero(np.diff(rows) > 1) + 1
    edges = [0, *breaks.tolist(), rows.size]
    return [(int(rows[start]), end - start) for start, end in pairwise(edges)]


@lru_cache(maxsize=512)
def _hashes(part: Path) -> npt.NDArray[np.uint64]:
    keys = read_parquet(part, ["key"])["key"]
    if keys.dtype != pl.String:
        raise OSError("key holds no texts")
    return key_hashes(keys)


def key_hashes(keys: pl.Series) -> npt.NDArray[np.uint64]:
    """Hash each key to a number, equal for equal ones and seldom for others; of this process alone. Shape (n,)."""
    return keys.hash(_SEED).to_numpy()


BALLOTS = ("key", "case", "vote", "run", "ballot", "verdict", "rewards", "redundancy", "reason")
"""The small columns of votes: all but the texts of the answers and how they came to be."""
PIECE_BYTES = 32 << 20
"""Size in memory of what parts are merged into."""
_PIECE = re.compile(r"-[0-9a-f]{32}-[0-9a-f]{32}\Z")
LISTINGS = 5
"""How often a folder is listed whose parts vanish while they are read."""


@cache
def why_refused() -> pl.Expr:
    """Return why nothing that a row of results holds is usable for its case, as text; null where something is.

    It needs the columns `rewards`, `labels`, `solution` and `reason` of the row, and `n_steps` of the case.
    """
    rewards, labels, solution = pl.col("rewards"), pl.col("labels"), pl.col("solution")
    steps, either = pl.col("n_steps"), rewards.is_not_null() | labels.is_not_null()
    n_rewards = rewards.list.len().cast(pl.Int64)
    infinite = rewards.list.eval(pl.element().is_finite().not_() | pl.element().is_null()).list.any()
    return (
        pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when(either.not_() & solution.is_null())
        .then(pl.lit("the cached row holds neither rewards nor a reason"))
        .when(labels.is_null() & (n_rewards != steps))
        .then(pl.format("{} rewards for {} steps", n_rewards, steps))
        .when(either & (steps == 0))
        .then(pl.lit("the case has no steps"))
        .when(labels.list.len() == 0)
        .then(pl.format("labels for 0 of {} steps", steps))
        .when(infinite)
        .then(pl.lit("a reward is not a finite number"))
        .when(labels.list.eval(pl.element().is_null()).list.any())
        .then(pl.lit("a label is missing"))
        .when(either.not_() & solution.is_finite().not_())
        .then(pl.lit("the number of the solution is not finite"))
        .otherwise(None)
        .alias("why")
    )


class PartKind(Struct, frozen=True):
    """One kind of part: how its files are called, what is in them and which row of several counts.

    `what` names its frame in errors. `identity` are the columns that make a row one and the same, `telling` those of
    which a part must have one; `success` says of a row that it is no refusal. `group` rows are written together, so
    that a part can be read in pages without all of it being in memory; None = parts are small.
    """

    what: str
    prefix: str
    schema: Mapping[str, pl.DataType]
    identity: tuple[str, ...]
    telling: tuple[str, ...]
    success: pl.Expr
    group: int | None = None


class Parts(Struct, frozen=True):
    """The parts of one kind in a scorer's folder."""

    folder: Path
    kind: ClassVar[PartKind]

    def new_name(self) -> str:
        """Return the name of a part that is to be written: it sorts after all that are there."""
        return f"{self.kind.prefix}-{uuid7()}.parquet"

    def append(self, rows: pl.DataFrame, name: str | None = None) -> Path:
        """Save rows as one new part.

        Args:
            rows: a frame of the kind's schema (nullable columns may be left out).
            name: what the part is called, for whoever asked for a `new_name` before.

        Raises:
            FrameError: a column of another dtype, or none of a name that every row must have.
            UnwritableWorkspace: the part could not be written; nothing of it stays.
        """
        path = self.folder / (name or self.new_name())
        write_parquet(path, conform(rows, self.kind.schema, self.kind.what), row_group_size=self.kind.group)
        return path

    def parts(self) -> list[Path]:
        """Return the parts there now, oldest first."""
        return sorted(self.folder.glob(f"{self.kind.prefix}-*.parquet"))

    def read(self, columns: Sequence[str] = ()) -> tuple[pl.DataFrame, list[str]]:
        """Read all rows, one an identity, and a sentence for every part that could not be read.

        Success beats refusal, a refusal with the rewards of first steps any other, then the later part wins. A part
        that vanishes while reading was merged into a piece by a compaction, so the folder is listed again, and what is
        new is read. `columns`, where given, are all that is read; the kind's identity, `telling` and `reason` must be
        among them where rows are to be told apart.
        """
        schema = {name: self.kind.schema[name] for name in columns} or self.kind.schema
        frames, problems = self._frames(lambda part: _part(part, self.kind, schema))
        return self.unique(pl.concat(frames)) if frames else pl.DataFrame(schema=schema), problems

    def _frames(self, read: Callable[[Path], pl.DataFrame]) -> tuple[list[pl.DataFrame], list[str]]:
        """What is read of each part, oldest first, and a sentence for every one that could not be read.

        They are the parts that were there at one time: what has vanished since is none of them, for a later one has its
        rows, and perhaps corrected (`scoring.runs.reparse`).
        """
        frames: dict[Path, pl.DataFrame] = {}
        for _ in range(LISTINGS):
            parts, problems, vanished = self.parts(), [], False
            for part in parts:
                try:
                    frames[part] = frames[part] if part in frames else read(part)
                except FileNotFoundError:
                    vanished = True
                except OSError as error:
                    problems.append(f"{part} was left out: {error}")
                except FrameError as error:
                    problems.append(f"{part} was left out: {error.sentence}")
            if not vanished:
                return [frames[part] for part in parts if part in frames], problems
        problems.append(f"parts of {self.folder} vanished while they were read; rows may be missing")
        return [frames[part] for part in sorted(frames)], problems

    def of(self, key: str, case: str | None = None) -> pl.DataFrame:
        """Read the rows of one content, one an identity, with every column. Unreadable parts are left out.

        Args:
            key: the content.
            case: where given, only the rows that count for this case of the content, which is named in all of them.
        """
        schema = self.kind.schema

        def read(part: Path) -> pl.DataFrame:
            runs = [_part(part, self.kind, schema, rows=run) for run in runs_of(part, key)]
            return pl.concat([pl.DataFrame(schema=schema), *runs]).filter(pl.col("key") == key)

        rows = self.unique(pl.concat([pl.DataFrame(schema=schema), *self._frames(read)[0]]))
        if case is None:
            return rows
        return rows_of_cases(pl.DataFrame({"case": [case], "key": [key]}), rows).drop("case_row")

    def part(self, path: Path, columns: Sequence[str] = (), rows: tuple[int, int] | None = None) -> pl.DataFrame:
        """Read the rows of one part as they are in it, with every column of the schema or only those that are named.

        Args:
            path: the part.
            columns: what is read, one of the kind's `telling` among them.
            rows: (the first, 0-based; how many); None = all.

        Raises:
            FileNotFoundError: it is not there.
            OSError: it cannot be read.
            FrameError: a column is missing or holds something else.
        """
        return _part(path, self.kind, {name: self.kind.schema[name] for name in columns} or self.kind.schema, rows)

    def engines(self) -> list[str]:
        """Return what ran, engine and version, in order of name: of all rows, replaced ones included.

        Parts that cannot be read are left out, and rows that do not say.
        """
        names: set[str] = set()
        for part in self.parts():
            with suppress(OSError):
                frame = read_parquet(part, pl.selectors.by_name("engine", require_all=False))
                names.update(str(name) for column in frame for name in column.drop_nulls().unique())
        return sorted(names)

    def holding(self, columns: Sequence[str]) -> frozenset[str]:
        """Return those of these columns that have a value in any row, replaced ones included, of a part that can be
        read.
        """
        names: set[str] = set()
        for part in reversed(self.parts()):
            with suppress(OSError):
                frame = read_parquet(part, pl.selectors.by_name(*columns, require_all=False))
                names.update(column.name for column in frame if column.null_count() < column.len())
            if len(names) == len(columns):
                break
        return frozenset(names)

    def pages(self, part: Path, rows: int, columns: Sequence[str] = ()) -> Iterator[pl.DataFrame]:
        """Yield the rows of one part as they are in it, so many at a time, each page with every column of the schema.

        `columns`, where given, are all that is read, one of the kind's `telling` among them.

        Raises:
            FileNotFoundError: it is not there.
            OSError: it cannot be read.
            FrameError: a column is missing or holds something else.
        """
        start, schema = 0, {name: self.kind.schema[name] for name in columns} or self.kind.schema
        while (page := _part(part, self.kind, schema, rows=(start, rows))).height:
            yield page
            start += rows

    def compact(self, most: int = PIECE_BYTES, stop: Callable[[], bool] = lambda: False) -> None:
        """Merge neighbouring small parts into pieces, then delete exactly those that were merged.

        No more than `most` bytes (in memory), or one part, are held at a time, and what is as large already is left
        alone: the time that it takes does not grow with what was merged before. A piece stands in the place of its
        newest part, so that the later row still wins. A part that cannot be read stays, and one with columns that are
        not ours. What others merge or rewrite at the same time is left to them.

        Args:
            most: the size of a piece.
            stop: asked after every piece whether that was enough.

        Raises:
            UnwritableWorkspace: a piece could not be written; the parts that it was to replace stay.
        """
        group: list[tuple[Path, pl.DataFrame]] = []
        size = 0
        for part in [*self.parts(), None]:
            frame = None if part is None else self._small(part, most)
            length = 0 if frame is None else int(frame.estimated_size())
            if group and (frame is None or size + length > most):
                self._merge(group)
                group, size = [], 0
                if stop():
                    return
            if part is not None and frame is not None:
                group.append((part, frame))
                size += length

    def _small(self, part: Path, most: int) -> pl.DataFrame | None:
        """The rows of a part that may be merged with others; None where it is large, not all ours or unreadable."""
        with suppress(OSError, FrameError):
            # Text is packed to a third or so: what is packed to less is found to be large when it has been read.
            if part.stat().st_size < most // 8 and parquet_schema(part)[0].keys() <= self.kind.schema.keys():
                return _part(part, self.kind, self.kind.schema)
        return None

    def _merge(self, group: Sequence[tuple[Path, pl.DataFrame]]) -> None:
        if len(group) < 2:
            return
        rows = self.unique(pl.concat([frame for _, frame in group]))
        newest = group[-1][0].stem
        # "-" sorts before ".": in the place of the newest, and after the piece that it may be itself.
        place = newest[:-33] if _PIECE.search(newest) else newest
        piece = self.folder / f"{place}-{uuid7()}.parquet"
        write_parquet(piece, rows, row_group_size=self.kind.group)
        if not all(part.exists() for part, _ in group):
            # Whoever took one away has put its rows elsewhere: beside these they would be kept twice for good.
            with suppress(OSError):
                piece.unlink()
            return
        for part, _ in group:
            # One that cannot be deleted holds the same rows twice, which readers drop.
            with suppress(OSError):
                part.unlink()

    def unique(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Keep one row an identity. Rows come oldest part first; see `read` for which one counts."""
        if not rows.select(self.kind.identity).is_duplicated().any():
            return rows
        empty = pl.all_horizontal(pl.col(self.kind.telling).is_null())
        order = rows.with_columns(_refused=self.kind.success.not_(), _empty=empty, _age=-pl.int_range(pl.len()))
        kept = order.sort("_refused", "_empty", "_age").unique(
            list(self.kind.identity), keep="first", maintain_order=True
        )
        return kept.sort("_age", descending=True).drop("_refused", "_empty", "_age")


class RewardParts(Parts, frozen=True):
    """Step rewards, labels or one number a solution; see `scoring.data.schema.REWARDS`."""

    kind = PartKind(
        what="step rewards",
        prefix="part",
        schema=REWARDS,
        identity=("key", "case", "vote"),
        telling=("rewards", "labels", "solution"),
        success=pl.col("reason").is_null() & pl.any_horizontal(pl.col("rewards", "labels", "solution").is_not_null()),
    )


class VoteParts(Parts, frozen=True):
    """A critic's answers; see `scoring.data.schema.VOTES`. A ballot that names no whole number is a success: it
    votes.
    """

    kind = PartKind(
        what="votes",
        prefix="votes",
        schema=VOTES,
        identity=("key", "case", "vote", "run"),
        telling=("ballot", "verdict", "rewards"),
        success=pl.any_horizontal(pl.col("ballot", "verdict", "rewards").is_not_null()),
        group=1024,
    )

    def answers(self, key: str, case: str | None = None) -> pl.DataFrame:
        """Read the same as `of`, texts included, in the order of run and vote.

        Read from the disk each time: answers are most of a critic's bytes and a screen shows one case.
        """
        return self.of(key, case).sort("run", "vote", maintain_order=True)


def _part(
    path: Path,
    kind: PartKind,
    schema: Mapping[str, pl.DataType],
    rows: tuple[int, int] | None = None,
) -> pl.DataFrame:
    """One part as a frame of the schema, or some `rows` = (first, how many) of it.

    Parts may come from anywhere: other numbers are cast exactly, no vote is 0.

    Raises:
        FileNotFoundError: it has gone.
        OSError: it cannot be read, or a number does not fit.
        FrameError: a column is missing or holds something else.
    """
    frame = read_parquet(path, pl.selectors.by_name(*schema, require_all=False), rows)
    if not set(kind.telling) & set(frame.columns):
        raise FrameError(path.name, kind.telling[0], str(kind.schema[kind.telling[0]]), "missing")
    casts = [
        pl.col(name).cast(schema[name])
        for name, dtype in frame.schema.items()
        if dtype != schema[name] and _fits(dtype, schema[name])
    ]
    numbered = [name for name in ("vote", "run") if name in schema and name not in frame.columns]
    try:
        frame = frame.with_columns(*casts, *(pl.lit(0, dtype=schema[name]).alias(name) for name in numbered))
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error).splitlines()[0]) from None
    return conform(frame, schema, path.name)


def _fits(dtype: pl.DataType, wanted: pl.DataType) -> bool:
    """Whether a column of other numbers, or lists of them, may stand for the one that is wanted."""
    if isinstance(wanted, pl.List):
        if not isinstance(dtype, pl.List | pl.Array):
            return False
        same = dtype.inner.is_numeric() if wanted.inner.is_numeric() else dtype.inner == wanted.inner
        return dtype.inner == pl.Null() or same
    return dtype.is_numeric() if wanted.is_float() else wanted.is_integer() and dtype.is_integer()
