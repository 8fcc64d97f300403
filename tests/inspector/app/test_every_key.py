"""Every key of every widget and dialog that takes keys of its own is pressed here, and what it does is seen.

A place is a class with keys, how it is reached on the example, what of it is looked at, and presses in their order,
each with what is then seen. The keys of the table of commands are pressed in `test_commands`.
"""

import inspect as reading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from textual.binding import Binding
from textual.message_pump import MessagePump
from textual.widgets import Input

import critic_spaces
import example
import inspector.screens
import inspector.widgets
from inspector.screens.analysis import screen_of
from inspector.screens.case_scorer import CaseScorerDialog
from inspector.screens.column_menu import ColumnMenu
from inspector.screens.condition_dialog import ConditionScreen
from inspector.screens.dialog import Dialog, Leaving, Narrowing, Picking
from inspector.screens.export import ExportMenu
from inspector.screens.help_pages import TextPage
from inspector.screens.history_dialog import HistoryDialog
from inspector.screens.loading import LoadingScreen
from inspector.screens.mapping import MappingDialog
from inspector.screens.question_dialogs import SureDialog, WordsDialog
from inspector.screens.score import ScoreDialog, TickLine
from inspector.screens.scorer_choice import ScorerChoice
from inspector.screens.similar_dialog import SimilarDialog
from inspector.screens.slices import SlicesScreen
from inspector.screens.sort_menu import SortMenu
from inspector.screens.start import PathList
from inspector.screens.tag_dialog import TagDialog
from inspector.screens.trees import StepTable, TreeScreen
from inspector.screens.what_if import WhatIf
from inspector.widgets.critique_pane import CritiquePane
from inspector.widgets.facet_list import FacetList
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_table import bindings_of, bindings_of_answers
from inspector.widgets.line_view import LineView
from inspector.widgets.pick_list import PickList
from inspector.widgets.search_bar import SearchBar, SearchInput
from inspector.widgets.sheet_view import SheetView
from inspector.widgets.step_view import StepView
from inspector.widgets.text_editor import TextEditor
from opened import opened
from scoring.selection.query import Query
from scoring.workspace.triage.journal import Author, Journal
from scoring.workspace.workspace import Workspace
from screen_text import press, until

AWAY = "away"
"""What is seen where a dialog has closed."""


@dataclass(frozen=True)
class Place:
    """`keys` lead there; each press is a key, or several joined by blanks of which the last is the one that is tried.

    `sees` tells what is looked at of the app; it is `AWAY` where the dialog is no longer on top. `again` are the keys
    that open it anew after it has closed.
    """

    keys: tuple[str, ...]
    sees: Callable[[Any], Any]
    presses: tuple[tuple[str, Any], ...]
    again: tuple[str, ...] = ()
    space: Callable[[Path], Query] = lambda folder: example.write(folder / "w")
    size: tuple[int, int] = (120, 24)


def noted(folder: Path) -> Query:
    return example.noted(folder / "w")


def told(folder: Path) -> Query:
    """A long history of the first case: forty notes, a line each."""
    query = example.write(folder / "w")
    journal = Journal(folder / "w" / "triage", Author("zoe", "far"), clock=lambda: "2026-01-02T03:04:05.000Z")
    for number in range(40):
        journal.note(["bench/exact-one"], f"note {number}")
    return query


def critic(folder: Path) -> Query:
    root = critic_spaces.imported(folder)
    critic_spaces.critic(root, lambda *_: ["\n\n".join(f"Line {number}." for number in range(60)) + r" \boxed{1}"])
    return Query(workspace=str(root))


def on(dialog: type[Any], sees: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What is seen of a dialog while it is on top."""
    return lambda app: sees(app.screen) if isinstance(app.screen, dialog) else AWAY


def table(app: Any) -> Any:
    found = app.screen.query(FrameTable)
    return (found.first().cursor, found.first().cell_name) if found and app.screen.NAME == "cases" else AWAY


def facets(app: Any) -> Any:
    at = app.screen.query_one(FacetList)
    return at.cursor, len(at._lines), len(inspected_of(app).shown)


def inspected_of(app: Any) -> Any:
    return app.screen.state


def picks(screen: Any) -> Any:
    return screen.query_one(PickList).cursor


def columns(screen: Any) -> Any:
    return screen.query_one(PickList).cursor, tuple(screen._shown[:2]), len(screen._shown)


def typed(screen: Any) -> Any:
    return screen.query_one(Input).value


def search(app: Any) -> Any:
    bar = app.screen.query_one(SearchBar)
    return (bar._words[1:].index(bar._chosen[0]) + 1 if bar._chosen else 0) if bar.typing else AWAY


def filled(screen: Any) -> object:
    """The number (0-based) under the cursor of a sheet in which nothing is missing any more."""
    view = screen.query_one(SheetView)
    return AWAY if view.sheet.busy else view._at


def scored_demo(folder: Path) -> Query:
    """The demo, whose PRMs are run here, in a workspace."""
    Workspace.create(folder / "w")
    return Query(workspace=str(folder / "w"), benchmarks=("demo",))


def varied(app: Any) -> Any:
    """Of a variant: cursor, numbers of steps and edits, marked step, whether one is written, scrolled; and exports."""
    screen = app.screen
    if not isinstance(screen, WhatIf):
        return "asked" if isinstance(screen, CaseScorerDialog) else AWAY
    steps, scrolled = len(screen._tried.steps), screen.query_one("#tried", StepView).scroll_offset.y > 0
    files = len(list(app.folder.glob("*.jsonl")))
    return screen._at, steps, len(screen._variant.edits), screen._marked, bool(screen._writing), scrolled, files


def written(app: Any) -> Any:
    """The text of a step while it is written, and how often something was said."""
    screen = app.screen
    return (screen.query_one(TextEditor).text, len(app._notifications)) if getattr(screen, "_writing", 0) else AWAY


TEXT = "Step 1 of exact-one."

PLACES: dict[type[Any], Place] = {
    FrameTable: Place(
        ("g l",),
        table,
        (
            *(("down", (1, "")), ("up", (0, "")), ("j", (1, "")), ("k", (0, ""))),
            *(("pagedown", (8, "")), ("pageup", (0, "")), ("end", (8, "")), ("home", (0, ""))),
            *(
                ("G", (8, "")),
                ("ctrl+u", (0, "")),
                ("ctrl+d", (8, "")),
                ("home", (0, "")),
                ("l", (0, "outcome")),
                ("right", (0, "margin")),
            ),
            *(("left", (0, "outcome")), ("h", (0, "verdict")), ("enter", AWAY)),
        ),
    ),
    FacetList: Place(
        ("g l", "f", "home"),
        facets,
        (
            *(("down", (1, 29, 9)), ("up", (0, 29, 9)), ("j", (1, 29, 9)), ("k", (0, 29, 9))),
            *(("pagedown", (19, 29, 9)), ("pageup", (0, 29, 9)), ("end", (28, 29, 9)), ("home", (0, 29, 9))),
            *(
                ("ctrl+d", (9, 29, 9)),
                ("ctrl+u", (0, 29, 9)),
                ("G", (28, 29, 9)),
                ("g g", (0, 29, 9)),
                ("left", (0, 23, 9)),
                ("right", (0, 29, 9)),
            ),
            # The second line is exact: two cases of nine.
            *(("h", (0, 23, 9)), ("l", (0, 29, 9)), ("j space", (1, 29, 2)), ("enter", (1, 29, 9))),
            *(("at", (1, 29, 2)), ("number_sign", (1, 29, 7))),
        ),
    ),
    SearchInput: Place(
        ("g l", "slash"),
        search,
        (("tab", 1), ("shift+tab", 0), ("down", AWAY), ("up", AWAY), ("enter", AWAY), ("escape", AWAY)),
        ("slash",),
    ),
    PickList: Place(
        ("g l", "v", "c"),
        on(ColumnMenu, picks),
        (
            *(("down", 1), ("up", 0), ("j", 1), ("k", 0), ("pagedown", 10), ("pageup", 0), ("end", 33)),
            *(("home", 0), ("G", 33), ("g", 0)),
        ),
    ),
    SheetView: Place(
        ("g", "c"),
        on(screen_of("compare"), filled),
        (
            *(("down", 1), ("up", 0), ("j", 1), ("k", 0), ("end", 13), ("home", 0), ("G", 13), ("g g", 0)),
            *(
                ("pagedown", 8),
                # The last page starts below it; the last number is past its end.
                ("pagedown pagedown", 13),
                ("pageup", 6),
                ("home ctrl+d", 3),
                ("home ctrl+d ctrl+u", 3),
                ("home ctrl+u", 0),
                ("home j j j l", 4),
                ("h", 3),
                ("right", 4),
                ("left", 3),
            ),
            ("home enter", AWAY),
        ),
    ),
    Picking: Place(("g", "c", "o"), on(Picking, picks), (("enter", AWAY), ("escape", AWAY), ("q", AWAY)), ("o",)),
    CritiquePane: Place(
        ("g l", "enter", "v c"),
        lambda app: app.screen.query_one(CritiquePane).scroll_offset.y,
        (
            *(("j", 1), ("k", 0), ("G", 105), ("home", 0), ("down", 1), ("up", 0), ("end", 105), ("g g", 0)),
            *(("ctrl+d", 8), ("ctrl+u", 0)),
        ),
        space=critic,
    ),
    ColumnMenu: Place(
        ("g l", "v", "c"),
        on(ColumnMenu, lambda screen: (*columns(screen), screen._table.width_of("n_steps"))),
        (
            *(("J", (1, ("n_steps", "id"), 11, 5)), ("K", (0, ("id", "n_steps"), 11, 5))),
            *(("shift+down", (1, ("n_steps", "id"), 11, 5)), ("shift+up", (0, ("id", "n_steps"), 11, 5))),
            *(("j l", (1, ("id", "n_steps"), 11, 6)), ("right", (1, ("id", "n_steps"), 11, 7))),
            *(("h", (1, ("id", "n_steps"), 11, 6)), ("left", (1, ("id", "n_steps"), 11, 5))),
            *(("l l 0", (1, ("id", "n_steps"), 11, 5)), ("k space", (0, ("n_steps", "earliest_error"), 10, 5))),
            ("x", (0, ("id", "n_steps"), 11, 5)),
            *(("escape", AWAY), ("enter", AWAY)),
        ),
        ("v", "c"),
    ),
    Narrowing: Place(
        ("g l", "s"),
        on(SortMenu, picks),
        (
            *(("down", 2), ("up", 1), ("pagedown", 11), ("pageup", 1)),
            # In what was typed they are keys of the line.
            *(("end", 33), ("home", 0), ("a down", 1), ("home down", 2), ("delete end", 33)),
            ("escape", AWAY),
        ),
    ),
    TagDialog: Place(
        ("g l", "w", *"hard", "enter", "j", "w"),
        on(TagDialog, typed),
        (("h a tab", "hard"), ("escape", AWAY)),
    ),
    WordsDialog: Place(("g x", "home", "a"), on(WordsDialog, typed), (("escape", AWAY),), space=noted),
    HistoryDialog: Place(
        ("g l", "enter", "v h", "g"),
        on(HistoryDialog, lambda screen: screen.query_one(LineView).scroll_offset.y),
        (
            *(("j", 1), ("k", 0), ("down", 1), ("up", 0), ("pagedown", 19), ("pageup", 0), ("G", 19), ("g", 0)),
            *(("end", 19), ("home", 0), ("escape", AWAY), ("q", AWAY)),
        ),
        ("v", "h"),
        space=told,
    ),
    ExportMenu: Place(
        ("g l", "e"),
        on(ExportMenu, lambda screen: (screen.query_one(PickList).cursor, screen.focused is not None)),
        # Over the heading of the second table.
        (
            *(("down", (2, False)), ("down down", (4, False)), ("down", (6, False)), ("up", (4, False))),
            *(("tab", (4, True)), ("escape", AWAY), ("e", AWAY), ("q", AWAY), ("enter", AWAY)),
        ),
        ("e",),
    ),
    ScoreDialog: Place(
        ("S",),
        on(ScoreDialog, lambda screen: screen.focused.id),
        (("tab", "truncate"), ("down", "limit"), ("up", "truncate"), ("escape", AWAY), ("enter", AWAY)),
        ("S",),
    ),
    TickLine: Place(
        ("S", "tab"), lambda app: app.screen.query_one(TickLine).ticked, (("space", True), ("space", False))
    ),
    ScorerChoice: Place(
        ("g l", "enter", "o"),
        on(ScorerChoice, lambda screen: (screen.query_one(PickList).cursor, len(screen._ticked))),
        (
            # It opens at the scorer in focus, here the second.
            *(("k", (0, 1)), ("j", (1, 1)), ("up", (0, 1)), ("down", (1, 1)), ("g", (0, 1)), ("G", (1, 1))),
            *(("home", (0, 1)), ("end", (1, 1)), ("home space", (1, 2)), ("x", (1, 1))),
            *(("escape", AWAY), ("q", AWAY), ("o", AWAY), ("enter", AWAY)),
        ),
        ("o",),
    ),
    ConditionScreen: Place(
        ("g l", "colon", *"n_steps > 3", "enter", "colon"),
        on(ConditionScreen, lambda screen: (typed(screen), screen._marked)),
        (
            *(("up", ("n_steps > 3", 0)), ("down", ("", 0)), ("ctrl+n", ("", 1)), ("shift+tab", ("", 0))),
            *(("s u b tab", ("subset ", 0)), ("escape", AWAY)),
        ),
    ),
    SlicesScreen: Place(
        ("g l", "v", "s"),
        on(SlicesScreen, lambda screen: (screen._cursor, len(screen._entries), screen._naming)),
        (
            *(("j", (1, 11, False)), ("k", (0, 11, False)), ("down", (1, 11, False)), ("up", (0, 11, False))),
            *(("s", (0, 11, True)), ("x y enter", (0, 12, False))),
            *((f"{'j ' * 11}minus", (10, 11, False)), ("u", (10, 12, False)), ("j delete", (10, 11, False))),
            *(("escape", AWAY), ("q", AWAY), ("enter", AWAY)),
        ),
        ("v", "s"),
    ),
    CaseScorerDialog: Place(
        ("g l", "enter", "S"),
        on(CaseScorerDialog, lambda screen: type(screen.focused).__name__),
        (("tab", "TypingLine"), ("escape", AWAY), ("enter", AWAY)),
        ("S",),
        space=scored_demo,
    ),
    WhatIf: Place(
        ("g l", "G", "enter", "g", "w"),
        varied,
        (
            *(("home", (-1, 30, 0, -1, False, False, 0)), ("pagedown", (-1, 30, 0, -1, False, True, 0))),
            *(("pageup", (-1, 30, 0, -1, False, False, 0)), ("end", (29, 30, 0, -1, False, True, 0))),
            *(("g", (-1, 30, 0, -1, False, False, 0)), ("j", (0, 30, 0, -1, False, False, 0))),
            *(("down", (1, 30, 0, -1, False, False, 0)), ("up", (0, 30, 0, -1, False, False, 0))),
            *(("k", (-1, 30, 0, -1, False, False, 0)), ("G", (29, 30, 0, -1, False, True, 0))),
            *(("minus", (28, 29, 1, -1, False, True, 0)), ("delete", (27, 28, 2, -1, False, True, 0))),
            *(("u", (27, 29, 1, -1, False, True, 0)), ("ctrl+r", (27, 28, 2, -1, False, True, 0))),
            *(("space", (27, 28, 2, 27, False, True, 0)), ("k k x", (27, 28, 3, -1, False, True, 0))),
            *(("enter", (27, 28, 3, -1, True, True, 0)), ("escape", (27, 28, 3, -1, False, True, 0))),
            *(("plus", (27, 28, 3, -1, True, True, 0)), ("escape", (27, 28, 3, -1, False, True, 0))),
            *(("vertical_line", (27, 28, 3, -1, True, True, 0)), ("escape", (27, 28, 3, -1, False, True, 0))),
            *(("e", (27, 28, 3, -1, False, True, 1)), ("S", "asked"), ("escape", (27, 28, 3, -1, False, True, 1))),
            *(("o", "asked"), ("escape", (27, 28, 3, -1, False, True, 1)), ("n", (27, 30, 0, -1, False, True, 1))),
            *(("N", (27, 28, 3, -1, False, True, 1)), ("escape", AWAY), ("q", AWAY)),
        ),
        ("g", "w"),
    ),
    TextEditor: Place(
        ("g l", "enter", "g", "w", "enter"),
        written,
        (*(("x ctrl+j", (f"{TEXT}x\n", 0)), ("ctrl+e", (f"{TEXT}x\n", 1)), ("escape", AWAY), ("x enter", AWAY)),),
        ("enter",),
    ),
    SureDialog: Place(
        ("g l", "question_mark", *"Mark all", "enter", "w", *"hard", "enter"),
        on(SureDialog, lambda _: ""),
        (("enter", AWAY), ("n", AWAY), ("escape", AWAY), ("q", AWAY), ("y", AWAY)),
        ("w", *"harder", "enter"),
    ),
}


TOGETHER = (
    *(Picking, ScoreDialog, TickLine, SheetView, PickList, SearchInput, Narrowing, ExportMenu, ColumnMenu, FrameTable),
    *(ScorerChoice, FacetList, ConditionScreen, SlicesScreen, TextEditor, WhatIf, TagDialog, SureDialog),
)
"""Places on the example whose presses change nothing that a later one of them counts on: they share an opening."""


def keys_of(place: type[Any]) -> set[str]:
    bindings = [one if isinstance(one, Binding) else Binding(*one) for one in place.__dict__["BINDINGS"]]
    return {key.strip() for binding in bindings for key in binding.key.split(",")}


def places() -> set[type[Any]]:
    """Every class of screens and widgets with keys of its own, but those whose keys are of the table of commands."""
    found = set()
    for package in (inspector.screens, inspector.widgets):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            for _, one in reading.getmembers(import_module(module.name), reading.isclass):
                if one.__module__ == module.name and issubclass(one, MessagePump) and one.__dict__.get("BINDINGS"):
                    found.add(one)
    # Leaving while the workspace is being read is pressed in test_ending, under a real terminal.
    found.discard(LoadingScreen)
    # It asks what becomes of a run, and is asked in test_scoring_job.
    found.discard(Leaving)
    # What it binds itself is pressed in test_dialogs.
    found.discard(Dialog)
    # These are asked in test_start, before the app, in test_guide, in test_mapping, in test_similar and in test_trees.
    found -= {PathList, TextPage, MappingDialog, SimilarDialog, TreeScreen, StepTable}
    return {one for one in found if _own(one) not in ([], bindings_of(_name(one)), bindings_of_answers())}


def _own(one: type) -> list[Any]:
    """The bindings of a class less those of the system, which are none of its commands."""
    return [entry for entry in one.__dict__["BINDINGS"] if not getattr(entry, "system", False)]


def _name(one: type) -> str:
    """Of a screen its name in the table of commands."""
    return getattr(one, "NAME", "") or "board"


def test_every_place_with_keys_is_here():
    assert {one.__name__ for one in places()} == {one.__name__ for one in PLACES}


def test_every_key_of_them_is_pressed():
    for place, there in PLACES.items():
        assert keys_of(place) <= {keys.split()[-1] for keys, _ in there.presses}, place


def seen(there: Place, app: Any, then: Any) -> bool:
    return there.sees(app) == then


async def reach(pilot: Any, keys: tuple[str, ...]) -> None:
    """From another place: from its list, where all of that is there, or from the board."""
    app = pilot.app
    while isinstance(app.screen, (Dialog, WhatIf)) or getattr(app.screen, "NAME", "") == "case":
        await press(pilot, "escape")
    if keys[0] == "g l" and app.screen.NAME == "cases" and len(app.screen.state.shown) == 9:
        await press(pilot, *keys[1:])
    else:
        await press(pilot, "escape", "escape", "escape", "g b", *keys)


ALONE = [place for place in PLACES if place not in TOGETHER]


@pytest.mark.parametrize("places", [TOGETHER, *((one,) for one in ALONE)], ids=lambda one: one[0].__name__)
async def test_every_key_does_something_that_is_seen(places, tmp_path, monkeypatch):
    # Few cases are enough to be asked whether one is sure.
    monkeypatch.setattr("inspector.screens.tagging.ASKED_ABOVE", 5)
    first = PLACES[places[0]]
    async with opened(first.space(tmp_path), size=first.size, folder=tmp_path) as pilot:
        for there in (PLACES[place] for place in places):
            await (press(pilot, *there.keys) if there is first else reach(pilot, there.keys))
            await until(pilot, lambda there=there: there.sees(pilot.app) != AWAY)
            for keys, then in there.presses:
                if there.sees(pilot.app) == AWAY:
                    await press(pilot, *there.again)
                    await until(pilot, lambda there=there: there.sees(pilot.app) != AWAY)
                before = there.sees(pilot.app)
                if pilot.app._notifications:
                    # With every screen that opens a toast is laid out anew.
                    pilot.app.clear_notifications()
                await press(pilot, *keys.split())
                await until(pilot, partial(seen, there, pilot.app, then), timeout=10)
                assert then == AWAY or before != then or len(keys.split()) > 1, keys
