from hypothesis import given
from hypothesis import strategies as st

from inspector.render.chart_blocks import Bin, Tick
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.histogram import histogram
from inspector.render.lines import CaseLink, text_of

CLASSES = (("wrong", "missed"), ("right", "clean"))
BINS = [Bin(0.0, 0.25, (4, 0)), Bin(0.25, 0.5, (2, 1)), Bin(0.5, 0.75, (0, 3)), Bin(0.75, 1.0, (2, 4))]
TICKS = (Tick(0.5, "P", "present"),)


def drawn(lines):
    return "\n".join(text_of(row).rstrip() for row in lines)


def test_one_class_up_and_one_down():
    assert drawn(histogram(BINS, CLASSES, 40, Glyphs(), height=2, ticks=TICKS)) == (
        """\
wrong    4       2       0       2
      ███████         ┊
      ███████ ███████ ┊       ███████
      0.00  0.25    0.50    0.75  1.00
              ▀▀▀▀▀▀▀ ┊▓▓▓▓▓▓ ▓▓▓▓▓▓▓
                      ┊▀▀▀▀▀▀ ▓▓▓▓▓▓▓
right    0       1       3       4
                      P
█ wrong: 8 steps   ▓ right: 8 steps
bars: share of a class, 50.0% at the
longest
P 0.500 present"""
    )


def test_in_ascii():
    assert drawn(histogram(BINS, CLASSES, 40, Glyphs(ascii_only=True), height=2, ticks=TICKS)).splitlines()[1:6] == [
        "      #######         |",
        "      ####### ####### |       #######",
        "      0.00  0.25    0.50    0.75  1.00",
        "              ''''''' |====== =======",
        "                      |'''''' =======",
    ]


def test_many_bins_lie_beside_each_other():
    bins = [Bin(at / 10, (at + 1) / 10, (1000 * at, 10 * (9 - at))) for at in range(10)]
    lines = drawn(
        histogram(bins, CLASSES, 60, Glyphs(), ticks=[Tick(0.35, "P", "present"), Tick(0.39, "D", "default")])
    )
    assert "PD 0.30 to 0.40" in lines
    assert "3,000│60" in lines
    assert "   0.90 to 1.00" in lines
    assert "█ wrong: 45,000 steps" in lines


def test_counts_open_their_cases_and_zeros_open_nothing():
    one = CaseLink((), 4, "four")
    bins = [Bin(0, 0.5, (4, 0), (one, one)), Bin(0.5, 1, (0, 9), (one, one))]
    for width in (40, 200):
        for many in (bins, [Bin(at.low, at.high, (at.counts[0] * 10**7, at.counts[1]), at.drills) for at in bins * 9]):
            lines = histogram(many, CLASSES, width, Glyphs())
            opened = [piece.text for row in lines for piece in row if piece.drill]
            assert len(opened) == sum(bool(count) for one in many for count in one.counts)
            assert "0" not in opened


@given(counts=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=1, max_size=12))
def test_more_is_never_lower_and_something_is_always_seen(counts):
    bins = [Bin(at / len(counts), (at + 1) / len(counts), pair) for at, pair in enumerate(counts)]
    lines = histogram(bins, CLASSES, 120, Glyphs(), height=5)
    if not any(map(sum, counts)):
        assert drawn(lines) == "There is nothing to count: no steps of either class."
        return
    texts = [text_of(row).ljust(130) for row in lines]
    size = min(8, 114 // len(counts))
    heights = []
    for at in range(len(counts)):
        column = 6 + at * size
        up = [texts[row][column] for row in range(1, 6)]
        heights.append(2 * up.count("█") + up.count("▄"))
    for (count, _), height in zip(counts, heights, strict=True):
        assert (count > 0) == (height > 0)
        for (other, _), lower in zip(counts, heights, strict=True):
            assert count < other or height >= lower


def test_nothing_to_count_is_said():
    assert drawn(histogram([], CLASSES, 80, Glyphs(), counted="cases")) == (
        "There is nothing to count: no cases of either class."
    )
