"""Views on a screen: each table and chart has a panel, panels fit the width, and charts are in columns."""

import pytest
from rich.cells import cell_len

from inspector.render.blocks import Fold, Note, Panel
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import text_of
from inspector.render.panels import drawn_by, framed, lay_out, method_of
from inspector.render.table_blocks import Cell, Kind, difference_column, forest_column, points, table, text
from inspector.render.terminal import Terminal

NARROW = table("Narrow", ["", "n"], [[text("row"), Cell(3, Kind.COUNT)]])
WIDE = table(
    "Wide", ["", *(f"column {at}" for at in range(12))], [[text("r"), *(Cell(0.5, Kind.SHARE),) * 12] for _ in "ab"]
)
METHOD = Panel("How this is tested", (Note("By chance."),), place="method")


def panels_of(blocks, width):
    return framed(blocks, "page", width, Terminal(width, Glyphs(), split=True).inside)


def drawn(blocks, width, height=0, **more):
    draw = Terminal(width, Glyphs(), split=True).inside
    lines, natural = lay_out(drawn_by(draw, panels_of(blocks, width)), width, height, **more)
    return [text_of(line) for line in lines], natural


def test_titles_of_tables_are_titles_of_panels_and_their_sentences_follow():
    panels = panels_of([Note("Before."), NARROW, Note("After."), WIDE, Fold("More", (NARROW,)), METHOD], 120)
    assert [panel.title for panel in panels] == ["Narrow", "Wide", "More"]
    assert [len(panel.blocks) for panel in panels] == [3, 1, 1]
    assert [panel.place for panel in panels] == ["half", "row", "half"]
    assert method_of([NARROW, METHOD]) == (METHOD,)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_panel_is_wider_than_the_screen(width):
    lines, _ = drawn([NARROW, WIDE, Note("A sentence that is long enough to be wrapped. " * 5)], width)
    assert {cell_len(line) for line in lines} == {width}


def test_the_last_panel_takes_what_is_left_and_the_natural_height_is_told():
    lines, natural = drawn([NARROW, WIDE], 120, 40)
    assert len(lines) == 40
    assert natural == len(drawn([NARROW, WIDE], 120)[0]) < 40


def test_frames_are_ascii_where_nothing_else_is_drawn():
    lines, _ = drawn([NARROW], 60, ascii_only=True)
    assert all(line.isascii() for line in lines)


def test_a_title_that_is_too_long_is_a_sentence_in_its_panel():
    long = table(f"AUROC 0.7: {'how often that of one is above that of another, ' * 3}", ["", "n"], NARROW.rows)
    (panel,) = panels_of([long], 100)
    assert panel.title == "AUROC 0.7"
    assert panel.blocks[0].text.startswith("How often")


def differences(low, high):
    row = {"value": (low + high) / 2, "low": low, "high": high, "reason": None}
    heads = ["", difference_column("A − B", "B better", "A better"), ""]
    return table("", heads, [[text("F1"), points(row), text("words")]])


def test_a_difference_has_what_is_better_at_its_ends_and_the_axis_below():
    lines = [text_of(line) for line in Terminal(100, Glyphs()).blocks([differences(-0.1, 0.12)])]
    assert lines[0].index("B better") < lines[0].index(" 0 ") < lines[0].index("A better")
    assert lines[-1].split() == ["−15", "−10", "−5", "0", "+5", "+10", "+15"]
    # Zero is in the same column on every line.
    assert lines[0].index(" 0 ") + 1 == lines[-1].index(" 0 ") + 1


def test_beside_a_chart_no_column_has_intervals_and_without_room_they_stand_in_figures():
    cell = Cell(0.5, Kind.SHARE, 0.4, 0.6)
    block = table("", ["", forest_column("F1"), forest_column("accuracy")], [[text("a"), cell, cell]])
    wide, narrow = ([text_of(line) for line in Terminal(width, Glyphs()).blocks([block])] for width in (120, 30))
    assert "├" in wide[1]
    assert "to" not in wide[1]
    assert "├" not in "".join(narrow)
