import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from benchmark_rows import PROBLEM, STEPS, mrmath, mrmath_redundant, rows_of
from scoring.data.schema import CASES, METADATA, REWARDS, content_key
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.mrmath_redundant import STEP_LABELLED, load, recognises
from scoring.metrics.step_labels import step_rows
from thoroughness import up_to


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(**changes):
    imported = load(rows_of([mrmath_redundant(**changes)]))
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True), imported


def test_a_row_becomes_a_case():
    case, imported = one()
    assert imported.cases.schema == CASES
    assert case == {
        **dict.fromkeys(CASES),
        "case": "mrmath_redundant/0",
        "key": content_key(PROBLEM, STEPS),
        "benchmark": "mrmath_redundant",
        "id": "0",
        "generator": "a-model",
        "n_steps": 3,
        "earliest_error": 1,
        "error_steps": [1],
        "error_type": "redundancy",
        "problem_id": problem_id(PROBLEM),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS,
        "reference_answer": "12",
    }


def test_what_the_labels_mean_is_said_with_the_evidence():
    imported = load(rows_of([mrmath_redundant(), mrmath_redundant(1, rating=[1, 1, 1]), mrmath_redundant(2, rating=5)]))
    assert imported.label_base == "ratings of steps: 1 = needed, 0 = right but redundant (5 are 1, 1 are 0)"
    assert codes(imported) == [("warning", "wrong-type"), ("note", "redundant-steps")]
    assert "none of which is wrong" in imported.findings[-1].message


@pytest.mark.parametrize(
    ("rating", "earliest", "steps", "code"),
    [
        ([1, 1, 1], -1, [], None),
        ([1.0, 0.0, 0], 1, [1, 2], None),
        ([1, -1, 0], 2, None, "bad-label"),
        ([1, True, 1], None, None, "bad-label"),
        ([1, None, 1], None, None, "bad-label"),
        ([1, 1], None, None, "label-count"),
        ([1, 1, 1, 0], -1, [], "label-count"),
        ("1, 1, 1", None, None, "wrong-type"),
        (None, None, None, "wrong-type"),
    ],
)
def test_ratings(rating, earliest, steps, code):
    case, imported = one(rating=rating)
    assert (case["earliest_error"], case["error_steps"]) == (earliest, steps)
    assert codes(imported)[:-1] == ([] if code is None else [("warning", code)])


def test_steps_are_read_as_in_the_first_set():
    imported = load(rows_of([mrmath_redundant(model_output_step_format=[["a", "b"], ["c"], ["d"]])]))
    assert imported.cases["steps"][0].to_list() == ["a\nb", "c", "d"]
    assert imported.cases["sub_steps"][0].to_list() == [2, 1, 1]
    assert codes(imported) == [("note", "redundant-steps"), ("note", "grouped-steps")]
    assert codes(load(rows_of([mrmath_redundant(question=5)]))) == [("error", "wrong-type")]


def test_recognition():
    assert recognises(mrmath_redundant())
    for value in (None, [], {}, mrmath(), {**mrmath(), "rating": [1, 0, 1]}, mrmath_redundant(rating=...)):
        assert not recognises(value)


def macro_f1(pairs):
    """The mean of the F1s of needed and of redundant steps, of (rating, judged needed), as its authors compute it."""
    found = []
    for side in (True, False):
        wanted = [judged == side for rating, judged in pairs if bool(rating) == side]
        said = [bool(rating) == side for rating, judged in pairs if judged == side]
        precision, recall = sum(said) / len(said), sum(wanted) / len(wanted)
        found.append(2 * precision * recall / (precision + recall))
    return sum(found) / 2


@up_to(100, 12)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0.0, 0.1, 0.15, 0.2, 0.9])), min_size=1),
        min_size=1,
        max_size=8,
    )
)
def test_prmscore_is_the_macro_f1_of_steps_that_its_authors_report(solutions):
    # So that neither side is without a right and a wrong judgement.
    solutions = [*solutions, [(0, 0.9), (1, 0.0), (0, 0.0), (1, 0.9)]]
    cases = load(
        rows_of(
            mrmath_redundant(
                at,
                question=f"{PROBLEM} {at}",
                rating=[rating for rating, _ in solution],
                model_output_step_format=[[f"step {step}"] for step in range(len(solution))],
            )
            for at, solution in enumerate(solutions)
        )
    ).cases
    rewards = pl.DataFrame(
        [
            {"key": key, "vote": 0, "rewards": [0.9] * len(solution), "redundancy": [said for _, said in solution]}
            for key, solution in zip(cases["key"], solutions, strict=True)
        ],
        schema=REWARDS,
    )
    found = evaluate(
        Gold(cases.select(list(METADATA))),
        making.scorer(redundancy_threshold=0.15),
        rewards,
        Rule(0.5, "<=", "chosen"),
    )
    rows = step_rows(found, np.ones(len(solutions), dtype=bool), STEP_LABELLED)
    (value,) = (row["value"] for row in rows if (row["subset"], row["metric"]) == ("all", "prmscore"))
    expected = macro_f1([(rating, said <= 0.15) for solution in solutions for rating, said in solution])
    assert value == pytest.approx(expected, abs=1e-12)
