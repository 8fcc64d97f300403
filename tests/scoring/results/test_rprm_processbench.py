import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import row
from broken_rows import as_rows, assert_sound, broken
from scoring.benchmarks import processbench
from scoring.results.rprm_processbench import load, recognises

SOUND = row(label=1, responses=[0.9, 0.2, 0.7], PRM_CoT=["a", "b", "c"], match=1)


def one(*values):
    (foreign,) = load(as_rows(values))
    return foreign


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_numbers_are_rewards():
    foreign = one(SOUND)
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
    foreign = one(SOUND, {**SOUND, "id": "b", "responses": responses})
    assert foreign.rows["rewards"].to_list()[1] is None
    assert foreign.rows["reason"].to_list()[1]
    assert {line for _, _, line in codes(foreign)} <= {2}
    assert codes(foreign) or responses is None


def test_texts_are_said_to_be_texts():
    (finding,) = one({**SOUND, "responses": ["Yes", "No", "Yes"]}).findings
    assert "texts" in finding.message


def test_numbers_that_are_not_finite_are_counted():
    foreign = one({**SOUND, "responses": [0.9, 0.2, float("nan")]})
    assert codes(foreign) == [("warning", "not-finite", 1)]


def test_solutions_judged_in_part_are_counted():
    foreign = one(SOUND, {**SOUND, "id": "b", "responses": [0.9, 0.2]})
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
    foreign = one({**SOUND, "match": match, "label": label, "responses": responses})
    assert codes(foreign) == ([("warning", "match-differs", 1)] if differs else [])


def test_recognition():
    assert recognises(SOUND)
    assert not processbench.recognises(SOUND)
    assert not recognises(row())
    assert not recognises({**SOUND, "responses": "text"})
    assert not recognises(None)


@given(st.lists(broken(SOUND), max_size=4))
def test_hostile_rows_give_findings_and_no_exception(values):
    for value in values:
        recognises(value)
    assert_sound(load(as_rows(values)), len(values))
