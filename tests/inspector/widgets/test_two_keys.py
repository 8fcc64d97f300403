"""Two keys, one after the other: the first waits for the second, and tells whoever hesitates what there is."""

import pytest

from inspector.widgets.key_line import WhichKey, panel
from opened import opened
from screen_text import hides, press, rests, screen_text, shows, type_ahead


async def test_whoever_hesitates_sees_the_letters_and_typed_at_once_keys_keep_their_meaning(query):
    """Esc and a key without meaning close the panel, and one that is late does not come; the first key twice is the
    first line.
    """
    async with opened(query, size=(120, 30)) as pilot:
        await press(pilot, "g")
        await shows(pilot, "a Bias", "c Compare", "h Thresholds")
        await press(pilot, "c")
        await shows(pilot, "A alpha, B beta ▸ compare")
        await hides(pilot, "h Thresholds")
        await press(pilot, "g", "b")
        for first in ("g", "v"):
            await press(pilot, first, "escape")
            assert pilot.app.screen.two_keys.first == ""
            await press(pilot, first, "9")
            await shows(pilot, f"{first} 9 does nothing here")
            assert not pilot.app.screen.query(WhichKey)
        await press(pilot, "g l", "G")
        await press(pilot, "g g")
        assert pilot.app.screen.case_row == 0
        # The timer had rung when the second key came.
        pilot.app.screen.two_keys.offer()
        assert not pilot.app.screen.query(WhichKey)
        await press(pilot, "g b")
        type_ahead(pilot, "g", "l", "j", "g", "c", "escape", "v", "z")
        await shows(pilot, "9 of 9 cases")


async def test_before_that_nothing_is_painted(query, monkeypatch):
    monkeypatch.setattr("inspector.screens.two_keys.HESITATION", 60)
    async with opened(query, size=(100, 30)) as pilot:
        before = await rests(pilot, "alpha", "beta")
        await press(pilot, "g")
        assert screen_text(pilot.app) == before
        await press(pilot, "c")
        await shows(pilot, "A alpha, B beta ▸ compare")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_columns_fit_the_width_and_hold_every_key(width):
    keys = [(letter, f"does {letter}") for letter in "abcdefghijk"]
    lines = panel("Go to", keys, width).plain.split("\n")
    assert lines[0] == "Go to"
    assert max(map(len, map(str.rstrip, lines))) <= width
    assert sorted(" ".join(lines[1:]).split()) == sorted(" ".join(f"{key} {does}" for key, does in keys).split())
