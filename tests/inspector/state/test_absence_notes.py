"""What is said where a workspace has nothing to show, or only the demo was scored."""

import json

import pytest

import making
from inspector import cli
from inspector.app.app import InspectApp
from inspector.screens.board import BoardScreen
from inspector.widgets.frame_table import FrameTable
from reference import Case
from scoring.formats.benchmarks import demo
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from screen_text import shows, until


def score_demo(root, name="mine"):
    """Rewards of a scorer for the first ten cases of the demo."""
    cases = demo.read().cases[:10]
    scorer = making.scorer(name)
    parts = RewardParts(root / "rewards" / scorer.folder)
    scorer.save(parts.folder)
    made = [Case(steps, -1, (0.9,) * steps) for steps in cases["n_steps"]]
    parts.append(making.rewards(made, cases["key"].to_list()))


@pytest.fixture
def scored(tmp_path):
    Workspace.create(tmp_path / "space")
    score_demo(tmp_path / "space")
    return str(tmp_path / "space")


def test_a_workspace_in_which_only_the_demo_was_scored_shows_the_demo(scored):
    found = load(Query(workspace=scored))
    assert set(found.cases["benchmark"]) == {"demo"}
    assert found.evaluation("mine").coverage.count == 10
    assert found.problems == ()
    assert found.loaded.workspace.benchmarks() == []


async def test_so_does_the_app(scored, tmp_path):
    app = InspectApp(Query(workspace=scored), folder=tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, BoardScreen) and app.screen.query_one(FrameTable).row_count)
        await shows(pilot, "demo", "240 cases", "mine", "10/240")


def test_an_empty_workspace_says_so(tmp_path, capsys):
    Workspace.create(tmp_path / "my space")
    words = "This workspace has no benchmark yet: prm-inspect import PATH -w "
    for command in ("scorers", "metrics", "cases"):
        assert cli.main([command, "-w", str(tmp_path / "my space")]) == 0
        assert words + f"'{tmp_path}/my space'" in capsys.readouterr().err
    assert cli.main(["benchmarks", "-w", str(tmp_path / "my space")]) == 0
    assert "No benchmark was imported here." in capsys.readouterr().err


async def test_the_app_says_so_too(tmp_path):
    Workspace.create(tmp_path / "space")
    app = InspectApp(Query(workspace=str(tmp_path / "space")), folder=tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await shows(pilot, "This workspace has no benchmark yet")


def test_a_demo_that_was_scored_beside_a_benchmark_without_scorers_is_told(tmp_path, capsys):
    cases = [Case(2, 1), Case(3, -1)]
    making.workspace(tmp_path / "space", cases, [])
    score_demo(tmp_path / "space")
    where = ["-w", str(tmp_path / "space")]
    assert cli.main(["scorers", *where]) == 0
    told = capsys.readouterr().err
    assert "mine scored the demo and none of these cases" in told
    assert f"prm-inspect -w {tmp_path}/space --benchmark demo" in told
    assert "No scorer has rewards for these cases yet." in told
    # Who names a benchmark knows what there is, and a document holds no words.
    assert cli.main(["scorers", *where, "--benchmark", "demo", "--json"]) == 0
    answer = capsys.readouterr()
    assert "mine" in {row["scorer"] for row in json.loads(answer.out)["rows"]}
    assert answer.err == ""


def test_it_is_not_told_where_there_is_something_to_see(tmp_path):
    cases = [Case(2, 1, (0.9, 0.1)), Case(3, -1, (0.9, 0.9, 0.8))]
    making.workspace(tmp_path / "space", cases, [(making.scorer("other"), cases)])
    score_demo(tmp_path / "space")
    found = load(Query(workspace=str(tmp_path / "space")))
    assert [one.scorer.name for one in found.evaluations] == ["other"]
    assert found.problems == ()
