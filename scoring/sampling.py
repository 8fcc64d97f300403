"""Which cases of a benchmark are scored: all, the first ones, or a stratified sample."""

from hashlib import blake2b

import polars as pl

from scoring.errors import UsageError


def sample(cases: pl.DataFrame, number: int, stratify: str | None = None, seed: int = 0) -> list[int]:
    """Rows (0-based, rising) of `number` cases, or of all where there are no more.

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
