"""Where in a Parquet part the rows of one content are, so that a screen reads these and no others."""

from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.parquet import read_parquet

_SEED = 0


def runs_of(part: Path, key: str) -> list[tuple[int, int]]:
    """(first row, 0-based; how many) of every run of neighbouring rows that may have this key.

    Rows are found by a hash of their key: whoever reads them keeps those that have the key itself. What was found out
    of a part is remembered: parts never change. Eight bytes a row are kept.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it cannot be read, or has no keys.
    """
    rows = np.flatnonzero(_hashes(part) == _hash(pl.Series([key], dtype=pl.String))[0])
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
    return _hash(keys)


def _hash(keys: pl.Series) -> npt.NDArray[np.uint64]:
    return keys.hash(_SEED).to_numpy()
