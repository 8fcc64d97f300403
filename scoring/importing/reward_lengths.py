"""Rewards that are not one per step: padding is cut off, and what seems to be something else is refused."""

from collections.abc import Iterator, Mapping

import polars as pl
from msgspec.structs import replace

from scoring.data.errors import InputError
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.reward_checks import length_pattern
from scoring.formats.results.result_format import ExternalResults
from scoring.formats.results.reward_lists import padding_as_nan, reward_bounds
from scoring.formats.tables.cell_values import without_padding

_OF_PADDING = frozenset({"bad-reward", "not-finite"})
"""Findings about numbers that are not finite."""


def unpadded_lengths(rows: pl.DataFrame) -> pl.Series:
    """Count the numbers or labels of each row without NaN, null and -100 at its end; null where it ends in neither."""
    padded = padding_as_nan(rows["rewards"])
    last = pl.Series("_unpadded", [None] * rows.height, dtype=pl.Int64)
    ends = padded.list.last().is_nan().fill_null(value=False) | (
        (rows["labels"].list.len() > 0) & rows["labels"].list.last().is_null()
    ).fill_null(value=False)
    if not ends.any():
        return last
    counts: list[int | None] = [None] * rows.height
    for row in ends.arg_true():
        values = rows["rewards"][row] if rows["rewards"][row] is not None else rows["labels"][row]
        counts[row] = len(without_padding(values.to_list()))
    return pl.Series("_unpadded", counts, dtype=pl.Int64)


def cut_padding(results: ExternalResults, whole: pl.DataFrame) -> tuple[ExternalResults, pl.DataFrame]:
    """Cut NaN, null and -100 beyond the last step of a case off its rewards and labels, and say so.

    Args:
        results: the results.
        whole: its rows with the columns of their cases beside them, and `_unpadded`.

    Returns:
        The results without the findings about numbers that were cut off, and the rows.
    """
    is_padded = (pl.col("_unpadded") == pl.col("n_steps")) & (pl.col("_numbers") > pl.col("n_steps"))
    where = whole.select(is_padded.fill_null(value=False).alias("where"))["where"]
    # Numbers that were kept with the reason why they cannot be used.
    unread = ~where & whole["_unpadded"].is_not_null() & whole["reason"].is_not_null()
    if unread.any():
        whole = whole.with_columns(pl.when(~unread).then(name).alias(name) for name in ("rewards", "labels"))
    if not where.any():
        return results, whole
    steps = pl.col("n_steps")
    whole = whole.with_columns(
        rewards=pl.when(where).then(pl.col("rewards").list.head(steps)).otherwise("rewards"),
        labels=pl.when(where).then(pl.col("labels").list.head(steps)).otherwise("labels"),
        reason=pl.when(~where).then("reason"),
        _numbers=pl.when(where).then(steps.cast(pl.Int64)).otherwise("_numbers"),
    )
    lines = set(whole.filter(where)["line"])
    findings = [finding for finding in results.findings if finding.code not in _OF_PADDING or finding.line not in lines]
    low, high = reward_bounds(whole["rewards"])
    if (low, high) == (0.0, 1.0):
        findings = [finding for finding in findings if finding.code != "reward-range"]
    message = (
        f"{int(where.sum()):,} of {whole.height:,} results are padded with NaN, null or -100 beyond the last step of "
        "their case: the padding was cut off"
    )
    findings.append(Finding("note", "padding", message, results.source))
    return replace(results, low=low, high=high, findings=tuple(findings)), whole


def length_findings(results: ExternalResults, whole: pl.DataFrame) -> Iterator[Finding]:
    """Say in one sentence why most lists of rewards have another length than their cases have steps.

    Raises:
        InputError: what is read as rewards of steps is something else.
    """
    if (pattern := _contradiction(results, whole)) is not None:
        yield Finding("warning", "number-of-rewards", pattern, results.source)


def why_lengths_differ(results: ExternalResults, bare: pl.DataFrame, fits: Mapping[str, pl.DataFrame]) -> str:
    """Return why lists differ in length from the cases of the benchmark with most of the ids, after a blank, or ""."""
    closest = max(fits.values(), key=lambda matching: matching.height, default=None)
    if closest is None:
        return ""
    rewards = bare.select("_row", "rewards")
    pattern = _contradiction(results, closest.join(rewards, on="_row", how="left", maintain_order="left"))
    return f" {pattern[:1].upper()}{pattern[1:]}." if pattern else ""


def _contradiction(results: ExternalResults, whole: pl.DataFrame) -> str | None:
    """A sentence why most lists do not fit their cases; None where nothing explains it.

    Raises:
        InputError: what is read as rewards of steps is something else.
    """
    pattern = None if results.reads_answers else length_pattern(whole)
    if pattern is None:
        return None
    what, sentence = pattern
    if what != "one-off":
        raise InputError(f"{results.source} has no reward for each step: {sentence}.")
    return sentence
