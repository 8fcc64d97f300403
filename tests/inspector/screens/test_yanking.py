import json
import shlex

import polars as pl
import pytest
from msgspec.structs import replace

from inspector.cli import main
from inspector.screens.exporting import case_facts, score_facts
from inspector.state.opening import inspect
from opened import opened
from scoring.evaluation.evaluation import columns_of
from scoring.selection.loading import load
from screen_text import press, shows


@pytest.fixture(scope="module")
def state(query):
    return inspect(load(query))


def test_a_case_says_what_the_screen_says_and_its_command_shows_it(state, tmp_path):
    for row in range(state.cases.height):
        facts = json.loads(case_facts(state, row))
        evaluation = state.evaluation
        assert facts["case"] == state.cases["case"][row]
        assert facts["earliest_error"] == state.cases["earliest_error"][row]
        assert facts.get("rewards") == (evaluation.rewards.of(row) and pytest.approx(evaluation.rewards.of(row)))
        assert facts["outcome"] == columns_of(evaluation)["alpha.outcome"][row]
        assert main([*shlex.split(facts["command"])[1:], "--json", "-o", str(tmp_path / "shown.json")]) == 0
        assert f'"{facts["case"]}"' in (tmp_path / "shown.json").read_text()


def test_a_case_without_a_scorer_has_no_verdict(query):
    bare = inspect(load(query))
    facts = json.loads(case_facts(replace(bare, focus=replace(bare.focus, scorer=None)), 0))
    assert set(facts) <= {"case", "subset", "generator", "n_steps", "earliest_error", "command"}


async def test_a_row_of_the_board_is_the_figure_that_its_command_prints(query, tmp_path):
    async with opened(query, folder=tmp_path) as pilot:
        frame, inspected = pilot.app.screen.frame, pilot.app.state
        for row in frame.iter_rows(named=True):
            facts = json.loads(score_facts(inspected, row))
            path = tmp_path / f"{facts['scorer']}.csv"
            assert main([*shlex.split(facts["command"])[1:], "--csv", "-o", str(path)]) == 0
            lines = pl.read_csv(path).filter(pl.col("metric") == "f1")
            assert facts["score"] in [pytest.approx(value) for value in lines["value"]]
        await press(pilot, "y")
        await shows(pilot, "Copied the row of alpha", "Also in")
        await press(pilot, "g", "l", "y")
        await shows(pilot, "Copied the facts of")
    assert json.loads((tmp_path / "copied.txt").read_text())["scorer"] == "alpha"
