"""Lists of rewards and labels in a row, and what is odd about them."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from scoring.formats.reading.fields import Fields, kind_of

_IGNORED = -100.0
"""What pads lists as the index that losses ignore."""


def number(value: Any) -> float | None:
    """Return the value as a number, NaN and infinities as they are; None for anything else, truth values included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def numbers(fields: Fields, name: str, *, required: bool = False) -> list[float] | None:
    """Read the field as a list of numbers; None, with a warning, where it is no such list, or is empty.

    Without a warning where it is absent and need not be there.
    Numbers that are not finite are kept, with a warning: what joins them refuses them.
    """
    value = fields.value.get(name)
    if value is None and not required:
        return None
    if not isinstance(value, list):
        fields.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not a list of numbers")
        return None
    parts = [number(part) for part in value]
    sound = [part for part in parts if part is not None]
    if not value:
        fields.note("warning", "no-numbers", f"{name} is empty")
        return None
    if len(sound) < len(parts):
        index = parts.index(None)
        too_large = isinstance(value[index], int) and not isinstance(value[index], bool)
        what = "a number out of range" if too_large else kind_of(value[index])
        fields.note("warning", "wrong-type", f"{name}[{index}] is {what}")
        return None
    note_not_finite(fields, name, sound)
    return sound


def note_not_finite(fields: Fields, name: str, values: Sequence[float]) -> None:
    """Warn if some of the numbers are NaN or infinite."""
    if odd := [index for index, value in enumerate(values) if not math.isfinite(value)]:
        message = f"{len(odd)} of {len(values)} numbers of {name} are not finite, the first is {name}[{odd[0]}]"
        fields.note("warning", "not-finite", message)


def truths(fields: Fields, name: str) -> list[bool] | None:
    """Read the field as a list of truth values, 0 and 1 (1.0 too) among them.

    None where it is absent and, with a warning, where it is no such list or is empty.
    """
    value = fields.value.get(name)
    if value is None:
        return None
    if isinstance(value, list) and value and all(isinstance(part, int | float) and part in {0, 1} for part in value):
        return [bool(part) for part in value]
    fields.note("warning", "wrong-type", f"{name} is not a list of truth values")
    return None


def padding_as_nan(rewards: pl.Series) -> pl.Series:
    """Return a column of lists of numbers in which -100 and null at the end of a list are NaN."""
    last = rewards.list.last()
    if not ((last == _IGNORED) | (last.is_null() & (rewards.list.len() > 0))).any():
        return rewards
    is_padding = pl.element().is_nan() | (pl.element() == _IGNORED) | pl.element().is_null()
    until_end = is_padding.reverse().cast(pl.UInt8).cum_min().reverse().cast(pl.Boolean)
    return rewards.list.eval(pl.when(until_end).then(math.nan).otherwise(pl.element()))


def reward_bounds(rewards: pl.Series) -> tuple[float, float]:
    """Give (lowest, highest) of the range of a column of numbers, or of lists of numbers.

    [0, 1] or [-1, 1] if all lie within, else what is seen, rounded out; numbers that are not finite do not count.
    """
    values = rewards.explode(empty_as_null=False) if isinstance(rewards.dtype, pl.List) else rewards
    finite = values.filter(values.is_finite())
    low, high = (float(end) if isinstance(end, float) else None for end in (finite.min(), finite.max()))
    if low is None or high is None or (low >= -1 and high <= 1):
        return (0.0 if low is None or low >= 0 else -1.0), 1.0
    return float(math.floor(low)), float(math.ceil(high))
