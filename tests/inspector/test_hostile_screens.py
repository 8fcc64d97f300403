"""Every screen, dialog, menu and pane in a workspace where every text is hostile: all is inert and keeps its width.

While each stands there sizes pass, after which the screen is the one of before. That every command does something, and
what: `test_commands`.
"""

import re
import unicodedata
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from textual.events import Paste, Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea
from wcwidth import wcswidth

import hostile_space
import inspector.screens
from inspector.app import InspectApp
from inspector.commands import SCREENS
from inspector.commands.command import ANALYSES
from inspector.request import Request
from opened import opened
from screen_text import press, rests, screen_text, shows, under_way, until

SIZE = (120, 40)
SMALL = (41, 12)
ACTING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that are never on a screen."""


@dataclass(frozen=True)
class Way:
    """The keys open a screen of the class `opens`, show `says`, tell `tells` in a toast, or change what stands there.

    A key that is written `until words` stands for waiting until these are on screen. Without `tells` there is no
    toast. `after` leads back.
    """

    keys: tuple[str, ...]
    opens: str = ""
    says: str = ""
    tells: str = ""
    after: tuple[str, ...] = ("escape",)


ESC, RED = "␛[31337m", "[red]x[/]"
REACHED = {
    "board": ("home",),
    "cases": ("g l",),
    "case": ("slash", *"31337", "enter", "until 3 of 8 cases", "home", "enter", "until lines with hits"),
    "triage": ("escape", "x", "g t", "enter"),
    "metrics": ("g m", "until error acc"),
    "highlights": ("g o", "until percent, 95%"),
    "compare": ("g c", "until could be none"),
    "card": ("g r", "until How a verdict"),
    "thresholds": ("g h", "until best on these  "),
    "stats": ("g s", "until characters"),
    "paper": ("g p", "until No tables of a paper"),
    "breakdown": ("g d", "until erroneous cases"),
    "bias": ("g a", "until too few to say"),
    "best-of-n": ("g n", "until final answer"),
    "votes": ("g v", "until several votes"),
    "timeline": ("g e", "until less the one before"),
    "taxonomy": ("g x", "until too few to speak"),
}
"""The keys that lead to each screen from the one before it here, to those of analyses from the board."""
WAYS = {
    "board": (
        Way(("g i",), "PathList", "Type its path"),
        Way(("S",), "ScoreDialog", ESC),
        Way(("v r",), says="rows by scorer", after=("v r", "v r")),
        Way(("s",), "SortMenu", "bias"),
        Way(("v c",), "ColumnMenu", "FP%"),
        Way(("v d",), says="differences to", after=("v d",)),
        Way(("v b",), says="always-clean", after=("v b",)),
        Way(("ctrl+p", *"sc"), "SteadyPalette", "PRM"),
        Way(("y",), tells="Copied", after=()),
        Way(("g",), says="x Taxonomy"),
        Way(("question_mark",), "CommandMenu", "type letters to narrow"),
        Way(("e",), "ExportMenu"),
    ),
    "cases": (
        Way(("f",), says="[ ] = exact"),
        Way(("colon", *"error_type = "), "ConditionScreen", "'=1+1'"),
        Way(("colon", *"judge", "tab"), "ConditionScreen", "judge"),
        Way(("l", "at"), after=("x",)),
        Way(("v s",), "SlicesScreen", f"slice [/b] {RED}"),
        Way(("v s", "s", *"mine"), "SlicesScreen", "mine", after=("escape", "escape")),
        Way(("v s", "1", "until 2 of 8 cases", "slash"), says="31337", after=("escape", "x")),
        Way(("s", *"lowest", "down", "enter", "s"), "SortMenu"),
        Way(
            ("question_mark", *"Mark all", "enter", "w", *"hard", "enter"),
            "SureDialog",
            "8 cases",
            after=("escape", "x"),
        ),
        Way(("w", *"hard", "enter", "u", "ctrl+r"), tells="Done again", after=("u",)),
        Way(
            ("o", "up", "enter", "v u"), says="1 of 8", tells="unparsed or refused", after=("v u", "o", "down", "enter")
        ),
        Way(("a",), "NoteDialog", ESC),
        Way(("e", "c"), tells="Wrote", after=()),
        Way(("v z",), after=("v z",)),
    ),
    "case": (
        Way(("n",), says="hit 1", after=()),
        Way(("o",), "ScorerChoice", "{x!r}"),
        Way(("v v",), says="╌", after=("v v",)),
        Way(("v o",), says="once", after=("v o",)),
        Way(("v t",), says="has no weights", after=("v t",)),
        Way(("v f",), says="v f folds them", after=("v f",)),
        Way(("v w",), after=("v w",)),
        Way(("v r",), after=("v r",)),
        Way(("v b",), after=("v b",)),
        Way(("S",), "CaseScorerDialog", ESC),
        Way(("g w",), "WhatIf", ESC),
        Way(("g k",), "SimilarDialog", ESC),
        Way(("w", "t"), "TagDialog", "[red]tag[/]"),
        Way(("v h",), "HistoryDialog", ESC),
        Way(("h", "v c"), says="paragraph 1", after=()),
        Way(("tab", "v z"), after=("escape", "l")),
        Way(("e", "m"), tells="Copied, and", after=()),
        Way(("y",), tells="Copied", after=()),
    ),
    "triage": (
        Way(("1",), says="to go · model wrong", after=("u",)),
        Way(("space",), says="deferred", after=("u",)),
        Way(("j", "minus"), says="rated", after=("u",)),
    ),
    "highlights": (Way(("o",), "Picking", ESC),),
    "compare": (Way(("v s",), after=("v s",)), Way(("tab",), says="[cascade]", after=()), Way(("tab",), after=())),
    "card": (Way(("v",), says=" View\n"),),
    "thresholds": (Way(("o",), "ScorerChoice", "{x!r}"), Way(("tab",), after=()), Way(("tab",), after=()), Way(("t",))),
    "breakdown": (
        Way(("v r",), "Picking"),
        Way(("v v", "j", "j", "enter"), "Picking", ESC),
        Way(("tab",), after=()),
        Way(("tab",), after=()),
    ),
    "timeline": (
        Way(("v v", "enter"), "Picking", "2 checkpoints"),
        Way(("enter",), "CasesScreen"),
    ),
    "taxonomy": (
        Way(("G", "k", "w"), "CategoryDialog", "Put 1 note into"),
        Way(("home", "a"), "WordsDialog", "Rename ann [red]"),
        Way(("slash",), "TickDialog", "Tick notes in"),
        Way(("v w",), "Picking", "bob"),
    ),
}


@pytest.fixture
def space(tmp_path, monkeypatch):
    """The hostile workspace, in which toasts stay and few cases are enough to be asked whether one is sure."""
    notify = InspectApp.notify

    def lasting(app, message, **options):
        notify(app, message, **{**options, "timeout": 900})

    monkeypatch.setattr(InspectApp, "notify", lasting)
    monkeypatch.setattr("inspector.screens.tagging.ASKED_ABOVE", 5)
    return Request(workspace=str(hostile_space.make(tmp_path / "w\x1b[31337m[red]")))


def lawful(app: Any) -> None:
    """Every line has the terminal's width, nothing on it acts, and no data chose a style."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()
    assert len(lines) == height
    for line in lines:
        acting = {character for character in set(line.text) if unicodedata.category(character) in ACTING}
        assert not acting, f"{acting!r} in {line.text!r}"
        assert (line.cell_length, wcswidth(line.text)) == (width, width), line.text
    for style in {segment.style for line in lines for segment in line if segment.style}:
        assert not re.search("313371|713133|blink|link|31337", f"{style} {style.meta}"), style


async def storm(pilot: Any) -> None:
    """Sizes upon sizes, and in the end the one of before, with what stood there."""
    here = screen_text(pilot.app)
    for size in ((7, 3), SMALL, SIZE):
        pilot.app._driver._size = Size(*size)
        pilot.app.post_message(Resize(Size(*size), Size(*size)))
        if size != (7, 3):
            await until(pilot, lambda size=size: pilot.app.screen._compositor.size == size)
            lawful(pilot.app)
    try:
        await until(pilot, lambda: screen_text(pilot.app) == here, timeout=10)
    except TimeoutError:
        assert screen_text(pilot.app).splitlines() == here.splitlines()


async def pressed(pilot: Any, *keys: str) -> None:
    for key in keys:
        words = key.removeprefix("until ")
        await (press(pilot, key) if key == words else shows(pilot, words))


def panes(app: Any) -> set[str]:
    """The screen on top, and the kinds of its parts that are there."""
    there = [one for one in app.screen.walk_children() if one.region and "Toast" not in one.css_identifier]
    return {type(app.screen).__name__, *(str(one.css_identifier_styled) for one in there)}


async def gone(pilot: Any, way: Way, stormed: set[frozenset[str]]) -> None:
    """Where a way leads, through a storm where no screen of such panes has outlived one yet, and back."""
    app = pilot.app
    app.clear_notifications()
    before = await rests(pilot) if way.keys and not (way.opens or way.says or way.tells) else ""
    await pressed(pilot, *way.keys)
    if way.says or way.tells:
        await shows(pilot, *filter(None, (way.says, way.tells)))
    await until(pilot, lambda: way.opens in {"", type(app.screen).__name__})
    notices = [one.message for one in app._notifications]
    assert any(way.tells in one for one in notices) if way.tells else not notices, notices
    await until(pilot, lambda: not before or screen_text(app) != before)
    await until(pilot, lambda: not under_way(app))
    lawful(app)
    if (kinds := frozenset(panes(app))) not in stormed:
        stormed.add(kinds)
        await storm(pilot)
    await pressed(pilot, *way.after)


@pytest.mark.parametrize(
    "screens", [[one for one in SCREENS if one not in ANALYSES], ANALYSES], ids=["cases", "analyses"]
)
async def test_whatever_stands_there_is_inert_and_outlives_a_storm(space, screens, tmp_path):
    stormed: set[frozenset[str]] = set()
    async with opened(space, size=SIZE, folder=tmp_path, state=tmp_path / "state") as pilot:
        await until(pilot, lambda: any("was left out: parquet" in one.message for one in pilot.app._notifications))
        lawful(pilot.app)
        await press(pilot, "j")
        for screen in screens:
            await pressed(pilot, *(("g b", "home", "j") if screen in ANALYSES else ()), *REACHED[screen])
            pilot.app.clear_notifications()
            for way in (Way((), after=()), *WAYS.get(screen, ())):
                await until(pilot, lambda screen=screen: screen == getattr(pilot.app.screen, "NAME", ""))
                try:
                    await gone(pilot, way, stormed)
                except (AssertionError, TimeoutError) as error:
                    error.add_note(f"on {screen}, after {way.keys}")
                    raise


async def test_what_is_pasted_does_not_act_either(space):
    async with opened(space, size=SIZE) as pilot:
        for keys in (("S",), ("ctrl+p",), ("g l", "slash"), ("g l", "a"), ("g l", "colon")):
            await press(pilot, *keys)
            await until(pilot, lambda: isinstance(pilot.app.focused, (Input, TextArea)))
            pilot.app.post_message(Paste("31337 \x1b[31337m\x9b2J\u202e\x00 end\nmore"))
            await shows(pilot, f"31337 {ESC}", "end")
            lawful(pilot.app)
            await press(pilot, "escape")


def test_every_dialog_is_among_them():
    found = set()
    for module in iter_modules(inspector.screens.__path__, "inspector.screens."):
        for one in vars(import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, ModalScreen) and one.__module__ == module.name:
                found.add(one)
    # What others derive from is none by itself, the question before leaving and the guide have words of ours alone, and
    # what asks where to begin offers no path that would act.
    apart = {"Leaving", "TextPage", "MappingDialog"}
    opening = {way.opens for ways in WAYS.values() for way in ways}
    assert {one.__name__ for one in found if not one.__subclasses__()} - apart <= opening
    assert set(REACHED) == set(SCREENS)
