"""Rows that other programs read, and what could not be written into them.

What a format cannot hold is left out and counted, never changed in silence.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

CaseRow = Mapping[str, Any]
"""A row of `scoring.data.schema.CASES`; of METADATA where a function says so."""

# JSON may hold these as they are, yet some readers end a line at them, and a terminal obeys the others.
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029]")


class ExportedRow(Struct, frozen=True):
    """What became of one case: the row's `value`, None where the format cannot hold it.

    `notes` say what the format could not hold, each with how many of it there were: `("cases left out: no gold", 1)`.
    """

    value: Mapping[str, Any] | None
    notes: tuple[tuple[str, int], ...] = ()


def left_out(why: str) -> ExportedRow:
    """Leave out a case that the format cannot hold."""
    return ExportedRow(None, ((f"cases left out, {why}", 1),))


def json_line(value: Mapping[str, Any]) -> bytes:
    r"""Write the row as UTF-8 on one line, its end included.

    Texts are exact after parsing. What some reader takes for the end of a line (CR, LF, U+0085, U+2028, U+2029 and
    their like) and every other control character stands as its \u escape; all else stands as it is.

    Raises:
        ValueError: a number is not finite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    escaped = _BREAKS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return escaped.encode("utf-8", errors="replace") + b"\n"


def note_sentences(notes: Iterable[tuple[str, int]]) -> list[str]:
    """Put the notes of many rows into sentences, those of the largest number first."""
    count: Counter[str] = Counter()
    for words, number in notes:
        count[words] += number
    return [f"{words[:1].upper()}{words[1:]}: {number:,}" for words, number in count.most_common()]
