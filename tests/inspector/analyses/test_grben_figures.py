"""Figures of files of GR-Ben's own scripts are those of its arithmetic, written here from its rules.

`evaluation/metrics.py` and `evaluation/run_prm_eval.py` of spirit-moon-fly/GR-Ben for PRMs, `run_llm_eval.py` for
language models. Labels count from 1, -1 = no error.
"""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import json_lines
from benchmark_rows import grben
from inspector.cli import main
from scoring.data.schema import METADATA, REWARDS, VOTES
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import outcome_names
from scoring.importing.batch import ImportOptions, read_sources
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import BALLOTS, VoteParts
from scoring.workspace.workspace import Workspace
from thoroughness import up_to
from views import metrics_view

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
    read_sources(paths, ImportOptions(join_to="grben"), workspace, None).put(workspace)
    return str(folder / "w")


def figures(root, **asked):
    rows = metrics_view(load(Query(workspace=root, benchmarks=("grben",), **asked))).rows.iter_rows(named=True)
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


@given(data=st.data(), threshold=st.sampled_from([0.5, 0.6]))
@up_to(32, 6)
def test_prms_are_compared_with_clamped_labels_and_without_numbers_predict_no_error(tmp_path_factory, data, threshold):
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
    said = [predicted(numbers, threshold) for numbers in probs]
    wanted = expected(by_domain(cases, said, clamped=True))
    found = figures(root, protocol="grben", thresholds=((None, str(threshold)),))
    assert {place: found.get(place) for place in wanted} == pytest.approx(wanted, abs=1e-12)


def answer(said):
    return "I cannot say." if said == UNREAD else f"So it is \\boxed{{{said}}}."


@given(data=st.data())
@up_to(32, 6)
def test_language_models_are_compared_with_labels_as_they_are(tmp_path_factory, data):
    cases = data.draw(some_cases())
    said = [data.draw(st.sampled_from([-1, UNREAD, *range(1, len(case["steps"]) + 4)])) for case in cases]
    rows = [
        {**case, "model_key": "m", "raw_response": answer(number), "pred_error_idx": number}
        for case, number in zip(cases, said, strict=True)
    ]
    pairs = by_domain(cases, said, clamped=False)
    if not pairs:
        return
    root = imported(tmp_path_factory.mktemp("grben") / "x", cases, rows)
    found = figures(root, protocol="grben")
    wanted = {place: value for place, value in expected(pairs).items() if place[0] != "average" or len(pairs) > 1}
    assert {place: found.get(place) for place in wanted} == pytest.approx(wanted, abs=1e-12)


def test_beyond_the_last_step_only_the_number_itself_is_exact_to_a_language_model(tmp_path):
    cases = [grben(number, problem=f"What is {number}?", label=5) for number in range(5)]
    said = [5, 3, 4, 6, -1]
    rows = [
        {**case, "model_key": "m", "raw_response": answer(number), "pred_error_idx": number}
        for case, number in zip(cases, said, strict=True)
    ]
    loaded = load(Query(workspace=imported(tmp_path / "x", cases, rows), benchmarks=("grben",)))
    (one,) = loaded.evaluations
    # Of three steps the third is the last. GR-Ben compares numbers: its FP are those below the label, there or not.
    assert outcome_names(one.codes).to_list() == ["exact", "early", "early", "late", "missed"]
    assert [one.alone(row).codes[0] for row in range(5)] == one.codes.tolist()


def test_votes_are_expected_to_hit_the_label_as_it_was_given(tmp_path, capsys):
    cases = [grben(number, problem=f"What is {number}?", label=5) for number in range(4)]
    root = imported(tmp_path / "x", cases, [{"id": "physics-0", "gt_label": 3, "probs": [0.9, 0.9, 0.1]}])
    keys = load(Query(workspace=root, benchmarks=("grben",))).cases["key"]
    votes = [
        {"key": key, "vote": vote, "run": 0, "answer": "", "ballot": str(step), "verdict": step}
        for key, steps in zip(keys, [(4, 4), (4, 2), (2, 2), (5, 5)], strict=True)
        for vote, step in enumerate(steps)
    ]
    folder = tmp_path / "x" / "w" / "rewards" / "voter-ffffffff"
    folder.mkdir()
    Scorer("voter", "f" * 32, kind="critic").save(folder)
    VoteParts(folder).append(pl.DataFrame(votes, schema={name: VOTES[name] for name in votes[0]}))
    assert main(["votes", "-w", root, "--benchmark", "grben", "--scorer", "voter", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    told = [row["expected"] for row in rows if (row["metric"], row["votes"], row["subset"]) == ("error_acc", 1, "all")]
    assert told == [pytest.approx(3 / 8)]


def test_a_workspace_without_the_labels_as_given_is_read_with_the_clamped_ones():
    rows = [{"benchmark": "grben", "key": "k", "case": "k", "n_steps": 3, "earliest_error": 2, "error_steps": None}]
    gold = Gold(pl.DataFrame(rows, schema={name: METADATA[name] for name in rows[0]}))
    votes = pl.DataFrame(
        [{"key": "k", "case": "k", "verdict": 2, "vote": 0, "run": 0}], schema={name: VOTES[name] for name in BALLOTS}
    )
    critic = Scorer("c", "f" * 32, kind="critic")
    assert outcome_names(evaluate(gold, critic, pl.DataFrame(schema=REWARDS), votes=votes).codes).to_list() == ["exact"]


def test_labels_beyond_the_last_step_are_exported_as_they_were_given(tmp_path, capsys):
    cases = [grben(number, problem=f"What is {number}?", label=label) for number, label in enumerate([-1, 2, 3, 4, 9])]
    root = imported(tmp_path / "x", cases, [{"id": "physics-1", "gt_label": 2, "probs": [0.9, 0.1, 0.9]}])
    assert main(["export", "cases", "-w", root, "--benchmark", "grben", "--to", "grben"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == cases
