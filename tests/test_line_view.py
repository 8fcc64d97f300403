from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.strip import Strip

from inspector.widgets.line_scroll import LineScroll, changed_cells, changed_runs
from inspector.widgets.line_view import Line, LineView
from screen_text import press, settled

HOSTILE = [
    "f([x]) = [red]b[/red] [/b] [a=b] \\[x^2\\]",
    "\x1b]0;title\x07\x1b[2J\x1b[31m",
    "题目：求 x 的值",
    "\u202eright to left\u202c",
    "tab\there\r\nand\x00there",
    "\ud800 lone",
    "é" * 300,
    "",
]


class View(LineView):
    """Remembers which lines of the pane it was asked to paint."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: list[int] = []

    def render_line(self, y: int) -> Strip:
        self.painted.append(y)
        return super().render_line(y)


class ViewApp(App[None]):
    CSS = "View { border: round $primary; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.view = View()
        self.clicks: list[int] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_line_view_clicked(self, event: LineView.Clicked) -> None:
        assert event.control is self.view
        self.clicks.append(event.line)


def screen(app: App[None]) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


def inside(app: ViewApp) -> list[str]:
    return [line[2:-3].rstrip() for line in screen(app)[1:-1]]


def numbered(count: int) -> list[list[tuple[str, str]]]:
    return [[(f"line {number}", "")] for number in range(count)]


async def test_only_changed_visible_lines_are_painted_again():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        lines = numbered(40)
        app.view.show(lines)
        await settled(pilot)
        assert inside(app) == [f"line {number}" for number in range(10)]
        app.view.painted.clear()
        lines[2], lines[7], lines[30] = [("two", "good")], [("seven", "")], [("out of sight", "")]
        app.view.show(lines)
        await settled(pilot)
        # Offsets in the widget's content: its border is not counted.
        assert app.view.painted == [2, 7]
        assert inside(app)[2] == "two"
        app.view.painted.clear()
        app.view.show(lines)
        await settled(pilot)
        assert app.view.painted == []


async def test_the_style_alone_is_a_change():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.show([[("same", "good")], [("same", "good")]])
        await settled(pilot)
        app.view.painted.clear()
        app.view.show([[("same", "good")], [("same", "bad")]])
        await settled(pilot)
        assert app.view.painted == [1]


async def test_the_extent_changes_with_the_lines_without_a_new_layout(monkeypatch):
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.show(numbered(40))
        await settled(pilot)
        layouts = []
        monkeypatch.setattr(app.screen, "_refresh_layout", lambda *_, **__: layouts.append(1))
        app.view.show(numbered(50))
        app.view.scroll_end()
        await settled(pilot)
        assert app.view.virtual_size.height == 50
        assert app.view.max_scroll_y == 40
        assert inside(app)[-1] == "line 49"
        assert layouts == []


async def test_scroll_is_kept_or_reset():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        view = app.view.show(numbered(40))
        view.scroll_to_line(25)
        await settled(pilot)
        assert inside(app)[-1] == "line 25"
        view.show(numbered(41), keep_scroll=True)
        assert view.scroll_offset.y == 16
        view.show(numbered(12), keep_scroll=True)
        await settled(pilot)
        assert view.scroll_offset.y == 2
        assert inside(app) == [f"line {number}" for number in range(2, 12)]
        view.show(numbered(40))
        await settled(pilot)
        assert inside(app)[0] == "line 0"


async def test_scroll_to_line_goes_the_shortest_way_or_to_the_top():
    app = ViewApp()
    async with app.run_test(size=(30, 12)):
        view = app.view.show(numbered(40))
        for line, top, first in ((5, False, 0), (12, False, 3), (1, False, 1), (20, True, 20), (39, True, 30)):
            view.scroll_to_line(line, top=top)
            assert view.scroll_offset.y == first


@pytest.mark.parametrize(("key", "first"), [("down", 1), ("pagedown", 10), ("end", 30)])
async def test_keys_scroll_at_once(key, first):
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.show(numbered(40)).focus()
        await press(pilot, key)
        await settled(pilot)
        assert app.view.scroll_offset.y == first
        assert inside(app)[0] == f"line {first}"


async def test_long_lines_scroll_sideways_and_the_last_line_is_not_hidden():
    app = ViewApp()
    async with app.run_test(size=(20, 8)) as pilot:
        app.view.show([[("0123456789" * 4, "")] for _ in range(20)] + [[("the end", "")]])
        await settled(pilot)
        assert app.view.viewport.height == 5
        app.view.scroll_end()
        await settled(pilot)
        assert inside(app)[4] == "the end"
        app.view.scroll_to(x=3)
        await settled(pilot)
        assert inside(app)[0].startswith("3456")


@pytest.mark.parametrize("size", [(60, 14), (20, 5), (4, 2), (1, 1)])
async def test_hostile_text_is_shown_and_does_nothing(size):
    app = ViewApp()
    async with app.run_test(size=size) as pilot:
        app.view.show([[(text, "gold"), (text, "")] for text in HOSTILE])
        app.view.scroll_to(x=3, y=2)
        await settled(pilot)
        app.view.scroll_to(x=0, y=0)
        await settled(pilot)
        text = "\n".join(screen(app))
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in text.replace("\n", ""))
        assert "\u202e" not in text
        assert all(strip.cell_length == size[0] for strip in app.screen._compositor.render_strips())
        if size[0] == 60:
            assert inside(app)[0].startswith("f([x]) = [red]b[/red] [/b] [a=b] \\[x^2\\]")


async def test_a_row_style_reaches_the_edge():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.show([Line([("here", "")], "cursor"), [("there", "")]])
        await settled(pilot)
        cursor, plain = (app.view.render_line(y) for y in (0, 1))
        assert {segment.style.bgcolor for segment in cursor} == {app.view.line_style("", "cursor").bgcolor}
        assert cursor.cell_length == plain.cell_length == app.view.viewport.width
        await pilot.resize_terminal(50, 12)
        await settled(pilot)
        wider = app.view.render_line(0)
        assert wider.cell_length == app.view.viewport.width
        assert len({segment.style.bgcolor for segment in wider}) == 1


async def test_strips_and_nothing():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.show([app.view.strip([("made\x1b", "good"), (" before\x1b", "")])])
        await settled(pilot)
        assert inside(app)[0] == "made␛ before␛"
        app.view.show([])
        await settled(pilot)
        assert inside(app) == [""] * 10
        assert app.view.line_count == 0


async def test_shown_before_it_is_mounted():
    app = ViewApp()
    app.view.show(numbered(3))
    async with app.run_test(size=(30, 12)) as pilot:
        await settled(pilot)
        assert inside(app)[:3] == ["line 0", "line 1", "line 2"]


async def test_clicks_name_the_line():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.show(numbered(40)).scroll_to_line(20, top=True)
        await pilot.click(View, offset=(3, 3))
        app.view.show(numbered(3))
        await pilot.click(View, offset=(3, 8))
        assert app.clicks == [22]


async def test_a_new_theme_repaints():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.show([[("gold", "gold")]])
        await settled(pilot)
        before = app.view.render_line(0)
        app.theme = "textual-light"
        await settled(pilot)
        assert app.view.render_line(0) != before


async def test_styles_add_up():
    app = ViewApp()
    async with app.run_test(size=(30, 12)):
        good, strong, both = (app.view.line_style(names) for names in ("good", "strong", "good strong"))
        assert (both.color, both.bold) == (good.color, True)
        assert strong.color == app.view.line_style("").color != good.color
        match = app.view.line_style("good match", "cursor")
        assert match.bgcolor == app.view.line_style("match").bgcolor
        assert match.bgcolor not in {app.view.line_style("", "cursor").bgcolor, strong.bgcolor}


async def test_the_extent_is_that_of_the_text_as_it_is_shown():
    app = ViewApp()
    async with app.run_test(size=(30, 12)):
        app.view.show([[("a\tb", ""), ("题目", "")], [("\x1b[2J", "")]])
        assert app.view.virtual_size == (10, 2)


async def test_a_pane_as_high_as_its_lines_grows_with_them():
    app = ViewApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.view.styles.height = "auto"
        for count in (2, 5):
            app.view.show(numbered(count))
            await settled(pilot)
            assert app.view.viewport.height == count


async def test_every_style_name_of_the_palette_exists_and_no_other():
    app = ViewApp()
    async with app.run_test(size=(30, 12)):
        for component in LineScroll.COMPONENT_CLASSES:
            app.view.line_style(component.removeprefix("line--"))
        with pytest.raises(KeyError):
            app.view.line_style("unheard-of")


@pytest.mark.parametrize(
    ("old", "new", "cells"),
    [
        ("same", "same", (4, 4)),
        ("threshold 0.50 now", "threshold 0.51 now", (13, 14)),
        ("abc", "xbc", (0, 1)),
        ("aaaa", "aaab", (3, 4)),
        ("aaab", "aaba", (2, 4)),
        ("short", "longer", (0, 6)),
        ("数学 one", "数字 one", (0, 8)),
        ("1 数学", "2 数学", (0, 6)),
    ],
)
def test_a_line_is_written_from_its_first_to_its_last_changed_cell(old, new, cells):
    assert changed_cells(Strip([Segment(old)]), Strip([Segment(new)])) == cells


def test_what_lies_beyond_the_written_cells_is_the_same():
    bold = Style(bold=True)
    old = Strip([Segment("gold ", bold), Segment("0.50"), Segment(" tail", bold)])
    new = Strip([Segment("gold ", bold), Segment("0.49"), Segment(" tail", bold)])
    first, end = changed_cells(old, new)
    assert (first, end) == (7, 9)
    for cells in ((0, first), (end,)):
        assert list(old.crop(*cells)) == list(new.crop(*cells))


LINES = st.lists(
    st.builds(
        lambda text, bold: Segment(text, Style(bold=bold)), st.text("ab ", min_size=1, max_size=30), st.booleans()
    ),
    min_size=1,
    max_size=8,
)


def test_a_move_goes_over_equal_cells_that_would_take_more_bytes():
    def runs(old, new):
        return changed_runs(*(Strip([Segment(text) for text in line.split("|")]) for line in (old, new)))

    assert runs("ab |123456789| cd", "xb |123456789| cx") == [(0, 1), (14, 15)]
    assert runs("ab |12345| cd", "xb |12345| cx") == [(0, 11)]
    assert runs("ab |▅▅▅▅▅| cd", "xb |▅▅▅▅▅| cx") == [(0, 1), (10, 11)]
    bold = Style(bold=True)
    old, new = ([Segment(first), Segment(" ", bold), Segment("c")] for first in "ab")
    assert changed_runs(Strip([*old, Segment("d")]), Strip([*new, Segment("e")])) == [(0, 1), (3, 4)]


@given(LINES, LINES)
def test_outside_of_its_runs_a_line_is_as_it_was(old, new):
    size = min(Strip(old).cell_length, Strip(new).cell_length)
    before, after = (Strip(line).crop(0, size) for line in (old, new))
    runs = changed_runs(before, after)
    assert all(first < end for first, end in runs) or before == after
    assert all(first[1] < second[0] for first, second in pairwise(runs))
    written = {at for first, end in runs for at in range(first, end)}
    cells = [[(character, style) for text, style, _ in line for character in text] for line in (before, after)]
    assert all(
        old_cell == new_cell for at, (old_cell, new_cell) in enumerate(zip(*cells, strict=True)) if at not in written
    )
