"""Analysis screens: clickable tabs, the cases behind a number, the method dialog, and the header."""

from inspector.screens.help_pages import TextPage
from inspector.widgets.page_tabs import PageTabs, shown_tabs
from inspector.widgets.sheet_view import SheetView
from inspector.widgets.step_view import StepView
from opened import inspected, opened
from screen_text import press, rests, screen_lines, settled, shows, until


def pane_of(pilot):
    return pilot.app.screen.query_one("#behind-cases", StepView)


async def test_a_page_opens_with_a_click_on_its_tab():
    async with opened(size=(120, 36)) as pilot:
        await press(pilot, "g", "h")
        await shows(pilot, "[ways and curves]", "curves in numbers")
        line = screen_lines(pilot.app)[1]
        tabs = pilot.app.screen.query_one(PageTabs)
        await pilot.click(tabs, offset=(line.index("reliability"), 0))
        await shows(pilot, "[reliability]", "expected calibration error")
        await pilot.click(tabs, offset=(line.index("ways and curves"), 0))
        await shows(pilot, "[ways and curves]")


def test_where_tabs_have_no_room_those_around_the_open_one_are_shown():
    assert shown_tabs([10, 10, 10], 0, 40) == (0, 3)
    assert shown_tabs([10] * 6, 0, 30) == (0, 2)
    assert shown_tabs([10] * 6, 3, 40) == (3, 6)
    assert shown_tabs([10] * 6, 5, 30) == (4, 6)
    assert shown_tabs([50], 0, 10) == (0, 1)
    assert shown_tabs([50, 50], 1, 10) == (1, 2)


async def test_beside_a_wide_sheet_are_the_first_cases_behind_the_number_and_a_click_opens_one():
    async with opened(size=(200, 50)) as pilot:
        await press(pilot, "g", "c")
        await shows(pilot, "No evidence that", "Tried by both")
        view = pilot.app.screen.query_one(SheetView)
        only_b = next(spot for spot in view.spots if spot.piece.drill.words == "only B right, erroneous")
        view.go_to(only_b.line, only_b.place)
        await shows(pilot, "Only B right, erroneous", "31 cases", "A –", "more")
        pane = pane_of(pilot)
        assert pane.display
        await pilot.click(pane, offset=(10, 1))
        await until(pilot, lambda: pilot.app.screen.NAME == "case")
        assert inspected(pilot).shown.size == 31
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen.NAME == "compare")


async def test_beneath_a_low_sheet_is_the_same_pane_and_a_high_one_has_none():
    async with opened(size=(120, 36)) as pilot:
        await press(pilot, "g", "o")
        await shows(pilot, "39 cases", "gold 15")
        assert pane_of(pilot).display
        await press(pilot, "j")
        await shows(pilot, "Tried", "240 cases")
        await press(pilot, "g", "c")
        await shows(pilot, "No evidence that")
        await settled(pilot)
        assert not pane_of(pilot).display


async def test_the_method_is_behind_a_key_and_a_page_without_one_opens_the_guide():
    async with opened(size=(120, 36)) as pilot:
        await press(pilot, "g", "c")
        text = await rests(pilot, "how this is tested", "No evidence that")
        assert "paired bootstrap" not in text
        await pilot.app.screen.run_action("screen.method")
        await until(pilot, lambda: isinstance(pilot.app.screen, TextPage))
        await shows(pilot, "paired bootstrap", "p Holm")
        await press(pilot, "escape")
        await press(pilot, "g", "a")
        await shows(pilot, "Compared with the rest")
        await pilot.app.screen.run_action("screen.method")
        await until(pilot, lambda: isinstance(pilot.app.screen, TextPage))
        await shows(pilot, "Guide: ")


async def test_the_header_is_a_path_with_the_name_of_the_screen_and_facts():
    async with opened(size=(120, 36)) as pilot:
        await press(pilot, "g", "c")
        await shows(pilot, "No evidence that")
        title = screen_lines(pilot.app)[0]
        assert title.split("  ")[0].strip() == "demo ▸ A tiny-prm-m, B blend ▸ compare"
        assert title.rstrip().endswith("θ 0.500 each")
