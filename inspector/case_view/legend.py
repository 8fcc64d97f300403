"""Who is who among several scorers: letter, name, outcome and verdict, and what the marks in their columns mean."""

from collections.abc import Iterator

from rich.cells import cell_len

from inspector.case_view.open_case import OpenCase
from inspector.case_view.tracks import Track
from inspector.paint import OUTCOME_STYLES
from inspector.sentences import GLYPHS, WORDS
from inspector.text import Part, clean, squeezed
from inspector.widgets.line_view import Line

NAME, SHORT = 28, 12
"""Cells of a scorer's name at most; and at least, where more of them then stand in a line."""
OTHERS = 16
"""Cells of the letter, the outcome and the verdict."""
BETWEEN = 3


def legend_lines(shown: OpenCase) -> Iterator[Line]:
    """Beside each other as many as fit; nothing for one scorer, whom the sentence names."""
    if len(shown.tracks) < 2:
        if shown.tracks and shown.tracks[0].redundancy:
            yield Line([("beneath each reward, marked r: redundancy", "dim")])
        return
    room = _name_cells(shown)
    entries = [_entry(track, shown, room) for track in sorted(shown.tracks, key=lambda track: track.letter)]
    widest = max(sum(cell_len(text) for text, _ in entry) for entry in entries)
    beside = max(1, (shown.manner.width + BETWEEN) // (widest + BETWEEN))
    for start in range(0, len(entries), beside):
        parts: list[Part] = []
        for entry in entries[start : start + beside]:
            blank = widest - sum(cell_len(text) for text, _ in entry) + BETWEEN
            parts += [*entry, (" " * blank, "")]
        yield Line(parts[:-1])


def _name_cells(shown: OpenCase) -> int:
    """Cells for a name: as many as let two entries stand in a line at least, three or more in a wide one."""
    width = shown.manner.width
    beside = max(2 if width >= 2 * (SHORT + OTHERS) + BETWEEN else 1, width // (NAME + OTHERS))
    return max(4, min(NAME, (width - (beside - 1) * BETWEEN) // beside - OTHERS))


def _entry(track: Track, shown: OpenCase, room: int) -> list[Part]:
    name = squeezed(clean(track.name), room)
    parts: list[Part] = [(f"{track.letter} ", f"{track.style} strong"), (name, track.style)]
    if shown.manner.blind:
        return parts
    verdict = f" {track.verdict}" if track.verdict is not None and track.verdict >= 0 else ""
    style = OUTCOME_STYLES.get(track.outcome, "dim")
    return [*parts, (f" {GLYPHS[track.outcome]} {WORDS[track.outcome]}{verdict}", style)]
