"""Metrics of one's own: their figures, differences and cells against plain Python, and what is wrong with them."""

from pathlib import Path

import numpy as np
import pytest

import making
import reference
from scoring.data.errors import PluginError
from scoring.data.own_code import OwnCode
from scoring.metrics import own
from scoring.metrics.aligned import align_own
from scoring.metrics.axes import axis
from scoring.metrics.breakdown import Cells
from scoring.metrics.kernel import Decided
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.metrics.own import metric, own_metrics
from scoring.metrics.own_cells import own_cells
from scoring.metrics.own_family import family_of
from scoring.metrics.paired import official_comparison_rows
from scoring.metrics.plugins import load_plugins
from scoring.selection.loading import load
from scoring.selection.query import Query

FILE = Path(__file__).parents[2] / "own" / "near.py"


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    """What one test loads no other one sees."""
    monkeypatch.setattr(own, "_KEPT", {})


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("study") / "w"
    cases, scorers = making.study(n=60)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return load(Query(workspace=str(root)))


@pytest.fixture
def near(nothing_kept):
    load_plugins([str(FILE)])
    (made,) = own_metrics()
    return made


def slowly(evaluation, rows):
    """The share of the erroneous cases tried whose verdict is within a step of the earliest error, case by case."""
    close = []
    for case in np.flatnonzero(rows & evaluation.coverage.tried):
        earliest, verdict = int(evaluation.gold.earliest[case]), int(evaluation.verdicts[case])
        if earliest >= 0:
            close.append(verdict >= 0 and abs(verdict - earliest) <= 1)
    return sum(close) / len(close), len(close)


def test_subsets_all_and_average_are_those_of_plain_python(results, near):
    rows = results.mask
    for evaluation in results.evaluations:
        names, groups = evaluation.gold.subsets
        found = {row["subset"]: row for row in metric_rows(family_of(near), evaluation, rows, "wrong", 0)}
        assert list(found) == [*names, "all", "average"]
        expected = [slowly(evaluation, rows & (groups == number)) for number in range(len(names))]
        for name, (value, n) in zip(names, expected, strict=True):
            assert (found[name]["value"], found[name]["n"]) == (pytest.approx(value, abs=1e-12), n)
        assert found["all"]["value"] == pytest.approx(slowly(evaluation, rows)[0], abs=1e-12)
        assert found["average"]["value"] == pytest.approx(np.mean([value for value, _ in expected]), abs=1e-12)
        for row in found.values():
            assert row["low"] <= row["value"] <= row["high"]
        quick = list(metric_rows(family_of(near), evaluation, rows, "wrong", None))
        assert [row["value"] for row in quick] == [row["value"] for row in found.values()]
        assert {row["low"] for row in quick} == {None}


def test_cases_without_subsets_have_no_line_of_their_own_beside_others_with_some(near):
    cases = [reference.Case(1, 0, (0.1,), subset=None), reference.Case(1, 0, (0.1,), subset="easy")]
    found = making.evaluation(cases)
    for taken, lines in (([True, False], []), ([False, True], ["easy"]), ([True, True], ["", "easy"])):
        rows = metric_rows(family_of(near), found, np.array(taken), "wrong", None)
        assert [row["subset"] for row in rows] == [*lines, "all", "average"]


def test_a_difference_is_that_of_plain_python_on_the_cases_of_both_and_turns_round(results, near):
    one, other, *_ = results.evaluations
    rows = results.mask & one.coverage.tried & other.coverage.tried
    differences = []
    for pair in ((one, other), (other, one)):
        aligned = align_own(near, pair, results.mask, "wrong")
        by_metric = {row["metric"]: row for row in official_comparison_rows(aligned, 0)}
        difference = by_metric["near_difference"]
        expected = [slowly(evaluation, rows) for evaluation in pair]
        assert difference["value"] == pytest.approx(expected[0][0] - expected[1][0], abs=1e-12)
        assert difference["n"] == expected[0][1]
        differences.append([difference[name] for name in ("value", "low", "high")])
    (there, low, high), back = differences
    assert low < there < high
    assert back == pytest.approx([-there, -high, -low])


def test_cells_add_up_to_the_whole(results, near):
    evaluation = results.evaluations[0]
    cells = Cells((axis(results.cases, "subset"),), results.mask)
    made = own_cells(near, evaluation, cells, "wrong", 0)
    whole = next(
        row for row in metric_rows(family_of(near), evaluation, results.mask, "wrong", None) if row["subset"] == "all"
    )
    total = cells.places[0] == len(cells.axes[0].values)
    assert made.value[total] == pytest.approx(whole["value"], abs=1e-12)
    assert made.n[~total].sum() == made.n[total] == whole["n"]
    assert (made.low <= made.value).all()
    assert (made.value <= made.high).all()


def broken(contribute, score=lambda sums: sums["a"]):
    made = metric("odd", title="odd", counts=("a",), score=score)(contribute)
    own.keep_own_metric(made, OwnCode("odd", np, Path("odd.py"), ""))
    return own_metrics()[-1]


@pytest.mark.parametrize(
    ("contribute", "score", "says"),
    [
        (lambda _: 1 / 0, None, "in the contributions of the metric 'odd': ZeroDivisionError"),
        (lambda _: np.zeros(3), None, "its contributions have the shape (3,)"),
        (lambda decided: np.full((decided.members.size, 1), np.nan), None, "should be finite numbers"),
        (lambda decided: np.full((decided.members.size, 1), "x"), None, "should be finite numbers"),
        (lambda decided: decided.members[:, None], lambda _: np.zeros(7), "its score has the shape (7,)"),
        (
            lambda decided: decided.members[:, None],
            lambda sums: sums["b"],
            "in the score of the metric 'odd': KeyError",
        ),
    ],
)
def test_what_is_wrong_with_one_is_a_sentence_with_its_file(results, contribute, score, says):
    made = broken(contribute, *([score] if score else []))
    with pytest.raises(PluginError) as error:
        list(metric_rows(family_of(made), results.evaluations[0], results.mask, "wrong", 0))
    assert says in str(error.value)
    assert "odd.py" in str(error.value)


def test_what_is_undefined_is_null_with_a_reason(results, near):
    nobody = np.zeros(results.evaluated.height, dtype=bool)
    rows = list(metric_rows(family_of(near), results.evaluations[0], nobody, "wrong", 0))
    assert {(row["value"], row["low"]) for row in rows} == {(None, None)}
    assert all(row["reason"] for row in rows)
    assert Decided(results.evaluations[0]).verdicts.shape == (results.evaluated.height,)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"name": "Odd name"}, "not a name of a metric"),
        ({"counts": ()}, "should name what a case contributes"),
        ({"of": "b"}, "should name what a case contributes"),
    ],
)
def test_a_metric_that_cannot_be_is_refused_where_it_is_made(arguments, says):
    with pytest.raises(ValueError, match=says):
        metric(**{"name": "odd", "title": "odd", "counts": ("a",), "score": len, **arguments})


def test_a_file_without_any_and_two_of_one_name_are_sentences(tmp_path, near):
    (tmp_path / "empty.py").write_text("import math\n")
    with pytest.raises(PluginError, match="holds nothing that --plugin brings"):
        load_plugins([str(tmp_path / "empty.py")])
    (tmp_path / "again.py").write_text(FILE.read_text())
    with pytest.raises(PluginError, match="two files hold a metric 'near'"):
        load_plugins([str(tmp_path / "again.py")])
    load_plugins([str(FILE), str(FILE)])
    assert [made.name for made in own_metrics()] == ["near"]
