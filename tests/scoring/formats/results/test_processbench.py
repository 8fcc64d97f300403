import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import row
from broken_rows import as_rows, assert_sound, broken
from scoring.formats.benchmarks import processbench
from scoring.formats.reading.rows import read_rows
from scoring.formats.results.processbench_results import OUTPUT, RPRM, recognises_output, recognises_rprm

STEP_1 = "The second paragraph is wrong: \\boxed{1}"
CLEAN = "All is well. \\boxed{-1}"
MUTE = "I cannot say."


def answered(critique, prediction, number=0, **changes):
    label = changes.get("label", -1)
    return row(number, generated_critique=critique, prediction=prediction, match=prediction == label, **changes)


ONE = answered(STEP_1, 1, label=1)
EIGHT = answered([STEP_1, CLEAN, MUTE, STEP_1, "\\boxed{x}", CLEAN, STEP_1, "\\boxed{}"], 1, label=2)
BARE = row(prediction=2, match=False)


def one(values):
    (foreign,) = OUTPUT.load(as_rows(values))
    return foreign


def columns(foreign, *names):
    return foreign.rows.select(names).rows()


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_an_answer_is_a_row_with_the_texts_it_is_about():
    foreign = one([ONE])
    assert foreign.rows.row(0, named=True) == {
        **dict.fromkeys(foreign.rows.columns),
        "line": 1,
        "id": "sums-0",
        "problem": ONE["problem"],
        "steps": ONE["steps"],
        "gold": 1,
        "vote": 0,
        "run": 0,
        "answer": STEP_1,
        "ballot": "1",
        "verdict": 1,
    }
    assert (foreign.kind, foreign.benchmark, foreign.read) == ("critic", "processbench", 1)
    assert foreign.settings == {"protocol": "processbench", "votes": 1}
    assert not foreign.findings


def test_eight_answers_are_eight_votes():
    foreign = one([EIGHT])
    assert foreign.settings["votes"] == 8
    assert foreign.read == 1
    assert columns(foreign, "vote", "ballot", "verdict", "reason") == [
        (0, "1", 1, None),
        (1, "-1", -1, None),
        (2, None, None, "the answer has no \\boxed{...}"),
        (3, "1", 1, None),
        (4, "x", None, "the box holds no whole number: x"),
        (5, "-1", -1, None),
        (6, "1", 1, None),
        (7, "", None, "the box is empty"),
    ]
    assert not foreign.findings


def test_an_unparsed_answer_has_a_reason_and_agrees_with_a_null_prediction():
    foreign = one([answered(MUTE, None)])
    assert columns(foreign, "ballot", "verdict", "reason") == [(None, None, "the answer has no \\boxed{...}")]
    assert not foreign.findings


@pytest.mark.parametrize(
    ("critique", "prediction"),
    [(STEP_1, 2), (STEP_1, None), (MUTE, 0), (STEP_1, "1"), ([CLEAN, STEP_1], 1), ([CLEAN, CLEAN, STEP_1], 1)],
)
def test_a_prediction_that_the_answers_do_not_give_is_named_with_its_line(critique, prediction):
    assert codes(one([ONE, answered(critique, prediction, 1)])) == [("warning", "prediction-differs", 2)]


@pytest.mark.parametrize(
    ("critique", "prediction"),
    [("\\boxed{-7}", -7), ("\\boxed{1}", 1.0), (["\\boxed{x}", "\\boxed{x}", STEP_1], None), ([STEP_1, CLEAN], 1)],
)
def test_a_prediction_that_the_answers_give(critique, prediction):
    assert not one([answered(critique, prediction)]).findings


@pytest.mark.parametrize(
    ("prediction", "verdict", "reason", "found"),
    [
        (2, 2, None, []),
        (-1, -1, None, []),
        (-4, -2, None, []),
        (10**30, None, "the prediction is a number that names no step", ["no-answer"]),
        ("2", None, "the prediction is text that names no step", ["no-answer"]),
        (None, None, "there is no answer, and nothing is predicted", []),
    ],
)
def test_without_an_answer_the_prediction_is_the_verdict(prediction, verdict, reason, found):
    foreign = one([row(prediction=prediction, match=False)])
    assert columns(foreign, "answer", "verdict", "reason") == [(None, verdict, reason)]
    assert [code for _, code, _ in codes(foreign)] == found


@pytest.mark.parametrize("critique", [5, {}, [], [None], [["a"]]])
def test_what_is_no_answer_has_a_reason_and_a_finding(critique):
    foreign = one([answered(critique, None, 0)])
    assert foreign.rows["reason"].null_count() == 0
    assert codes(foreign) == [("warning", "no-answer", 1)]


def test_one_bad_answer_among_several_costs_only_itself():
    foreign = one([answered([STEP_1, None, STEP_1], 1)])
    assert foreign.rows["verdict"].to_list() == [1, None, 1]


def test_texts_that_are_missing_leave_the_id():
    foreign = one([{**ONE, "steps": "one text", "problem": None}])
    assert columns(foreign, "id", "problem", "steps", "verdict") == [("sums-0", None, None, 1)]
    assert codes(foreign) == [("warning", "wrong-type", 1)]


def test_the_first_row_with_an_id_counts_and_broken_rows_are_said():
    rows = as_rows([ONE, ONE, 5])
    rows.broken(4, "cut off")
    (foreign,) = OUTPUT.load(rows)
    assert foreign.read == 4
    assert foreign.rows.height == 1
    assert codes(foreign) == [("note", "repeated-id", 2), ("error", "broken-row", 3), ("error", "broken-row", 4)]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("outputs/A-Critic-7B/gsm8k_error.jsonl", "A-Critic-7B"),
        ("outputs/A-Critic-7B_voting/omnimath_correct.jsonl", "A-Critic-7B_voting"),
        ("outputs\\A-Critic-7B\\math_error.jsonl", "A-Critic-7B"),
        ("somewhere/a-critic.jsonl", "a-critic"),
        ("results/gsm8k_error.jsonl", "gsm8k"),
        ("gsm8k_error.jsonl", "gsm8k"),
    ],
)
def test_files_are_called_after_the_subset_and_folders_after_the_model(source, name):
    (foreign,) = OUTPUT.load(as_rows([ONE], source))
    assert foreign.name == name


def test_recognition():
    assert all(map(recognises_output, (ONE, EIGHT, BARE)))
    assert not any(map(processbench.recognises, (ONE, EIGHT, BARE)))
    assert not recognises_output(row())
    assert not recognises_output(row(prediction=1))
    assert not recognises_output([ONE])
    assert processbench.recognises(row())
    assert processbench.recognises(row(prediction=1))


def test_a_file(tmp_path):
    path = tmp_path / "gsm8k_error.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in (ONE, {**EIGHT, "id": "sums-1"})))
    (foreign,) = OUTPUT.load(read_rows(path))
    assert foreign.rows["line"].to_list() == [1] + [2] * 8
    assert foreign.name == tmp_path.name


@given(st.lists(broken(ONE, EIGHT, BARE), max_size=4))
def test_hostile_rows_give_findings_and_no_exception(values):
    for value in values:
        recognises_output(value)
        processbench.recognises(value)
    assert_sound(OUTPUT.load(as_rows(values)), len(values))


def test_without_any_critique_it_is_a_prm_whose_verdicts_were_read_from_no_box():
    prm = one([BARE, {**BARE, "id": "sums-1", "generated_critique": None}])
    assert (prm.kind, dict(prm.settings)) == ("prm", {})
    assert "boxed" not in prm.label_base
    mixed = one([BARE, {**ONE, "id": "sums-1"}])
    assert mixed.kind == "critic"
    assert "boxed" in mixed.label_base


SOUND = row(label=1, responses=[0.9, 0.2, 0.7], PRM_CoT=["a", "b", "c"], match=1)


def one_rprm(*values):
    (foreign,) = RPRM.load(as_rows(values))
    return foreign


def test_numbers_are_rewards():
    foreign = one_rprm(SOUND)
    assert foreign.rows.row(0, named=True) == {
        **dict.fromkeys(foreign.rows.columns),
        "line": 1,
        "id": "sums-0",
        "problem": SOUND["problem"],
        "steps": SOUND["steps"],
        "gold": 1,
        "vote": 0,
        "run": 0,
        "rewards": [0.9, 0.2, 0.7],
    }
    assert (foreign.kind, foreign.benchmark, foreign.threshold, foreign.comparison) == ("prm", "processbench", 0.5, "<")
    assert (foreign.low, foreign.high) == (0, 1)
    assert not foreign.findings


@pytest.mark.parametrize("responses", [["Yes", "No", "Yes"], [0.5, "0.5", 0.5], [], [0.1, None], [[0.1]], "0.1", None])
def test_what_is_no_list_of_numbers_is_a_reason_and_a_finding(responses):
    foreign = one_rprm(SOUND, {**SOUND, "id": "b", "responses": responses})
    assert foreign.rows["rewards"].to_list()[1] is None
    assert foreign.rows["reason"].to_list()[1]
    assert {line for _, _, line in codes(foreign)} <= {2}
    assert codes(foreign) or responses is None


def test_texts_are_said_to_be_texts():
    (finding,) = one_rprm({**SOUND, "responses": ["Yes", "No", "Yes"]}).findings
    assert "texts" in finding.message


def test_numbers_that_are_not_finite_are_counted():
    foreign = one_rprm({**SOUND, "responses": [0.9, 0.2, float("nan")]})
    assert codes(foreign) == [("warning", "not-finite", 1)]


def test_solutions_judged_in_part_are_counted():
    foreign = one_rprm(SOUND, {**SOUND, "id": "b", "responses": [0.9, 0.2]})
    assert foreign.rows["rewards"].to_list()[1] == [0.9, 0.2]
    (finding,) = foreign.findings
    assert finding.code == "fewer-rewards"
    assert finding.message.startswith("1 of 2 ")


@pytest.mark.parametrize(
    ("match", "label", "responses", "differs"),
    [
        (1, -1, [0.5, 0.5, 0.5], False),
        (True, -1, [0.5, 0.5, 0.5], False),
        (0, -1, [0.5, 0.5, 0.5], True),
        (1, 1, [0.9, 0.49, 0.1], False),
        (1, 2, [0.9, 0.49, 0.1], True),
        (0, 2, [0.9, 0.49, 0.1], False),
        ("yes", 2, [0.9, 0.49, 0.1], False),
    ],
)
def test_a_match_is_compared_with_the_numbers(match, label, responses, differs):
    foreign = one_rprm({**SOUND, "match": match, "label": label, "responses": responses})
    assert codes(foreign) == ([("warning", "match-differs", 1)] if differs else [])


def test_recognition_rprm():
    assert recognises_rprm(SOUND)
    assert not processbench.recognises(SOUND)
    assert not recognises_rprm(row())
    assert not recognises_rprm({**SOUND, "responses": "text"})
    assert not recognises_rprm(None)


@given(st.lists(broken(SOUND), max_size=4))
def test_hostile_rows_give_findings_and_no_exception_rprm(values):
    for value in values:
        recognises_rprm(value)
    assert_sound(RPRM.load(as_rows(values)), len(values))
