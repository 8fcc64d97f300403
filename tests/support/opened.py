"""The app, opened on the demo or on a workspace of a test, under a Pilot."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, MethodType
from typing import Any
from unittest.mock import patch

from textual import _callback, strip
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.pilot import Pilot

from inspector.app.app import InspectApp
from inspector.app.services import following, navigation, remembering
from inspector.screens import board_details, board_ranking, ready_cases, sheet
from inspector.screens.base import AppScreen
from inspector.state.screen_state import ScreenState
from inspector.widgets import textual_compat
from inspector.widgets.frame_table import FrameTable
from scoring.selection.query import Query
from screen_text import settled, to_be_painted, until

# A busy machine is no reason to give up on a key.
textual_compat.PATIENCE = 20
# Nobody types here who is not to be interrupted: most of what a test waits for would be the end of such a pause.
navigation.AT_REST, ready_cases.IDLE = 0.01, 0.05
board_ranking.REST = board_details.REST = sheet.REST = 0.05
# What another process writes is seen sooner, and what is remembered is written sooner.
following.FOLLOW_SECONDS = following.LOOK_SECONDS = remembering.SAVE_SECONDS = 0.3

DEMO = Query(benchmarks=("demo",))
SOURCES = Path(__file__).resolve().parents[2]


_render_update = Compositor.render_update


_parse_rules, _PARSED = Stylesheet._parse_rules, {}


def _parsed_once(sheet: Stylesheet, css: str, read_from: Any, *args: Any, **kwargs: Any) -> list[RuleSet]:
    key = css, read_from, args, *kwargs.items(), *sheet._variables.items()
    if key not in _PARSED:
        _PARSED[key] = _parse_rules(sheet, css, read_from, *args, **kwargs)
    return _PARSED[key]


# Each app parses the same styles anew, twice: a fifth of what opening one takes.
Stylesheet._parse_rules = _parsed_once  # type: ignore[method-assign]
_replace_rules = Stylesheet.replace_rules


def _changed_alone(node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
    if animate or node.styles.base._rules != rules:
        _replace_rules(node, rules, animate)
    else:
        node.notify_style_update()


# Most of what is styled again, with whatever gets the focus, has the rules that it had.
Stylesheet.replace_rules = staticmethod(_changed_alone)  # type: ignore[method-assign, assignment]


class _Forgetful(dict[Any, Any]):
    def __setitem__(self, key: Any, value: Any) -> None:
        pass


# Every strip has seven caches that most never use; whatever size is asked for, this is all of them.
strip.FIFOCache = defaultdict(_Forgetful).__getitem__  # type: ignore[assignment, misc]

_count_parameters, _COUNTED = _callback._count_parameters, {}


def _counted_once(function: Any) -> int:
    if not isinstance(function, (FunctionType, MethodType)) or hasattr(function, "__wrapped__"):
        return _count_parameters(function)
    # A method has one less than its function.
    kind = type(function), function.__code__
    if kind not in _COUNTED:
        _COUNTED[kind] = _count_parameters(function)
    return _COUNTED[kind]


# What is called later is often a new function of the same code, whose signature is looked at anew.
_callback._count_parameters = _counted_once


@contextmanager
def unpainted(*, but_behind_dialogs: bool = False) -> Iterator[None]:
    """Frames are not made for a terminal that is not there; what a screen looks like is asked of it all the same.

    They cost a tenth to a third of a test. A screenshot is made, and under real terminals everything is. What stands
    behind a dialog is what was painted there last.
    """

    def update(compositor: Compositor, *, full: bool = False, screen_stack: Any = None, **more: Any) -> Any:
        to_be_painted(compositor)
        if full or (but_behind_dialogs and screen_stack):
            return _render_update(compositor, full=full, screen_stack=screen_stack, **more)
        compositor._dirty_regions.clear()
        return None

    with patch.object(Compositor, "render_update", update):
        yield


@asynccontextmanager
async def opened(
    query: Query = DEMO,
    *,
    size: tuple[int, int] = (120, 36),
    ascii_only: bool = False,
    folder: Path | None = None,
    state_folder: Path | None = None,
    behind_dialogs: bool = False,
) -> AsyncIterator[Pilot[int]]:
    """An app that has read its workspace and shows its first screen; for `folder` and `state_folder` see `InspectApp`.

    `behind_dialogs` is for tests that look there.

    Without a folder it writes to the current one, where a test has gone to its own, and never among the sources.
    """
    with TemporaryDirectory() as spare, unpainted(but_behind_dialogs=behind_dialogs):
        if folder is None and Path.cwd() == SOURCES:
            folder = Path(spare)
        app = InspectApp(query, ascii_only=ascii_only, folder=folder, state_folder=state_folder)
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, AppScreen) and app.screen.is_mounted)
            await settled(pilot)
            yield pilot


def inspected(pilot: Pilot[Any]) -> ScreenState:
    """What the screen on top shows."""
    screen = pilot.app.screen
    assert isinstance(screen, AppScreen)
    return screen.state


def listed(pilot: Pilot[Any], column: str = "case") -> list[Any]:
    """A column of the rows that the list on screen has, seen or not, in their order."""
    state = inspected(pilot)
    table = pilot.app.screen.query_one(FrameTable)
    values = state.rows.get_column(column).gather(state.shown).to_list()
    assert table.row_count == len(values)
    return values
