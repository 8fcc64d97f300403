"""Benchmarks whose official figures are of single steps, from the workspace to every place that shows a figure."""

import csv
import json
import random

import numpy as np
import pytest

import making
import reference
import step_reference
from inspector.analyses.board.arrangement import BoardKind
from inspector.analyses.board.board import board
from inspector.analyses.board.board_rows import board_frame, metrics_in
from inspector.cli import main
from inspector.render.charts.glyphs import Glyphs
from inspector.screens.board_columns import board_columns
from inspector.screens.threshold_bar.rail_lines import rail_lines
from inspector.state.opening import inspect
from inspector.state.subject import every_benchmark
from opened import opened
from reference import Case
from scoring.formats.benchmarks.benchmark_registry import MODULES, STEP_LABELLED, benchmark_module
from scoring.formats.benchmarks.case_format import Imported
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.deciding import OPTIMISTIC
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from screen_text import press, shows
from step_reference import Step
from views import metrics_view, table_of

PROBLEMS = 4
CLASSES = ("redundency", "circular", "counterfactual", step_reference.ALONE)


def scored(case, rng):
    low = [step in case.error_steps and rng.random() < 0.7 for step in range(case.n_steps)]
    return Case(
        case.n_steps,
        case.gold,
        tuple(rng.choice((0.1, 0.3) if at else (0.4, 0.6, 0.8)) for at in low),
        "",
        case.subset,
        case.error_steps,
    )


def made(seed=0):
    """Cases of four problems in each class; one of them refused, one not scored; and a twin of each problem."""
    rng, items = random.Random(seed), []
    for name in CLASSES:
        for _ in range(PROBLEMS):
            wrong = () if name == step_reference.ALONE else tuple(sorted(rng.sample(range(3), rng.randint(1, 2))))
            items.append(Step(scored(Case(3, min(wrong, default=-1), subset=name, error_steps=wrong), rng), name))
    items[5] = Step(Case(3, 1, refused="over length", subset="circular", error_steps=(1,)), "circular")
    items[9] = Step(Case(3, 0, subset="counterfactual", error_steps=(0,)), "counterfactual")
    return items, [scored(Case(2, -1, error_steps=()), rng) for _ in range(PROBLEMS)]


ITEMS, TWINS = made()
NAMES = [item.name for item in ITEMS]


def build(root):
    """A workspace with these cases as PRMBench's, their twins, some cases of another benchmark, and one scorer."""
    ids = [f"{name}_p{index % PROBLEMS}" for index, name in enumerate(NAMES)]
    columns = {"id": ids, "error_type": NAMES, "error_category": [step_reference.CATEGORY[name] for name in NAMES]}
    cases = making.full_frame([item.case for item in ITEMS], "prmbench", **columns)
    texts = {"problem": [f"original {n}" for n in range(PROBLEMS)], "id": [f"correct_p{n}" for n in range(PROBLEMS)]}
    twins = making.full_frame(
        TWINS, "prmbench", **texts, twin_of=[f"prmbench/redundency_p{n}" for n in range(PROBLEMS)]
    )
    plain = [Case(2, 1, (0.9, 0.1)), Case(2, -1, (0.9, 0.8)), Case(2, 0, (0.9, 0.1)), Case(2, -1, (0.1, 0.9))]
    others = making.full_frame(plain, "bench", problem=[f"plain {n}" for n in range(4)])
    workspace = Workspace.create(root)
    workspace.add([Imported("prmbench", "a", "made", "0-based", cases.height, cases, (), twins)])
    workspace.add([Imported("bench", "b", "made", "0-based", others.height, others, ())])
    folder = root / "rewards" / making.scorer("alpha").folder
    making.scorer("alpha", comparison="<=").save(folder)
    for frame, rows in ((cases, [item.case for item in ITEMS]), (twins, TWINS), (others, plain)):
        RewardParts(folder).append(making.rewards(rows, frame["key"]))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("steps") / "w"
    build(root)
    return str(root)


def metrics(capsys, root, *words):
    assert main(["metrics", "-w", root, "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("threshold", [0.1, 0.4, 0.5, 0.7])
def test_the_command_gives_the_figures_of_plain_counting(root, threshold, capsys):
    found = metrics(capsys, root, "--benchmark", "prmbench", f"--threshold={threshold}")["rows"]
    values = {(row["subset"], row["metric"]): row["value"] for row in found}
    for key, value in step_reference.table(ITEMS, threshold, "<=", None).items():
        assert values[key] == (None if value is None else pytest.approx(value)), key
    twins = TWINS * len(CLASSES)
    likeness = step_reference.similarity(ITEMS, twins, threshold, "<=", None).values()
    expected = sum(likeness) / len(likeness) if likeness else None
    assert values["all", "similarity"] == (None if expected is None else pytest.approx(expected))


def test_official_figures_come_first_and_first_errors_where_there_are_clean_cases(root, capsys):
    rows = metrics(capsys, root)["rows"]
    of = {name: [row for row in rows if row["benchmark"] == name] for name in ("prmbench", "bench")}
    assert {row["metric"] for row in of["bench"]} == {"error_acc", "correct_acc", "f1"}
    assert of["prmbench"][0]["metric"] == "prmscore"
    first_errors = [row for row in of["prmbench"] if row["metric"] in reference.METRICS]
    assert [row["metric"] for row in first_errors] == ["error_acc", "correct_acc", "f1"]
    assert {row["subset"] for row in first_errors} == {"all"}
    assert of["prmbench"][-3:] == first_errors


def test_the_provenance_says_how_figures_of_steps_are_made(root, capsys):
    facts = metrics(capsys, root)["provenance"]
    assert "harmonic mean of error_acc and correct_acc" in facts["averaging"]
    assert "`all` pools steps and is the official overall figure" in facts["averaging"]
    said = "\n".join(facts["notes"])
    assert "resamples of whole problems" in said
    assert "prmscore of multi_solutions is its f1_positive" in said
    plain = metrics(capsys, root, "--benchmark", "bench")["provenance"]
    assert "steps" not in plain["averaging"] + "\n".join(plain["notes"])
    steps = metrics(capsys, root, "--benchmark", "prmbench")["provenance"]["averaging"]
    assert "error_acc" not in steps


def test_a_table_counts_steps_and_cases_apart(root):
    rows = metrics_view(load(Query(workspace=root, benchmarks=("prmbench",)))).rows
    lines = table_of(metrics_view(load(Query(workspace=root, benchmarks=("prmbench",)))))
    assert "n" not in lines[0]
    whole = next(line for line in lines if line["subset"] == "all")
    sizes = dict(rows.filter(subset="all").select("metric", "n").iter_rows())
    assert (whole["n (steps)"], whole["n (cases)"]) == (str(sizes["prmscore"]), str(sizes["f1"]))
    assert sizes["prmscore"] > sizes["f1"] > 0
    (bare, *_) = table_of(metrics_view(load(Query(workspace=root, benchmarks=("bench",)))))
    assert "n" in bare
    assert "n (cases)" not in bare


def test_groups_are_pooled(root, capsys):
    rows = metrics(capsys, root, "--benchmark", "prmbench", "--by", "error_category")["rows"]
    assert {row["subset"] for row in rows} == {"all"}
    for row in rows:
        own = [item for item in ITEMS if step_reference.CATEGORY[item.name] == row["error_category"]]
        expected = step_reference.figures(own, 0.5, "<=", None).get(row["metric"])
        if row["metric"] in step_reference.METRICS:
            assert row["value"] == (None if expected is None else pytest.approx(expected))


def test_a_table_for_people_leads_with_prmscore(root, capsys, tmp_path):
    assert main(["metrics", "-w", root]) == 0
    out = capsys.readouterr().out
    header = next(line for line in out.splitlines() if "PRMScore" in line)
    assert header.index("PRMScore") < header.index("f1 positive") < header.index(" F1 ")
    path = tmp_path / "out.csv"
    assert main(["metrics", "-w", root, "-o", str(path)]) == 0
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert list(rows[0])[:9] == ["scorer", "benchmark", "subset", "metric", "value", "low", "high", "n", "reason"]
    assert list(rows[0])[9:] == ["small", "sd", "runs"]


def test_a_condition_leaves_cases_out(root, capsys):
    rows = metrics(capsys, root, "--benchmark", "prmbench", "--where", "subset <> 'circular'")["rows"]
    values = {(row["subset"], row["metric"]): row["value"] for row in rows}
    own = [item for item in ITEMS if item.name != "circular"]
    assert values["all", "prmscore"] == pytest.approx(step_reference.figures(own, 0.5, "<=", None)["prmscore"])
    assert ("circular", "prmscore") not in values


def test_the_board_and_the_rail_show_prmscore_by_name(root):
    results = load(Query(workspace=root, benchmarks=("prmbench",)))
    expected = step_reference.figures(ITEMS, 0.5, "<=", None)
    frame = board_frame(results)
    row = frame.row(0, named=True)
    assert (row["metric"], row["score"]) == ("PRMScore", pytest.approx(expected["prmscore"]))
    assert (row["on_wrong"], row["on_right"]) == (
        pytest.approx(expected["negative_acc"]),
        pytest.approx(expected["positive_acc"]),
    )
    titles = [column.title for column in board_columns(Glyphs(ascii_only=True), BoardKind(metrics=metrics_in(frame)))]
    assert titles[1:5] == ["PRMScore", "95%", "on wrong", "on right"]
    now = inspect(results)
    table = metrics_view(every_benchmark(now)).rows.filter(subset="all", metric="prmscore").row(0, named=True)
    assert (now.summary.headline.score, now.summary.headline.low, now.summary.headline.high) == (
        table["value"],
        table["low"],
        table["high"],
    )
    assert now.summary.headline.n == table["n"]
    words = "".join(text for line in rail_lines(now, now, 140, Glyphs(ascii_only=True)) for text, _ in line.parts)
    assert f"PRMScore {100 * expected['prmscore']:.1f}" in words
    assert "steps" in words
    assert "F1" not in words


def test_the_curve_is_of_prmscore_and_its_best_can_be_put(root):
    start = inspect(load(Query(workspace=root, benchmarks=("prmbench",))))
    for threshold, score in zip(
        start.summary.sweep.thresholds.tolist(), start.summary.sweep.score.tolist(), strict=True
    ):
        found = start.moved(threshold).summary.headline.score
        assert np.isnan(score) if found is None else found == pytest.approx(score)
    best = start.summary.sweep.best
    assert start.moved(best[0], OPTIMISTIC).summary.headline.score == pytest.approx(best[1])


def test_beside_another_benchmark_the_headings_are_true_of_both(root):
    results = load(Query(workspace=root))
    frame = board_frame(results)
    assert frame.select("benchmark", "metric").rows() == [("bench", "F1"), ("prmbench", "PRMScore")]
    titles = [
        column.title
        for column in board_columns(Glyphs(ascii_only=True), BoardKind(several=True, metrics=metrics_in(frame)))
    ]
    assert titles[2:7] == ["metric", "score", "95%", "on wrong", "on right"]
    assert list(table_of(board.view(results))[0])[:6] == [
        "scorer",
        "benchmark",
        "metric",
        "score",
        "on wrong",
        "on right",
    ]


async def test_the_app_names_the_score(root):
    async with opened(Query(workspace=root)) as pilot:
        await shows(pilot, "metric", "PRMScore", "score", "on wrong", "on right")
        assert "mean of the F1s of right and of wrong steps" in pilot.app.screen.legend.column("score")
        await press(pilot, "enter")
        await shows(pilot, "PRMScore ")


def test_a_benchmark_says_how_its_figures_of_steps_are_made_iff_it_has_some():
    for name in MODULES:
        assert (
            hasattr(benchmark_module(name), "STEP_LABELLED")
            == (name in STEP_LABELLED)
            == (metrics_of(name).steps is not None)
        )
    assert metrics_of("some table of mine").steps is None
    assert metrics_of("prmbench").steps.without_errors <= set(benchmark_module("prmbench").CLASSES)
    assert metrics_of("prmbench").steps.by_redundancy <= set(benchmark_module("prmbench").CLASSES)
