"""Samples and shards of cases: an even spread, a stratified random sample, or one of several equal shares."""

from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.data.errors import UsageError
from scoring.runs.arguments import Shard


def sample(cases: pl.DataFrame, number: int, stratify: str | None = None, seed: int = 0) -> list[int]:
    """Draw rows (0-based, rising) of `number` cases, or of all where there are no more.

    Which ones depends on the cases' names and the seed, not on their order, and a larger sample contains every smaller
    one with the same seed, so that what is scored already counts. With `stratify`, each value of that column (missing
    is one) has its share to within a case.

    Raises:
        UsageError: there is no such column.
    """
    if stratify is not None and stratify not in cases.columns:
        raise UsageError(f"there is no column {stratify!r} to stratify by.", f"Columns: {', '.join(cases.columns)}.")
    draws = [blake2b(f"{seed}|{case}".encode(errors="replace"), digest_size=8).digest() for case in cases["case"]]
    stratum = cases[stratify].cast(pl.String) if stratify else pl.repeat("", cases.height, eager=True)
    frame = pl.DataFrame({"stratum": stratum, "draw": pl.Series(draws, dtype=pl.Binary)}).with_row_index("row")
    place = (pl.col("draw").rank("ordinal").over("stratum") - 0.5) / pl.len().over("stratum")
    chosen = frame.with_columns(place=place).sort("place", "draw").head(number)
    return sorted(chosen["row"].to_list())


def spread(height: int, number: int) -> list[int]:
    """Return `number` rows (0-based, rising) of a file of `height` rows, spread evenly over it, or all rows if fewer.

    A larger number keeps the rows of a smaller one: they are taken in van der Corput's order, which is the first, the
    one in the middle, those at a quarter and three quarters, and so on.
    """
    bits = max(1, (height - 1).bit_length())
    places = np.zeros(1 << bits, dtype=np.int64)
    for bit in range(bits):
        places |= (np.arange(1 << bits) >> bit & 1) << (bits - 1 - bit)
    # Where the height is not a power of two, several places are one row.
    rows = places * height >> bits
    _, first = np.unique(rows, return_index=True)
    return sorted(rows[np.sort(first)][: min(number, height)].tolist())


def in_shard(keys: pl.Series, sizes: npt.NDArray[np.int64], shard: Shard) -> npt.NDArray[np.int64]:
    """Return the rows (0-based, rising) of a shard: contents are dealt by size, so that each shard has about the same
    to do.

    Which contents are whose depends on the contents alone, not on their order or on what is scored already. Cases of
    one content are in the same shard.

    Args:
        keys: the content of each case (String), shape (n,).
        sizes: how much each is to compute, the same for equal contents, shape (n,).
        shard: which of how many.
    """
    frame = pl.DataFrame({"key": keys, "size": sizes})
    contents = frame.unique("key").sort("size", "key", descending=[True, False]).with_row_index("place")
    turn = pl.col("place") % shard.count
    # There and back: were it always in the same order, the first would have the larger one of every round.
    dealt = pl.when(pl.col("place") // shard.count % 2 == 0).then(turn).otherwise(shard.count - 1 - turn)
    own = contents.filter(dealt == shard.number - 1)["key"]
    return np.flatnonzero(keys.is_in(own.implode()).to_numpy())
