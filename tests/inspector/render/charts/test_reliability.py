from inspector.render.charts.chart_marks import ChartMark
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.reliability import ReliabilityBin, reliability
from inspector.render.lines import CaseLink, text_of

FEW = CaseLink((), 3, "three")
BINS = [
    ReliabilityBin(0.0, 0.5, 0.25, ChartMark(0.5, 0.25, 0.75, 40)),
    ReliabilityBin(0.5, 0.9, 0.75, ChartMark(1.0, 1.0, 1.0, 3, FEW)),
    ReliabilityBin(0.9, 1.0, None, ChartMark(None, n=0)),
]


def drawn(lines):
    return "\n".join(text_of(row).rstrip() for row in lines)


def test_points_against_the_diagonal_with_a_table():
    assert drawn(reliability(BINS, 46, 5, Glyphs(ascii_only=True))) == (
        """\
  100                              o      / /
                |               / / / / /
   50           @     / / / / /
            / / | / /
    0 / / /
      0.00    0.25      0.50     0.75     1.00
given     mean right
0.00-0.50 0.25 50.0 (25 to 75)    n=40
0.50-0.90 0.75 100.0 (100 to 100) n=3~
0.90-1.00 -    -                  n=0~
@ | percent right at the mean of what was
    given, with its 95% interval
/ as often right as was given   n = steps
o ~ fewer than 20 steps
- no steps in the bin"""
    )


def test_the_table_stands_beside_where_there_is_room_and_opens_its_bins():
    lines = reliability(BINS, 120, 9, Glyphs())
    assert "●" in drawn(lines)
    assert "○" in drawn(lines)
    (opened,) = [piece for row in lines for piece in row if piece.drill]
    assert (opened.drill, opened.text) == (FEW, "100.0 (100 to 100) n=3~")
    assert text_of(lines[0]).endswith("given     mean right")


def test_points_stand_where_they_are():
    lines = [text_of(row) for row in reliability(BINS, 66, 11, Glyphs(ascii_only=True))]
    rows = {row: line.index("@") for row, line in enumerate(lines[:11]) if "@" in line}
    # A quarter of the 54 columns beside the numbers, and the middle of 11 rows.
    assert rows == {5: 6 + round(0.25 * 53)}
    assert lines[0].index("o") == 6 + round(0.75 * 53)
