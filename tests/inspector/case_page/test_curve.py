"""Rewards as curves: every point in its place, whatever else is drawn."""

import random

import pytest
from rich.cells import cell_len

import making
from inspector.case_page.curve import MARGIN, Canvas, columns_of, curve_lines
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query
from shown_case import at_hand

CASES = [Case(5, 2), Case(1, -1), Case(40, 30), Case(3, 1, refused="over length"), Case(0, -1)]


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    root = tmp_path_factory.mktemp("curve")
    draw = random.Random(0)
    alpha = [
        Case(5, 2, (1.0, 0.9, 0.4, 0.0, 0.6)),
        Case(1, -1, (0.5,)),
        Case(40, 30, tuple(draw.random() for _ in range(40))),
        CASES[3],
        CASES[4],
    ]
    beta = [Case(one.n_steps, one.gold, tuple(draw.uniform(-1, 1) for _ in range(one.n_steps))) for one in CASES]
    scorers = [(making.scorer("alpha"), alpha), (making.scorer("beta", low=-1.0, threshold=0.0), beta)]
    making.workspace(root, CASES, scorers)
    return inspect(load(Query(workspace=str(root), scorers=("alpha",))))


def drawn(start, row, width=60, height=12, **display):
    lines = curve_lines(at_hand(start, row, width, **display), width, height)
    return ["".join(text for text, _ in line.parts) for line in lines]


def test_points_threshold_gold_and_verdict_have_their_places(start):
    lines = drawn(start, 0)
    places = columns_of(5, 60 - MARGIN - 1)
    assert places[0] == 0
    assert places[-1] == 60 - MARGIN - 2
    rows = 12 - 3
    for step, reward in enumerate((1.0, 0.9, 0.4, 0.0, 0.6)):
        assert lines[round((1 - reward) * (rows - 1))][MARGIN + places[step]] == "*"
    assert lines[0].startswith(" 1.00 *")
    assert lines[4].startswith(" 0.50 --")
    assert lines[8].startswith(" 0.00 ")
    assert lines[9].split() == ["0", "1", "2", "3", "4"]
    assert lines[10] == f"{'gold':<{MARGIN}}{' ' * places[2]}^"
    assert lines[11] == f"{'pred':<{MARGIN}}{' ' * places[2]}^"
    assert all(lines[row][MARGIN + places[2]] in ":*-." for row in range(rows))


def test_scorers_of_other_ranges_are_drawn_in_their_own_with_their_letters(start):
    lines = drawn(start, 0, beside=("beta",))
    places = columns_of(5, 60 - MARGIN - 1)
    beta = start.results.evaluation("beta").rewards.of(0)
    alpha = (1.0, 0.9, 0.4, 0.0, 0.6)
    for step in range(5):
        at = MARGIN + places[step]
        low, high = (round((1 - share) * 8) for share in (alpha[step], (beta[step] + 1) / 2))
        # The scorer in focus, which was not chosen with the other one, has the last letter and is drawn on top.
        assert lines[low][at] == "B"
        assert lines[high][at] == ("B" if low == high else "A")


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("width", "height"), [(20, 4), (74, 9), (116, 14), (80, 46)])
def test_a_chart_fits_and_holds_only_what_it_may(start, width, height, ascii_only):
    for row in range(4):
        for blind in (True, False):
            lines = drawn(start, row, width, height, beside=("beta",), glyphs=Glyphs(ascii_only), blind=blind)
            assert len(lines) <= max(height, 6)
            assert all(cell_len(line) <= width for line in lines)
            assert not ascii_only or all(line.isascii() for line in lines)
            assert ("gold" in "".join(lines)) == (not blind and row != 1)
            assert not blind or "pred" not in "".join(lines)


def test_without_rewards_a_sentence_says_so(start):
    assert drawn(start, 4) == ["No rewards to draw: what stands here gives verdicts or labels."]
    assert drawn(start, 3)[0].startswith("No rewards to draw")


def test_a_line_of_dots_joins_its_ends():
    for ascii_only in (True, False):
        canvas = Canvas(20, 5, ascii_only)
        canvas.line((0, 0.0), (19, 1.0), "x")
        rows = ["".join(text for text, _ in canvas.parts(row)) for row in range(5)]
        assert rows[4][0] != " "
        assert rows[0][19] != " "
        assert all(any(row[column] != " " for row in rows) for column in range(20))
