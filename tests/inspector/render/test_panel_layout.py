"""Panels fill their width and height exactly, lose no content, and widen for content that cannot be wrapped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.blocks import Note, Panel
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import CaseLink, text_of
from inspector.render.panels import drawn_by, lay_out
from inspector.render.table_blocks import count, table, text
from inspector.render.terminal import Terminal
from inspector.render.texts.frame_edges import THREE_COLUMNS, fit_edge

PLACES = ("row", "half", "side")
WORDS = st.text(st.sampled_from("ab cé漢"), max_size=30)


@given(WORDS, WORDS, st.integers(1, 60))
def test_an_edge_fills_its_width_and_gives_up_its_status_first(title, status, width):
    left, line, right = fit_edge(title, status, width, "─")
    assert cell_len(left + line + right) == width
    assert right in {"", f" {status}"}
    if cell_len(title) <= width:
        assert left.strip(" ") == title.strip(" ")


def drawn(panels, width, height):
    return lay_out(drawn_by(Terminal(width, Glyphs()).inside, panels), width, height)[0]


def notes(places):
    return [
        Panel(f"title {number}", (Note(f"word{number} " * 30),), f"status {number}", f"hint {number}", place)
        for number, place in enumerate(places)
    ]


@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=6), st.integers(30, 220), st.integers(5, 60))
def test_panels_fill_width_and_height_and_lose_nothing(places, width, height):
    lines = [text_of(row) for row in drawn(notes(places), width, height)]
    assert {cell_len(line) for line in lines} == {width}
    assert len(lines) >= height
    for number in range(len(places)):
        said = "\n".join(lines)
        assert f"title {number}" in said
        assert said.count(f"word{number}") == 30


@pytest.mark.parametrize(
    ("width", "beside"),
    [(80, {}), (120, {"title 1": "title 2"}), (THREE_COLUMNS, {"title 1": "title 2", "title 0": "title 3"})],
)
def test_halves_are_beside_each_other_and_the_side_is_at_the_right_where_there_is_room(width, beside):
    lines = [text_of(row) for row in drawn(notes(("row", "half", "half", "side")), width, 40)]
    for number in range(4):
        line = next(line for line in lines if f"title {number}" in line)
        others = [f"title {other}" for other in range(4) if other != number and f"title {other}" in line]
        pairs = {**beside, **{right: left for left, right in beside.items()}}
        assert others == ([pairs[f"title {number}"]] if f"title {number}" in pairs else [])


def test_every_piece_of_a_frame_has_the_number_of_its_panel_and_links_stay():
    link = CaseLink(("true",), 3, "three cases")
    wide = table("", [f"column {at}" for at in range(20)], [[text("row"), *[count(3, link)] * 19]])
    rows = drawn([Panel("one", (Note("word"),)), Panel("two", (wide,), place="half"), *notes(["half"])], 120, 20)
    numbers = {piece.panel for row in rows for piece in row if piece.style == "frame"}
    assert numbers == {0, 1, 2}
    assert sum(piece.drill is link for row in rows for piece in row) == 19
    # A table that cannot be wrapped widens its own frame.
    assert max(cell_len(text_of(row)) for row in rows) > 120


@pytest.mark.parametrize(("size", "beside"), [(30, True), (70, False)])
def test_a_half_with_lines_that_are_too_long_has_a_row_of_its_own(size, beside):
    long = table("", ["", "value"], [[text("row"), text("x" * size)]])
    rows = drawn([Panel("one", (long,), place="half"), Panel("two", (Note("word"),), place="half")], 120, 20)
    lines = [text_of(row) for row in rows]
    assert any("one" in line and "two" in line for line in lines) == beside
    assert {cell_len(line) for line in lines} == {120}
