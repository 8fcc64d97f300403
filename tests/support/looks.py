"""How an app under a Pilot looks: every character on screen, and the style of each, under one theme or several."""

import asyncio
import string
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rich.color import Color
from rich.style import Style
from textual._context import visible_screen_stack
from textual.pilot import Pilot

from screen_text import under_way, until

LETTERS = string.ascii_letters + string.digits
USUAL = "."
"""The letter of the style that most characters have."""
ATTRIBUTES = ("bold", "dim", "italic", "underline", "strike", "reverse")


@dataclass(frozen=True)
class Look:
    """The screen as text, and for each line the style of each of its characters."""

    lines: tuple[str, ...]
    styles: tuple[tuple[str, ...], ...]


def strips(app: Any) -> list[Any]:
    """The lines of the screen on top as Textual has them, to be compared."""
    return list(app.screen._compositor.render_strips())


def look(app: Any) -> Look:
    """What the screen on top shows now, and what stands behind it if it is a dialog."""
    visible_screen_stack.set(app._background_screens)
    app.screen.refresh()
    rows = [list(_cells(strip)) for strip in strips(app)]
    lines = tuple("".join(character for character, _ in row) for row in rows)
    return Look(lines, tuple(tuple(style for _, style in row) for row in rows))


def _cells(strip: Any) -> Iterator[tuple[str, str]]:
    """Characters with their styles in words; the colour of a blank is what is beneath it, so nothing else is named."""
    before: Style | None = None
    for segment in strip:
        style = segment.style or Style()
        if before is None or not _alike(style, before):
            before = style
        for character in segment.text:
            if character != " ":
                before = style
            yield character, _words(before)


def _alike(one: Style, other: Style) -> bool:
    lines = ("underline", "strike", "reverse")
    return one.bgcolor == other.bgcolor and not any(getattr(style, name) for name in lines for style in (one, other))


@lru_cache(4096)
def _words(style: Style) -> str:
    names = [name for name in ATTRIBUTES if getattr(style, name)]
    return " ".join([*names, _colour(style.color), "on", _colour(style.bgcolor)])


def _colour(colour: Color | None) -> str:
    if colour is None or colour.is_default:
        return "default"
    return colour.triplet.hex if colour.triplet else colour.name


async def resting_look(pilot: Pilot[Any], *, still: float = 0.05, timeout: float = 30) -> Look:
    """What is on screen once it rests and has stayed the same for `still` seconds. Raises TimeoutError."""
    end = time.perf_counter() + timeout
    await at_rest(pilot)
    before, now = None, strips(pilot.app)
    while now != before:
        if time.perf_counter() > end:
            raise TimeoutError("the screen never rests")
        await asyncio.sleep(still)
        await at_rest(pilot)
        before, now = now, strips(pilot.app)
    return look(pilot.app)


async def at_rest(pilot: Pilot[Any]) -> None:
    """Wait until nothing is under way that would change the screen."""
    await until(pilot, lambda: not under_way(pilot.app))


def written(title: str, looks: dict[str, Look]) -> str:
    """The golden text of a screen that says the same under every theme: its lines, a map of styles, their legend.

    In the map each character on screen has a letter; "." is the style that most have, blanks at the ends of lines are
    left out. The legend says of each letter what it is under each theme.
    """
    first = next(iter(looks.values()))
    cells = [list(zip(*rows, strict=True)) for rows in zip(*(one.styles for one in looks.values()), strict=True)]
    usual = Counter(style for row in cells for style in row).most_common(1)[0][0]
    letters = {usual: USUAL}
    for row in cells:
        for style in row:
            letters.setdefault(style, LETTERS[(len(letters) - 1) % len(LETTERS)])
    grid = ["".join(letters[style] for style in row).rstrip(USUAL) for row in cells]
    legend = [
        f"{letter}  {theme}: {style}" if at == 0 else f"   {theme}: {style}"
        for styles, letter in letters.items()
        for at, (theme, style) in enumerate(zip(looks, styles, strict=True))
    ]
    text = [line.rstrip() for line in first.lines]
    return "\n".join([f"== {title}", *text, "== styles", *grid, "== legend", *legend, ""])
