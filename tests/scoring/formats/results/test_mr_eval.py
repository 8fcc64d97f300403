import json
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_json import rows_near
from scoring.formats.results import mr_eval
from scoring.formats.results.mr_eval import label_threshold
from scoring.formats.results.result_format import RESULT_COLUMNS
from thoroughness import up_to

SAID = ("rewards", "labels", "redundancy", "redundancy_labels", "solution", "reason")
"""One of these every row must have."""


def scores(*validity, labels=None, **more):
    found = {"step_level_validity_scores": list(validity)}
    if labels is not None:
        found["step_level_validity_labels"] = labels
    return {**found, **more}


def record(idx="circular_sums_1", rewards=(0.9, 0.2), labels=(True, False), **more):
    return {"scores": scores(*rewards, labels=list(labels)), "idx": idx, **more}


def checkpoint(results, model="a-prm", task="prmtest_classified"):
    return {"task_name": task, "model_name": model, "results": results}


def final(*logs, model="a-prm", task="prmtest_classified", **figures):
    return {"detailed_logs": list(logs), "task_name": task, "model_name": model, **figures}


def log(prediction, error_steps=(2,), idx="circular_sums_1"):
    return {
        "idx": idx,
        "error_steps": list(error_steps),
        "classifcation": "circular",
        "prediction": prediction,
        "results": {},
    }


def load(rows, *values, source="runs/judge_checkpoint.jsonl"):
    source = rows(*values, source=source)
    assert all(map(mr_eval.recognises, values))
    return mr_eval.load(source)


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


@pytest.mark.parametrize(
    ("value", "name"),
    [(checkpoint(record()), "a-prm"), (record(), "judge"), (final(log(record())), "a-prm")],
)
def test_a_record_is_the_same_in_every_kind_of_line(rows, value, name):
    (found,) = load(rows, value)
    assert found.rows.schema == RESULT_COLUMNS
    assert found.rows.select("line", "id", "rewards", "labels", "reason").rows() == [
        (1, "circular_sums_1", [0.9, 0.2], [True, False], None)
    ]
    assert (found.labels_explained, found.on) == (True, "rewards")
    assert (found.name, found.kind, found.benchmark, found.read) == (name, "prm", "prmbench", 1)
    assert (found.threshold, found.comparison, found.threshold_source) == (0.5, "<=", "the file's labels fit it")
    assert (found.low, found.high) == (0.0, 1.0)
    assert not found.findings


@pytest.mark.parametrize(
    ("error_steps", "gold"), [([2], 1), ([2, 1], 0), ([], -1), ([7, 2], 1), ([7], None), ([0, 2], 1), ("2", None)]
)
def test_the_gold_of_a_final_line_is_its_lowest_error_step_that_was_judged_counted_from_0(rows, error_steps, gold):
    entry = {**log(record()), "error_steps": error_steps}
    (found,) = load(rows, final(entry))
    assert found.rows["gold"].to_list() == [gold]
    assert found.label_base == ("error steps 1-based" if gold is not None else "no indices")


def test_reported_figures_are_kept_with_minus_1_for_undefined(rows):
    figures = {
        "total_hallucination_results": {"f1": 0.75, "negative_f1": -1, "odd": "text"},
        "hallucination_type_results": {"f1": {"circular": 0.5, "correct": -1}},
        "validitiy_rate": 0.9,
    }
    (found,) = load(rows, final(log(record()), **figures))
    assert found.settings["task_name"] == "prmtest_classified"
    assert found.settings["reported"] == {
        "total_hallucination_results": {"f1": 0.75, "negative_f1": -1.0, "odd": None},
        "hallucination_type_results": {"f1": {"circular": 0.5, "correct": -1.0}},
        "validitiy_rate": 0.9,
    }


def test_what_the_toolkit_marked_invalid_is_a_row_with_a_reason(rows):
    values = [
        checkpoint({"validity": False, "idx": "deception_a", "original_response": "I cannot say."}),
        checkpoint({"validity": False, "idx": "deception_b", "scores": {}}),
        final(log(None, idx="deception_c")),
    ]
    (found,) = load(rows, *values)
    assert found.rows["reason"].to_list() == [mr_eval.UNPARSED] * 3
    assert found.rows["answer"].to_list() == ["I cannot say.", None, None]
    assert codes(found) == [("warning", "unparsed", line) for line in (1, 2, 3)]


def test_scores_of_prompted_judges_lie_around_0(rows):
    values = [
        checkpoint(record("circular_a", (1.0, -0.5, 0.0), (True, False, False), validity=True)),
        checkpoint(record("circular_b", (0.3,), (True,), validity=True)),
    ]
    (found,) = load(rows, *values)
    assert (found.kind, found.low, found.high) == ("critic", -1.0, 1.0)
    assert (found.threshold, found.comparison) == (0.0, "<=")
    assert found.threshold_source == "implied by the file's labels"
    assert found.labels_explained
    (bare,) = load(rows, checkpoint({"scores": scores(0.3, -0.3), "idx": "circular_a", "validity": True}))
    assert (bare.threshold, bare.threshold_source) == (0.0, "the toolkit's for prompted judges")


def test_logits_keep_their_range_and_the_threshold_of_their_labels(rows):
    (found,) = load(rows, record(rewards=(3.5, -2.25, 0.1), labels=(True, False, True)))
    assert (found.threshold, found.low, found.high) == (-2.0, -3.0, 4.0)


def test_labels_on_differences_give_a_threshold_on_differences(rows):
    # Each label says whether its score is not more than 0.05 below the one before it.
    (found,) = load(
        rows,
        record("circular_a", (0.9, 0.7, 0.69), (True, False, True)),
        record("circular_b", (0.1, 0.08, 0.4), (True, True, True)),
    )
    assert found.rows["rewards"].to_list() == [[0.9, 0.7, 0.69], [0.1, 0.08, 0.4]]
    assert found.rows["labels"].to_list() == [[True, False, True], [True, True, True]]
    assert (found.on, found.threshold, found.comparison, found.labels_explained) == ("differences", -0.05, "<=", True)
    assert found.threshold_source == "the file's labels fit it"
    assert not found.findings


def test_another_threshold_on_differences_is_the_roundest_that_explains_the_labels(rows):
    (found,) = load(rows, record("circular_a", (0.9, 0.7, 0.3, 0.29), (True, True, False, True)))
    assert (found.on, found.threshold, found.comparison) == ("differences", -0.3, "<=")
    assert found.threshold_source == "implied by the file's labels"


def test_the_first_step_has_nothing_before_it_and_is_held_against_the_threshold_itself(rows):
    values = [record("circular_a", (0.9, 0.84, 0.8), (True, False, True)), record("circular_b", (-0.06,), (False,))]
    (found,) = load(rows, *values, record("circular_c", (-0.04, 0.2), (True, True)))
    assert (found.on, found.threshold, found.comparison) == ("differences", -0.05, "<=")


def test_labels_that_nothing_explains_are_kept_as_well(rows):
    (found,) = load(rows, record(rewards=(0.5, 0.5, 0.5), labels=(True, True, False)))
    assert found.rows["labels"].to_list() == [[True, True, False]]
    assert [finding.code for finding in found.findings] == ["labels-as-given"]
    assert (found.labels_explained, found.on) == (False, "rewards")


def test_labels_without_scores_are_taken_as_given(rows):
    (found,) = load(rows, {"idx": "circular_a", "scores": {"step_level_validity_labels": [1, 0]}})
    assert found.rows.select("rewards", "labels", "reason").row(0) == (None, [True, False], None)
    assert codes(found) == [("note", "labels-as-given", None)]


def test_redundancy_comes_along(rows):
    more = {"step_level_redundancy_scores": [0.1, 0.4], "step_level_redundancy_labels": [False, True]}
    (found,) = load(rows, {"idx": "circular_a", "scores": scores(0.9, 0.8, labels=[True, True], **more)})
    assert found.rows.select("redundancy", "redundancy_labels").row(0) == ([0.1, 0.4], [False, True])


def test_a_solutions_number_counts_where_there_is_none_a_step(rows):
    both = {"idx": "circular_a", "scores": {**scores(0.9), "solution_level_validity_scores": 0.9}}
    alone = {"idx": "circular_b", "scores": {"solution_level_validity_scores": 0.4}}
    (found,) = load(rows, both, alone)
    assert found.rows.select("rewards", "solution").rows() == [([0.9], None), (None, 0.4)]


@pytest.mark.parametrize(
    "broken",
    [{}, scores(), scores("0.5"), scores(0.5, None), {"step_level_validity_labels": [2]}],
)
def test_a_record_without_readable_scores_is_a_row_with_a_reason(rows, broken):
    (found,) = load(rows, record("circular_a"), {"idx": "circular_b", "scores": broken})
    assert found.rows["reason"].to_list() == [None, "neither scores nor labels"]
    assert ("warning", "no-scores", 2) in codes(found)


def test_lists_of_other_lengths_are_said(rows):
    (found,) = load(rows, record(rewards=(0.9, 0.2, 0.3), labels=(True, False)))
    assert codes(found) == [("warning", "length-mismatch", 1)]
    assert "3 rewards, 2 labels" in found.findings[0].message
    assert found.rows["rewards"].to_list() == [[0.9, 0.2, 0.3]]


def test_numbers_that_are_not_finite_stay_and_decide_no_threshold(rows):
    (found,) = load(rows, record(rewards=(math.nan, 0.9, 0.1), labels=(False, True, False)))
    assert math.isnan(found.rows["rewards"][0][0])
    assert (found.threshold, found.low, found.high) == (0.5, 0.0, 1.0)
    assert codes(found) == [("warning", "not-finite", 1)]


def test_the_first_record_with_an_id_counts(rows):
    (found,) = load(rows, record(rewards=(0.9, 0.1)), record(rewards=(0.8, 0.1)), record(rewards=(0.9, 0.1)))
    assert found.rows["rewards"].to_list() == [[0.9, 0.1]]
    assert codes(found) == [("error", "repeated-id", 2), ("note", "repeated-id", 3)]


@pytest.mark.parametrize("model", [None, "", "  ", 5])
def test_a_model_without_a_name_is_called_after_the_source(rows, model):
    assert load(rows, checkpoint(record(), model=model))[0].name == "judge"


def test_models_and_tasks_are_kept_apart(rows):
    found = load(
        rows,
        checkpoint(record(), model="one"),
        checkpoint(record(), model="two"),
        checkpoint(record(), model="one", task="prmbench_stem"),
    )
    assert [(one.name, one.benchmark, one.rows.height, one.read) for one in found] == [
        ("one", "prmbench", 1, 1),
        ("two", "prmbench", 1, 1),
        # The same ids name other cases there.
        ("one", None, 1, 1),
    ]


@pytest.mark.parametrize(
    ("ids", "benchmark"),
    [
        (["redundency_a", "multi_solutions_b", "correct_c"], "prmbench"),
        (["redundency_a", "premise_redundancy_b"], None),
        (["circular_"], None),
        (["sums-1"], None),
    ],
)
def test_the_benchmark_is_told_from_the_ids(rows, ids, benchmark):
    assert load(rows, *map(record, ids))[0].benchmark == benchmark


def test_a_record_without_an_id_is_left_out(rows):
    (found,) = load(rows, record(), {**record(), "idx": None})
    assert (found.rows.height, found.read) == (1, 2)
    assert codes(found) == [("error", "no-id", 2)]


def test_what_is_recognised():
    assert mr_eval.recognises(record())
    assert mr_eval.recognises({"idx": "a", "validity": False})
    for other in (
        None,
        [],
        {"id": "a", "scores": {}},
        {"idx": "a", "scores": [0.5]},
        {"idx": "a", "question": "q"},
        {"results": {"scores": {}}},
        {"detailed_logs": []},
    ):
        assert not mr_eval.recognises(other)


@pytest.mark.parametrize("value", [checkpoint(record()), record(), final(log(record()), validitiy_rate=1)])
def test_nothing_escapes(rows, value):
    @up_to(100, 12)
    @given(rows_near(value))
    def run(values):
        source = rows(*values)
        for found in mr_eval.load(source):
            assert found.rows.schema == RESULT_COLUMNS
            said = pl.any_horizontal(pl.col(*SAID).is_not_null())
            assert found.rows.select(said=said)["said"].all()
            json.dumps(dict(found.settings), ensure_ascii=False).encode()
            assert found.name.encode().strip()

    run()


def test_scores_without_labels_are_not_taken_for_a_judge_s(rows):
    (found,) = load(rows, checkpoint({"scores": scores(0.2, 0.9), "idx": "circular_a", "validity": True}))
    assert (found.kind, found.threshold, found.comparison, found.low, found.high) == ("prm", 0.5, "<=", 0.0, 1.0)
    assert codes(found) == [("warning", "threshold-assumed", None)]


FINITE = st.floats(-100, 100)


@pytest.mark.parametrize(
    ("wrong", "right", "threshold", "comparison"),
    [
        ([0.2, 0.4], [0.6], 0.5, "<="),
        ([0.5], [0.6], 0.5, "<="),
        ([0.4], [0.5], 0.5, "<"),
        ([], [0.5], 0.5, "<"),
        ([], [0.9], 0.5, "<="),
        ([0.1], [], 0.5, "<="),
        # R-PRM's published rows: labels from 0.61 on, scores with few decimals.
        ([0.6], [0.625], 0.6, "<="),
        ([0.1481], [0.1519], 0.15, "<="),
        ([-0.25, 0.0], [0.25], 0.0, "<="),
        ([-0.3], [-0.1], -0.3, "<="),
        ([-3.7], [0.2], -3.0, "<="),
        ([0.7], [], 1.0, "<="),
        ([], [0.25], 0.0, "<="),
        ([], [-0.25], -1.0, "<="),
        ([], [0.0], -1.0, "<="),
        ([0.57], [0.5700001], 0.57, "<="),
    ],
)
def test_thresholds(wrong, right, threshold, comparison):
    pairs = [(score, False) for score in wrong] + [(score, True) for score in right]
    assert label_threshold(pairs) == (threshold, comparison)


def test_minus_zero_is_zero():
    assert math.copysign(1, label_threshold([(-0.4, False), (0.3, True)])[0]) == 1


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [(0.5, True), (0.5, False)],
        [(0.2, True), (0.7, False)],
        [(math.nan, True), (math.inf, False)],
    ],
)
def test_none_explains(pairs):
    assert label_threshold(pairs) is None


def test_what_is_not_finite_is_passed_over():
    pairs = [(math.nan, True), (-math.inf, True), (0.3, False), (0.7, True)]
    assert label_threshold(pairs) == (0.5, "<=")


@given(st.lists(FINITE, min_size=1), FINITE, st.booleans())
def test_labels_from_any_threshold_are_explained(scores, threshold, passes):
    pairs = [(score, score >= threshold if passes else score > threshold) for score in scores]
    told = label_threshold(pairs)
    assert told is not None
    threshold, comparison = told
    for score, right in pairs:
        wrong = score < threshold if comparison == "<" else score <= threshold
        assert wrong is not right
