"""Lines that the step cursor can stand on, and cutting what is long."""

from collections.abc import Sequence

from rich.cells import cell_len

from inspector.case_page.open_case import Stop
from inspector.case_page.prose import FOUND, is_hit
from inspector.render.texts.text import TextPart
from inspector.render.texts.wrap import wrap
from inspector.widgets.line_view import Line

LABEL = "... "
PROBLEM = Stop("problem")


class StopLine(Line, frozen=True):
    """A line on which the step cursor can stand; `steps` (0-based) are those that it speaks for."""

    stop: Stop = PROBLEM
    steps: range = range(0)


def cut(lines: Sequence[Line], most: int, key: str, indent: int = 0) -> list[Line]:
    """Return at most so many lines, the last of which says how many more there are and which key shows them.

    Two are never cut to one and a word about the other: that would not be shorter.
    """
    if len(lines) <= max(most, 2):
        return list(lines)
    kept = list(lines[: max(1, most - 1)])
    hits = sum(is_hit(line.parts) for line in lines[len(kept) :])
    inside = f", {hits:,} with hits" if hits else ""
    words = f"{LABEL}{len(lines) - len(kept):,} more lines{inside} ({key} shows all)"
    return [*kept, Line([(" " * indent, ""), (words, f"dim {FOUND}" if hits else "dim")])]


def cut_last(lines: Sequence[Line], most: int, key: str, width: int) -> list[Line]:
    """Return at most `most` lines; the last one ends with the number of hidden lines and the key that shows them."""
    if len(lines) <= most:
        return list(lines)
    hidden = lines[most:]
    words = f" ... {len(hidden):,} more ({key})"
    parts, room = list[TextPart](), max(0, width - len(words))
    for text, style in lines[most - 1].parts:
        piece = wrap(text, room)[0] if cell_len(text) > room else text
        parts.append((piece, style))
        room = max(0, room - cell_len(piece)) if piece == text else 0
        if not room:
            break
    has_hits = any(is_hit(line.parts) for line in hidden)
    return [*lines[: most - 1], Line([*parts, (words, f"dim {FOUND}" if has_hits else "dim")])]
