import pytest
from hypothesis import given

from any_json import rows_near
from scoring.results import grben_llm
from scoring.results.foreign import FOREIGN

ROW = {
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


def load(rows, *changes, source="out/sums/llm_result/judge_Slow.jsonl"):
    values = [{**ROW, "id": f"sums-{number}", **change} for number, change in enumerate(changes, 1)]
    assert all(map(grben_llm.recognises, values))
    found = grben_llm.load(rows(*values, source=source))
    assert all(one.rows.schema == FOREIGN for one in found)
    return found


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_an_answer(rows):
    (found,) = load(rows, {})
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
    (found,) = load(rows, {"pred_error_idx": number, "raw_response": f"\\boxed{{{number}}}"})
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
    (found,) = load(rows, change, {})
    assert found.rows["reason"].to_list() == [reason, None]
    assert found.rows["ballot"].to_list() == [None, "2"]
    assert found.rows["verdict"].to_list() == [None, 1]
    assert codes(found) == [("warning", code, 1)]


@pytest.mark.parametrize(
    ("given", "answer", "verdict"),
    [(3, r"\boxed{2}", 2), (3, "no box", 2), (-999, r"\boxed{2}", None), (2, r"\boxed{\text{2}}", 1)],
)
def test_a_prediction_that_the_answer_does_not_give_stays_and_is_said(rows, given, answer, verdict):
    (found,) = load(rows, {"pred_error_idx": given, "raw_response": answer})
    assert found.rows["verdict"].to_list() == [verdict]
    assert ("warning", "prediction-differs", 1) in codes(found)


@pytest.mark.parametrize(("label", "gold"), [(1, 0), (-1, -1), (3, 2), (9, 2), (0, None), (None, None), ("2", None)])
def test_gold_labels_count_from_1_and_stop_at_the_last_step(rows, label, gold):
    assert load(rows, {"label": label})[0].rows["gold"].to_list() == [gold]


def test_modes_and_models_are_kept_apart(rows):
    found = load(rows, {}, {"thinking_mode": "Fast"}, {"model_key": None})
    assert [one.name for one in found] == ["judge-Slow", "judge-Fast", "judge_Slow"]
    assert [one.rows["line"].to_list() for one in found] == [[1], [2], [3]]


def test_what_names_no_case_is_told_by_its_texts_if_it_has_them(rows):
    (found,) = load(rows, {"id": None}, {"id": None, "steps": None}, {"id": "b", "problem": None, "question": "Why?"})
    assert found.rows.select("line", "id", "problem").rows() == [(1, None, "What is 2 + 2?"), (3, "b", "Why?")]
    assert codes(found) == [("error", "no-id", 2)]


def test_what_is_recognised():
    bare = {key: value for key, value in ROW.items() if key not in {"raw_response", "api_failed"}}
    for other in (None, [], {}, bare, {"raw_response": ""}):
        assert not grben_llm.recognises(other)


def test_nothing_escapes(rows):
    @given(rows_near(ROW))
    def run(values):
        found = grben_llm.load(rows(*values))
        assert sum(one.read for one in found) == len(values)
        for one in found:
            assert one.rows.schema == FOREIGN
            assert (one.rows["verdict"].is_null() == one.rows["reason"].is_not_null()).all()
            assert (one.rows["verdict"].is_null() == one.rows["ballot"].is_null()).all()

    run()
