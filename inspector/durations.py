"""Seconds in the unit people count in, and how far something is that takes many."""

from inspector.sentences import size_words
from inspector.short_names import short_name

_NAME = 24
"""Cells of the name of what is being read."""


def duration(seconds: float) -> str:
    """Seconds up to two minutes, minutes up to two hours, then hours."""
    if seconds <= 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds <= 7200 else f"{seconds / 3600:.1f} h"


def progress_words(done: int, to_do: int, what: str, seconds: float, unit: str = "") -> str:
    """Say how many of how many are done after so many seconds, how fast, how long it will take, and what.

    `unit` is what is counted; "" = bytes that are read.
    """
    name = short_name(what.rpartition("/")[2], _NAME)
    if not to_do or done >= to_do:
        return f"{name}, {duration(seconds)}"
    rate = done / seconds if seconds else 0.0
    left = f"{duration((to_do - done) / rate)} left" if rate else ""
    if unit:
        told = f"  {rate:,.0f}/s, {left}" if rate else ""
        return f"{done:,} of {to_do:,} {unit}{told}  {name}"
    told = f"  {size_words(rate)}/s, {left}" if rate else ""
    return f"{size_words(done)} of {size_words(to_do)}{told}  {name}"
