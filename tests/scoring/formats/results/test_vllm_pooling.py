import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broken_rows import as_rows, assert_sound, broken
from scoring.formats.results.vllm_pooling import load, recognises

PAIRS = [[0.25, 0.75], [0.875, 0.125]]


def response(*data, number=0, **changes):
    items = [{"index": index, "object": "pooling", "data": each} for index, each in enumerate(data or (PAIRS,))]
    sound = {
        "id": f"pool-{number}",
        "object": "list",
        "created": 1,
        "model": "a-prm",
        "data": items,
        "usage": {"prompt_tokens": 9, "total_tokens": 9},
    }
    return {**sound, **changes}


def batch(body=None, number=0, **changes):
    answer = {"status_code": 200, "request_id": "r", "body": body or response()}
    return {"id": "vllm-1", "custom_id": f"gsm8k-{number}", "response": answer, "error": None, **changes}


def encoded(*values, code="f"):
    return base64.b64encode(struct.pack(f"<{len(values)}{code}", *values)).decode()


def one(*values):
    (foreign,) = load(as_rows(values))
    return foreign


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_the_second_number_of_each_step_is_its_reward():
    foreign = one(batch(number=7))
    assert foreign.rows.select("line", "id", "rewards", "reason").rows() == [(1, "gsm8k-7", [0.75, 0.125], None)]
    assert (foreign.name, foreign.kind, foreign.low, foreign.high) == ("a-prm", "prm", 0, 1)
    assert not foreign.findings


def test_the_id_is_the_batchs_whatever_the_order():
    foreign = one(batch(number=2), batch(number=0), batch(number=1))
    assert foreign.rows["id"].to_list() == ["gsm8k-2", "gsm8k-0", "gsm8k-1"]


def test_a_bare_response_has_the_id_of_its_request():
    foreign = one(response(number=3))
    assert foreign.rows["id"].to_list() == ["pool-3"]
    assert codes(foreign) == [("note", "server-id", 1)]


@pytest.mark.parametrize("row", [batch(custom_id=None), batch(custom_id=" "), batch(response(PAIRS, PAIRS))])
def test_what_names_no_case_is_said(row):
    foreign = one(row)
    assert foreign.rows["id"].null_count() == foreign.rows.height
    assert {code for _, code, _ in codes(foreign)} == {"no-id"}


def test_every_solution_of_a_response_is_a_row():
    foreign = one(batch(response(PAIRS, [[0.5, 0.5]])))
    assert foreign.rows["rewards"].to_list() == [[0.75, 0.125], [0.5]]


@pytest.mark.parametrize(
    ("data", "rewards"),
    [
        (PAIRS, [0.75, 0.125]),
        ([PAIRS], [0.75, 0.125]),
        ([[0.75], [0.125]], [0.75, 0.125]),
        ([[[0.75], [0.125]]], [0.75, 0.125]),
        ([[0.25, 0.75]], [0.75]),
        ([0.75, 0.125], [0.75, 0.125]),
    ],
)
def test_shapes(data, rewards):
    foreign = one(batch(response(data)))
    assert foreign.rows["rewards"].to_list() == [rewards]
    assert not foreign.findings


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ([[0.1, 0.2, 0.7]], "wrong-shape"),
        ([[0.5], [0.5, 0.5]], "wrong-shape"),
        ([PAIRS, PAIRS], "wrong-type"),
        ([[]], "wrong-shape"),
        ([], "no-numbers"),
        ([0.5, [0.5]], "wrong-type"),
        ([["0.5"]], "wrong-type"),
        ({}, "wrong-type"),
        ("no base64!", "bad-base64"),
        (encoded(0.5)[:-1], "bad-base64"),
        (base64.b64encode(b"12345").decode(), "bad-base64"),
        ("", "bad-base64"),
    ],
)
def test_what_holds_no_number_a_step_has_a_reason_and_a_finding(data, code):
    foreign = one(batch(response(data)), batch(number=1))
    assert foreign.rows["rewards"].to_list() == [None, [0.75, 0.125]]
    assert foreign.rows["reason"].to_list() == ["the response holds no number for each step", None]
    assert codes(foreign) == [("warning", code, 1)]


@pytest.mark.parametrize(
    ("data", "rewards"),
    [
        ([encoded(0.25, 0.75, 0.875, 0.125)], [[0.75, 0.125]]),
        ([encoded(0.25, 0.75, 0.5)], [[0.25, 0.75, 0.5]]),
        # What could be a pair by itself is none beside others that are not.
        ([encoded(0.25, 0.75), encoded(0.5, 0.25)], [[0.25, 0.75], [0.5, 0.25]]),
    ],
)
def test_base64_is_float32_and_its_shape_is_told_from_the_sums(data, rewards):
    foreign = one(*(batch(response(text), number) for number, text in enumerate(data)))
    assert foreign.rows["rewards"].to_list() == rewards
    assert {code for _, code, _ in codes(foreign)} == {"base64"}


def test_numbers_that_are_not_finite_are_counted():
    foreign = one(batch(response([[0.5], [float("nan")]])), batch(response(encoded(0.5, float("inf"), 0.5)), number=1))
    assert [code for _, code, _ in codes(foreign)] == ["not-finite", "base64", "not-finite"]


def test_raw_logits_are_taken_as_they_are_and_said():
    foreign = one(batch(response([[-1.0, 3.5], [0.5, -2.0]])))
    assert foreign.rows["rewards"].to_list() == [[3.5, -2.0]]
    assert (foreign.low, foreign.high) == (-2, 4)
    assert [code for _, code, _ in codes(foreign)] == ["no-probabilities"] * 2


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (batch(response=None, error={"message": "too long"}), "the request failed: too long"),
        (batch(response=None, error="too long"), "the request failed: too long"),
        (
            batch(response={"status_code": 400, "body": {"error": {"message": "too long"}}}),
            "the request failed with status 400: too long",
        ),
        (batch(response={"status_code": 500}), "the request failed with status 500: no reason given"),
    ],
)
def test_a_failed_request_is_a_reason_of_the_only_model(row, reason):
    foreign = one(row, batch(number=1))
    assert foreign.name == "a-prm"
    assert foreign.rows["reason"].to_list() == [reason, None]
    assert ("warning", "failed-request", 1) in codes(foreign)


def test_two_models_are_two_scorers():
    first, second = load(as_rows([batch(), batch(response(model="another"))]))
    assert (first.name, second.name) == ("a-prm", "another")
    assert first.rows["id"].to_list() == second.rows["id"].to_list() == ["gsm8k-0"]


def test_recognition():
    assert recognises(response())
    assert recognises(batch())
    assert recognises(batch(response=None, error="too long"))
    assert not recognises(batch({"choices": []}))
    assert not recognises(response(data=[{"object": "embedding", "data": [1.0]}]))
    assert not recognises([response()])


@given(st.lists(broken(response(), batch(), batch(response(encoded(0.5, 0.5)))), max_size=4))
def test_hostile_rows_give_findings_and_no_exception(values):
    for value in values:
        recognises(value)
    assert_sound(load(as_rows(values)))


@given(st.text() | st.binary().map(lambda raw: base64.b64encode(raw).decode()))
def test_any_text_for_data(text):
    assert_sound(load(as_rows([batch(response(text))])), 1)
