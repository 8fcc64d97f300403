"""Lists of rewards and labels as foreign files hold them, and what is odd about them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from scoring.reading.fields import Fields, kind_of


def number(value: Any) -> float | None:
    """The value as a number, NaN and infinities as they are; None for anything else, truth values included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def numbers(fields: Fields, name: str, *, required: bool = False) -> list[float] | None:
    """The field as a list of numbers; None, with a warning, where it is no such list, or is empty.

    Without a warning where it is absent and need not be there.
    Numbers that are not finite are kept, with a warning: what joins them refuses them.
    """
    value = fields.value.get(name)
    if value is None and not required:
        return None
    if not isinstance(value, list):
        fields.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not a list of numbers")
        return None
    found = [number(part) for part in value]
    sound = [part for part in found if part is not None]
    if not value:
        fields.note("warning", "no-numbers", f"{name} is empty")
        return None
    if len(sound) < len(found):
        index = found.index(None)
        fields.note("warning", "wrong-type", f"{name}[{index}] is {_said(value[index])}")
        return None
    note_not_finite(fields, name, sound)
    return sound


def note_not_finite(fields: Fields, name: str, values: Sequence[float]) -> None:
    """A warning if some of the numbers are NaN or infinite."""
    if odd := [index for index, value in enumerate(values) if not math.isfinite(value)]:
        message = f"{len(odd)} of {len(values)} numbers of {name} are not finite, the first is {name}[{odd[0]}]"
        fields.note("warning", "not-finite", message)


def truths(fields: Fields, name: str) -> list[bool] | None:
    """The field as a list of truth values, 0 and 1 (1.0 too) among them.

    None where it is absent and, with a warning, where it is no such list or is empty.
    """
    value = fields.value.get(name)
    if value is None:
        return None
    if isinstance(value, list) and value and all(isinstance(part, int | float) and part in {0, 1} for part in value):
        return [bool(part) for part in value]
    fields.note("warning", "wrong-type", f"{name} is not a list of truth values")
    return None


def reward_range(rewards: Iterable[Sequence[float] | None]) -> tuple[float, float]:
    """(lowest, highest) of the rewards' range: [0, 1] or [-1, 1] if all lie within, else what is seen, rounded out."""
    finite = [value for row in rewards for value in row or () if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    if low >= -1 and high <= 1:
        return (0.0 if low >= 0 else -1.0), 1.0
    return float(math.floor(low)), float(math.ceil(high))


def reward_bounds(rewards: pl.Series) -> tuple[float, float]:
    """(lowest, highest) of the rewards' range, as `reward_range` has it, of a column of lists."""
    numbers = rewards.explode(empty_as_null=False)
    numbers = numbers.filter(numbers.is_finite())
    return reward_range([[float(numbers.min()), float(numbers.max())]] if numbers.len() else [])  # type: ignore[arg-type]


def _said(value: Any) -> str:
    return "a number out of range" if isinstance(value, int) and not isinstance(value, bool) else kind_of(value)
