"""Whether a file counts its steps from another base than the benchmark: seen from its gold labels and its verdicts."""

from collections.abc import Iterator

import polars as pl

from scoring.benchmarks.base import Imported
from scoring.reading.findings import Finding

_FEW = 5
_MOST = 0.9
_FAR_BETTER = 3


def relabelled(one: Imported, known: pl.DataFrame) -> int:
    """How many known cases would get another gold label from an import whose labels look shifted; else 0.

    Not of a table, whose base may only be unsaid.

    Args:
        one: what was read.
        known: columns `case`, `key`, `earliest_error` of the cases that are there.
    """
    if one.mapping or not any(
        finding.code == "label-base" and finding.severity == "warning" for finding in one.findings
    ):
        return 0
    both = one.cases.select("case", "key", "earliest_error").join(known, on=["case", "key"], how="inner")
    return int(both["earliest_error"].ne_missing(both["earliest_error_right"]).sum())


def gold_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """What differs between the gold labels that a file repeats and those of the cases.

    Args:
        source: the file.
        rows: columns `key`, `gold`, `earliest_error`, `line`, `id`; a case with several answers counts once.
    """
    both = rows.filter(pl.col("gold").is_not_null() & pl.col("earliest_error").is_not_null())
    both = both.unique(["key", "gold", "earliest_error"], keep="first", maintain_order=True)
    differing = both.filter(pl.col("gold") != pl.col("earliest_error"))
    if differing.is_empty():
        return
    erroneous = both.filter((pl.col("earliest_error") >= 0) & (pl.col("gold") >= -1))
    off = erroneous["gold"] - erroneous["earliest_error"]
    for shift, way in ((1, "higher"), (-1, "lower")):
        if (count := int((off == shift).sum())) >= max(_FEW, _MOST * off.len()):
            message = (
                f"{count:,} of {off.len():,} gold error steps of the file are one {way} than the benchmark's: "
                "one of the two counts from another base"
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
        rows: columns `key`, `verdict`, `earliest_error`; equal answers to one case count once.
    """
    # Only verdicts that name a step: one below a gold step of 0 is "no error", which is no sign of a shift.
    named = rows.filter((pl.col("verdict") >= 0) & (pl.col("earliest_error") >= 0)).unique(
        ["key", "verdict", "earliest_error"]
    )
    off = named["verdict"] - named["earliest_error"]
    equal = int((off == 0).sum())
    for shift, way in ((1, "higher"), (-1, "lower")):
        count = int((off == shift).sum())
        if count >= _FEW and count > _FAR_BETTER * equal:
            message = (
                f"{count:,} verdicts are one {way} than the gold error and {equal:,} equal it: "
                "they may count from another base"
            )
            yield Finding("warning", "verdicts-shifted", message, source)
