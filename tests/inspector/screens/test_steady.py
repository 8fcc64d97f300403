import importlib
import pkgutil
from unittest.mock import Mock

from textual.screen import Screen

import inspector.screens
from inspector.screens.palette import SteadyPalette
from inspector.widgets import textual_compat
from inspector.widgets.textual_compat import Steady
from opened import opened
from screen_text import press, settled, until


def test_every_screen_is_steady():
    found = set()
    for module in pkgutil.walk_packages(inspector.screens.__path__, "inspector.screens."):
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, Screen) and one.__module__ == module.name:
                found.add(one)
    assert SteadyPalette in found
    assert [one.__name__ for one in found if not issubclass(one, Steady)] == []


async def test_widgets_of_a_screen_are_styled_once_before_it_is_seen(monkeypatch):
    again, style = [], Screen.update_node_styles

    def counted(screen, animate=True):
        if screen.children:
            again.append(type(screen).__name__)
        style(screen, animate=animate)

    monkeypatch.setattr(Screen, "update_node_styles", counted)
    async with opened() as pilot:
        await press(pilot, "enter", "question_mark")
    assert again == []


async def test_what_a_thread_finds_when_its_screen_has_just_been_closed_is_nobodys(monkeypatch):
    """Some of its widgets may be gone by then, and some not."""
    async with opened() as pilot:
        await press(pilot, "question_mark")
        screen, shown = pilot.app.screen, []
        screen.run_worker(lambda: screen.show_if_open(shown.append, "open"), thread=True)
        await until(pilot, lambda: shown)
        # Closing it tells its threads, which may have looked whether they are told a moment before.
        monkeypatch.setattr(textual_compat, "get_current_worker", lambda: Mock(is_cancelled=False))
        closing = screen.dismiss()
        screen.show_if_open(shown.append, "closed")
        await closing
        await settled(pilot)
        assert pilot.app.screen is not screen
        assert shown == ["open"]
