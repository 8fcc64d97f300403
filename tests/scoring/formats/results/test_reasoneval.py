import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_json import ANY_JSON, rows_near
from benchmark_rows import reasoneval_pair, rows_of
from scoring.data.schema import METADATA
from scoring.formats.benchmarks import reasoneval_pairs
from scoring.formats.results import reasoneval
from scoring.formats.results.result_format import RESULT_COLUMNS
from scoring.importing.join import join
from thoroughness import up_to

THREE = [[0.1, 0.2, 0.7], [0.6, 0.1, 0.3]]
REASONEVAL = (
    *("reasoneval_abel-7b-002", "reasoneval_llama2-7b", "reasoneval_llemma-34b", "reasoneval_llemma-7b"),
    *("reasoneval_mistral-7b", "reasoneval_wizardmath-7b-v1.0", "reasoneval_wizardmath-7b-v1.1"),
)


def load(rows, *scores, source="eval_results/a-prm_eval_results.json"):
    values = [{"id": number, "scores": value} for number, value in enumerate(scores)]
    (found,) = reasoneval.load_scores(rows(*values, source=source))
    assert found.rows.schema == RESULT_COLUMNS
    return found


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_a_number_a_step(rows):
    found = load(rows, [0.9, 1, 0.25])
    assert found.rows.select("line", "id", "rewards", "redundancy").row(0) == (1, "0", [0.9, 1.0, 0.25], None)
    assert (found.name, found.kind, found.family, found.about) == ("a-prm", "prm", "", "")
    assert (found.threshold, found.comparison, found.benchmark) == (0.5, "<=", None)
    assert not found.findings


def test_three_numbers_a_step_are_negative_neutral_and_positive(rows):
    found = load(rows, THREE)
    (rewards,), (redundancy,) = found.rows["rewards"].to_list(), found.rows["redundancy"].to_list()
    assert rewards == pytest.approx([0.9, 0.4])
    assert redundancy == [0.2, 0.1]
    assert (found.kind, found.family) == ("prm", "reasoneval")
    assert (found.redundancy_threshold, found.threshold) == (0.15, 0.5)
    assert found.redundancy_threshold_source == "PRMBench's evaluation of ReasonEval"
    assert load(rows, [0.9]).redundancy_threshold is None
    assert not found.findings


def test_a_number_a_solution_is_no_prm(rows):
    found = load(rows, 0.03, 0.01, source="roscoe-sa_eval_results.json")
    assert found.rows["solution"].to_list() == [0.03, 0.01]
    assert found.rows["rewards"].null_count() == 2
    assert (found.name, found.kind, found.threshold) == ("roscoe-sa", "baseline", 0.025)
    assert found.about == "one number a solution: it cannot name steps"
    assert load(rows, 0.03).threshold == 0.5


@pytest.mark.parametrize("odd", [THREE, 0.5])
def test_a_row_of_another_shape_has_a_reason(rows, odd):
    found = load(rows, [0.9], odd, [0.8])
    assert found.rows["rewards"].to_list() == [[0.9], None, [0.8]]
    assert "where most rows of the file hold a number a step" in found.rows["reason"][1]
    assert codes(found) == [("warning", "other-shape", 2)]


@pytest.mark.parametrize("odd", [None, "0.5", [], {}, True, [None], ["x"]])
@pytest.mark.parametrize("usual", [[0.9], THREE, 0.5])
def test_a_row_without_numbers_has_a_reason(rows, usual, odd):
    found = load(rows, usual, usual, odd)
    assert found.rows["reason"].is_null().to_list() == [True, True, False]
    assert [code[::2] for code in codes(found)] == [("warning", 3)]


@pytest.mark.parametrize(
    "odd", [[[0.1, 0.9]], [[0.1, 0.2, 0.7], 0.5], [[0.1, 0.2, None]], [[0.1, 0.2, 0.3, 0.4]], [THREE, THREE, THREE]]
)
def test_a_step_without_three_numbers_costs_its_row(rows, odd):
    found = load(rows, THREE, odd)
    assert found.rows["reason"].to_list() == [None, "scores is not three numbers a step"]
    assert codes(found) == [("warning", "wrong-type", 2)]


def test_what_does_not_add_up_to_1_is_said_and_kept(rows):
    found = load(rows, [[0.5, 0.5, 0.5]])
    assert found.rows["rewards"].to_list() == [[1.0]]
    assert codes(found) == [("warning", "not-probabilities", 1)]


def test_numbers_that_are_not_finite_are_kept_and_said(rows):
    for scores in ([math.nan], [[math.nan, 0.0, 1.0]], math.nan):
        found = load(rows, scores)
        assert codes(found) == [("warning", "not-finite", 1)]
        assert found.rows["reason"].to_list() == [None]
        assert (found.low, found.high) == (0.0, 1.0)


def test_a_rid_names_the_right_solution_of_perturbation_pairs(rows):
    source = "eval_results/perturbation/a-prm_original_eval_results.json"
    (found,) = reasoneval.load_scores(rows({"rid": 4, "scores": [0.5]}, {"scores": [0.5]}, source=source))
    assert found.rows["id"].to_list() == ["original_4"]
    assert (found.name, found.benchmark) == ("a-prm", "reasoneval_pairs")
    assert codes(found) == [("error", "no-id", 2)]


def test_results_of_right_solutions_join_these_and_no_perturbed_one(rows):
    # Ids and numbers of steps are the same on both sides.
    imported = reasoneval_pairs.load(rows_of([reasoneval_pair(number, rid=number) for number in range(3)]))
    cases = pl.concat([imported.cases, imported.twins]).select(list(METADATA))
    scores = [[0.9, 0.8, 0.7], [0.6, 0.5, 0.4], [0.3, 0.2, 0.1]]
    for name, before in (("rid", "original_"), ("id", "")):
        (foreign,) = reasoneval.load_scores(rows(*({name: row, "scores": one} for row, one in enumerate(scores))))
        joined = join(foreign, cases)
        assert joined.rewards["case"].to_list() == [f"reasoneval_pairs/{before}{row}" for row in range(3)]
        assert joined.rewards["rewards"].to_list() == scores
        assert not joined.findings


@pytest.mark.parametrize("file", ["a_prm-34b_perturbed", "a_prm_34b_original", "a_prm-34b_original", "a_prm-34b"])
def test_both_sides_of_perturbation_pairs_are_one_scorers(rows, file):
    assert load(rows, [0.5], source=f"{file}_eval_results.json").name == "a_prm-34b"


@pytest.mark.parametrize(
    ("folder", "benchmark", "judges"),
    [
        ("eval_results/mr-math_invalid_errors", "mrmath", "errors"),
        ("eval_results\\mr-gsm8k", "mrmath", "errors"),
        ("mr-math_redundant_errors", "mrmath_redundant", "redundancy"),
        ("results.zip/mr-math_redundant_errors", "mrmath_redundant", "redundancy"),
        ("mr-math_redundant_errors_of_mine", None, ""),
        ("", None, ""),
    ],
)
def test_folders_of_the_repository_tell_what_ids_are_of(rows, folder, benchmark, judges):
    found = load(rows, 0.03, source=f"{folder}/roscoe-sa_eval_results.json")
    assert (found.benchmark, found.judges) == (benchmark, judges)
    # Numbers a step show by themselves what they are of.
    assert load(rows, [0.5], source=f"{folder}/a-prm_eval_results.json").judges == ""


def test_what_is_recognised():
    for scores in ([0.5], THREE, 0.5, 1, []):
        assert reasoneval.recognises_scores({"id": 1, "scores": scores})
    for other in (None, [], {"id": 1}, {"scores": [0.5]}, {"id": 1, "scores": {}}, {"id": 1, "scores": True}):
        assert not reasoneval.recognises_scores(other)


def test_nothing_escapes(rows):
    near = st.lists(st.sampled_from([[0.5], THREE, 0.5]) | st.lists(st.lists(ANY_JSON, max_size=3), max_size=2))

    @given(
        near.map(lambda every: [{"id": n, "scores": one} for n, one in enumerate(every)])
        | rows_near({"id": 1, "scores": THREE})
    )
    def run(values):
        (found,) = reasoneval.load_scores(rows(*values))
        assert found.rows.schema == RESULT_COLUMNS
        given_ = found.rows["rewards"].is_not_null() | found.rows["solution"].is_not_null()
        assert (given_ == found.rows["reason"].is_null()).all()
        assert found.read == len(values)

    run()


@pytest.mark.parametrize("scorer", REASONEVAL)
def test_published_reasoneval(mr_math_results, scorer):
    (found,) = reasoneval.load_scores(mr_math_results(scorer))
    assert (found.name, found.kind, found.read, found.rows.height) == (scorer, "prm", 159, 159)
    assert found.rows["id"].n_unique() == 159
    assert found.rows["rewards"].list.len().sum() == found.rows["redundancy"].list.len().sum() == 1_721
    assert not found.findings


def test_published_math_shepherd(mr_math_results):
    (found,) = reasoneval.load_scores(mr_math_results("math-shepherd_mistral-7b"))
    assert (found.kind, found.rows.height, found.rows["rewards"].list.len().sum()) == ("prm", 159, 1_721)
    assert found.rows["redundancy"].null_count() == 159
    assert found.rows["rewards"][0].round(4).to_list() == [0.6945, 0.6250, 0.8713, 0.7920, 0.7092]
    assert not found.findings


@pytest.mark.parametrize("scorer", ["roscoe-sa", "roscoe-ss"])
def test_published_roscoe(mr_math_results, scorer):
    (found,) = reasoneval.load_scores(mr_math_results(scorer))
    assert (found.name, found.kind, found.rows.height) == (scorer, "baseline", 159)
    assert found.rows["solution"].null_count() == 0
    assert not found.findings


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
    assert reasoneval.judgement(correctness, step) == (read, None)


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
    assert reasoneval.judgement(correctness, step) == (None, why)


@given(st.text(), st.text())
def test_a_judgement_is_a_number_or_a_reason(correctness, step):
    read, why = reasoneval.judgement(correctness, step)
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
    assert reasoneval.redundancy(presence, steps) == (read, None)


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
    assert reasoneval.redundancy(presence, steps) == (None, why)


@given(st.text() | st.sampled_from(["Present", "Absent"]), st.text())
def test_a_judgement_of_redundancy_is_steps_or_a_reason(presence, steps):
    read, why = reasoneval.redundancy(presence, steps)
    assert (read is None) == (why is not None)
    assert read is None or (read == sorted(set(read)) and all(0 <= step < 2**31 for step in read))


def test_every_step_named_is_redundant_and_no_other(rows):
    found = load_critic(
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
    found = load_critic(
        rows, {}, {"correctness_pred": "Present"}, {"correctness_pred": "Correct", "error_step_pred": "N/A"}
    )
    assert found.judges == "errors"
    assert found.rows["named_steps"].null_count() == 3
    assert found.rows["reason"].to_list() == [None, "the judgement is neither correct nor wrong: Present", None]


def load_critic(rows, *changes):
    values = [{**ROW, "id": number, **change} for number, change in enumerate(changes)]
    assert all(map(reasoneval.recognises_judgements, values))
    (found,) = reasoneval.load_judgements(rows(*values, source="eval_results/judge_eval_results.json"))
    assert found.rows.schema == RESULT_COLUMNS
    return found


def test_steps_count_from_1(rows):
    found = load_critic(rows, {}, {"correctness_pred": "Correct", "error_step_pred": "N/A"}, {"error_step_pred": "0"})
    assert found.rows.select("line", "id", "answer", "ballot", "verdict", "reason").rows() == [
        (1, "0", "The second adds 3.", "2", 1, None),
        (2, "1", "The second adds 3.", "-1", -1, None),
        (3, "2", "The second adds 3.", "0", -2, None),
    ]
    assert (found.name, found.kind, found.benchmark) == ("judge", "critic", None)
    assert "tolerantly" in found.label_base
    assert codes(found) == [("note", "tolerant-reading", None)]


def test_what_is_unparsed_is_kept_with_its_reason_and_counted(rows):
    found = load_critic(rows, {"error_step_pred": "N/A"}, {}, {"correctness_pred": None})
    assert found.rows["verdict"].to_list() == [None, 1, None]
    assert found.rows["ballot"].to_list() == [None, "2", None]
    assert codes(found) == [
        ("warning", "unparsed", 1),
        ("warning", "unparsed", 3),
        ("note", "tolerant-reading", None),
    ]
    assert "2 of 3 are unparsed" in found.findings[-1].message


def test_a_step_may_be_a_number(rows):
    assert load_critic(rows, {"error_step_pred": 3}).rows["verdict"].to_list() == [2]
    found = load_critic(rows, {"error_step_pred": [3]})
    assert found.rows["verdict"].to_list() == [None]
    assert ("warning", "wrong-type", 1) in codes(found)


def test_what_is_recognised_critic():
    for other in (None, [], {}, {"id": 1, "correctness_pred": "Correct"}):
        assert not reasoneval.recognises_judgements(other)


def test_nothing_escapes_critic(rows):
    @up_to(100, 12)
    @given(rows_near(ROW))
    def run(values):
        (found,) = reasoneval.load_judgements(rows(*values))
        assert found.rows.schema == RESULT_COLUMNS
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
    (found,) = reasoneval.load_judgements(mr_math_results(scorer))
    assert (found.name, found.kind, found.read, found.rows.height) == (scorer, "critic", 159, 159)
    left = found.rows.filter(pl.col("verdict").is_null())
    assert dict(left.select("id", "reason").rows()) == unparsed
    assert found.rows["verdict"].eq(-1).sum() == clean
    assert found.rows["answer"].null_count() == 0
    assert f"{len(unparsed)} of 159 are unparsed" in found.findings[-1].message
