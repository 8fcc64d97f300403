import numpy as np
import polars as pl
import pytest

from inspector.widgets.columns import TableColumn
from screen_text import press, settled
from table_app import COLUMNS, TableApp, cases, every, ids, on_screen, screen

HOSTILE = [
    "[/b] [red]x[/red] [a=b] \\[x\\]",
    "\x1b]0;title\x07\x1b[2J",
    "题目：求 x 的值，题目：求 x 的值，题目：求 x 的值",
    "\u202eright to left\u202c",
    "two\r\nlines\tand\x00nul\x9b31m",
    "👩‍👩‍👧 family",
    "long " * 100,
    None,
]


def star(value, width):
    return [("*", "good")]


# -- the mouse on the header


async def test_the_edge_of_a_title_is_dragged_and_its_column_is_not_sorted_by():
    app = TableApp()
    async with app.run_test(size=(40, 5)) as pilot:
        app.table.show(cases(3), ids(0, 1, 2), COLUMNS)
        await settled(pilot)
        # Its cells end before cell 9.
        await pilot.mouse_down(app.table, offset=(9, 0))
        await pilot.hover(app.table, offset=(6, 0))
        await pilot.mouse_up(app.table, offset=(6, 0))
        await settled(pilot)
        assert dict(app.table.widths) == {"case": 5}
        assert screen(app)[0].startswith(" Case      N Text")
        assert app.told[1:] == [("widths", 0, {"case": 5})]
        await pilot.click(app.table, offset=(6, 0))
        assert app.told[2:] == [("header", 0, "case")]
        app.table.widths = {}
        await settled(pilot)
        assert app.table.width_of("case") == 8


# -- what is seen


async def test_header_rows_and_cursor():
    app = TableApp()
    async with app.run_test(size=(40, 5)) as pilot:
        frame = cases(9)
        app.table.show(frame, ids(8, 0, 3), COLUMNS)
        await settled(pilot)
        assert screen(app) == [
            " Case         N Text                    ",
            "▌c8           8 words                   ",
            " c0           0 words                   ",
            " c3           3 words                   ",
            "                                        ",
        ]
        assert (app.table.row_count, app.table.row_id, app.table.key) == (3, 8, "c8")


async def test_the_header_stays_and_the_last_row_is_above_the_scrollbar():
    app = TableApp()
    async with app.run_test(size=(20, 6)) as pilot:
        app.table.show(cases(50), np.arange(50, dtype=np.int32), COLUMNS)
        await press(pilot, "end")
        await settled(pilot)
        assert app.table.page == 4
        assert screen(app)[0].startswith(" Case         N Te")
        assert on_screen(app)[:4] == [" c46", " c47", " c48", "▌c49"]


async def test_sideways_the_header_goes_along_and_the_mark_stays():
    app = TableApp()
    async with app.run_test(size=(20, 6)) as pilot:
        app.table.show(cases(3), ids(0, 1, 2), COLUMNS)
        await settled(pilot)
        app.table.scroll_to(x=6)
        await settled(pilot)
        assert screen(app)[:2] == ["        N Text      ", "▌       0 words     "]
        app.table.show(cases(3), ids())
        await settled(pilot)
        assert screen(app)[:4] == ["        N Text      ", " " * 20, "   No case here.    ", " " * 20]


async def test_flexible_columns_follow_the_width():
    app = TableApp()
    async with app.run_test(size=(60, 6)) as pilot:
        app.table.show(cases(3), ids(0, 1, 2), (*COLUMNS[:2], TableColumn("text", "Text", 10, right=True, flex=1)))
        await settled(pilot)
        assert screen(app)[1].rstrip() == "▌c0           0" + "words".rjust(44)
        app.table.texts.clear()
        await pilot.resize_terminal(40, 6)
        await settled(pilot)
        # Not even the first paint has the old widths.
        assert {text for text in app.table.texts if text.startswith("▌")} == {screen(app)[1][:39]}
        assert screen(app)[1].rstrip() == "▌c0           0" + "words".rjust(24)
        assert not app.table.show_horizontal_scrollbar


async def test_an_empty_view_says_so_in_the_middle():
    app = TableApp()
    async with app.run_test(size=(40, 9)) as pilot:
        app.table.show(cases(3), ids(), COLUMNS)
        await settled(pilot)
        assert [line.strip() for line in screen(app)] == ["Case         N Text", "", "", "", "No case here.", *[""] * 4]
        assert screen(app)[4].index("No") == 13
        app.table.empty = "No case matches [this] filter; Escape goes back to the former one."
        await pilot.resize_terminal(30, 9)
        await settled(pilot)
        assert [line.strip() for line in screen(app)[2:7]] == [
            "",
            "No case matches [this]",
            "filter; Escape goes back to",
            "the former one.",
            "",
        ]
        await press(pilot, "down", "end", "pagedown", "enter")
        assert (app.table.row_id, app.table.key, app.told) == (None, None, [])


async def test_a_word_too_long_for_the_pane_is_broken():
    app = TableApp()
    async with app.run_test(size=(12, 9)) as pilot:
        app.table.show(cases(3), ids(), COLUMNS[:1])
        app.table.empty = "Nothing-at-all here"
        await settled(pilot)
        assert [line.strip() for line in screen(app)[4:6]] == ["Nothing-at-", "all here"]


async def test_the_sentence_is_in_the_middle_as_it_is_shown():
    app = TableApp()
    async with app.run_test(size=(41, 9)) as pilot:
        app.table.show(cases(3), ids(), COLUMNS)
        app.table.empty = "\x1b" * 10
        await settled(pilot)
        assert screen(app)[4].index("␛" * 10) == 15


async def test_rows_come_back_after_an_empty_view():
    app = TableApp()
    async with app.run_test(size=(40, 9)) as pilot:
        frame = cases(3)
        app.table.show(frame, ids(), COLUMNS).show(frame, every(frame))
        await settled(pilot)
        assert on_screen(app)[:3] == ["▌c0", " c1", " c2"]
        assert app.keys() == ["c0"]


@pytest.mark.parametrize("size", [(60, 12), (20, 5), (4, 2), (1, 1)])
async def test_hostile_text_is_shown_and_does_nothing(size):
    frame = pl.DataFrame({"case": ["a\x1b[31mb"] * len(HOSTILE), "text": HOSTILE})

    def paint(value, width):
        return [(f"[/]{value}", "bad")]

    columns = (
        TableColumn("case", "[b]\x1b[2JCase", 10),
        TableColumn("text", "T", 20),
        TableColumn("p", "P", 8, True, paint, 1, "text"),
    )
    app = TableApp(mark="\x1b")
    async with app.run_test(size=size) as pilot:
        app.table.show(frame, every(frame), columns)
        await press(pilot, "end", "up", "right")
        app.table.empty = HOSTILE[1]
        await settled(pilot)
        text = "".join(screen(app))
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in text)
        assert "\u202e" not in text
        assert all(strip.cell_length == size[0] for strip in app.screen._compositor.render_strips())
        app.table.show(frame, ids())
        await settled(pilot)
        assert "\x1b" not in "".join(screen(app))
        if size[0] == 60:
            assert "[/b] [red]x[/red] […" in text


async def test_wide_glyphs_do_not_shift_the_next_column():
    frame = pl.DataFrame({"case": ["题目题目题", "ascii"], "n": [1, 2]})
    app = TableApp()
    async with app.run_test(size=(30, 5)) as pilot:
        app.table.show(frame, every(frame), (TableColumn("case", "Case", 8), TableColumn("n", "N", 3)))
        await settled(pilot)
        assert [line.rstrip() for line in screen(app)[1:3]] == ["▌题目题 …   1", " ascii      2"]


# -- what is written


async def test_a_move_of_the_cursor_paints_two_lines():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS)
        await settled(pilot)
        app.table.painted.clear()
        await press(pilot, "down")
        await settled(pilot)
        assert app.table.painted == [1, 2]


async def test_a_row_that_the_header_covers_is_not_painted():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(100), np.arange(100, dtype=np.int32), COLUMNS).scroll_to(y=1)
        await settled(pilot)
        app.table.painted.clear()
        app.table.cursor = 5
        await settled(pilot)
        assert app.table.painted == [5]


async def test_show_paints_only_the_rows_that_changed():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        frame = cases(1000)
        app.table.show(frame, every(frame), COLUMNS)
        await settled(pilot)
        app.table.painted.clear()
        other = frame.with_columns(n=pl.when(pl.col("n").is_in([2, 6, 400])).then(-7).otherwise("n"))
        app.table.show(other, every(other))
        await settled(pilot)
        assert app.table.painted == [3, 7]
        assert "-7" in screen(app)[3]
        assert app.keys() == ["c0"]


async def test_a_cell_is_painted_again_only_when_its_value_changes():
    calls = []

    def paint(value, width):
        calls.append(value)
        return [(str(value), "")]

    columns = (COLUMNS[0], TableColumn("n", "N", 5, paint=paint))
    app = TableApp()
    async with app.run_test(size=(40, 6)) as pilot:
        frame = cases(5)
        app.table.show(frame, every(frame), columns)
        await settled(pilot)
        calls.clear()
        app.table.show(frame.with_columns(n=pl.Series([0, 1, 20, 3, 4])), every(frame), columns)
        await settled(pilot)
        assert calls == [20]
        app.table.show(frame, every(frame), (columns[0], TableColumn("n", "N", 5, paint=star)))
        await settled(pilot)
        assert [line.split() for line in screen(app)[2:4]] == [["c1", "*"], ["c2", "*"]]


async def test_rows_cut_from_above_leave_the_others_unwritten():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        frame = cases(100)
        app.table.show(frame, every(frame), COLUMNS)
        app.table.cursor = 50
        await settled(pilot)
        before = on_screen(app)
        app.table.painted.clear()
        app.table.show(frame, np.arange(20, 100, dtype=np.int32))
        await settled(pilot)
        assert on_screen(app) == before
        assert app.table.painted == []


async def test_equal_values_of_another_type_look_different():
    app = TableApp()
    async with app.run_test(size=(40, 5)) as pilot:
        for values, shown in (([1, 0], "1"), ([1.0, 0.0], "1.000"), ([True, False], "yes")):
            frame = pl.DataFrame({"case": ["a", "b"], "n": values})
            app.table.show(frame, every(frame), COLUMNS[:2])
            await settled(pilot)
            assert screen(app)[1].split() == ["▌a", shown]


@pytest.mark.parametrize(("columns", "key"), [((*COLUMNS, TableColumn("gone", "Gone", 3)), "case"), (COLUMNS, "gone")])
async def test_a_column_that_the_frame_lacks_is_an_error_and_changes_nothing(columns, key):
    app = TableApp()
    async with app.run_test(size=(40, 5)) as pilot:
        frame = cases(2)
        app.table.show(frame, every(frame), COLUMNS)
        await settled(pilot)
        before = screen(app)
        with pytest.raises(pl.exceptions.ColumnNotFoundError):
            app.table.show(frame, ids(1), columns, key=key)
        app.table.refresh()
        await settled(pilot)
        assert screen(app) == before


# -- looks


async def test_the_cursor_looks_different_without_the_focus_and_in_another_theme():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.table.show(cases(3), ids(0, 1, 2), COLUMNS)
        await settled(pilot)
        focused = app.table.render_line(1)
        app.set_focus(None)
        await settled(pilot)
        blurred = app.table.render_line(1)
        app.theme = "textual-light"
        await settled(pilot)
        light = app.table.render_line(1)
        assert focused.text == blurred.text == light.text
        assert len({strip._segments[0].style for strip in (focused, blurred, light)}) == 3


async def test_a_painted_style_shows_under_the_cursor_too():
    app = TableApp()
    async with app.run_test(size=(40, 12)) as pilot:
        columns = (COLUMNS[0], TableColumn("n", "N", 5, paint=star))
        app.table.show(cases(2), ids(0, 1), columns)
        await settled(pilot)
        under, plain = (next(part for part in app.table.render_line(y) if part.text == "*") for y in (1, 2))
        assert under.style.color == plain.style.color != app.table.line_style("").color
        assert under.style.bgcolor == app.table.line_style("", "cursor").bgcolor != plain.style.bgcolor


async def test_ascii_glyphs():
    app = TableApp(mark=">", null="-")
    async with app.run_test(size=(40, 5)) as pilot:
        app.table.show(pl.DataFrame({"case": [None]}, schema={"case": pl.String}), ids(0), COLUMNS[:1])
        await settled(pilot)
        assert on_screen(app)[0] == ">-"
        assert "".join(screen(app)).isascii()
