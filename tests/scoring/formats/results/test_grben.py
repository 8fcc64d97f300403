import math

import pytest
from hypothesis import given

from any_json import rows_near
from scoring.formats.results.grben_results import ANSWERS, DETAILS, recognises_answers, recognises_details
from scoring.formats.results.result_format import RESULT_COLUMNS
from thoroughness import up_to

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
    assert all(map(recognises_details, values))
    (found,) = DETAILS.load(rows(*values, source=source))
    assert found.rows.schema == RESULT_COLUMNS
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
    assert recognises_details(value)
    (found,) = DETAILS.load(rows(value, source="A-PRM_results.jsonl"))
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
    assert found.rows["reason"].to_list() == ["probs is not a list of numbers", None]
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
        assert not recognises_details(other)


def test_nothing_escapes(rows):
    @up_to(100, 12)
    @given(rows_near(ROW))
    def run(values):
        (found,) = DETAILS.load(rows(*values))
        assert found.rows.schema == RESULT_COLUMNS
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


ROW_ANSWERS = {
    "id": "sums-1",
    "domain": "sums",
    "generator": "a-model",
    "problem": "What is 2 + 2?",
    "steps": ["Take 2.", "Add 3.", "So 5."],
    "label": 2,
    "final_answer_correct": False,
    "pred_error_idx": 2,
    "raw_response": r"The second adds 3: \boxed{2}",
    "thinking_mode": "Slow",
    "model_key": "judge",
    "api_failed": False,
}


def load_answers(rows, *changes, source="out/sums/llm_result/judge_Slow.jsonl"):
    values = [{**ROW_ANSWERS, "id": f"sums-{number}", **change} for number, change in enumerate(changes, 1)]
    assert all(map(recognises_answers, values))
    found = ANSWERS.load(rows(*values, source=source))
    assert all(one.rows.schema == RESULT_COLUMNS for one in found)
    return found


def test_an_answer(rows):
    (found,) = load_answers(rows, {})
    row = found.rows.row(0, named=True)
    assert {name: value for name, value in row.items() if value is not None} == {
        "line": 1,
        "id": "sums-1",
        "subset": "sums",
        "problem": "What is 2 + 2?",
        "steps": ["Take 2.", "Add 3.", "So 5."],
        "gold": 1,
        "vote": 0,
        "run": 0,
        "answer": r"The second adds 3: \boxed{2}",
        "ballot": "2",
        "verdict": 1,
    }
    assert (found.name, found.kind, found.benchmark) == ("judge-Slow", "critic", "grben")
    assert found.settings == {"protocol": "grben", "thinking_mode": "Slow"}
    assert not found.findings


@pytest.mark.parametrize(("number", "verdict"), [(1, 0), (-1, -1), (0, -2), (-5, -2), (40, 39)])
def test_answers_count_from_1_and_what_names_no_step_stays_an_answer(rows, number, verdict):
    (found,) = load_answers(rows, {"pred_error_idx": number, "raw_response": f"\\boxed{{{number}}}"})
    assert found.rows.select("ballot", "verdict", "reason").row(0) == (str(number), verdict, None)
    assert not found.findings


@pytest.mark.parametrize(
    ("change", "reason", "code"),
    [
        ({"pred_error_idx": -999, "raw_response": "no idea"}, "no box of the answer holds a number", "unparsed"),
        ({"pred_error_idx": -999, "raw_response": None}, "no box of the answer holds a number", "unparsed"),
        ({"pred_error_idx": -999, "api_failed": True}, "the API gave no answer", "api-failed"),
        ({"pred_error_idx": None}, "pred_error_idx is not a whole number", "wrong-type"),
        ({"pred_error_idx": "2"}, "pred_error_idx is not a whole number", "wrong-type"),
    ],
)
def test_a_row_without_a_prediction_has_a_reason(rows, change, reason, code):
    (found,) = load_answers(rows, change, {})
    assert found.rows["reason"].to_list() == [reason, None]
    assert found.rows["ballot"].to_list() == [None, "2"]
    assert found.rows["verdict"].to_list() == [None, 1]
    assert codes(found) == [("warning", code, 1)]


@pytest.mark.parametrize(
    ("given", "answer", "verdict"),
    [(3, r"\boxed{2}", 2), (3, "no box", 2), (-999, r"\boxed{2}", None), (2, r"\boxed{\text{2}}", 1)],
)
def test_a_prediction_that_the_answer_does_not_give_stays_and_is_said(rows, given, answer, verdict):
    (found,) = load_answers(rows, {"pred_error_idx": given, "raw_response": answer})
    assert found.rows["verdict"].to_list() == [verdict]
    assert ("warning", "prediction-differs", 1) in codes(found)


@pytest.mark.parametrize(("label", "gold"), [(1, 0), (-1, -1), (3, 2), (9, 2), (0, None), (None, None), ("2", None)])
def test_gold_labels_count_from_1_and_stop_at_the_last_step(rows, label, gold):
    assert load_answers(rows, {"label": label})[0].rows["gold"].to_list() == [gold]


def test_modes_and_models_are_kept_apart(rows):
    found = load_answers(rows, {}, {"thinking_mode": "Fast"}, {"model_key": None})
    assert [one.name for one in found] == ["judge-Slow", "judge-Fast", "judge_Slow"]
    assert [one.rows["line"].to_list() for one in found] == [[1], [2], [3]]


def test_what_names_no_case_is_told_by_its_texts_if_it_has_them(rows):
    (found,) = load_answers(
        rows, {"id": None}, {"id": None, "steps": None}, {"id": "b", "problem": None, "question": "Why?"}
    )
    assert found.rows.select("line", "id", "problem").rows() == [(1, None, "What is 2 + 2?"), (3, "b", "Why?")]
    assert codes(found) == [("error", "no-id", 2)]


def test_what_is_recognised_answers():
    bare = {key: value for key, value in ROW_ANSWERS.items() if key not in {"raw_response", "api_failed"}}
    for other in (None, [], {}, bare, {"raw_response": ""}):
        assert not recognises_answers(other)


def test_nothing_escapes_answers(rows):
    @up_to(100, 12)
    @given(rows_near(ROW_ANSWERS))
    def run(values):
        found = ANSWERS.load(rows(*values))
        assert sum(one.read for one in found) == len(values)
        for one in found:
            assert one.rows.schema == RESULT_COLUMNS
            assert (one.rows["verdict"].is_null() == one.rows["reason"].is_not_null()).all()
            assert (one.rows["verdict"].is_null() == one.rows["ballot"].is_null()).all()

    run()
