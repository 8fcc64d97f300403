import random
import time
from itertools import product

import pytest
from textual.events import Resize
from textual.geometry import Size

from inspector.screens.cases import CasesScreen
from inspector.screens.loading import LEAST, TooSmall, too_small, words
from inspector.screens.messages import Back, Go
from inspector.widgets import textual_compat
from opened import inspected, opened
from screen_text import hides, looks_like, press, rests, screen_text, settled, shows, type_ahead, until
from terminal import Terminal
from test_pty import ENV, RUN
from thoroughness import THOROUGH, also

SIZES = [(39, 12), (40, 11), (1, 1), *also((20, 5), (4, 2), (200, 3), (12, 60))]


async def resized(pilot, width, height):
    await pilot.resize_terminal(width, height)
    await settled(pilot)


def test_the_words_fit_wherever_there_is_room_for_any():
    for width, height in product(range(1, 60), (1, 2, 3, 9)):
        lines = words(Size(width, height)).split("\n")
        assert len(lines) <= height
        assert max(map(len, lines)) <= width
        assert any(lines) == (width >= len("40x12"))


def test_the_least_size_is_large_enough():
    assert not too_small(LEAST)
    assert too_small(Size(LEAST.width - 1, LEAST.height))
    assert too_small(Size(LEAST.width, LEAST.height - 1))


async def test_it_says_what_is_needed_and_everything_comes_back_and_the_least_size_shows_every_screen(query):
    """Dialogs and panels too: `test_hostile_screens`."""
    async with opened(query) as pilot:
        await press(pilot, "enter", "j", "t", "right", "right")
        # The steps follow the cursor a little later.
        before = await rests(pilot, "▸ alpha ▸ failures", "0.520")
        threshold = inspected(pilot).evaluation.rule.threshold
        for width, height in SIZES:
            await resized(pilot, width, height)
            assert isinstance(pilot.app.screen, TooSmall)
            assert screen_text(pilot.app).split() == words(Size(width, height)).split()
            await press(pilot, "q", "escape", "enter", "x")
            assert isinstance(pilot.app.screen, TooSmall)
            await resized(pilot, 120, 36)
            await looks_like(pilot, before)
            assert inspected(pilot).evaluation.rule.threshold == threshold
            assert isinstance(pilot.app.screen, CasesScreen)
        await press(pilot, "escape", "g", "b")
        # A toast has no room and breaks nothing.
        await resized(pilot, 4, 2)
        pilot.app.notify("something happened", markup=False)
        await settled(pilot)
        await resized(pilot, 1, 1)
        await resized(pilot, 120, 36)
        await shows(pilot, "something happened")
        await resized(pilot, *LEAST)
        await shows(pilot, "alpha")
        for keys, said in ((("g", "l"), "9 of 9"), (("f",), "outcome of"), (("escape", "enter"), "1 of 9")):
            await press(pilot, *keys)
            await shows(pilot, said)
        await press(pilot, "t")
        await shows(pilot, "threshold")
        # Messages of that instant break nothing.
        await press(pilot, "escape", "g", "b")
        await resized(pilot, 20, 5)
        pilot.app.post_message(Back())
        pilot.app.post_message(Go("cases"))
        await settled(pilot)
        assert isinstance(pilot.app.screen, TooSmall)
        await resized(pilot, 120, 36)
        await shows(pilot, "9 of 9 cases")
        type_ahead(pilot, "e")
        pilot.app.navigation.fit()
        await hides(pilot, "2 scorers")


async def test_a_terminal_that_begins_too_small_shows_the_board_when_it_grows_and_a_size_told_too_late_is_put_right(
    query, monkeypatch
):
    from inspector.app.app import InspectApp

    app = InspectApp(query)
    async with app.run_test(size=(20, 5), notifications=True) as pilot:
        await shows(pilot, "40x12")
        await until(pilot, lambda: app.front)
        assert "40x12" in screen_text(app)
        await resized(pilot, 120, 36)
        await shows(pilot, "2 scorers", "alpha", "beta")
        monkeypatch.setattr(type(app), "is_headless", False)
        monkeypatch.setattr(textual_compat, "terminal_size", lambda: Size(100, 30))
        # A signal that came in between told the older size last.
        app.post_message(Resize(Size(7, 3), Size(7, 3)))
        await until(pilot, lambda: app.size == (100, 30))
        await shows(pilot, "2 scorers", "alpha", "beta")
        await press(pilot, "enter")
        await shows(pilot, "sorted by most instructive")


@pytest.mark.pty
def test_a_storm_of_sizes_leaves_nothing_stale(query, tmp_path):
    random_ = random.Random(7)
    with Terminal(
        [*RUN, "-w", query.workspace, "--scorer", "alpha"], columns=100, lines=30, env=ENV, cwd=tmp_path
    ) as terminal:
        terminal.wait_for("2 scorers")
        terminal.press("enter")
        terminal.wait_for("most instructive")
        terminal.press("f")
        terminal.wait_for("outcome of")
        # Lists scroll so that their cursors stay in sight; here they stand at the top.
        terminal.press("home")
        terminal.settle()
        before = terminal.screen_text()
        for number in range(60 if THOROUGH else 20):
            terminal.resize(random_.randint(1, 250), random_.randint(1, 60))
            if number % 3 == 0:
                terminal.settle(0.01, timeout=0.2)
        terminal.resize(100, 30)
        end = time.monotonic() + 30
        while terminal.screen_text() != before and time.monotonic() < end:
            terminal.press("home", timeout=0.5)
            terminal.settle(0.5)
        assert terminal.screen_text() == before
        terminal.press("q")
        assert terminal.wait() == 0
