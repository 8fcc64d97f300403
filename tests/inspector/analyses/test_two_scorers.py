"""The verdict on two scorers in words, the squares, and the largest differences."""

import pytest
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses.compare.compare import compare
from inspector.analyses.compare.two_scorers import PairFigures, p_text, verdict
from inspector.render.blocks import Note, Panel
from inspector.render.chart_blocks import Square
from scenes import demo
from scoring.selection.loading import load


class Pair:
    """Two scorers on a benchmark of first errors."""

    benchmark = "demo"
    names = ("left", "right")


def figures(low, high, sides=()):
    value = None if low is None else (low + high) / 2
    rows = {("average", "f1_difference"): {"value": value or 0.0, "low": low, "high": high, "reason": None}}
    for metric, ends in sides:
        rows["average", f"{metric}_difference"] = {"value": sum(ends) / 2, "low": ends[0], "high": ends[1]}
    return PairFigures(rows, {})


@pytest.mark.parametrize(
    ("made", "first", "others"),
    [
        (figures(-0.11, 0.11), "No evidence that left (A) and right (B) differ in F1: 0.0 points", "either way"),
        (figures(-0.02, 0.114), "No evidence", "up to 11.4 points better, or up to 2.0 points worse"),
        (figures(0.03, 0.2), "left (A) is better than right (B) in F1: +11.5 points, 95% from +3.0 to +20.0.", "3.0"),
        (figures(-0.2, -0.03), "right (B) is better than left (A) in F1: −11.5 points", "3.0"),
        (figures(-0.1, 0.1, [("correct_acc", (-0.2, -0.01))]), "No evidence", "B is better on clean cases (−10.5)."),
        (figures(-0.1, 0.1, [("error_acc", (0.1, 0.3))]), "No evidence", "A is better on cases with an error (+20.0)."),
        (figures(None, None), "F1 of left (A) minus that of right (B): 0.0 points.", ""),
    ],
)
def test_it_begins_with_whether_they_differ(made, first, others):
    sentences = verdict(Pair, made)
    assert sentences[0].startswith(first)
    assert others in " ".join(sentences[1:])


def test_p_values_are_short():
    assert [p_text(p) for p in (0.9006, 0.0784, 0.0004)] == ["p = 0.90", "p = 0.078", "p < 0.001"]


@pytest.fixture(scope="module")
def panels():
    view = compare.view(load(replace(demo(), scorers=("tiny-prm-m", "blend"))), Params("pair"))
    return {block.title: block for section in view.sections for block in section.blocks if isinstance(block, Panel)}


def test_squares_count_every_case_once_and_say_what_both_would_have(panels):
    for title, n, words in (
        ("Cases with an error (144)", 144, "A alone finds 33, B alone 31."),
        ("Clean cases (96)", 96, "B alone clears 15, A alone 6."),
    ):
        (square,) = [block for block in panels[title].blocks if isinstance(block, Square)]
        assert sum(cell.value for cell in square.cells) == n
        assert all(cell.link.n == cell.value for cell in square.cells)
        assert words in [block.text for block in panels[title].blocks if isinstance(block, Note)]
    text = [block.text for block in panels["Cases with an error (144)"].blocks if isinstance(block, Note)]
    assert "Together they would find 77 of 144 (53%)." in text


def test_panels_stand_in_the_order_of_what_matters_and_the_method_is_last(panels):
    assert list(panels)[:4] == ["Verdict", "Difference", "Cases with an error (144)", "Clean cases (96)"]
    assert panels["How this is tested"].place == "method"
    assert list(panels)[-1] == "How this is tested"
    # The largest difference with enough cases comes first.
    differing = panels["Where they differ most"].blocks[0]
    weights = [abs(row[3].value) * row[4].value ** 0.5 for row in differing.rows]
    assert weights == sorted(weights, reverse=True)
    assert [row[1].value for row in panels["All scorers"].blocks[0].rows][:2] == ["tiny-prm-m", "blend"]
