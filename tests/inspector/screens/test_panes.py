"""Tab and Shift+Tab move between panes on every screen, and between panels in a sheet."""

import pytest

from inspector.screens.panes import Panes
from inspector.widgets.key_table.command import SCREENS
from inspector.widgets.sheet_view import SheetView
from opened import opened
from screen_text import press, rests, until

REACHED = {"board": (), "cases": ("g l",), "case": ("g l", "enter"), "thresholds": ("g h",), "taxonomy": ("g x",)}


def place(screen):
    """Return the pane with the focus and, for a sheet, its panel."""
    pane = screen.focused
    return pane, pane.panel if isinstance(pane, SheetView) else None


def test_every_screen_is_of_the_table():
    assert set(REACHED) <= set(SCREENS)


@pytest.mark.parametrize("screen", REACHED)
async def test_the_keys_go_round_through_all_panes_and_back(query, screen):
    async with opened(query, size=(160, 48)) as pilot:
        await rests(pilot, "2 scorers")
        await press(pilot, *REACHED[screen])
        await until(pilot, lambda: not any(view.sheet.busy for view in pilot.app.screen.query(SheetView)))
        await rests(pilot)
        here = pilot.app.screen
        steps = len(Panes(here).panes) + sum(max(0, len(view.panels) - 1) for view in here.query(SheetView))
        visited = [place(here)]
        for _ in range(steps - 1):
            await press(pilot, "tab")
            visited.append(place(here))
        assert len(set(visited)) == steps
        await press(pilot, "tab")
        assert place(here) == visited[0]
        for before in reversed(visited):
            await press(pilot, "shift+tab")
            assert place(here) == before
        assert pilot.app.screen is here
