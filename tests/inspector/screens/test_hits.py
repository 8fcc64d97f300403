"""What was searched for stands out where texts are read, and > and < go through it."""

from inspector.case_view.found_text import FOUND
from inspector.widgets.line_view import LineView
from opened import opened
from screen_text import press, shows


def found(pilot, name):
    view = pilot.app.screen.query_one(f"#{name}", LineView)
    return [text for line in view._lines for text, names in line.parts if FOUND in names.split()]


async def test_hits_stand_out_and_the_pane_shows_the_first(request_):
    async with opened(request_, size=(120, 24)) as pilot:
        await press(pilot, "a", "slash", *"28", "enter")
        await shows(pilot, "1 of 9 cases", "step 28", "Step 28 of long-one")
        assert found(pilot, "pane") == ["28"]
        await press(pilot, "enter")
        await shows(pilot, "Step 28 of long-one")
        assert found(pilot, "steps") == ["28"]


async def test_from_hit_to_hit_and_round(request_):
    async with opened(request_, size=(80, 24)) as pilot:
        await press(pilot, "a", "slash", *"2", "enter")
        await shows(pilot, "5 of 9 cases")
        await press(pilot, "G", "enter")
        await shows(pilot, "Step 2 of long-one")
        assert len(found(pilot, "steps")) == 12
        await press(pilot, "greater_than_sign")
        await shows(pilot, "hit 1 of 12")
        await press(pilot, "less_than_sign")
        await shows(pilot, "hit 12 of 12", "Step 29 of long-one")
        await press(pilot, "greater_than_sign", "greater_than_sign")
        await shows(pilot, "hit 2 of 12", "Step 12 of long-one")


async def test_without_a_search_it_is_said(request_):
    async with opened(request_) as pilot:
        await press(pilot, "a", "enter", "greater_than_sign")
        await shows(pilot, "Nothing is searched for.")


async def test_what_only_the_raw_text_has_is_told(request_):
    async with opened(request_) as pilot:
        await press(pilot, "a", "slash", "backslash", *"frac", "enter")
        await shows(pilot, "filter search")
        await press(pilot, "enter")
        await shows(pilot, "found in the raw text; \\ shows it")
        await press(pilot, "backslash")
        await shows(pilot, "$\\frac{3}{4}$")
        assert found(pilot, "steps") == ["\\frac"]
