import numpy as np
import pytest
from textual.events import MouseScrollDown

from screen_text import press, settled
from table_app import COLUMNS, Table, TableApp, cases, every, ids, on_screen

# -- where the cursor stays


async def test_the_cursor_stays_on_its_key_at_its_height():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        frame = cases(100)
        app.table.show(frame, every(frame), COLUMNS)
        app.table.cursor = 3
        await settled(pilot)
        assert app.keys() == ["c0", "c3"]
        app.table.show(frame, every(frame)[::-1].copy())
        await settled(pilot)
        assert (app.table.cursor, app.table.key) == (96, "c3")
        # The end of the list keeps it from standing at the fourth row of the screen.
        assert on_screen(app)[7] == "▌c3"
        app.table.show(frame, every(frame))
        await settled(pilot)
        assert on_screen(app)[3] == "▌c3"
        assert app.keys() == []


async def test_the_next_row_takes_the_cursor_of_a_row_that_is_gone():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        frame = cases(100)
        app.table.show(frame, every(frame), COLUMNS)
        app.table.cursor = 5
        await settled(pilot)
        app.keys()
        app.table.show(frame, np.delete(every(frame), 5))
        await settled(pilot)
        assert (app.table.cursor, app.keys()) == (5, ["c6"])
        assert on_screen(app)[5] == "▌c6"


async def test_a_cursor_out_of_sight_leaves_the_scroll_alone():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        frame = cases(100)
        app.table.show(frame, every(frame), COLUMNS).scroll_to(y=60)
        app.table.show(frame, every(frame))
        await settled(pilot)
        assert (app.table.cursor, app.table.scroll_offset.y) == (0, 60)


async def test_go_to_a_key():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        frame = cases(100)
        app.table.show(frame, every(frame)[50:].copy(), COLUMNS)
        assert app.table.go_to("c77")
        assert not app.table.go_to("c7")
        await settled(pilot)
        assert (app.table.cursor, app.keys()) == (27, ["c50", "c77"])
        assert "▌c77" in on_screen(app)


# -- keys and mouse


async def test_keys_move_the_cursor_and_keep_it_in_sight():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS)
        for keys, key in (
            (("down", "j", "up", "j"), "c2"),
            (("k", "up"), "c0"),
            (("G",), "c99"),
            (("end", "down"), "c99"),
            (("end", "home"), "c0"),
            (("ctrl+d",), "c5"),
            (("ctrl+d", "ctrl+d", "ctrl+u"), "c5"),
            (("pagedown",), "c11"),
            (("pagedown", "pagedown", "pageup"), "c11"),
            (("pageup",), "c0"),
            (("end", "pagedown", "pageup"), "c88"),
        ):
            app.table.cursor = 0
            app.table.scroll_to(y=0)
            await press(pilot, *keys)
            await settled(pilot)
            assert app.table.key == key, keys
            assert f"▌{key}" in on_screen(app), keys


async def test_a_page_is_turned_without_moving_the_cursor_on_screen():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS)
        await press(pilot, "down", "down", "pagedown")
        await settled(pilot)
        assert on_screen(app) == [f"{'▌' if row == 13 else ' '}c{row}" for row in range(11, 22)]


async def test_a_cursor_that_leaves_the_screen_comes_back_in_its_middle():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS)
        await press(pilot, *["down"] * 11)
        await settled(pilot)
        assert on_screen(app)[5] == "▌c11"


async def test_every_move_is_told_once():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(100), ids(7, 8, 9), COLUMNS)
        await press(pilot, "down", "down", "down", "enter")
        await settled(pilot)
        assert app.told == [
            ("highlighted", 7, "c7"),
            ("highlighted", 8, "c8"),
            ("highlighted", 9, "c9"),
            ("opened", 9, "c9"),
        ]


@pytest.mark.parametrize("border", [False, True])
async def test_mouse(border):
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        if border:
            app.table.styles.border = ("round", "red")
            await settled(pilot)
        edge = int(border)
        app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS).scroll_to(y=40)
        await settled(pilot)
        app.keys()
        for x, y in ((3, 3), (3, 3), (12, 0), (30, 0), (0, 0)):
            await pilot.click(Table, offset=(x + edge, y + edge))
        await settled(pilot)
        assert app.told == [
            ("highlighted", 42, "c42"),
            ("opened", 42, "c42"),
            ("header", 0, "n"),
            ("header", 0, "text"),
        ]


async def test_a_click_on_a_title_that_has_scrolled_sideways():
    app = TableApp()
    async with app.run_test(size=(20, 12)) as pilot:
        app.table.show(cases(3), ids(0, 1, 2), COLUMNS)
        await settled(pilot)
        app.table.scroll_to(x=6)
        await pilot.click(Table, offset=(10, 0))
        await settled(pilot)
        assert app.told[1:] == [("header", 0, "text")]


async def test_a_click_below_the_last_row_does_nothing():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(3), ids(0, 1, 2), COLUMNS)
        await pilot.click(Table, offset=(3, 8))
        await settled(pilot)
        assert app.keys() == ["c0"]


async def test_the_wheel_scrolls_and_leaves_the_cursor():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS)
        await settled(pilot)
        await pilot._post_mouse_events([MouseScrollDown], app.table, (3, 3))
        await settled(pilot)
        assert app.table.scroll_offset.y > 0
        assert app.table.cursor == 0


async def test_shown_before_it_is_mounted():
    app = TableApp()
    app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS)
    app.table.cursor = 60
    async with app.run_test(size=(40, 12)) as pilot:
        await settled(pilot)
        assert "▌c60" in on_screen(app)
