"""Every command of the table, in a workspace where every text is hostile: what it shows is inert and keeps its width.

While it stands there a storm of sizes passes, after which the screen is the one of before. A command that `WAYS` does
not name is pressed as it is, and has to change the screen.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import cycle
from pkgutil import walk_packages
from shutil import copytree
from typing import Any

import pytest
from textual.events import Paste, Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, TextArea
from wcwidth import wcswidth

import hostile_space
import inspector.screens
from inherited import INHERITED
from inspector.app.app import InspectApp
from inspector.screens.loading import TooSmall
from inspector.widgets.key_line import WhichKey
from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import ANALYSES, SCREENS, Command
from looks import strips
from opened import opened
from scoring.selection.query import Query
from scoring.workspace.triage.actions import RULINGS
from screen_text import press, screen_text, settled, shows, strokes, type_ahead, under_way, until
from thoroughness import THOROUGH, one_of

SIZE = (120, 40)
NARROW, LITTLE = (41, 12), (7, 3)
STORMS = (((150, 44), LITTLE, NARROW),) if THOROUGH else ((NARROW,), (LITTLE, NARROW), (NARROW,))
"""The sizes of a storm: at the least of them no screen is shown, so that every third one has it."""
ACTING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that are never on a screen."""


@dataclass(frozen=True)
class Way:
    """After the keys `before` that of the command opens a screen of the class `opens`, or another body of it; or some
    of what stands there changes.

    The keys `then` go on from there; `after` leads back. `says` stands on screen in the end. `tells` stands in a toast,
    and is all that happens where neither `opens` nor `says` is given; without it there is no toast.
    """

    before: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    after: tuple[str, ...] = ("escape",)
    opens: str = ""
    says: str = ""
    tells: str = ""


def turned(key: str, back: str = "", says: str = "") -> Way:
    """What the same key, or another one, turns back."""
    return Way(after=(back or key,), says=says)


SEARCH = ("slash", "type 31337", "enter", "until 3 of 8 cases")
REACHED = {
    "board": ("j",),
    "cases": ("j", "g", "l"),
    "case": ("j", "g l", *SEARCH, "enter"),
    "triage": ("j", "g", "l", "g", "t", "enter"),
    "metrics": ("j", "g m", "until error acc"),
    "highlights": ("j", "g o", "until percent, 95%"),
    "compare": ("j", "g c", "until no evidence"),
    "card": ("j", "g r", "until How a verdict"),
    "thresholds": ("j", "g h", "until best on these  "),
    "stats": ("j", "g s", "until characters"),
    "paper": ("j", "g p", "until No tables of a paper"),
    "breakdown": ("j", "g d", "until erroneous cases"),
    "bias": ("j", "g a", "until too few to say"),
    "best-of-n": ("j", "g n", "until final answer"),
    "votes": ("j", "g v", "until several votes"),
    "timeline": ("j", "g e", "until vs. the one before"),
    "taxonomy": ("j", "g x", "until too few to speak"),
}
"""The keys that lead to each screen, through a scorer with a threshold."""
ESC, RED = "␛[31337m", "[red]x[/]"
BESIDE = (
    ("metrics", "MetricsScreen", "error acc"),
    ("highlights", "HighlightsScreen", "percent, 95%"),
    ("compare", "CompareScreen", "McNemar p"),
    ("stats", "StatsScreen", "characters"),
    ("paper", "PaperScreen", "No tables of a paper"),
    ("thresholds", "ThresholdsScreen", "best on these  "),
    ("breakdown", "BreakdownScreen", "erroneous cases"),
    ("bias", "BiasScreen", "too few to say"),
    ("best-of-n", "Best-of-nScreen", "final answer"),
    ("votes", "VotesScreen", "several votes"),
    ("timeline", "TimelineScreen", "vs. the one before"),
    ("taxonomy", "TaxonomyScreen", "too few to speak"),
)
EVERYWHERE = {
    "score": Way(opens="ScoreDialog", says=ESC),
    "import": Way(opens="PathList", says="Type its path"),
    "stop-scoring": Way(after=(), tells="No run"),
    "export": Way(opens="ExportMenu"),
    "theme": Way(opens="SteadyPalette", says="Search for themes"),
    "help": Way(opens="CommandMenu", says="type letters to narrow"),
    "tag": Way(then=("t",), opens="TagDialog", says="[red]tag[/]"),
    "note": Way(opens="NoteDialog", says=ESC),
    "another-scorer": turned("v n"),
    "go": Way(says="x Taxonomy"),
    "view": Way(says=" View\n"),
    "guide": Way(opens="TextPage"),
    "method": Way(opens="TextPage"),
    "messages": Way(opens="TextPage"),
    "scorers": Way(opens="Picking", says=ESC),
    "options": Way(after=(), tells="nothing to choose"),
    "history": Way(opens="HistoryDialog", says=ESC),
    "blind": turned("v b"),
    "similar": Way(opens="SimilarDialog", says=ESC),
    "reason": turned("v r"),
    # Behind them the top of the case: a page that is scrolled may be scrolled otherwise after a storm.
    "news": Way(after=("v", "d"), tells="is dim"),
    "raw": Way(then=("home",), after=("v", "w")),
    "next-scorer": Way(then=("home",), after=("h",)),
    "previous-scorer": Way(then=("home",), after=("l",), says="vote"),
    "undo": Way(("w", "type hard", "enter"), after=(), tells="Undone"),
    "redo": Way(("w", "type hard", "enter", "u"), after=("u",), tells="Done again"),
    "yank-row": Way(after=(), tells="Copied"),
    "card": Way(opens="CardScreen", says="How a verdict"),
    **{name: Way(opens=opens, says=says) for name, opens, says in BESIDE},
}
WAYS = {
    ("board", "published"): Way(after=(), tells="No published"),
    ("board", "board-rows"): Way(after=("v", "r", "v", "r"), says="rows by scorer"),
    ("board", "board-sort"): Way(opens="SortMenu", says="bias"),
    ("board", "board-columns"): Way(opens="ColumnMenu", says="FP%"),
    ("board", "differences"): turned("v d", says="differences to"),
    ("board", "baselines"): turned("v b", says="always-clean"),
    ("board", "compare-here"): Way(after=("escape",), opens="CompareScreen", says="McNemar p"),
    ("board", "open-cases"): Way(opens="CasesScreen", says=ESC),
    ("board", "open-failures"): Way(opens="CasesScreen", says=ESC),
    ("cases", "open-case"): Way(opens="CaseScreen", says=ESC),
    ("cases", "facets"): Way(says="[ ] = exact"),
    ("cases", "condition"): Way(then=("type error_type = ",), opens="ConditionScreen", says="'=1+1'"),
    ("cases", "keep"): Way(("l",), after=("x",)),
    ("cases", "hide"): Way(("l",), after=("x",)),
    ("cases", "search"): Way(then=("type 31337",), says="3 of 8"),
    ("cases", "slices"): Way(opens="SlicesScreen", says=f"slice [/b] {RED}"),
    ("cases", "clear"): Way(SEARCH, after=()),
    ("cases", "sort"): Way(opens="SortMenu", says="margin"),
    ("cases", "columns"): Way(opens="ColumnMenu", says="margin"),
    ("cases", "zoom"): turned("v z"),
    ("cases", "unparsed"): Way(
        ("o", "up", "enter"), after=("v", "u", "o", "down", "enter"), says="1 of 8", tells="unparsed or refused"
    ),
    ("cases", "back"): Way(after=("g", "l"), opens="BoardScreen", says=ESC),
    ("cases", "mark"): Way(after=("x", "home"), says="1 marked"),
    ("cases", "mark-all"): Way(
        then=("w", "type hard", "enter"), after=("escape", "x"), opens="SureDialog", says="8 cases"
    ),
    ("board", "triage"): Way(after=(), tells="No case waits"),
    ("cases", "triage"): Way(opens="Picking"),
    ("case", "triage"): Way(opens="Picking"),
    **{
        ("triage", f"rule-{ruling.replace(' ', '-')}"): turned(str(number), "u", says=f"to go · {ruling}")
        for number, ruling in enumerate(RULINGS, 1)
    },
    ("triage", "unrule"): Way(("1", "N"), after=(), says="no ruling"),
    ("triage", "skip"): turned("", "u", says="1 skipped"),
    ("triage", "defer"): turned("", "u", says="deferred"),
    **{
        ("triage", name): Way(("j",), after=("u", "k"), says="rated")
        for name in ("rate-wrong", "rate-neutral", "rate-right")
    },
    ("triage", "next-case"): turned("n", "N", says="2 of 8"),
    ("triage", "previous-case"): Way(("n",), after=()),
    ("case", "next-case"): Way(after=(), says="hit "),
    ("case", "following-case"): Way(after=("left_square_bracket",)),
    ("case", "case-before"): Way(("right_square_bracket",), after=()),
    ("triage", "following-case"): turned("right_square_bracket", "left_square_bracket", says="2 of 8"),
    ("triage", "case-before"): Way(("n",), after=()),
    ("case", "previous-case"): Way(("n",), after=()),
    ("case", "overlay"): Way(opens="ScorerChoice", says="{x!r}"),
    ("case", "next-step"): turned("j", "k"),
    ("case", "previous-step"): Way(("j",), after=()),
    # The steps may all be in sight: then the cursor moves alone.
    ("case", "half-page-down"): Way(then=("j",), after=("k", "ctrl+u")),
    ("case", "half-page-up"): Way(("ctrl+d",), after=()),
    ("case", "first-step"): Way(("G",), after=()),
    ("case", "last-step"): turned("G", "home"),
    ("case", "turn-over"): Way(("G",), after=("enter", "home")),
    ("case", "prefix"): Way(after=(), tells="Nothing to fold"),
    ("case", "curve"): turned("v v", says="╌"),
    ("case", "score-case"): Way(opens="CaseScorerDialog", says=ESC),
    ("case", "what-if"): Way(opens="WhatIf", says=ESC),
    ("case", "original"): Way(after=("v", "o"), opens="CaseScreen", says="once"),
    ("case", "tokens"): Way(after=("v", "t"), opens="CaseScreen", says="has no weights"),
    ("case", "facts"): Way(after=("v", "f"), opens="CaseScreen", says="v f folds them"),
    ("case", "yank"): Way(after=(), tells="Copied"),
    ("case", "yank-case"): Way(after=(), tells="Copied"),
    ("case", "answers"): Way(("h", "home"), after=("escape", "l"), says="paragraph 1"),
    ("case", "zoom-critique"): Way(("h", "v", "c"), after=("escape", "l")),
    ("case", "unparsed"): Way(("h",), after=("v", "u", "l"), tells="unparsed or refused"),
    ("case", "back"): Way(after=("enter",), opens="CasesScreen"),
    ("compare", "scorers"): Way(opens="Picking", says=ESC),
    ("compare", "swap"): turned("v s"),
    ("compare", "next-page"): turned("right_square_bracket", "left_square_bracket", says="[cascade]"),
    ("compare", "page-before"): turned("left_square_bracket", "right_square_bracket", says="[right together]"),
    ("compare", "drill"): Way(opens="CasesScreen"),
    ("board", "common-cases"): Way(after=(), tells="The scorers have the same cases"),
    **{
        (one, other): Way(after=("escape", REACHED[one][1]), opens=opens, says=says)
        for one in ANALYSES
        for other, opens, says in BESIDE
        if other != one
    },
    ("stats", "drill"): Way(("until characters",), opens="CasesScreen", says=ESC),
    ("paper", "drill"): Way(after=(), tells="There is no number"),
    ("paper", "options"): Way(opens="Picking", says="other scorers"),
    ("paper", "next-page"): turned("right_square_bracket", "left_square_bracket", says="[all tables]"),
    ("paper", "page-before"): turned("left_square_bracket", "right_square_bracket", says="[all tables]"),
    ("paper", "export"): Way(after=(), tells="There is nothing to export"),
    ("card", "scorers"): Way(opens="Picking", says=ESC),
    ("card", "common-cases"): Way(after=(), tells="The scorers have the same cases"),
    ("card", "drill"): Way(("until Enter: 8 cases",), opens="CasesScreen"),
    ("thresholds", "scorers"): Way(opens="ScorerChoice", says=ESC),
    ("thresholds", "next-page"): turned("right_square_bracket", "left_square_bracket"),
    ("thresholds", "page-before"): turned("left_square_bracket", "right_square_bracket"),
    ("thresholds", "drill"): Way(opens="CasesScreen"),
    ("breakdown", "rows"): Way(opens="Picking"),
    ("breakdown", "across"): Way(opens="Picking"),
    ("breakdown", "figure"): Way(opens="Picking"),
    ("breakdown", "options"): Way(then=("j", "j", "enter"), opens="Picking", says=ESC),
    ("breakdown", "swap"): Way(after=(), tells="nothing to turn"),
    ("breakdown", "bins"): Way(after=(), tells="nothing of that kind"),
    ("breakdown", "next-page"): turned("right_square_bracket", "left_square_bracket"),
    ("breakdown", "page-before"): turned("left_square_bracket", "right_square_bracket"),
    ("best-of-n", "next-page"): turned("right_square_bracket", "left_square_bracket"),
    ("best-of-n", "page-before"): turned("left_square_bracket", "right_square_bracket"),
    ("breakdown", "drill"): Way(opens="CasesScreen"),
    ("bias", "drill"): Way(opens="CasesScreen"),
    **{(one, "drill"): Way(after=(), tells="There is no number") for one in ("best-of-n", "votes")},
    ("highlights", "drill"): Way(opens="CasesScreen"),
    ("best-of-n", "options"): Way(after=(), tells="nothing to choose from"),
    ("votes", "options"): Way(after=(), tells="nothing to choose from"),
    ("timeline", "options"): Way(then=("enter",), opens="Picking", says="2 checkpoints"),
    ("timeline", "drill"): Way(opens="CasesScreen"),
    ("taxonomy", "put"): Way(("G", "k"), opens="CategoryDialog", says="Put 1 note into"),
    ("taxonomy", "rename-category"): Way(("home",), opens="WordsDialog", says="Rename ann [red]"),
    ("taxonomy", "tick"): Way(says="1 ticked"),
    ("taxonomy", "tick-with"): Way(opens="TickDialog", says="Tick notes in"),
    ("taxonomy", "whose"): Way(opens="Picking", says="bob"),
    ("taxonomy", "undo"): Way(after=("ctrl+r",), tells="Undone"),
    ("taxonomy", "redo"): Way(("u",), after=(), tells="Done again"),
    ("taxonomy", "sideways-right"): Way(("h",), after=("h",)),
    ("taxonomy", "sideways-left"): Way(("l",), after=()),
    **{("taxonomy", one): Way(("home",), after=()) for one in ("line-down", "line-last", "page-down", "half-down")},
    **{("taxonomy", one): Way(("G",), after=()) for one in ("line-up", "line-first", "page-up", "half-up")},
    ("taxonomy", "drill"): Way(opens="CasesScreen"),
    ("taxonomy", "card"): Way(after=REACHED["taxonomy"][1:], opens="CardScreen", says="How a verdict"),
    ("breakdown", "card"): Way(after=REACHED["breakdown"][1:], opens="CardScreen", says="How a verdict"),
    **{
        (one, "card"): Way(after=REACHED[one][1:], opens="CardScreen", says="How a verdict")
        for one in ("bias", "best-of-n", "votes", "timeline")
    },
    **{
        (one, "board"): Way(after=REACHED[one][1:], opens="BoardScreen")
        for one in ("cases", "case", "triage", *ANALYSES)
    },
    ("case", "list"): Way(after=("enter",), opens="CasesScreen"),
    ("triage", "list"): Way(after=REACHED["triage"][3:], opens="CasesScreen"),
    **{(one, "back"): Way(after=REACHED[one][1:], opens="BoardScreen") for one in ANALYSES},
}
FURTHER = {
    ("board", "palette"): (("ctrl+p", "type sc"), Way(opens="SteadyPalette", says="PRM")),
    ("cases", "sorted by a column of a scorer"): (("s", "type lowest", "down", "enter", "s"), Way(opens="SortMenu")),
    ("cases", "a column in a condition"): (("colon", "type judge", "tab"), Way(opens="ConditionScreen")),
    ("cases", "a slice's search in its line"): (
        ("v s", "1", "until 2 of 8 cases", "slash"),
        Way(after=("escape", "x")),
    ),
    ("cases", "a name for a slice"): (
        ("v s", "s", "type mine"),
        Way(after=("escape", "escape"), opens="SlicesScreen", says="mine"),
    ),
    ("cases", "what was written"): (("e", "c"), Way(tells="Wrote")),
    ("case", "what was copied"): (("e", "m"), Way(after=(), tells="Copied, and")),
}
"""What lies behind a second key."""
ALIKE = {
    "sideways-left",
    *("line-down", "line-up", "line-first", "page-down", "page-up", "half-down", "half-up"),
    *("previous-case", "previous-step", "half-page-up", "first-step"),
    *("rate-neutral", "rate-right", *(f"rule-{ruling.replace(' ', '-')}" for ruling in RULINGS[1:])),
    *ANALYSES,
}
"""What leads to lines that others lead to as well, or says what others say; every analysis is looked at on the way."""
LEFT_OUT = {*((one, name) for one in SCREENS for name in ("quit", "next-pane", "pane-before")), *INHERITED}
# Quitting ends the app, a single pane has no next one, and the key that opened a screen does nothing on it.
HAVING = {one.id: [where for where in SCREENS if where in one.screens and where != one.id] for one in COMMANDS}
TRIED = {
    name: one_of([screen for screen in screens if (screen, name) not in LEFT_OUT], number)
    for number, (name, screens) in enumerate(HAVING.items())
}
"""Command -> the screens on which it is tried: usually one of those that have it."""


def keys_of(command: Command) -> tuple[str, ...]:
    """What `pressed` takes for a command."""
    keys = strokes(command)
    return keys if command.keys != NO_KEY else (keys[0], f"type {command.title}", keys[-1])


WAYS_OF = {
    screen: [
        *(
            (keys_of(one), WAYS.get((screen, one.id)) or EVERYWHERE.get(one.id, Way()))
            for one in COMMANDS
            if screen in TRIED[one.id] and (THOROUGH or one.id not in ALIKE)
        ),
        *(further for (where, _), further in FURTHER.items() if where == screen),
    ]
    for screen in SCREENS
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return hostile_space.make(tmp_path_factory.mktemp("hostile") / "w")


@pytest.fixture
def space(made, tmp_path, monkeypatch):
    """The hostile workspace, in which toasts stay and few cases are enough to be asked whether one is sure."""
    notify = InspectApp.notify

    def lasting(app, message, **options):
        notify(app, message, **{**options, "timeout": 900})

    monkeypatch.setattr(InspectApp, "notify", lasting)
    monkeypatch.setattr("inspector.screens.tagging.ASKED_ABOVE", 5)
    return Query(workspace=str(copytree(made, tmp_path / "w\x1b[31337m[red]")))


def lawful(app: Any, lines: Sequence[Strip]) -> None:
    """Every line has the terminal's width, nothing on it acts, and no data chose a style."""
    width, height = app.size
    assert len(lines) == height
    for line in lines:
        acting = {character for character in line.text if unicodedata.category(character) in ACTING}
        assert not acting, f"{acting!r} in {line.text!r}"
        assert (line.cell_length, wcswidth(line.text)) == (width, width), line.text
        for segment in line:
            style, meta = segment.style, segment.style.meta if segment.style else {}
            assert not re.search("313371|713133|blink|link|31337", f"{style} {meta}"), segment


def words_of(lines: Sequence[Strip]) -> str:
    return "\n".join(line.text.rstrip() for line in lines)


async def without_toasts(pilot: Any) -> None:
    """Nothing is under way, and all toasts are gone."""
    pilot.app.clear_notifications()
    await until(pilot, lambda: not under_way(pilot.app))


async def lines_that(pilot: Any, hold: Callable[[list[Strip]], object]) -> list[Strip]:
    """The lines on screen, as soon as they hold what they are to."""
    lines: list[Strip] = []

    def look() -> object:
        lines[:] = strips(pilot.app)
        return hold(lines)

    await until(pilot, look)
    return lines


async def outlives_a_storm(pilot: Any, here: str) -> None:
    """Sizes upon sizes come, and in the end the one of before; then the screen says what it said."""
    # A key that is half typed is over where nothing fits.
    half_typed = bool(pilot.app.screen.query(WhichKey))
    for size in (*(size for size in next(_STORMS) if not (half_typed and size == LITTLE)), SIZE):
        pilot.app._driver._size = Size(*size)
        pilot.app.post_message(Resize(Size(*size), Size(*size)))
        if size == LITTLE:
            await until(pilot, lambda: isinstance(pilot.app.screen, TooSmall))
        if size == NARROW:
            await until(pilot, lambda: pilot.app.screen._compositor.size == pilot.app.size)
            assert not isinstance(pilot.app.screen, TooSmall)
            lawful(pilot.app, strips(pilot.app))
    await until(pilot, lambda: pilot.app.screen._compositor.size == SIZE)
    try:
        lines = await lines_that(pilot, lambda lines: words_of(lines) == here)
    except TimeoutError:
        assert screen_text(pilot.app).splitlines() == here.splitlines()
        raise
    lawful(pilot.app, lines)


async def pressed(pilot: Any, *keys: str) -> None:
    """Press keys; `type words` stands for their letters at once, and `until words` for waiting until they are seen."""
    for key in keys:
        what, _, words = key.partition(" ")
        if what == "until":
            await shows(pilot, words)
        elif what == "type":
            type_ahead(pilot, *words)
            await settled(pilot)
        else:
            await press(pilot, key)


_STORMS = cycle(STORMS)
_STORMED: set[tuple[type, str]] = set()
"""Screens, each with kinds of its parts, that have outlived a storm: one is enough, whatever key led there."""


def panes(app: Any) -> tuple[Any, ...]:
    """The screen on top, and what of its parts is there."""
    there = [one for one in app.screen.walk_children() if one.region and "-toast" not in one.classes]
    return type(app.screen), *there


async def gone(pilot: Any, keys: tuple[str, ...], way: Way) -> None:
    """Where a command leads, or what lies behind it; where that is something else, through a storm; and back."""
    app = pilot.app
    await pressed(pilot, *way.before)
    await without_toasts(pilot)
    before, there = [] if way.opens not in {"", type(app.screen).__name__} else strips(app), panes(app)
    await pressed(pilot, *keys, *way.then)
    if way.tells:
        # A toast covers the header, which may show the other messages.
        lawful(app, await lines_that(pilot, lambda lines: way.tells in words_of(lines)))
        assert any(way.tells in one.message for one in app._notifications)
        app.clear_notifications()
    if way.opens or way.says or not way.tells:
        await until(pilot, lambda: way.opens in {"", type(app.screen).__name__} and not under_way(app))
        lines = await lines_that(
            pilot, lambda lines: way.says in words_of(lines) and lines != before and not under_way(app)
        )
        lawful(app, lines)
        assert not app._notifications, [one.message for one in app._notifications]
        seen = {(type(app.screen), one.css_identifier) for one in panes(app)[1:]}
        if (way.opens or panes(app) != there) and (THOROUGH or not seen <= _STORMED):
            _STORMED.update(seen)
            await outlives_a_storm(pilot, words_of(lines))
    await pressed(pilot, *way.after)


@pytest.mark.parametrize(
    "screens", [*((one,) for one in SCREENS if one not in ANALYSES), tuple(ANALYSES)], ids=" ".join
)
async def test_whatever_a_key_shows_is_inert_and_outlives_a_storm(space, screens, tmp_path):
    async with opened(space, size=SIZE, folder=tmp_path, state_folder=tmp_path / "state") as pilot:
        await until(pilot, lambda: any("was left out: parquet" in one.text for one in pilot.app.message_history))
        # A toast covers the header.
        pilot.app.clear_notifications()
        for at, screen in enumerate(screens):
            beginning, *further = REACHED[screen]
            await pressed(pilot, *(("g b", "home") if at else ()), beginning)
            # The way to an analysis is looked at as well.
            if screen in ANALYSES:
                await gone(pilot, tuple(further), replace(EVERYWHERE[screen], after=()))
            else:
                await pressed(pilot, *further)
            for keys, way in WAYS_OF[screen]:
                try:
                    await until(pilot, lambda screen=screen: screen == getattr(pilot.app.screen, "NAME", ""))
                    await gone(pilot, keys, way)
                except (AssertionError, TimeoutError) as error:
                    error.add_note(f"on {screen}, after {keys}")
                    raise


async def test_what_is_pasted_does_not_act_either(space):
    async with opened(space, size=SIZE) as pilot:
        for keys in (("S",), ("ctrl+p",), ("g l", "slash"), ("g l", "a"), ("g l", "colon")):
            await press(pilot, *keys)
            await until(pilot, lambda: isinstance(pilot.app.focused, (Input, TextArea)))
            pilot.app.post_message(Paste("31337 \x1b[31337m\x9b2J\u202e\x00 end\nmore"))
            await shows(pilot, f"31337 {ESC}", "end")
            lawful(pilot.app, strips(pilot.app))
            await press(pilot, "escape")


def test_every_dialog_is_among_them():
    found = set()
    for module in walk_packages(inspector.screens.__path__, "inspector.screens."):
        for one in vars(import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, ModalScreen) and one.__module__ == module.name:
                found.add(one)
    ways = [*WAYS.values(), *EVERYWHERE.values(), *(way for _, way in FURTHER.values())]
    # What others derive from is none by itself, the question before leaving and the guide have words of ours alone, and
    # what asks where to begin offers no path that would act; trees are of files, and tried by tests of theirs.
    apart = {"Leaving", "TextPage", "MappingDialog", "TreeScreen"}
    assert {one.__name__ for one in found if not one.__subclasses__()} - apart <= {way.opens for way in ways}
