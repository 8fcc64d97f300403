"""Texts that a PRM reads beside problem and steps, and that cases do not have."""

from collections.abc import Iterator, Sequence

import polars as pl

from scoring.texts import Texts


def missing_texts(texts: Texts, rows: Sequence[int], reads: Sequence[str]) -> Iterator[str]:
    """A sentence for each column of `reads` that is null or empty in some of these rows of `texts`."""
    if not reads or not rows:
        return
    frame = texts.gather(pl.Series(rows, dtype=pl.UInt32).to_numpy()).frame(list(reads))
    for name in reads:
        missing = int((frame[name].fill_null("") == "").sum())
        if missing:
            yield f"{missing:,} of {frame.height:,} cases have no {name.replace('_', ' ')}, which this PRM also reads"
