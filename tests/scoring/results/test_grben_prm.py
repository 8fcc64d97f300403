import math

import pytest
from hypothesis import given

from any_json import rows_near
from scoring.results import grben_prm
from scoring.results.foreign import FOREIGN

ROW = {
    "id": "sums-1",
    "domain": "sums",
    "generator": "a-model",
    "gt_label": 2,
    "pred_label": 2,
    "threshold": 0.5,
    "probs": [0.9, 0.2, 0.1],
    "is_correct_prediction": True,
}
SOURCE = "out/sums/prm_result/A-PRM-7B_details.jsonl"


def load(rows, *changes, source=SOURCE):
    values = [{**ROW, "id": f"sums-{number}", **change} for number, change in enumerate(changes, 1)]
    assert all(map(grben_prm.recognises, values))
    (found,) = grben_prm.load(rows(*values, source=source))
    assert found.rows.schema == FOREIGN
    return found


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_details(rows):
    found = load(rows, {})
    assert found.rows.select("line", "id", "subset", "gold", "rewards", "verdict", "reason").row(0) == (
        *(1, "sums-1", "sums", 1, [0.9, 0.2, 0.1]),
        *(None, None),
    )
    assert (found.name, found.benchmark, found.kind, found.comparison) == ("A-PRM-7B", "grben", "prm", "<")
    assert (found.threshold, found.threshold_source, found.low, found.high) == (0.5, "the file's", 0.0, 1.0)
    assert not found.findings


def test_the_rows_that_the_evaluation_takes_need_no_more_than_their_numbers(rows):
    value = {"id": "sums-1", "domain": "sums", "gt_label": -1, "probs": [0.9]}
    assert grben_prm.recognises(value)
    (found,) = grben_prm.load(rows(value, source="A-PRM_results.jsonl"))
    assert found.rows.select("gold", "rewards").row(0) == (-1, [0.9])
    assert (found.name, found.threshold, found.threshold_source) == ("A-PRM", 0.5, "default")
    assert not found.findings


@pytest.mark.parametrize(("label", "gold"), [(1, 0), (-1, -1), (3, 2), (9, 8)])
def test_gold_labels_count_from_1(rows, label, gold):
    assert load(rows, {"gt_label": label}).rows["gold"].to_list() == [gold]


@pytest.mark.parametrize(("label", "code"), [(0, "bad-label"), (-3, "bad-label"), ("2", "wrong-type")])
def test_a_gold_label_that_names_no_step_is_null_and_said(rows, label, code):
    found = load(rows, {"gt_label": label})
    assert found.rows["gold"].to_list() == [None]
    assert codes(found) == [("warning", code, 1)]


@pytest.mark.parametrize(
    ("probs", "threshold", "predicted"),
    [
        ([0.9, 0.5, 0.4], 0.5, 3),
        ([0.9, 0.5, 0.4], 0.6, 2),
        ([0.9, 0.5, 0.4], 0.4, -1),
        ([math.nan, 0.1], 0.5, 2),
        ([0.6, 0.1], None, 2),
    ],
)
def test_predictions_are_compared_with_the_first_number_below_the_rows_threshold(rows, probs, threshold, predicted):
    change = {"probs": probs, "threshold": threshold}
    assert "prediction-differs" not in str(codes(load(rows, {**change, "pred_label": predicted})))
    found = load(rows, {**change, "pred_label": predicted + 1})
    assert ("warning", "prediction-differs", 1) in codes(found)
    assert found.rows["rewards"].list.len().to_list() == [len(probs)]


def test_a_files_own_threshold_is_kept_if_its_rows_agree(rows):
    same = {"threshold": 0.9, "pred_label": 2}
    assert load(rows, same, same, {**same, "threshold": None, "probs": [0.8], "pred_label": -1}).threshold == 0.9
    found = load(rows, same, {"threshold": 0.4})
    assert (found.threshold, found.threshold_source) == (0.5, "default")
    assert codes(found) == [("warning", "several-thresholds", None)]
    assert "2 thresholds, 0.4, 0.9 among them" in found.findings[0].message


@pytest.mark.parametrize("threshold", [math.nan, math.inf, "0.5", True])
def test_a_threshold_that_is_no_cut_is_said(rows, threshold):
    found = load(rows, {"threshold": threshold})
    assert (found.threshold, found.threshold_source) == (0.5, "default")
    assert codes(found) == [("warning", "wrong-type", 1)]


@pytest.mark.parametrize("probs", [None, "0.5", [0.5, None], [[0.5]]])
def test_a_row_without_numbers_has_a_reason(rows, probs):
    found = load(rows, {"probs": probs}, {})
    assert found.rows["reason"].to_list() == ["probs is no list of numbers", None]
    assert [code[::2] for code in codes(found)] == [("warning", 1)]


def test_scores_without_bounds_keep_their_range(rows):
    found = load(rows, {"probs": [4.5, -3.25], "pred_label": 2})
    assert (found.low, found.high) == (-4.0, 5.0)


def test_the_first_row_with_an_id_counts(rows):
    found = load(rows, {"id": "a"}, {"id": "a", "probs": [0.9, 0.1]})
    assert (found.rows.height, found.read) == (1, 2)
    assert codes(found) == [("error", "repeated-id", 2)]


def test_what_is_recognised():
    for other in (None, [], {}, {"id": 1, "probs": []}, {**ROW, "problem": "p", "steps": []}):
        assert not grben_prm.recognises(other)


def test_nothing_escapes(rows):
    @given(rows_near(ROW))
    def run(values):
        (found,) = grben_prm.load(rows(*values))
        assert found.rows.schema == FOREIGN
        assert (found.rows["rewards"].is_null() == found.rows["reason"].is_not_null()).all()
        assert found.read == len(values)
        assert math.isfinite(found.threshold + found.low + found.high)

    run()


def test_without_any_number_no_step_is_below_the_threshold(rows):
    found = load(rows, {"probs": [], "pred_label": -1}, {"probs": [], "pred_label": 2}, {})
    assert found.rows["verdict"].to_list() == [-1, -1, None]
    assert found.rows.select("rewards", "reason").null_count().row(0) == (2, 3)
    assert codes(found) == [
        ("warning", "empty-probs", 1),
        ("warning", "prediction-differs", 2),
        ("warning", "empty-probs", 2),
    ]
