"""Cases divided by what stands in their columns."""

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from scoring.step_rewards import Bools


def parts(
    cases: pl.DataFrame, by: tuple[str, ...], within: Bools | None = None
) -> Iterator[tuple[Mapping[str, str], Bools]]:
    """Every combination of the columns' values that occurs, with its rows as a mask (n); without columns, all rows.

    `within` (n) are the rows to look at, by default all.
    """
    within = np.ones(cases.height, dtype=np.bool_) if within is None else within
    if not by:
        yield {}, within
        return
    grouped = cases.select(by).with_row_index("_row").filter(pl.Series(within)).group_by(list(by), maintain_order=True)
    for values, part in grouped:
        mask = np.zeros(cases.height, dtype=np.bool_)
        mask[part["_row"].to_numpy()] = True
        yield {name: "" if value is None else str(value) for name, value in zip(by, values, strict=True)}, mask
