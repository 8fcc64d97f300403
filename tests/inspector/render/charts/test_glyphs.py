import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.charts.glyphs import OUTCOME_STYLES, Glyphs, apportioned
from inspector.render.texts.sentences import GLYPHS, WORDS
from scoring.evaluation.verdicts import OUTCOMES

GLYPH_SETS = st.sampled_from((Glyphs(), Glyphs(ascii_only=True)))
SHARES = st.floats(-2, 3)


def text_of(parts):
    return "".join(text for text, _ in parts)


@given(glyphs=GLYPH_SETS, share=SHARES, threshold=SHARES, width=st.integers(1, 30))
def test_a_bar_has_its_width_whatever_is_asked(glyphs, share, threshold, width):
    parts = glyphs.reward_bar(share, width, threshold, "good")
    assert cell_len(text_of(parts)) == width
    assert any(style == "dim" for _, style in parts) == (0 <= threshold <= 1)
    assert not glyphs.ascii_only or text_of(parts).isascii()
    assert cell_len(glyphs.level(share)) == 1


@given(glyphs=GLYPH_SETS, one=st.floats(0, 1), other=st.floats(0, 1), width=st.integers(1, 30))
def test_more_is_never_less(glyphs, one, other, width):
    low, high = sorted((one, other))
    levels = "0123456789" if glyphs.ascii_only else "▁▂▃▄▅▆▇█"
    assert levels.index(glyphs.level(low)) <= levels.index(glyphs.level(high))
    shorter, longer = (glyphs.bar(share, width)[0] for share in (low, high))
    assert len(shorter.rstrip(" -")) <= len(longer.rstrip(" -"))


def test_bars_and_levels_at_their_ends():
    glyphs, plain = Glyphs(), Glyphs(ascii_only=True)
    assert (glyphs.bar(0, 4), glyphs.bar(1, 4), glyphs.bar(0.5, 4, 0.5)) == (
        ("    ", None),
        ("████", None),
        ("██  ", 2),
    )
    assert (glyphs.bar(0.3, 4)[0], plain.bar(0.3, 4)[0]) == ("█▎  ", "#---")
    assert (glyphs.bar(0.5, 4, 1.0)[1], glyphs.bar(0.5, 4, 1.1)[1]) == (3, None)
    assert glyphs.level(0) + glyphs.level(0.5) + glyphs.level(1) == "▁▅█"
    assert plain.level(0) + plain.level(0.5) + plain.level(1) == "059"
    assert text_of(glyphs.reward_bar(0.5, 4, 0.75, "good")) == "██ ┊"


@given(
    counts=st.lists(st.integers(0, 50), min_size=len(OUTCOMES), max_size=len(OUTCOMES)),
    width=st.integers(0, 40),
    glyphs=GLYPH_SETS,
)
def test_an_outcome_bar_gives_every_outcome_its_share_to_within_a_cell(counts, width, glyphs):
    text = text_of(glyphs.outcome_bar(dict(zip(OUTCOMES, counts, strict=True)), width))
    assert len(text) == width
    total = sum(counts)
    for name, count in zip(OUTCOMES, counts, strict=True):
        if total and name != "unscored":
            assert abs(text.count(GLYPHS[name]) - count * width / total) <= 1


@given(counts=st.lists(st.integers(0, 3000), min_size=1, max_size=11), width=st.integers(0, 80))
def test_cells_are_shared_by_largest_remainders(counts, width):
    cells, total = apportioned(counts, width), sum(counts)
    assert sum(cells) == (width if total else 0)
    for count, size in zip(counts, cells, strict=True):
        assert abs(size * total - count * width) < total or not total
        # More cases never have fewer cells: what is hidden is smaller than what is shown.
        assert all(size >= other for less, other in zip(counts, cells, strict=True) if less < count)


def test_a_small_outcome_does_not_hide_a_larger_one():
    counts = {"exact": 954, "early": 1252, "late": 428, "missed": 210, "clean": 39, "false_alarm": 121}
    assert text_of(Glyphs().outcome_bar(counts, 10)) == "===<<<<>>o"
    assert text_of(Glyphs().outcome_bar(counts, 25)) == "========<<<<<<<<<<>>>>oo!"


def test_an_outcome_is_glyph_and_word_and_style():
    assert Glyphs().outcome("false_alarm") == [("! false alarm", "false-alarm")]
    assert Glyphs().outcome("refused") == [("x refused", "dim")]
    assert Glyphs().outcome(None) == [("", "")]
    assert OUTCOME_STYLES.keys() <= WORDS.keys()


@pytest.mark.parametrize(("ascii_only", "text"), [(False, "▁▸▃▅█"), (True, "0>259")])
def test_a_sparkline_marks_gold_and_the_predicted_step(ascii_only, text):
    parts = Glyphs(ascii_only).sparkline([0.0, 0.25, 0.5, 1.0], 0.0, 1.0, 1, 2)
    assert text_of(parts) == text
    assert [style for _, style in parts] == ["", "gold", "", "predicted", ""]


@pytest.mark.parametrize("gold", [-1, None, 9])
def test_without_a_gold_step_there_is_no_arrow(gold):
    parts = Glyphs().sparkline([0.5, 0.5], 0.5, 0.5, gold, -1)
    assert parts == [("▁▁", "")]


def test_a_curve_leaves_a_blank_where_nothing_is_known():
    assert Glyphs().curve([0.0, None, 0.5, 1.0], 1.0) == "▁ ▅█"
    assert Glyphs(ascii_only=True).curve([0.2, 0.4], 0.4) == "59"
    assert Glyphs().curve([0.0, 0.0], 0.0) == "▁▁"
