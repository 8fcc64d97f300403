"""Figures of files of GR-Ben's own scripts are those of its arithmetic, written here from its rules.

`evaluation/metrics.py` and `evaluation/run_prm_eval.py` of spirit-moon-fly/GR-Ben for PRMs, `run_llm_eval.py` for
language models. Labels count from 1, -1 = no error.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import json_lines
from benchmark_rows import grben
from inspector.documents import metrics_document
from inspector.loading import load
from inspector.request import Request
from scoring.importing.found import Wish, find
from scoring.workspace import Workspace
from thoroughness import up_to

DOMAINS = ("physics", "FOLIO")
METRICS = ("error_acc", "correct_acc", "f1")
UNREAD = -999


def predicted(probs, threshold):
    """The first step below the threshold, -1 where none is, and so where there is no number at all."""
    return next((step for step, number in enumerate(probs, 1) if number < threshold), -1)


def accuracies(pairs):
    """error_acc, correct_acc and F1 of (gold label, prediction); 0 where undefined."""
    sides = [[gold == said for gold, said in pairs if (gold == -1) is clean] for clean in (False, True)]
    error, correct = (sum(side) / len(side) if side else 0.0 for side in sides)
    return error, correct, 2 * error * correct / (error + correct) if error + correct else 0.0


def expected(pairs_by_domain):
    """(domain or average, metric) -> figure."""
    found = {name: accuracies(pairs) for name, pairs in pairs_by_domain.items()}
    means = [sum(values) / len(found) for values in zip(*found.values(), strict=True)]
    figures = {**found, "average": means}
    return {(name, metric): value for name, row in figures.items() for metric, value in zip(METRICS, row, strict=True)}


def imported(folder, cases, results):
    """A workspace with these cases and what one file says of them."""
    folder.mkdir(parents=True)
    (folder / "grben.jsonl").write_bytes(json_lines(cases))
    (folder / "a-model.jsonl").write_bytes(json_lines(results))
    workspace = Workspace.create(folder / "w")
    paths = [str(folder / name) for name in ("grben.jsonl", "a-model.jsonl")]
    find(paths, Wish(join_to="grben"), workspace, None).put(workspace)
    return str(folder / "w")


def figures(root, **asked):
    rows = metrics_document(load(Request(workspace=root, benchmarks=("grben",), **asked))).rows.iter_rows(named=True)
    return {(row["subset"], row["metric"]): row["value"] for row in rows}


@st.composite
def some_cases(draw):
    """Cases of one or two domains; labels may lie beyond the last step."""
    cases = []
    for number in range(draw(st.integers(1, 6))):
        steps = [f"{number} {step}" for step in range(draw(st.integers(1, 3)))]
        label = draw(st.sampled_from([-1, -1, *range(1, len(steps) + 3)]))
        domain = draw(st.sampled_from(DOMAINS))
        cases.append(grben(number, problem=f"What is {number}?", steps=steps, label=label, domain=domain))
    return cases


def by_domain(cases, said, *, clamped):
    """(gold label, prediction) by domain of the cases with a prediction."""
    found = {}
    for case, prediction in zip(cases, said, strict=True):
        if prediction != UNREAD:
            gold = min(case["label"], len(case["steps"])) if clamped else case["label"]
            found.setdefault(case["domain"], []).append((gold, prediction))
    return found


@given(data=st.data())
@up_to(60)
def test_prms_are_compared_with_clamped_labels_and_without_numbers_predict_no_error(tmp_path_factory, data):
    cases = data.draw(some_cases())
    grid = st.sampled_from([0.25, 0.5, 0.75])
    probs = [
        data.draw(st.just([]) | st.lists(grid, min_size=len(case["steps"]), max_size=len(case["steps"])))
        for case in cases
    ]
    details = [
        {
            "id": case["id"],
            "domain": case["domain"],
            "gt_label": min(case["label"], len(case["steps"])),
            "probs": numbers,
        }
        for case, numbers in zip(cases, probs, strict=True)
    ]
    root = imported(tmp_path_factory.mktemp("grben") / "x", cases, details)
    for threshold in (0.5, 0.6):
        said = [predicted(numbers, threshold) for numbers in probs]
        wanted = expected(by_domain(cases, said, clamped=True))
        found = figures(root, protocol="grben", thresholds=((None, str(threshold)),))
        assert {place: found.get(place) for place in wanted} == pytest.approx(wanted, abs=1e-12)
