"""Panes that tell their new size: a screen under a Pilot whose pane gets less room, and more again."""

from textual.app import App
from textual.containers import Horizontal
from textual.widgets import Static

from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import LineView
from inspector.widgets.step_view import StepView
from screen_text import settled


class Panes(App):
    CSS = "Static { width: 30; display: none } LineView { width: 1fr }"

    def __init__(self):
        super().__init__()
        self.told = []

    def compose(self):
        with Horizontal():
            yield StepView(id="told")
            yield LineView()
            yield Static()

    def on_sized_resized(self, event: Sized.Resized):
        self.told.append((event.view.id, event.view.viewport.width))


async def test_a_pane_tells_once_for_every_room_it_gets():
    async with Panes().run_test(size=(100, 10)) as pilot:
        # Half of it, and a cell beside the text.
        await settled(pilot)
        assert pilot.app.told == [("told", 49)]
        pilot.app.query_one(Static).display = True
        await settled(pilot)
        assert pilot.app.told == [("told", 49), ("told", 34)]
        pilot.app.query_one(Static).display = False
        await settled(pilot)
        assert pilot.app.told == [("told", 49), ("told", 34), ("told", 49)]
