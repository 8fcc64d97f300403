"""The panel with all keys can be read to its end without a mouse."""

import pytest
from textual.widgets import HelpPanel

import example
from opened import opened
from screen_text import looks_like, press, rests, screen_text, settled, shows


@pytest.mark.parametrize(
    ("keys", "first", "last"), [((), "Scorers by the", "All keys"), (("a", "enter"), "One case", "All keys")]
)
async def test_its_pages_are_turned_and_behind_the_last_it_goes(tmp_path, keys, first, last):
    async with opened(example.write(tmp_path), size=(80, 24)) as pilot:
        await press(pilot, *keys)
        before = await rests(pilot)
        await press(pilot, "question_mark")
        await shows(pilot, first, "The key that opened")
        pages = []
        while pilot.app.screen.query(HelpPanel):
            await settled(pilot)
            pages.append(screen_text(pilot.app))
            await press(pilot, "question_mark")
        assert 2 <= len(pages) <= 11
        assert last in pages[-1]
        assert len(set(pages)) == len(pages)
        await looks_like(pilot, before)


@pytest.mark.parametrize("keys", [(), ("a",), ("a", "enter")])
async def test_escape_closes_it_and_stays_on_the_screen(tmp_path, keys):
    async with opened(example.write(tmp_path), size=(80, 24)) as pilot:
        await press(pilot, *keys)
        before, screen = await rests(pilot), pilot.app.screen
        await press(pilot, "question_mark")
        await shows(pilot, "The key that opened")
        await press(pilot, "escape")
        await settled(pilot)
        assert pilot.app.screen is screen
        await looks_like(pilot, before)
