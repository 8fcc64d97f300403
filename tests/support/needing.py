"""Commands that need something first: an answer of a critic, a tag, a search, a clipboard."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import scenes
from inspector.query import Query
from scoring.triage.history import RULINGS
from screen_text import screen_text


@dataclass(frozen=True)
class Needing:
    """After `before` the key makes `holds` true, which was not so before."""

    before: tuple[str, ...]
    holds: Callable[[Any], object]
    space: Callable[[], Query] = scenes.small
    until: str = ""
    """What the screen has to show before the keys of `then`."""
    then: tuple[str, ...] = ()


def says(text: str) -> Callable[[Any], bool]:
    return lambda app: text in screen_text(app)


def hides(text: str) -> Callable[[Any], bool]:
    return lambda app: text not in screen_text(app)


def chosen(spot: int) -> Callable[[Any], bool]:
    return lambda app: app.screen.critique._chosen_spot == spot


TAGGED = ("w", *"knotty", "enter")
ANSWERS = ("g l", "enter", "v c")
MOVED = ("g x", "tab", "w", *"units", "enter")
DAY = ", 2026-01-02"
"""Stands beneath the lists while that of notes has the keys."""
QUEUE = ("g", "l", "g", "t", "enter")
NEEDING = {
    ("board", "yank-row"): Needing((), says("Copied the row of alpha")),
    ("cases", "yank-row"): Needing(("g", "l"), says("Copied the facts of exact-one")),
    ("case", "yank"): Needing(("g l", "enter", "home"), says("Copied the problem of bench/exact-one")),
    ("case", "yank-case"): Needing(("g", "l", "enter"), says("Copied the whole case bench/exact-one")),
    ("board", "triage"): Needing((), says("No case waits for you")),
    **{
        ("triage", f"rule-{ruling.replace(' ', '-')}"): Needing(QUEUE, says(f"1 ruled, 8 to go · {ruling} "))
        for ruling in RULINGS
    },
    ("triage", "unrule"): Needing((*QUEUE, "1", "N"), says("0 ruled, 9 to go")),
    ("triage", "skip"): Needing(QUEUE, says("1 skipped, 8 to go")),
    ("triage", "defer"): Needing(QUEUE, says("9 to go · deferred bench/exact-one")),
    ("triage", "rate-wrong"): Needing((*QUEUE, "j"), says("rated -1")),
    ("triage", "rate-neutral"): Needing((*QUEUE, "j"), says("rated 0")),
    ("triage", "rate-right"): Needing((*QUEUE, "j"), says("rated +1")),
    ("triage", "next-case"): Needing(QUEUE, says("2 of 9")),
    ("triage", "previous-case"): Needing((*QUEUE, "n"), says("1 of 9")),
    ("taxonomy", "put"): Needing(("g x", "home"), says("Put 2 notes into"), scenes.noted),
    ("taxonomy", "rename-category"): Needing(("g x", "home"), says("Rename signs"), scenes.noted),
    ("taxonomy", "tick"): Needing(("g", "x"), says("1 ticked"), scenes.noted),
    ("taxonomy", "tick-with"): Needing(("g", "x"), says("Tick notes in (in none)"), scenes.noted),
    ("taxonomy", "whose"): Needing(("g", "x"), says("Whose notes"), scenes.noted),
    ("taxonomy", "next-pane"): Needing(("g", "x"), says(DAY), scenes.noted),
    ("taxonomy", "pane-before"): Needing(("g", "x", "tab"), hides(DAY), scenes.noted),
    ("taxonomy", "sideways-right"): Needing(("g", "x"), says(DAY), scenes.noted),
    ("taxonomy", "sideways-left"): Needing(("g", "x", "tab"), hides(DAY), scenes.noted),
    **{
        ("taxonomy", name): Needing(("g x", *keys), says(words), scenes.noted)
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
    ("taxonomy", "undo"): Needing(MOVED, says("(in none): 2 notes"), scenes.noted),
    ("taxonomy", "redo"): Needing((*MOVED, "u"), says("(in none): 1 note"), scenes.noted),
    ("board", "published"): Needing((), says("No published figures are known for these benchmarks.")),
    ("cases", "undo"): Needing(("g l", *TAGGED), hides("Tags  knotty")),
    ("cases", "redo"): Needing(("g l", *TAGGED, "u"), says("Tags  knotty")),
    ("case", "undo"): Needing(("g l", "enter", *TAGGED), hides("Tags  knotty")),
    ("case", "redo"): Needing(("g l", "enter", *TAGGED, "u"), says("Tags  knotty")),
    ("case", "answers"): Needing(("g", "l", "enter"), says("vote 0 (1 of 4)"), scenes.critic),
    ("case", "next-mention"): Needing((*ANSWERS, "tab"), chosen(1), scenes.critic),
    ("case", "previous-mention"): Needing((*ANSWERS, "tab", "tab"), chosen(0), scenes.critic),
    ("case", "zoom-critique"): Needing(ANSWERS, hides("Then x + 1 follows"), scenes.critic),
    ("cases", "unparsed"): Needing(("g", "l"), says("3 of 12 cases"), scenes.critic),
    ("case", "unparsed"): Needing(("g", "l", "enter"), says("sums-3 · 1 of 3"), scenes.critic),
}
