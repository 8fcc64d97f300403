"""Commands that need something first, which changes the workspace or is in a workspace of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import scenes
from inspector.widgets.key_table.command import SCREENS
from scoring.selection.query import Query
from scoring.workspace.triage.actions import RULINGS
from screen_text import screen_text


@dataclass(frozen=True)
class Needing:
    """After `before` the key makes `holds` true, which was not so before."""

    before: tuple[str, ...]
    holds: Callable[[Any], object]
    space: Callable[[], Query] = scenes.noted
    until: str = ""
    """What the screen has to show before the keys of `then`."""
    then: tuple[str, ...] = ()


def says(text: str) -> Callable[[Any], bool]:
    return lambda app: text in screen_text(app)


def hides(text: str) -> Callable[[Any], bool]:
    return lambda app: text not in screen_text(app)


TAGGED = ("w", *"knotty", "enter")
ANSWERS = ("g l", "enter", "v c")
MOVED = ("g x", "tab", "w", *"units", "enter")
DAY = ", 2026-01-02"
"""Stands beneath the lists while that of notes has the keys."""
NEEDING = {
    ("case", "yank"): Needing(("g l", "enter", "home"), says("Copied the problem of bench/exact-one")),
    ("triage", "skip"): Needing(("g", "l", "g", "t", "enter"), says("1 skipped, 8 to go")),
    ("taxonomy", "tick-with"): Needing(("g", "x"), says("Tick notes in (in none)")),
    ("taxonomy", "sideways-right"): Needing(("g", "x"), says(DAY)),
    ("taxonomy", "sideways-left"): Needing(("g", "x", "tab"), hides(DAY)),
    **{
        ("taxonomy", name): Needing(("g x", *keys), says(words))
        for name, keys, words in (
            ("line-down", ("home",), "units: 1 note"),
            ("line-up", ("home", "j"), "signs: 2 notes"),
            ("line-first", (), "signs: 2 notes"),
            ("line-last", ("home",), "(in none): 2 notes"),
            ("page-down", ("home",), "(in none): 2 notes"),
            ("half-down", ("home",), "(in none): 2 notes"),
            ("half-up", ("end",), "signs: 2 notes"),
            ("page-up", (), "signs: 2 notes"),
        )
    },
    ("taxonomy", "redo"): Needing((*MOVED, "u"), says("(in none): 1 note")),
    ("case", "redo"): Needing(("g l", "enter", *TAGGED, "u"), says("Tags      knotty")),
}
IN_STORIES = {
    *(("triage", f"rule-{ruling.replace(' ', '-')}") for ruling in RULINGS),
    *(("triage", name) for name in ("unrule", "defer", "rate-wrong", "rate-neutral", "rate-right")),
    *(("triage", name) for name in ("next-case", "previous-case", "following-case", "case-before")),
    *(("taxonomy", name) for name in ("put", "rename-category", "tick", "whose")),
    *((screen, name) for screen in SCREENS for name in ("next-pane", "pane-before")),
    *((screen, "undo") for screen in ("cases", "case", "taxonomy")),
    ("cases", "redo"),
    *(("case", name) for name in ("answers", "zoom-critique")),
    *((screen, "unparsed") for screen in ("cases", "case")),
}
"""Commands that a story of their screen presses and whose effect it reads there: in `screens`, `test_triage`,
`test_taxonomy`, `test_tagging`, `test_critique`, `test_panes` and `test_unparsed`."""
