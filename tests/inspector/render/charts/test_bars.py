from inspector.render.charts.bars import Bar, bars
from inspector.render.charts.chart_marks import ChartMark
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import CaseLink, text_of

CLASSES = (("erroneous", "missed"), ("clean", "clean"))


def drawn(lines):
    return "\n".join(text_of(row) for row in lines)


ENTRIES = [
    Bar("gsm8k", ChartMark(0.5, 0.4, 0.6, 400)),
    Bar("olympiad bench", ChartMark(0.8, n=7)),
    Bar("none", ChartMark(None, n=0)),
]


def test_bars_with_whiskers():
    assert drawn(bars(ENTRIES, 70, Glyphs(), span=(0, 1))) == (
        """\
gsm8k          50.0 (40.0 to 60.0) n=400  ███████████├──┼─┤
olympiad bench 80.0                  n=7~ ███████████████████████
none              –                  n=0~
Bars from 0.0 to 100.0, in percent, n = cases
├┼┤ the 95% interval and the value   ~ fewer than 20 cases
– no value: no cases, or undefined on them"""
    )


def test_narrow_bars_keep_their_length_and_lose_the_interval_in_figures():
    assert drawn(bars(ENTRIES, 44, Glyphs(ascii_only=True), span=(0, 1))) == (
        """\
gsm8k          50.0 n=400  ######[-+-]
olympiad bench 80.0   n=7~ ##############
none              -   n=0~
Bars from 0.0 to 100.0, in percent, n =
cases
[+] the 95% interval and the value
~ fewer than 20 cases
- no value: no cases, or undefined on them"""
    )


def test_differences_go_both_ways_from_zero():
    entries = [Bar("up", ChartMark(0.1, n=30)), Bar("down", ChartMark(-0.2, n=30)), Bar("same", ChartMark(0.0, n=30))]
    assert drawn(bars(entries, 50, Glyphs(), form="difference", span=(-0.2, 0.2))).splitlines()[:3] == [
        "up   +10.0 n=30                  │████████",
        "down −20.0 n=30  ████████████████│",
        "same   0.0 n=30                  │",
    ]


def test_a_bar_opens_its_cases_by_its_figure():
    drill = CaseLink((), 30, "thirty")
    (row, *_) = bars([Bar("x", ChartMark(0.5, n=30, drill=drill))], 60, Glyphs())
    assert [(piece.text.strip(), piece.drill) for piece in row if piece.drill] == [("50.0 n=30", drill)]
    assert drawn(bars([], 60, Glyphs())) == "There is nothing to draw."
