"""A label that a frame with nulls wrote as `3.0` is 3, wherever steps are named: in benchmarks and in results."""

import json

import pytest

import authored
import benchmark_rows
import modified
from benchmark_rows import rows_of
from scoring.formats.benchmarks.benchmark_registry import benchmark_module
from scoring.formats.results.result_registry import result_reader

NAMES = {"label", "error_steps", "modified_steps", "model_output_solution_first_error_step", "chosen_completion"}
BENCHMARKS = {
    "processbench": authored.row(label=1),
    "grben": benchmark_rows.grben(),
    "prmbench": modified.row(error_steps=[2, 3]),
    "socratic": modified.row(error_steps=[2, 3], classification="premise_redundancy"),
    "mrmath": benchmark_rows.mrmath(),
    "prm800k": benchmark_rows.prm800k(),
    "stepwise": benchmark_rows.stepwise(labels=[1, 0, 0]),
}
SCORES = {"step_level_validity_scores": [0.9, 0.2, 0.8], "step_level_validity_labels": [1, 0, 1]}
RESULTS = {
    "processbench_output": authored.row(label=1, prediction=1, match=True),
    "grben_llm": {**benchmark_rows.grben(), "pred_error_idx": 2, "raw_response": "\\boxed{2}"},
    "grben_prm": {"id": "physics-0", "gt_label": 2, "pred_label": 2, "probs": [0.9, 0.2]},
    "mr_eval": {
        "model_name": "m",
        "task_name": "t",
        "detailed_logs": [
            {"idx": "circular_1", "error_steps": [2], "prediction": {"idx": "circular_1", "scores": SCORES}}
        ],
    },
    "reasoneval_critic": {"id": 1, "response": "...", "correctness_pred": "wrong", "error_step_pred": 2},
    "rprm_processbench": authored.row(label=1, responses=[0.9, 0.2, 0.8], match=0),
}
STEPS_NAMED = {*NAMES, "labels", "gt_label", "pred_label", "pred_error_idx", "prediction", "error_step_pred", "match"}
STEPS_NAMED |= {"step_level_validity_labels"}


def with_floats(value, name=""):
    """The value with floats for the whole numbers that name steps."""
    if isinstance(value, dict):
        return {key: with_floats(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [with_floats(part, name) for part in value]
    return float(value) if type(value) is int and name in STEPS_NAMED else value


@pytest.mark.parametrize("name", BENCHMARKS)
def test_cases_are_the_same_with_labels_as_floats(name):
    row = BENCHMARKS[name]
    assert json.dumps(with_floats(row)) != json.dumps(row)
    whole, floats = (benchmark_module(name).load(rows_of([one])) for one in (row, with_floats(row)))
    assert whole.cases["earliest_error"].null_count() == 0
    assert floats.cases.equals(whole.cases)
    assert floats.findings == whole.findings


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_the_same_with_labels_as_floats(name):
    row = RESULTS[name]
    assert json.dumps(with_floats(row)) != json.dumps(row)
    (whole,), (floats,) = (result_reader(name).load(rows_of([one])) for one in (row, with_floats(row)))
    assert whole.rows.select("rewards", "labels", "verdict").null_count().row(0) != (1, 1, 1)
    assert floats.rows.equals(whole.rows)
    assert floats.findings == whole.findings
