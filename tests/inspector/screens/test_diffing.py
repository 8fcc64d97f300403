"""Story 13: original against modified process, both reward tracks, changed steps marked."""

import pytest

import originals
from inspector.widgets.step_view import StepView
from opened import opened
from screen_text import press, rests, screen_text, shows
from thoroughness import also


@pytest.fixture
def query(tmp_path):
    return originals.workspace(tmp_path / "w")


def _line(text, words):
    return next(line for line in text.splitlines() if words in line)


async def test_both_versions_of_a_changed_step_stand_there_with_their_rewards_and_so_for_the_next_case(query):
    async with opened(query) as pilot:
        await press(pilot, "g", "l", "enter")
        for size in ((80, 30), *also((120, 36)), (200, 50)):
            await pilot.resize_terminal(*size)
            await shows(pilot, "redundency_sum_0")
            assert "Twice n" not in screen_text(pilot.app)
            await press(pilot, "v", "o")
            text = await rests(pilot, "On the original: predicted step 2", "Twice n", "Thrice n", "That is 8.")
            assert "0.80" in _line(text, "Twice n")
            assert "0.20✗" in _line(text, "Thrice n")
            assert "~" in _line(text, "Twice n")
            assert "+" in _line(text, "Say once more")
            assert "-" in _line(text, "That is 8.").split("8.")[0]
            assert (_line(text, "Twice n") == _line(text, "Thrice n")) is (size[0] > 120)
            await press(pilot, "v", "o")
            await shows(pilot, "Thrice n")
            assert "Twice n" not in screen_text(pilot.app)
        # Blind, nothing is shown.
        await pilot.resize_terminal(120, 36)
        await press(pilot, "v", "b", "v", "o")
        await shows(pilot, "The original would tell where the error is")
        assert "Twice n" not in screen_text(pilot.app)
        await press(pilot, "v", "b", "v", "o")
        await shows(pilot, "Twice n")
        await press(pilot, "v", "b")
        await shows(pilot, "Hidden: the original would tell where the error is.")
        # It stays for the next case, and one without an original says so.
        await press(pilot, "v", "b", "n")
        await shows(pilot, "▸ circular_sum_0 ", "2 of 4", "On the original: predicted step 2")
        await press(pilot, "n")
        await shows(pilot, "no rewards for it")
        await press(pilot, "n")
        await shows(pilot, "4 of 4", "This case has no original")


async def test_the_threshold_decides_both_tracks_again_and_the_cursor_stays_on_its_step(query):
    async with opened(query, size=(120, 36)) as pilot:
        await press(pilot, "g", "l", "enter", "v", "o")
        text = await rests(pilot, "gold no error: false alarm", "0.40✗")
        await press(pilot, "t", *["left"] * 12)
        text = await rests(pilot, "On the original: predicted no error, and there is none: clean")
        assert "0.40✗" not in text
        assert "0.20✗" in text
        await pilot.resize_terminal(80, 24)
        await press(pilot, "escape", "v", "o", "home", "j", "j", "j", "v", "o")
        await shows(pilot, "That is 8.")
        view = pilot.app.screen.query_one("#steps", StepView)
        before = pilot.app.screen.cursor.stop
        await press(pilot, "v", "o")
        assert pilot.app.screen.cursor.stop == before
        assert view.cursor in view.seen


async def test_enter_unfolds_a_step_that_is_the_same(tmp_path, monkeypatch):
    words = " ".join(f"w{number}" for number in range(40))
    row = originals.row(0, original_process=[words, "one"], modified_process=[words, "two"], error_steps=[2])
    monkeypatch.setattr(originals, "VALUES", [row])
    monkeypatch.setattr(originals, "REWARDS", [[0.9, 0.2], [0.9, 0.8, 0.7, 0.6]])
    async with opened(originals.workspace(tmp_path / "w"), size=(80, 24)) as pilot:
        await press(pilot, "g", "l", "enter", "v", "o", "home", "j")
        text = await rests(pilot, " more")
        assert "w39" not in text
        await press(pilot, "enter")
        await shows(pilot, "w39")
