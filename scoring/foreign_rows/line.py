"""One row for another program, and how it stands on a line of a JSON Lines file."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# JSON may hold these as they are, yet some readers end a line at them, and a terminal obeys the others.
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Line:
    """What became of one case: the row's `value`, None where the format cannot hold it.

    `notes` say what the format could not hold, each with how many of it there were: `("cases left out: no gold", 1)`.
    """

    value: Mapping[str, Any] | None
    notes: tuple[tuple[str, int], ...] = ()


def left_out(why: str) -> Line:
    """A case that the format cannot hold."""
    return Line(None, ((f"cases left out, {why}", 1),))


def encoded(value: Mapping[str, Any]) -> bytes:
    r"""The row as UTF-8 on one line, its end included.

    Texts are exact after parsing. What some reader takes for the end of a line (CR, LF, U+0085, U+2028, U+2029 and
    their like) and every other control character stands as its \u escape; all else stands as it is.

    Raises:
        ValueError: a number is not finite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    escaped = _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return escaped.encode("utf-8", errors="replace") + b"\n"


def counted(notes: Iterable[tuple[str, int]]) -> list[str]:
    """Notes of many lines as sentences, those of the largest number first."""
    count: Counter[str] = Counter()
    for words, number in notes:
        count[words] += number
    return [f"{words[:1].upper()}{words[1:]}: {number:,}" for words, number in count.most_common()]
