"""Text from data becomes text for a terminal here and nowhere else.

`clean` takes away everything by which a character could act (escape sequences, controls, bidirectional overrides) or
occupy another width than it seems to (zero-width characters); what comes out is only ever put on screen as literal
text. Exports do not pass through here: files get the text as it is.
"""

import json
import re
import shutil
import sys
import textwrap
from typing import Any

from rich.cells import cell_len, set_cell_size

from scoring.data.errors import with_short_names

TextPart = tuple[str, str]
"""A piece of a line: its text, and the names of its styles, joined by spaces ("" is the plain style)."""
LINE_BREAKS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
TAB = "    "
REPLACEMENT = "\ufffd"
NO_VALUE = "(none)"
"""Stands for a missing value in a list of values."""

# Zero-width and default-ignorable characters vanish: terminals disagree about their width. ZWJ (U+200D) and the
# variation selectors are among them, so a joined emoji falls into its parts and the columns stay aligned.
_INVISIBLE_SET = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
# Bidirectional embeddings, overrides and isolates would reorder the rest of the line: they show as U+FFFD, like lone
# surrogates and noncharacters.
_ACTIVE_SET = "\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
_CONTROL_SET = "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
_INVISIBLE = re.compile(f"[{_INVISIBLE_SET}]")
_ACTIVE = re.compile(f"[{_ACTIVE_SET}]")
_CONTROL = re.compile(f"[{_CONTROL_SET}]")
_LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
# Most text needs nothing done: one search tells.
_SPECIAL = re.compile(f"[{_INVISIBLE_SET}{_ACTIVE_SET}{_CONTROL_SET}{LINE_BREAKS}\t\u00a0]")

_ACTING = re.compile(f"[{_INVISIBLE_SET}{_ACTIVE_SET}{_CONTROL_SET}{LINE_BREAKS[1:]}]")


def _picture(match: re.Match[str]) -> str:
    """A control character as its picture (ESC as ␛), so that the reader sees that it is there; C1 as U+FFFD."""
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else REPLACEMENT


def clean(text: str, *, lines: bool = False) -> str:
    r"""Take out of the text whatever could act on a terminal.

    Line breaks of every sort become "\n" if `lines`, else one space. Every character that remains is printable, and
    `rich.cells.cell_len` of the result is its width.
    """
    if not _SPECIAL.search(text):
        return text
    text = text.replace("\r\n", "\n").replace("\t", TAB).replace("\u00a0", " ")
    text = _LINE_BREAK.sub("\n" if lines else " ", text)
    text = _CONTROL.sub(_picture, text)
    return _ACTIVE.sub(REPLACEMENT, _INVISIBLE.sub("", text))


def json_text(value: Any) -> str:
    r"""Write a value as indented JSON, exact after parsing: what could act on a terminal stands as its \u escape."""
    return escaped_json(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def escaped_json(text: str) -> str:
    r"""Return JSON or JSON Lines that mean the same, with \u escapes for what could act on a terminal."""
    return _ACTING.sub(lambda match: json.dumps(match[0])[1:-1], text)


def cell(text: str, width: int, *, right: bool = False) -> str:
    """Write one line of cleaned text in exactly `width` cells; cut text ends in an ellipsis."""
    text = clean(text)
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "…" if width > 1 else set_cell_size(text, width)
    return " " * (width - length) + text if right else text + " " * (width - length)


MOST_DECIMALS = 8
"""With so many, a number that rounds to a threshold is written in full."""


def number(value: float, decimals: int, width: int, sign: str = "") -> str:
    """Write a number in at most `width` cells: fewer digits after the point where there is no room, never cut inside.

    One too large for that has an exponent; where not even this fits it is `#`, repeated. `sign` is that of a format.
    """
    texts = [f"{value:{sign}.{digits}f}" for digits in range(decimals, -1, -1)] + [f"{value:{sign}.0e}"]
    return next((text for text in texts if len(text) <= width), "#" * width)


def apart_from(value: float, threshold: float | None, decimals: int = 2) -> str:
    """Write a number with so many decimals, or with as many more as tell it from a threshold that it does not equal.

    A reward stands next to its verdict: one of 0.4996 that is wrong at 0.5 is not written as 0.50.
    """
    if threshold is None or value == threshold:
        return f"{value:.{decimals}f}"
    for digits in range(decimals, MOST_DECIMALS):
        if round(value, digits) != round(threshold, digits):
            return f"{value:.{digits}f}"
    return repr(value)


def for_stderr(text: str) -> str:
    """Return a message that may quote data as it stands on standard error: on a terminal, lines end between words."""
    text = with_short_names(text)
    if not sys.stderr.isatty():
        return clean(text)
    columns = max(20, shutil.get_terminal_size().columns)
    lines = clean(text).splitlines()
    return "\n".join(textwrap.fill(line, columns, break_on_hyphens=False, break_long_words=False) for line in lines)
