"""Columns side by side and pairs of bars: every count stands there once, opens its cases and keeps to the width."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.charts.columns import CountColumn, columns
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.paired_bars import BarPlace, paired_bars
from inspector.render.lines import CaseLink, text_of
from thoroughness import up_to

COUNTS = st.lists(st.integers(0, 30_000), min_size=1, max_size=40)
CLASSES = (("gold", "gold"), ("predicted", "predicted"))
SOME = up_to(60)


def opens(count):
    return CaseLink(("x",), count, "those")


@SOME
@given(counts=COUNTS, width=st.integers(40, 200), ascii_only=st.booleans())
def test_every_column_has_its_count_and_something_drawn(counts, width, ascii_only):
    entries = [CountColumn(f"{at:+d}", count, "late", opens(count)) for at, count in enumerate(counts)]
    rows = columns(entries, width, 5, Glyphs(ascii_only=ascii_only))
    assert all(cell_len(text_of(row)) <= width for row in rows)
    assert not ascii_only or all(text_of(row).isascii() for row in rows)
    written = [piece for row in rows for piece in row if piece.drill]
    assert [piece.drill.n for piece in written] == [count for count in counts if count]
    assert all(int(piece.text.replace(",", "")) == piece.drill.n for piece in written)
    drawn = sum(bool(piece.text.strip()) for row in rows for piece in row if piece.style == "late" and not piece.drill)
    assert drawn >= sum(count > 0 for count in counts)


def test_the_highest_column_is_full_and_half_of_it_is_half_as_high():
    rows = columns([CountColumn("a", 8), CountColumn("b", 4), CountColumn("c", 0)], 60, 4, Glyphs(ascii_only=True))
    body = [text_of(row).split() for row in rows[:4]]
    assert [len(line) for line in body] == [1, 1, 2, 2]
    assert text_of(rows[4]).split() == ["a", "b", "c"]
    assert text_of(rows[5]).split() == ["8", "4", "0"]


def test_nothing_to_count_says_so():
    assert "nothing to count" in text_of(columns([], 60, 4, Glyphs())[0])
    assert "nothing to count" in text_of(paired_bars([BarPlace("0", (0, 0))], CLASSES, 60, Glyphs())[0])


@SOME
@given(
    pairs=st.lists(st.tuples(st.integers(0, 9_999), st.integers(0, 9_999)), min_size=1, max_size=20).filter(
        lambda found: any(map(sum, found))
    ),
    width=st.integers(40, 200),
    ascii_only=st.booleans(),
)
def test_every_pair_has_both_counts_and_bars_in_proportion(pairs, width, ascii_only):
    places = [BarPlace(str(at), pair, (opens(pair[0]), opens(pair[1]))) for at, pair in enumerate(pairs)]
    rows = paired_bars(places, CLASSES, width, Glyphs(ascii_only=ascii_only))
    assert all(cell_len(text_of(row)) <= width for row in rows)
    assert not ascii_only or all(text_of(row).isascii() for row in rows)
    written = [piece.drill.n for row in rows for piece in row if piece.drill]
    assert written == [count for pair in pairs for count in pair if count]
    full = "#=" if ascii_only else "█▓"
    lengths = [[text_of(row).count(sign) for sign in full] for row in rows[1 : len(pairs) + 1]]
    for side in (0, 1):
        order = sorted(range(len(pairs)), key=lambda at: pairs[at][side])
        assert [lengths[at][side] for at in order] == sorted(length[side] for length in lengths)
        assert all((length[side] > 0) == (pair[side] > 0) for length, pair in zip(lengths, pairs, strict=True))


def test_both_bars_have_one_scale_that_ends_above_the_longest():
    places = [BarPlace("0", (23, 9)), BarPlace("1", (77, 91))]
    rows = [text_of(row) for row in paired_bars(places, CLASSES, 80, Glyphs())]
    assert "bars from 0 to 95% of each side" in rows[-1]
    gold, predicted = rows[2].count("█"), rows[2].count("▓")
    assert 0 < gold < predicted
