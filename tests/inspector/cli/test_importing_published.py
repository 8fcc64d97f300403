"""`import` of published files, and of such with their labels moved."""

import contextlib
import io
import json
import shutil

import numpy as np
import pytest

from authored import json_array, json_lines
from benchmark_rows import grben
from inspector.cli import main
from scoring.evaluation.loader import scored
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.workspace.workspace import Workspace

CASES = [grben(number, problem=f"What is {number}?") for number in range(9)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def run(tmp_path, capsys):
    """Runs `import` on a workspace; gives exit code, stdout, stderr."""

    def import_(*words):
        code = main(["import", *map(str, words), "-w", str(tmp_path / "workspace")])
        output = capsys.readouterr()
        return code, output.out, output.err

    import_.root = tmp_path / "workspace"
    return import_


@pytest.fixture(scope="module")
def mr_math(data_folder):
    folder = data_folder / "mr-math"
    if not folder.is_dir():
        pytest.skip("no MR-MATH here; name the folder that holds it in PRM_INSPECT_DATA")
    return folder


@pytest.fixture(scope="module")
def imported(mr_math, tmp_path_factory):
    """A workspace with MR-MATH, what the command ended with, and what it said; whoever writes into it copies it."""
    root, out = tmp_path_factory.mktemp("mr-math") / "workspace", io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["import", str(mr_math), "-w", str(root), "-v"])
    return root, code, out.getvalue()


@pytest.fixture
def gsm8k(data_folder):
    path = data_folder / "processbench" / "gsm8k.json"
    if not path.is_file():
        pytest.skip("no ProcessBench here; name the folder that holds it in PRM_INSPECT_DATA")
    return path


def files(root):
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def f1(folder, scorer, *, by_step):
    """The F1 of one scorer on MR-MATH in per cent, from its files and nothing else.

    `by_step` groups the numbers by the steps they belong to; without it a number's place is taken for a step's.
    """
    scores = {line["id"]: line["scores"] for line in lines(folder / "eval_results" / f"{scorer}_eval_results.json")}
    right = {True: 0, False: 0}
    total = {True: 0, False: 0}
    for case in lines(folder / "mr-math_invalid_errors.json"):
        label = case["model_output_solution_first_error_step"]
        gold = None if label == "N/A" else int(label)
        numbers = [sum(one[1:]) if isinstance(one, list) else one for one in scores[case["id"]]]
        if by_step:
            parts = [step if isinstance(step, list) else [step] for step in case["model_output_step_format"]]
            left = iter(numbers)
            numbers = [min(next(left) for _ in part) for part in parts]
        predicted = next((place for place, number in enumerate(numbers, 1) if number <= 0.5), None)
        total[gold is None] += 1
        right[gold is None] += predicted == gold
    erroneous, clean = (right[side] / total[side] for side in (False, True))
    return 100 * 2 * erroneous * clean / (erroneous + clean)


def test_mr_math_is_imported_whole_without_a_flag(run, imported, mr_math):
    root, code, out = imported
    # Three answers of the critics cannot be read.
    assert code == 1
    assert "  159 cases of 159 rows: 83 erroneous, 76 clean\n" in out
    assert out.count("  159 of 159 results joined to mrmath by ids\n") == 12
    said = out.splitlines()
    assert sum(": prm " in line for line in said) == 8
    assert sum(": critic " in line for line in said) == 2
    assert sum(": baseline roscoe" in line for line in said) == 2
    assert said.count("  what it gives: 159 with one number a solution, which names no step") == 2
    assert sum(line.startswith("    67 cases have one number a sub-step") for line in said) == 8
    assert "  what it gives: 159 answers, 2 unparsed (judged correct, yet a step is named)\n" in out
    assert "  what it gives: 159 answers, 1 unparsed (judged wrong, and no step is named)\n" in out
    assert out.count("in the workspace: new") == 12
    shutil.copytree(root, run.root)
    before = files(run.root / "rewards")
    again, out, err = run(mr_math, "-v")
    assert (again, err, out.count("in the workspace: unchanged")) == (1, "", 12)
    assert "0 new, 0 changed, 159 unchanged" in out
    assert files(run.root / "rewards") == before


def test_numbers_a_sub_step_are_judged_a_step_and_it_matters(imported, mr_math):
    workspace = Workspace.open(imported[0])
    metadata, texts = workspace.cases(["mrmath"])
    there = scored(workspace, metadata, texts)
    assert there.problems == []
    found = {}
    for one in there.evaluations:
        rows_of_it = metric_rows(FIRST_ERRORS, one, np.ones(metadata.height, dtype=np.bool_))
        values = {(row["subset"], row["metric"]): row["value"] for row in rows_of_it}
        found[one.scorer.name] = values["all", "f1"]
    prms = [name for name in found if name.startswith(("reasoneval", "math-shepherd"))]
    assert len(prms) == 8
    for name in prms:
        assert 100 * found[name] == pytest.approx(f1(mr_math, name, by_step=True))
    one = "reasoneval_llemma-34b"
    assert f"{f1(mr_math, one, by_step=False):.1f}" == "51.0"
    assert f"{100 * found[one]:.1f}" == "66.1"
    for name in ("roscoe-sa", "roscoe-ss"):
        assert found[name] is None


@pytest.mark.parametrize(("shift", "code_of_it"), [(1, "label-base"), (-1, "not-official-counts")])
def test_published_labels_that_are_moved_by_one_are_flagged(run, gsm8k, tmp_path, shift, code_of_it):
    values = json.loads(gsm8k.read_bytes())
    moved = [{**one, "label": one["label"] + shift if one["label"] >= 0 else -1} for one in values]
    path = tmp_path / "gsm8k.json"
    path.write_bytes(json_array(moved))
    code, out, _ = run(path)
    assert code == 1
    assert f"  warning: 1 x {code_of_it}\n" in out


def test_answers_that_repeat_published_labels_from_another_base_are_flagged(run, gsm8k, tmp_path):
    values = json.loads(gsm8k.read_bytes())
    path = tmp_path / "A-PRM_details.jsonl"
    # Of a benchmark that counts from 0 these are right, and GR-Ben's details count from 1.
    answers = [
        {"id": one["id"], "domain": "gsm8k", "gt_label": one["label"], "probs": [0.9] * len(one["steps"])}
        for one in values
        if one["label"] != 0
    ]
    path.write_bytes(json_lines(answers))
    code, out, _ = run(gsm8k, path)
    assert code == 1
    assert "warning: 1 x gold-shifted" in out
    assert "gold error steps of the file are one lower than the benchmark's" in out


@pytest.mark.parametrize(("first", "looks"), [(0, "0-based"), (2, "one too high")])
def test_labels_of_grben_that_are_moved_by_one_are_flagged(run, tmp_path, first, looks):
    path = tmp_path / "grben.jsonl"
    path.write_bytes(json_lines([{**one, "label": number % 3 + first} for number, one in enumerate(CASES)]))
    code, out, _ = run(path)
    assert code == 1
    assert "  warning: 1 x label-base\n" in out
    assert f": the labels look {looks}\n" in out


def test_one_command_compares_all_ten_with_the_figures_of_the_metrics(imported, capsys):
    found = {}
    for command in ("compare", "metrics"):
        assert main([command, "-w", str(imported[0]), "--json", "-q"]) == 0
        found[command] = json.loads(capsys.readouterr().out)["rows"]
    kinds = ("f1", "error_acc", "correct_acc")
    wanted = {
        (row["scorer"], row["metric"]): (row["value"], row["low"], row["high"])
        for row in found["metrics"]
        if row["subset"] == "average" and row["value"] is not None
    }
    rows = {(row["scorer"], row["metric"]): row for row in found["compare"] if row["metric"] in kinds}
    # Whole problems are resampled with the same draws, so that not even the intervals differ.
    assert {name: (row["value"], row["low"], row["high"]) for name, row in rows.items()} == wanted
    assert len(wanted) == 30
    pairs = [row for row in found["compare"] if row["metric"] == "f1_difference" and row["subset"] == "average"]
    tests = [row for row in found["compare"] if row["metric"].endswith("_mcnemar")]
    assert (len(pairs), len(tests)) == (45, 90)
    assert all(row["low"] <= row["value"] <= row["high"] for row in pairs)
    assert all(row["p"] <= row["p_holm"] for row in tests)
