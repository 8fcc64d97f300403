"""Several scorers beside each other: columns, bars, legend and agreement."""

import itertools

import polars as pl
import pytest
from rich.cells import cell_len

import judged
import making
from inspector.case_page.columns import GUTTER, columns, least_text
from inspector.case_page.open_case import DisplayOptions, letters_of, scorers_shown
from inspector.case_page.outcome_lines import agreement
from inspector.case_page.reward_cells import cells, heads, second_cells
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from reference import Case
from scoring.evaluation.single_case import judged_wrong
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from shown_case import PLAIN, at_hand, seen
from thoroughness import THOROUGH, also

CASES = [Case(4, 1), Case(3, -1), Case(2, None)]
NAMES = tuple("abcdefghij")
# Of the first case: exact, early, late, missed, and so on round and round.
KINDS = ((0.9, 0.2, 0.8, 0.7), (0.1, 0.9, 0.9, 0.9), (0.9, 0.9, 0.9, 0.3), (0.9, 0.9, 0.9, 0.9))


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    root = tmp_path_factory.mktemp("beside")
    scorers = [
        (making.scorer(name), [Case(4, 1, KINDS[number % 4]), Case(3, -1, (0.9, 0.9, 0.9)), Case(2, None, (0.2, 0.9))])
        for number, name in enumerate(NAMES)
    ]
    making.workspace(root, CASES, scorers)
    return inspect(load(Query(workspace=str(root), scorers=("a",))))


def test_the_focus_comes_first_and_letters_are_in_the_order_of_the_choice(start):
    """Letters follow the board: the best scorer comes first."""
    beside = ("b", "d", "a", "gone")
    for focus in ("a", "b", "d"):
        chosen = scorers_shown(start.focused(focus, "bench"), beside)
        assert [one.scorer.name for one in chosen] == [focus, *(name for name in ("b", "d", "a") if name != focus)]
        assert letters_of(start, chosen, beside) == {"b": "A", "d": "B", "a": "C"}
        shown = at_hand(start.focused(focus, "bench"), 0, 120, beside=beside)
        assert [column.track.name for column in columns(shown.tracks, 120)] == ["b", "d", "a"]
    assert len(scorers_shown(start, NAMES)) == 8
    assert [track.letter for track in at_hand(start, 0).tracks] == [""]


@pytest.mark.parametrize("count", [1, 2, 3, 10, *also(*range(4, 10))])
def test_every_line_fits_and_columns_keep_their_width(start, count):
    widths = (42, 50, 60, 64, 76, 77, 80, 97, 100, 117, 132, 160, 197, 250)
    every = [*itertools.product(range(3), (True, False), (True, False))]
    for at, width in enumerate(widths):
        for row, ascii_only, blind in every if THOROUGH else every[at % 4 :: 4]:
            check(start, count, width, row, ascii_only=ascii_only, blind=blind)


def check(start, count, width, row, *, ascii_only, blind):
    display = {"glyphs": Glyphs(ascii_only), "beside": NAMES[:count], "blind": blind}
    shown = at_hand(start, row, width, **display)
    side = columns(shown.tracks, width)
    assert [column.track.letter for column in side] == sorted(column.track.letter for column in side)
    assert sum(column.bar > 0 for column in side) <= 1
    if width >= 80 and count <= 3:
        # The texts keep three fifths of the line, and the step numbers.
        assert width - GUTTER - sum(column.width for column in side) >= least_text(width) >= width * 0.5
    for step in range(shown.case["n_steps"]):
        for column in side:
            assert sum(cell_len(text) for text, _ in cells(column, step, shown.display)) == column.width
    page, lines = seen(start, row, width, **display)
    assert all(cell_len(line) <= width for line in lines)
    assert len(page.starts) == shown.case["n_steps"]


def test_bars_shrink_to_one_character_and_grow_to_bars_with_falls(start):
    def line(width, count):
        page, lines = seen(start, 0, width, beside=NAMES[:count])
        return lines[page.starts[1]]

    assert line(77, 8).startswith("exact  1 #|-v 0.20x 9  9  9  2< 9  9  9  step 1 of 0")
    assert line(117, 3).startswith("exact  1 ##---|----  0.20xv0.70  0.90   0.90  step 1 of 0")
    assert line(200, 3).startswith("exact  1 ##---|----  0.20xv0.70  0.90   0.90  step 1 of 0")
    # In one character no threshold is drawn, but the cross and the arrow say what it decides.
    page, lines = seen(start, 0, 77, beside=NAMES[:8])
    assert " 1< " in lines[page.starts[0]]
    assert " 3< " in lines[page.starts[3]]


def test_the_letters_stand_above_the_columns(start):
    shown = at_hand(start, 0, 120, beside=NAMES[:3])
    side = columns(shown.tracks, 120)
    text = "".join(part for part, _ in heads(side))
    at = 0
    for column in side:
        assert text[at : at + column.width].strip() == column.track.letter
        at += column.width
    assert heads(columns(at_hand(start, 0, 120).tracks, 120)) == []


def test_each_scorer_is_told_by_letter_name_outcome_and_verdict(start):
    _, lines = seen(start, 0, 120, beside=NAMES[:4])
    text = "\n".join(lines)
    for entry in ("A a = exact 1", "B b < early 0", "C c > late 3", "D d o missed"):
        assert entry in text
    assert "1 of 4 exact; B early; C late; D missed" in lines
    assert "= predicted step 1, gold step 1: exactly right (reward 0.20 at the gold step)  [A]" in lines


@pytest.mark.parametrize(
    ("row", "count", "words"),
    [
        (0, 8, "2 of 8 exact; B and F early; C and G late; D and H missed"),
        (1, 3, "3 of 3 clean"),
        (2, 3, "no gold to agree with: 3 x step 0"),
    ],
)
def test_agreement_in_words(start, row, count, words):
    shown = at_hand(start, row, beside=NAMES[:count])
    assert agreement(shown.tracks, shown.case["earliest_error"]) == words


def test_none_and_all_have_words_of_their_own(start):
    shown = at_hand(start.focused("b", "bench"), 0, beside=("b", "f"))
    assert agreement(shown.tracks, 1) == "all 2 early"


def test_critics_have_marks_and_labels_have_ticks_beside_bars(tmp_path):
    judged.workspace(tmp_path / "w")
    start = inspect(load(Query(workspace=str(tmp_path / "w")))).focused("moving", "bench")
    page, lines = seen(start, 1, 120, beside=("critic", "labels", "moving", "number"))
    steps = [lines[at] for at in page.starts]
    critic, labels = start.results.evaluation("critic"), start.results.evaluation("labels")
    for step, line in enumerate(steps):
        assert line[9:].startswith("<") == (critic.verdicts[1] == step)
        wrong = judged_wrong(labels, 1)[step]
        tick = " " if wrong is None else "x" if wrong else "+"
        assert line[12:].startswith(f"{'<' if labels.verdicts[1] == step else ' '}{tick}")
    assert all(cell_len(line) <= 120 for line in lines)


def test_redundancy_is_a_second_track_beneath(tmp_path):
    made = making.workspace(tmp_path, CASES, [])
    row = making.rewards([Case(3, -1, (0.9, 0.2, 0.6))], [made.cases()[0]["key"][1]])
    row = row.with_columns(redundancy=pl.Series([[0.125, 0.5, 1.0]], dtype=pl.List(pl.Float64)))
    for name in ("s", "z"):
        scorer = making.scorer(name)
        parts = RewardParts(tmp_path / "rewards" / scorer.folder)
        scorer.save(parts.folder)
        parts.append(row)
    start = inspect(load(Query(workspace=str(tmp_path))))
    page, lines = seen(start, 1, 90)
    assert [lines[at + 1].split() for at in page.starts] == [
        ["#---------", "0.12r"],
        ["#####-----", "0.50r"],
        ["##########", "1.00r"],
    ]
    assert "beneath each reward, marked r: redundancy" in lines
    shown = at_hand(start, 1, 90, beside=("s", "z"))
    for column in columns(shown.tracks, 90):
        for step in range(3):
            found = second_cells(column, step, shown.display)
            assert sum(cell_len(text) for text, _ in found) == column.width
            assert "r" in "".join(text for text, _ in found)


def test_nothing_of_gold_or_verdicts_is_told_when_blind(start):
    for width in (77, 120, 200):
        for beside in ((), NAMES[:5]):
            page, lines = seen(start, 0, width, beside=beside, blind=True, facts=True)
            text = "\n".join(lines)
            for word in ("gold ", "pred", "exact", "early", "missed", "Gold", "Why", "x ", "<", "#|", "final"):
                assert word not in text.replace("hidden; v b", "").replace("blind: gold labels", ""), word
            assert "blind: gold labels, reasons and verdicts are hidden; v b shows them" in lines
            assert page.telling == ()
            styles = {name for line in page.lines for _, names in line.parts for name in names.split()}
            assert not styles & {"good", "bad", "early", "late", "gold", "predicted"}
    assert DisplayOptions(100, PLAIN).blind is False


def test_rewards_are_coloured_by_the_side_of_the_threshold_they_are_on(start):
    shown = at_hand(start, 0, 120, beside=NAMES[:2], glyphs=Glyphs())
    for column in columns(shown.tracks, 120):
        for step, reward in enumerate(column.track.rewards):
            styles = {name for _, names in cells(column, step, shown.display) for name in names.split()}
            assert ("reward-1" in styles) == (reward <= 0.2)
            assert ("reward-5" in styles) == (reward >= 0.8)
            assert not styles & {"good", "bad", "scorer-a", "scorer-b"} - {"scorer-b"}
