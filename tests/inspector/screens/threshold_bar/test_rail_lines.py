import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

import judged
import making
import reference
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.sentences import GLYPHS
from inspector.screens.threshold_bar.rail_lines import WIDE, ThresholdChanges, percent, rail_lines
from inspector.state.opening import inspect
from inspector.state.thresholds.threshold_span import threshold_span
from reference import Case
from scoring.data.texts import Texts
from scoring.evaluation.evaluated_cases import EvaluatedCases, Loaded
from scoring.selection.labels import Labels
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet
from scoring.workspace.workspace import Workspace
from thoroughness import up_to


def opened(cases, low=0.0, high=1.0, comparison="<"):
    """The screen state of cases that one scorer scored."""
    evaluation = replace(making.evaluation(cases, 0.5, comparison), scorer=making.scorer(low=low, high=high))
    rows = np.arange(len(cases))
    loaded = Loaded(Workspace(None), making.frame(cases), Texts.whole((), ()))
    results = ResultSet(Query(), EvaluatedCases(loaded, (evaluation,)), Labels(), ("scorer",), rows)
    return inspect(results).focused("scorer", "bench")


def text_of(line):
    return "".join(text for text, _ in line.parts)


def column_best(cases, low, high, comparison="<"):
    """The highest average F1 of any threshold in (low, high]; None where all are undefined."""
    inside = [reward for case in cases for reward in reference.usable(case) or () if low < reward <= high]
    tries = {high, math.nextafter(low, math.inf), *inside, *(math.nextafter(reward, math.inf) for reward in inside)}
    found = [reference.metrics(cases, t, comparison)["average", "f1"] for t in tries if low < t <= high]
    return max((value for value in found if value is not None), default=None)


@up_to(40)
@given(cases=making.balanced(making.COARSE), width=st.sampled_from((4, 7, 10)), comparison=st.sampled_from(("<", "<=")))
def test_every_column_of_the_curve_is_the_best_of_its_thresholds(cases, width, comparison):
    now = opened(cases, -1.0, 1.0, comparison)
    if now.summary.sweep.best is None:
        told = text_of(rail_lines(now, now, 200, Glyphs())[1])
        assert told.startswith("no curve: F1 is undefined at every threshold: ")
        return
    low, high = threshold_span(now.evaluation)
    line = text_of(rail_lines(now, now, width, Glyphs(ascii_only=True))[1])
    edges = np.linspace(low, high, width + 1).tolist()
    values = [column_best(cases, *edges[index : index + 2], comparison) for index in range(width)]
    assert line == Glyphs(ascii_only=True).curve(values, reference.best_f1(cases, comparison) or 0.0)


@up_to(40)
@given(cases=making.balanced(making.COARSE), width=st.sampled_from((4, 7, 10, 100)))
def test_the_mark_of_the_best_stands_under_the_highest_column(cases, width):
    now = opened(cases, -1.0, 1.1)
    best = now.summary.sweep.best
    lines = rail_lines(now, now, width, Glyphs(ascii_only=True))
    curve, axis = text_of(lines[1]), text_of(lines[2])
    assert len(axis) == width
    assert len(curve) == width or best is None
    assert axis.count("^") == 1
    if best is not None and best[1] > 0 and "*" in axis:
        assert curve[axis.index("*")] == max(curve)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    making.workspace(root, *making.study())
    return inspect(load(Query(workspace=str(root), scorers=("gpt4",))))


@pytest.mark.parametrize("width", [80, WIDE])
@pytest.mark.parametrize("threshold", [0.2, 0.45, 0.7])
def test_numbers_are_those_of_before_and_after(study, width, threshold):
    now = study.moved(threshold)
    metric, _, _, *rest = [text_of(line) for line in rail_lines(now, study, width, Glyphs(ascii_only=True))]
    change = f"{100 * (now.summary.headline.score - study.summary.headline.score):+.1f}"
    assert metric.startswith(f"threshold {threshold:.3f} (was 0.500)   F1 {percent(now.summary.headline)} {change} (")
    for word, count in now.summary.outcome_counts.items():
        if word in {"exact", "early", "late", "missed", "clean", "false_alarm"}:
            difference = count - study.summary.outcome_counts[word]
            said = f" {count}" + (f" ({difference:+})".replace("-", "−") if difference else "  ")
            words = [f"{GLYPHS[word]} {word.replace('_', ' ')}{said}", f"{GLYPHS[word]}{said}"]
            assert any(form in "".join(rest) for form in words[: 1 if width == WIDE else 2])
    right, wrong, other = ThresholdChanges.between(study, now)
    full = f"{right + wrong + other} changed: {right} now right, {wrong} now wrong, {other} still wrong"
    short = full.replace(" now", "")
    said = (full if width == WIDE else short) if right + wrong + other else "nothing changed"
    assert said in "".join(rest)
    assert "optimistic" in rest[-1]
    best = study.summary.sweep.best
    assert f"* best {best[0]:.3f}: F1 {100 * best[1]:.1f}" in rest[-1]


def test_an_unmoved_threshold_says_where_it_came_from(study):
    assert text_of(rail_lines(study, study, 80, Glyphs())[0]).startswith("threshold 0.500 (default)   F1 ")


def test_what_is_undefined_has_a_dash_and_a_reason():
    now = opened([Case(1, -1, (0.5,))])
    lines = rail_lines(now, now, 40, Glyphs(ascii_only=True))
    assert "F1 -" in text_of(lines[0])
    assert text_of(lines[1]) == "no curve: no erroneous case was scored"
    wide = rail_lines(now, now, 80, Glyphs(ascii_only=True))
    assert text_of(wide[0]).endswith("F1 -  1 case: no erroneous case was scored")
    assert "best" not in text_of(lines[-1])
    assert (percent(None), percent(None, ascii_only=True)) == ("–", "-")


def test_without_a_scorer_there_is_one_sentence(tmp_path):
    making.workspace(tmp_path, making.study()[0], [])
    now = inspect(load(Query(workspace=str(tmp_path))))
    assert [text_of(line) for line in rail_lines(now, now, 80, Glyphs())] == [
        "There is no scorer, so there is no threshold to move."
    ]


def test_ascii_means_ascii(study):
    lines = rail_lines(study.moved(0.3), study, 90, Glyphs(ascii_only=True))
    # The app writes the minus sign as a hyphen.
    assert all(text_of(line).replace("−", "-").isascii() for line in lines)


def test_what_changed_is_said_in_as_many_words_as_fit(study):
    now = study.moved(0.2)
    right, wrong, other = ThresholdChanges.between(study, now)
    assert right + wrong + other
    said = {width: text_of(rail_lines(now, study, width, Glyphs())[4]) for width in (40, 80, WIDE)}
    total = right + wrong + other
    assert said[WIDE].endswith(f"{total} changed: {right} now right, {wrong} now wrong, {other} still wrong")
    assert said[80].endswith(f"{total} changed: {right} right, {wrong} wrong, {other} still wrong")
    assert said[40].endswith(f"{total} changed")


@up_to(60, 10)
@given(width=st.integers(70, 140), moved=st.floats(0, 1))
def test_every_line_fits_and_so_no_number_is_cut(study, width, moved):
    for line in rail_lines(study.moved(moved), study, width, Glyphs()):
        assert cell_len(text_of(line)) <= width


def test_another_mistake_is_neither_right_nor_wrong_anew():
    now = opened([Case(3, 1, (0.9, 0.9, 0.4)), Case(1, -1, (0.9,))])
    moved = now.moved(0.3)
    assert (now.evaluation.codes.tolist(), moved.evaluation.codes.tolist()) == ([2, 4], [3, 4])
    assert ThresholdChanges.between(now, moved) == (0, 0, 1)


def test_a_scorer_without_a_threshold_has_one_sentence(tmp_path):
    judged.workspace(tmp_path)
    now = inspect(load(Query(workspace=str(tmp_path), scorers=("labels",))))
    assert [text_of(line) for line in rail_lines(now, now, 80, Glyphs())] == [
        "labels has no threshold to move: labels as given."
    ]
