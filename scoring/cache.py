"""The reward cache: a folder of immutable Parquet parts a scorer.

`rewards/<slug>-<8 hex>/scorer.json` and `part-<uuid7>.parquet`. A part is written under a dot-name, fsynced and
renamed, so any number of processes may write and read without a lock: two may compute a case twice, none can leave a
wrong or half row. A notebook reads the same folder with `pl.read_parquet("part-*.parquet").unique(["key", "vote"])`.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from scoring.errors import FrameError
from scoring.files import uuid7
from scoring.parquet import read_parquet, write_parquet
from scoring.schema import REWARDS, conform

_PART = "part-*.parquet"
_LISTINGS = 5


@dataclass(frozen=True)
class RewardParts:
    """The reward parts of one scorer. `identity` are the columns that make a row one and the same."""

    folder: Path
    identity: tuple[str, ...] = ("key", "vote")

    def append(self, rewards: pl.DataFrame) -> Path:
        """Save rows as one new part.

        Args:
            rewards: a frame of `scoring.schema.REWARDS` (nullable columns may be left out).

        Raises:
            FrameError: a column of another dtype, or none of a name that every row must have.
            UnwritableWorkspace: the part could not be written; nothing of it stays.
        """
        path = self.folder / f"part-{uuid7()}.parquet"
        write_parquet(path, conform(rewards, REWARDS, "step rewards"))
        return path

    def parts(self) -> list[Path]:
        """The parts there now, oldest first."""
        return sorted(self.folder.glob(_PART))

    def read(self) -> tuple[pl.DataFrame, list[str]]:
        """All rows, one an identity, and a sentence for every part that could not be read.

        Success beats refusal, then the later part wins. A part that vanishes while reading was merged into a newer one
        by a compaction, so the folder is listed again.
        """
        for _ in range(_LISTINGS):
            frames, problems, vanished = self._read_parts(self.parts())
            if not vanished:
                break
        else:
            problems.append(f"parts of {self.folder} vanished while they were read; rows may be missing")
        return self._unique(pl.concat(frames)) if frames else pl.DataFrame(schema=REWARDS), problems

    def compact(self) -> None:
        """Merge the present parts into one, then delete exactly those that were read. Nothing, if one cannot be read.

        Raises:
            UnwritableWorkspace: the merged part could not be written; nothing was deleted.
        """
        parts = self.parts()
        frames, problems, vanished = self._read_parts(parts)
        if len(frames) < 2 or problems or vanished:
            return
        self.append(self._unique(pl.concat(frames)))
        for part in parts:
            # One that cannot be deleted holds the same rows twice, which readers drop.
            with suppress(OSError):
                part.unlink()

    def _read_parts(self, parts: list[Path]) -> tuple[list[pl.DataFrame], list[str], bool]:
        frames, problems, vanished = [], [], False
        for part in parts:
            try:
                frames.append(_part(part))
            except FileNotFoundError:
                vanished = True
            except OSError as error:
                problems.append(f"{part} was left out: {error}")
            except FrameError as error:
                problems.append(f"{part} was left out: {error.sentence}")
        return frames, problems, vanished

    def _unique(self, rows: pl.DataFrame) -> pl.DataFrame:
        """One row an identity. Rows come oldest part first."""
        refused = pl.col("reason").is_not_null() | pl.col("rewards").is_null()
        order = rows.with_columns(_refused=refused, _age=-pl.int_range(pl.len()))
        kept = order.sort("_refused", "_age").unique(list(self.identity), keep="first", maintain_order=True)
        return kept.sort("_age", descending=True).drop("_refused", "_age")


def _part(path: Path) -> pl.DataFrame:
    """One part as the rewards frame. Parts may come from anywhere: other numbers are cast exactly, no vote is vote 0.

    Raises:
        FileNotFoundError: it has gone.
        OSError: it cannot be read, or a number does not fit.
        FrameError: a column is missing or holds something else.
    """
    frame = read_parquet(path)
    if "rewards" not in frame.columns:
        raise FrameError(path.name, "rewards", str(REWARDS["rewards"]), "missing")
    casts = [
        pl.col(name).cast(REWARDS[name])
        for name, dtype in frame.schema.items()
        if name in REWARDS and _fits(dtype, REWARDS[name])
    ]
    try:
        frame = frame.with_columns(casts)
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error).splitlines()[0]) from None
    if "vote" not in frame.columns:
        frame = frame.with_columns(vote=pl.lit(0, dtype=REWARDS["vote"]))
    return conform(frame, REWARDS, path.name)


def _fits(found: pl.DataType, wanted: pl.DataType) -> bool:
    """Whether a column of other numbers, or lists of them, may stand for the one that is wanted."""
    if isinstance(wanted, pl.List):
        return isinstance(found, pl.List | pl.Array) and (found.inner == pl.Null() or found.inner.is_numeric())
    return wanted.is_integer() and found.is_integer()
