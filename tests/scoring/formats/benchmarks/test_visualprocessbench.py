"""VisualProcessBench: labels of three kinds, and images that are named."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from benchmark_rows import PROBLEM, STEPS, rows_of
from benchmark_rows import visualprocessbench as row
from scoring.data.schema import CASES, METADATA, REWARDS, conform, content_key
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.case_format import problem_id
from scoring.formats.benchmarks.visualprocessbench import load, recognises
from scoring.metrics.official_rows import CountingRules, figures_of
from thoroughness import up_to


def one(value):
    imported = load(rows_of([value]))
    assert imported.cases.height == 1, imported.findings
    return imported.cases.row(0, named=True), imported


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def test_a_row_becomes_a_case():
    case, imported = one(row())
    assert case == {
        **dict.fromkeys(CASES),
        "case": "visualprocessbench/0",
        "key": content_key(PROBLEM, STEPS),
        "benchmark": "visualprocessbench",
        "id": "0",
        "subset": "a-collection",
        "generator": "a-model",
        "n_steps": 3,
        "earliest_error": 2,
        "error_steps": [2],
        "neutral_steps": [1],
        "problem_id": problem_id(f"{PROBLEM}\nimages/pens.png"),
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS,
        "reference_answer": "12",
    }
    assert codes(imported) == [("note", "neutral-steps"), ("note", "images")]
    assert imported.label_base == ("labels of steps: 1 = right, -1 = wrong, 0 = neutral (1 are 1, 1 are -1, 1 are 0)")
    assert imported.metadata.to_dicts() == [{"image": "images/pens.png"}]


@pytest.mark.parametrize(
    ("labels", "earliest", "wrong", "neutral", "code"),
    [
        ([1, 1, 1], -1, [], [], None),
        ([0, 0, 1], -1, [], [0, 1], "neutral-steps"),
        ([-1, 1, -1], 0, [0, 2], [], None),
        ([1.0, -1.0, 0.0], 1, [1], [2], "neutral-steps"),
        ([1, 1], None, None, [], "label-count"),
        ([1, -1], 1, None, [], "label-count"),
        ([1, 1, 1, -1], -1, [], [], "label-count"),
        ([1, 2, 1], None, None, [], "bad-label"),
        ([1, True, -1], 2, None, [], "bad-label"),
    ],
)
def test_labels_say_right_wrong_or_neither(labels, earliest, wrong, neutral, code):
    case, imported = one(row(labels))
    assert (case["earliest_error"], case["error_steps"], case["neutral_steps"]) == (earliest, wrong, neutral)
    assert [found for _, found in codes(imported)] == [*([code] if code else []), "images"]


@pytest.mark.parametrize(
    ("image", "names", "code"),
    [
        (["a.png", "b/c.jpg"], "a.png\nb/c.jpg", None),
        ("a.png", "a.png", None),
        ([], None, None),
        (..., None, None),
        (["a.png", 7, "", "two\nlines"], "a.png", "bad-image"),
        ({"bytes": "no"}, None, "bad-image"),
    ],
)
def test_pictures_are_names(image, names, code):
    _, imported = one(row((1, 1, 1), image=image))
    assert imported.metadata.to_dicts() == ([{"image": names}] if imported.metadata.columns else [{}])
    assert imported.metadata.columns == (["image"] if names else [])
    assert [found for _, found in codes(imported)] == [*([code] if code else []), *(["images"] if names else [])]


def test_one_question_of_two_pictures_is_two_problems():
    cases = load(rows_of([row(), row(image=["other.png"]), row(policy_model="another")])).cases
    first, other, same = cases["problem_id"]
    assert first == same != other


@pytest.mark.parametrize("response", [None, [], {"steps": []}, {"steps": "text"}])
def test_a_row_without_usable_steps_is_left_out(response):
    imported = load(rows_of([row((1, 1, 1)), row(response=response)]))
    assert imported.cases["id"].to_list() == ["0"]
    assert "error" in {severity for severity, _ in codes(imported)}
    assert not recognises(row(response=response))


def macro_f1(labels, scores, threshold):
    """The mean of the F1s of right and of wrong steps, pooled; neutral steps are left out; None where undefined."""
    pairs = [
        (label == 1, score > threshold)
        for of_case, of_scorer in zip(labels, scores, strict=True)
        for label, score in zip(of_case, of_scorer, strict=True)
        if label != 0
    ]
    f1s = []
    for side in (True, False):
        hits = sum(gold == judged == side for gold, judged in pairs)
        others = sum((gold == side) != (judged == side) for gold, judged in pairs)
        f1s.append(2 * hits / (2 * hits + others) if hits else None)
    return None if None in f1s else sum(f1s) / 2


STEP = st.tuples(st.sampled_from([1, 0, -1]), st.sampled_from([0.2, 0.85, 0.9, 1.0]))


@up_to(100, 12)
@given(st.lists(st.lists(STEP, min_size=1, max_size=4), min_size=1, max_size=5))
def test_the_official_figure_is_the_macro_f1_of_steps_that_are_right_or_wrong(cases):
    labels, scores = [[[step[part] for step in case] for case in cases] for part in (0, 1)]
    rows = [row(of_case, [f"{at} of {case}" for at in range(len(of_case))]) for case, of_case in enumerate(labels)]
    frame = load(rows_of(rows)).cases.select(list(METADATA))
    rewards = pl.DataFrame({"key": frame["key"], "vote": 0, "rewards": scores}, schema_overrides={"vote": pl.Int32})
    evaluation = evaluate(
        Gold(frame), making.scorer(), conform(rewards, REWARDS, "rewards"), Rule(0.85, "<=", "chosen")
    )
    figures = figures_of(evaluation, "visualprocessbench", evaluation.gold.known, CountingRules(seed=None))
    (found,) = (figure for figure in figures if (figure["subset"], figure["metric"]) == ("all", "prmscore"))
    expected = macro_f1(labels, scores, 0.85)
    assert found["value"] == (None if expected is None else pytest.approx(expected, abs=1e-12))
    assert found["n"] == sum(label != 0 for of_case in labels for label in of_case)
