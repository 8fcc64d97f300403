"""The pane of numbers: its cursor stays on a number while lines are made anew."""

import pytest
from textual.app import App

from inspector.render.lines import CaseLink, Piece, Sheet
from inspector.widgets.sheet_view import SheetView
from screen_text import press, screen_text, settled


def number(text, *where):
    return Piece(text, "", CaseLink(where, int(text), f"cases {' '.join(where)}"))


ONE, TWO, THREE = number("1", "a"), number("2", "b"), number("3", "c")


class Pane(App[None]):
    def compose(self):
        yield SheetView()


@pytest.fixture
async def pilot():
    async with Pane().run_test(size=(60, 12)) as pilot:
        await settled(pilot)
        view = pilot.app.query_one(SheetView)
        view.show_sheet(Sheet(((ONE, Piece(" "), TWO), (), (TWO, Piece(" "), THREE))))
        view.focus()
        await settled(pilot)
        yield pilot


def here(pilot):
    view = pilot.app.query_one(SheetView)
    spot = view.spots[view._at]
    return spot.line, spot.place, spot.piece.text


async def test_the_cursor_stays_on_its_number_when_lines_come_before_it(pilot):
    view = pilot.app.query_one(SheetView)
    await press(pilot, "down", "right")
    assert here(pilot) == (2, 2, "3")
    view.show_sheet(Sheet(((Piece("more"),), (ONE,), (TWO,), (TWO,), (Piece("more"),), (THREE,))))
    assert here(pilot) == (5, 0, "3")
    view.show_sheet(Sheet(((THREE,), (ONE,))))
    assert here(pilot) == (0, 0, "3")


async def test_of_numbers_with_the_same_cases_it_stays_on_the_same_one(pilot):
    view = pilot.app.query_one(SheetView)
    await press(pilot, "down")
    assert here(pilot) == (2, 0, "2")
    view.show_sheet(Sheet(((ONE,), (TWO,), (), (), (), (TWO,))))
    assert here(pilot) == (5, 0, "2")
    view.show_sheet(Sheet(((TWO,), (ONE,))))
    # Of two there is one left.
    assert here(pilot) == (0, 0, "2")


async def test_where_its_number_has_gone_it_stands_on_the_nearest(pilot):
    view = pilot.app.query_one(SheetView)
    await press(pilot, "down", "right")
    view.show_sheet(Sheet(((ONE,), (), (number("4", "d"), Piece(" "), number("5", "e")))))
    assert here(pilot) == (2, 2, "5")
    view.show_sheet(Sheet(((Piece("nothing"),),)))
    assert view.drill is None
    assert "nothing" in screen_text(pilot.app)
    view.show_sheet(Sheet(((ONE,),)))
    assert here(pilot) == (0, 0, "1")


async def test_where_other_numbers_come_and_a_panel_above_grows_it_stays_on_its_line_of_the_panel(pilot):
    """As if A and B swap: other cases, first without intervals, then with a longer verdict above."""
    view = pilot.app.query_one(SheetView)

    def panels(above, *lines):
        return Sheet((*((Piece("verdict", panel=0),) for _ in range(above)), *lines))

    def other(text):
        return Piece(text, "", CaseLink((text,), 1, text), panel=1)

    view.show_sheet(panels(2, (other("1"),), (other("2"),)))
    await press(pilot, "home")
    view.show_sheet(panels(1, (other("3"),), (other("4"),)))
    assert here(pilot) == (1, 0, "3")
    view.show_sheet(panels(2, (other("3"),), (other("4"),)))
    assert here(pilot) == (2, 0, "3")


async def test_a_page_down_shows_what_stands_last_however_little_is_beyond(pilot):
    view = pilot.app.query_one(SheetView)
    lines = [(Piece(f"line {place}"),) for place in range(13)]
    view.show_sheet(Sheet((*lines[:2], (ONE, Piece(" "), TWO), *lines[2:12], (Piece("the end"),))))
    assert "the end" not in screen_text(pilot.app)
    await press(pilot, "pagedown")
    assert "the end" in screen_text(pilot.app)
    await press(pilot, "pageup")
    assert "line 0" in screen_text(pilot.app)
