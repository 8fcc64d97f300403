"""Whether a file counts its steps from another base than the benchmark: seen from its gold labels and its verdicts."""

from collections.abc import Iterator

import polars as pl

from scoring.reading.findings import Finding

_FEW = 5
_FAR_BETTER = 3


def gold_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """What differs between the gold labels that a file repeats and those of the cases.

    Args:
        source: the file.
        rows: columns `gold`, `earliest_error`, `line`, `id`.
    """
    both = rows.filter(pl.col("gold").is_not_null() & pl.col("earliest_error").is_not_null())
    differing = both.filter(pl.col("gold") != pl.col("earliest_error"))
    if differing.is_empty():
        return
    erroneous = both.filter((pl.col("earliest_error") >= 0) & (pl.col("gold") >= -1))
    shift = (erroneous["gold"] - erroneous["earliest_error"]).unique().to_list()
    if len(shift) == 1 and erroneous.height >= _FEW:
        step, way = abs(shift[0]), "higher" if shift[0] > 0 else "lower"
        message = (
            f"every gold label of the file is {step} {way} than the benchmark's: one of them counts from another base"
        )
        yield Finding("warning", "gold-shifted", message, source)
        return
    first = differing.row(0, named=True)
    here = f"here {first['gold']} and not {first['earliest_error']}, 0-based"
    message = f"{differing.height:,} gold labels of the file are not the benchmark's, {here}"
    yield Finding("warning", "gold-differs", message, source, first["line"], first["id"])


def verdict_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """A finding where the verdicts fit the gold labels far better when they are all moved by one step.

    Args:
        source: the file.
        rows: columns `verdict`, `earliest_error`.
    """
    named = rows.filter((pl.col("verdict") >= -1) & (pl.col("earliest_error") >= 0))
    off = named["verdict"] - named["earliest_error"]
    hits = {shift: int((off == shift).sum()) for shift in (-1, 0, 1)}
    best = max(hits, key=lambda shift: hits[shift])
    # A verdict one below a gold step of 0 is "no error", which is no sign of a shift.
    if best and hits[best] >= _FEW and hits[best] > _FAR_BETTER * hits[0]:
        way = "higher" if best > 0 else "lower"
        message = (
            f"{hits[best]} verdicts are one {way} than the gold error and {hits[0]} equal it: "
            "they may count from another base"
        )
        yield Finding("warning", "verdicts-shifted", message, source)
