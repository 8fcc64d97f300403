"""Verifiers on Hard2Verify: lists of judgements and first errors, as its authors' code grades them."""

import json

import pytest

from benchmark_rows import encrypted, hard2verify
from inspector.state.case_links import figure_link
from scoring.importing.batch import ImportOptions, read_sources
from scoring.metrics.balanced import NAMES
from scoring.metrics.official_rows import CountingRules, figures_of
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace

GOLD = [[1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 1]]
READ = [[1, 0, 1], [1, 1], [1, -2, 0, 0], "lost"]
FIRST = [1, -1, 0, -2]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verifiers")
    firsts = [next((at for at, label in enumerate(labels) if not label), -1) for labels in GOLD]
    rows = [
        hard2verify(number, human_labels=labels, human_labels_first_error_idx=first)
        for number, (labels, first) in enumerate(zip(GOLD, firsts, strict=True))
    ]
    files = {
        "cases": [encrypted(row) for row in rows],
        "steps": [{**row, "parsed_eval_output": read} for row, read in zip(rows, READ, strict=True)],
        "bare": [{"unique_id": f"u{number}", "parsed_eval_output": read} for number, read in enumerate(READ)],
        "first": [
            {"unique_id": f"u{number}", "parsed_eval_output": read} for number, read in enumerate([1, -1, 0, -2])
        ],
    }
    for name, lines in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    workspace, options = Workspace.create(folder / "w"), ImportOptions(join_to="hard2verify", plain_text=True)
    for name in files:
        read_sources([str(folder / f"{name}.jsonl")], options, workspace, None).put(workspace)
    return folder / "w"


def figures(place, scorer, protocol=None):
    results = load(Query(workspace=str(place)))
    rows = figures_of(results.evaluation(scorer), "hard2verify", results.mask, CountingRules(protocol, seed=None))
    return {row["metric"]: row["value"] for row in rows if row["subset"] == "all"}


@pytest.mark.parametrize("scorer", ["steps", "bare"])
def test_judgements_of_steps(place, scorer):
    found = figures(place, scorer)
    # Right steps: 1 of 1; 2 of 3, the last not judged; of the third 1 of 2, one of which cannot be read, if the row has
    # the steps, so that what is beyond them is cut (else none); of the last, which was lost, none of 2. Wrong steps: 1
    # of 2; of the third 1 of 1 or none; none of 1.
    right, wrong = ((1 + 2 + 1) / 8, (1 + 1) / 4) if scorer == "steps" else ((1 + 2) / 8, 1 / 4)
    assert found["step_balanced_acc"] == pytest.approx((right + wrong) / 2)
    # The second is called right, the first and third wrong, the last nothing.
    called = 2 / 3 if scorer == "steps" else 1 / 3
    assert found["response_balanced_acc"] == pytest.approx((1 + called) / 2)


def test_first_errors(place):
    found = figures(place, "first")
    assert found["step_balanced_acc"] is None
    # Named in one of three, and the clean one is left alone.
    assert (found["error_acc"], found["correct_acc"]) == (pytest.approx(1 / 3), 1.0)
    assert found["error_id_balanced_acc"] == pytest.approx((1 / 3 + 1) / 2)


@pytest.mark.parametrize("scorer", ["steps", "bare", "first"])
def test_each_figure_opens_the_cases_that_it_is_of(place, scorer):
    results = load(Query(workspace=str(place)))
    evaluation = results.evaluation(scorer)
    for name in NAMES:
        link = figure_link(results, evaluation, "hard2verify", name)
        # Of verdicts there are no figures of steps, and so no cases behind them.
        assert (link is None) == (scorer == "first" and name.startswith("step"))
        assert link is None or link.n == results.evaluated.passing(link.where).sum() == 4
