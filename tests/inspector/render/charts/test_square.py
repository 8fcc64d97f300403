"""2x2 squares: four counts that open their cases, drawn on screen and in HTML, and a table elsewhere."""

import pytest
from rich.cells import cell_len

from inspector.render.blocks import Section, links_of
from inspector.render.chart_blocks import Square, SquareSide
from inspector.render.chart_views import numbers_of, pictured
from inspector.render.charts.glyphs import Glyphs
from inspector.render.documents.latex import latex_sections
from inspector.render.documents.markdown import markdown_sections
from inspector.render.elements import rendered
from inspector.render.lines import CaseLink, text_of
from inspector.render.table_blocks import count
from inspector.render.terminal import Terminal

COUNTS = (13, 33, 31, 67)
LINKS = tuple(CaseLink((f"n = {number}",), number, f"{number} cases") for number in COUNTS)
CELLS = tuple(count(number, link) for number, link in zip(COUNTS, LINKS, strict=True))
CHART = Square("Errors", SquareSide("A right", "A wrong"), SquareSide("B right", "B wrong"), CELLS)


@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_each_count_opens_exactly_its_cases_and_bars_are_on_one_scale(width, ascii_only):
    lines = list(Terminal(width, Glyphs(ascii_only=ascii_only)).blocks([CHART]))
    assert max(cell_len(text_of(line)) for line in lines) <= width
    assert [piece.drill for line in lines for piece in line if piece.drill] == list(LINKS)
    assert [piece.text for line in lines for piece in line if piece.drill] == [str(number) for number in COUNTS]
    full = "#" if ascii_only else "█"
    bars = [piece.text.count(full) for line in lines for piece in line if full in piece.text]
    assert sorted(bars) == [bars[0], bars[2], bars[1], bars[3]]
    assert all(text_of(line).isascii() for line in lines) == ascii_only


def test_links_are_found_and_documents_have_its_numbers():
    assert list(links_of(CHART)) == list(LINKS)
    assert [[cell.value for cell in row] for row in numbers_of(CHART).rows] == [
        ["A right", 13, 33],
        ["A wrong", 31, 67],
    ]
    section = Section("", "", (CHART,))
    assert "| A wrong | 31 | 67 |" in "\n".join(markdown_sections([section]))
    assert r"A wrong & 31 & 67 \\" in "\n".join(latex_sections([section]))
    page = rendered(pictured(CHART).picture)
    assert page.count("<rect") == 8
    assert "A wrong, B right: 31" in page


def test_without_cases_nothing_is_drawn_in_its_cells():
    empty = Square("", CHART.rows, CHART.columns, (count(0),) * 4)
    lines = [text_of(line) for line in Terminal(60, Glyphs()).blocks([empty])]
    assert not any("█" in line for line in lines)
    assert sum(line.count(" 0 ") for line in lines) == 4
