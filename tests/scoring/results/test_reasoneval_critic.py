import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_json import rows_near
from scoring.results import reasoneval_critic
from scoring.results.foreign import FOREIGN

ROW = {"id": 1, "response": "The second adds 3.", "correctness_pred": "Wrong", "error_step_pred": "Step 2"}


@pytest.mark.parametrize(
    ("correctness", "step", "read"),
    [
        ("Correct", "N/A", -1),
        ("correct", "n/a.", -1),
        ("**Correct**", "", -1),
        ("right.", "None", -1),
        ("Correct", "-1", -1),
        ("not wrong", "N / A", -1),
        ("Wrong", "3", 3),
        ("wrong.", "4.", 4),
        ("Incorrect", "Step 4", 4),
        ("**Wrong**", "**Step 2**", 2),
        ("Not correct", "2", 2),
        ("Wrong", "Step 3, Case 2", 3),
        ("Wrong", "Step-5", 5),
        ("Wrong", "steps 6 and 2", 6),
        ("Wrong", "0", 0),
        ("Wrong", "9" * 30, 999_999_999),
    ],
)
def test_judgements(correctness, step, read):
    assert reasoneval_critic.judgement(correctness, step) == (read, None)


@pytest.mark.parametrize(
    ("correctness", "step", "why"),
    [
        ("Wrong", "N/A", "judged wrong, and no step is named: N/A"),
        ("Wrong", "-1", "judged wrong, and no step is named: -1"),
        ("Wrong", "the last", "judged wrong, and no step is named: the last"),
        ("Correct", "Step 3", "judged correct, yet a step is named: Step 3"),
        ("Present", "3", "the judgement is neither correct nor wrong: Present"),
        ("partially correct", "3", "the judgement is neither correct nor wrong: partially correct"),
        ("correct or wrong", "3", "the judgement is neither correct nor wrong: correct or wrong"),
        ("", "", "the judgement is neither correct nor wrong: (nothing)"),
        ("not", "3", "the judgement is neither correct nor wrong: not"),
        ("x" * 50, "3", f"the judgement is neither correct nor wrong: {'x' * 39}…"),
    ],
)
def test_what_cannot_be_read(correctness, step, why):
    assert reasoneval_critic.judgement(correctness, step) == (None, why)


@given(st.text(), st.text())
def test_a_judgement_is_a_number_or_a_reason(correctness, step):
    read, why = reasoneval_critic.judgement(correctness, step)
    assert (read is None) == (why is not None)
    assert read is None or -1 <= read < 2**31


@pytest.mark.parametrize(
    ("presence", "steps", "read"),
    [
        ("Absent", "N/A", []),
        ("absent.", "", []),
        ("not present", "-1", []),
        ("Present", "3", [3]),
        ("**Present.**", "Steps 4, 2 and 4.", [2, 4]),
        ("Neutral steps **are present**.", "[1, 4]", [1, 4]),
        ("not absent", "Step 1, Step 3", [1, 3]),
        ("Present", "N/A", [0]),
        ("Present", "0, 0, 0", [0]),
        ("Present", "9" * 30, [999_999_999]),
    ],
)
def test_judgements_of_redundancy(presence, steps, read):
    assert reasoneval_critic.redundancy(presence, steps) == (read, None)


@pytest.mark.parametrize(
    ("presence", "steps", "why"),
    [
        ("Absent", "1, 2", "judged absent, yet a step is named: 1, 2"),
        ("", "N/A", "the judgement is neither present nor absent: (nothing)"),
        ("Wrong", "3", "the judgement is neither present nor absent: Wrong"),
        ("present or absent", "3", "the judgement is neither present nor absent: present or absent"),
        ("None are present", "3", "the judgement is neither present nor absent: None are present"),
    ],
)
def test_what_cannot_be_read_of_redundancy(presence, steps, why):
    assert reasoneval_critic.redundancy(presence, steps) == (None, why)


@given(st.text() | st.sampled_from(["Present", "Absent"]), st.text())
def test_a_judgement_of_redundancy_is_steps_or_a_reason(presence, steps):
    read, why = reasoneval_critic.redundancy(presence, steps)
    assert (read is None) == (why is not None)
    assert read is None or (read == sorted(set(read)) and all(0 <= step < 2**31 for step in read))


def test_every_step_named_is_redundant_and_no_other(rows):
    found = load(
        rows,
        {"correctness_pred": "Present", "error_step_pred": "Steps 3, 1"},
        {"correctness_pred": "Absent", "error_step_pred": "N/A"},
        {"correctness_pred": "Present", "error_step_pred": "N/A"},
        {"correctness_pred": "Wrong", "error_step_pred": "2"},
        {"correctness_pred": "Absent", "error_step_pred": "2"},
    )
    assert found.judges == "redundancy"
    assert found.rows["named_steps"].to_list() == [[0, 2], [], None, None, None]
    assert found.rows["verdict"].to_list() == [0, -1, -2, None, None]
    assert found.rows["ballot"].to_list() == ["1, 3", "-1", "present", None, None]
    assert found.rows["reason"].is_not_null().to_list() == [False, False, False, True, True]
    assert codes(found)[:2] == [("warning", "unparsed", 4), ("warning", "unparsed", 5)]
    assert "2 of 5 are unparsed" in found.findings[-1].message
    assert '1 say "Present" and name no step' in found.findings[-1].message
    assert "every number" in found.label_base
    assert (found.threshold, found.low, found.high) == (0.5, -1.0, 1.0)


def test_a_file_judges_what_most_of_its_rows_do(rows):
    found = load(rows, {}, {"correctness_pred": "Present"}, {"correctness_pred": "Correct", "error_step_pred": "N/A"})
    assert found.judges == "errors"
    assert found.rows["named_steps"].null_count() == 3
    assert found.rows["reason"].to_list() == [None, "the judgement is neither correct nor wrong: Present", None]


def load(rows, *changes):
    values = [{**ROW, "id": number, **change} for number, change in enumerate(changes)]
    assert all(map(reasoneval_critic.recognises, values))
    (found,) = reasoneval_critic.load(rows(*values, source="eval_results/judge_eval_results.json"))
    assert found.rows.schema == FOREIGN
    return found


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_steps_count_from_1(rows):
    found = load(rows, {}, {"correctness_pred": "Correct", "error_step_pred": "N/A"}, {"error_step_pred": "0"})
    assert found.rows.select("line", "id", "answer", "ballot", "verdict", "reason").rows() == [
        (1, "0", "The second adds 3.", "2", 1, None),
        (2, "1", "The second adds 3.", "-1", -1, None),
        (3, "2", "The second adds 3.", "0", -2, None),
    ]
    assert (found.name, found.kind, found.benchmark) == ("judge", "critic", None)
    assert "tolerantly" in found.label_base
    assert codes(found) == [("note", "tolerant-reading", None)]


def test_what_is_unparsed_is_kept_with_its_reason_and_counted(rows):
    found = load(rows, {"error_step_pred": "N/A"}, {}, {"correctness_pred": None})
    assert found.rows["verdict"].to_list() == [None, 1, None]
    assert found.rows["ballot"].to_list() == [None, "2", None]
    assert codes(found) == [
        ("warning", "unparsed", 1),
        ("warning", "unparsed", 3),
        ("note", "tolerant-reading", None),
    ]
    assert "2 of 3 are unparsed" in found.findings[-1].message


def test_a_step_may_be_a_number(rows):
    assert load(rows, {"error_step_pred": 3}).rows["verdict"].to_list() == [2]
    found = load(rows, {"error_step_pred": [3]})
    assert found.rows["verdict"].to_list() == [None]
    assert ("warning", "wrong-type", 1) in codes(found)


def test_what_is_recognised():
    for other in (None, [], {}, {"id": 1, "correctness_pred": "Correct"}):
        assert not reasoneval_critic.recognises(other)


def test_nothing_escapes(rows):
    @given(rows_near(ROW))
    def run(values):
        (found,) = reasoneval_critic.load(rows(*values))
        assert found.rows.schema == FOREIGN
        assert (found.rows["verdict"].is_null() == found.rows["reason"].is_not_null()).all()
        assert found.read == len(values)

    run()


@pytest.mark.parametrize(
    ("scorer", "clean", "unparsed"),
    [
        # One solution is judged wrong without a step, two are judged correct with one.
        ("gpt4", 43, {"131": "judged wrong, and no step is named: N/A"}),
        (
            "gpt3_5_turbo",
            87,
            {
                "54": "judged correct, yet a step is named: Step 4",
                "71": "judged correct, yet a step is named: Step 3",
            },
        ),
    ],
)
def test_published_critics(mr_math_results, scorer, clean, unparsed):
    (found,) = reasoneval_critic.load(mr_math_results(scorer))
    assert (found.name, found.kind, found.read, found.rows.height) == (scorer, "critic", 159, 159)
    left = found.rows.filter(pl.col("verdict").is_null())
    assert dict(left.select("id", "reason").rows()) == unparsed
    assert found.rows["verdict"].eq(-1).sum() == clean
    assert found.rows["answer"].null_count() == 0
    assert f"{len(unparsed)} of 159 are unparsed" in found.findings[-1].message
