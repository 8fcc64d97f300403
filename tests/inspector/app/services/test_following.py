"""Rewards and tags that come in while a person is at work."""

import shutil
import threading
from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace

import authored
import example
import making
import reference
from inspector.app.services import following
from inspector.state.case_list.listed import arranged, failures
from opened import inspected, opened
from scoring.api import open_workspace
from scoring.evaluation import derived
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from screen_text import press, settled, shows, until


@pytest.fixture(autouse=True)
def _followed_closely(monkeypatch):
    """The app looks at its files every tenth of a second."""
    monkeypatch.setattr(following, "FOLLOW_SECONDS", 0.1)


@pytest.fixture
def query(tmp_path):
    return example.write(tmp_path / "ws")


def land(pilot, name="gamma"):
    """Another process saves the rewards of one more scorer."""
    root, keys = inspected(pilot).results.loaded.workspace.root, inspected(pilot).cases["key"]
    folder = root / "rewards" / making.scorer(name).folder
    making.scorer(name).save(folder)
    rows = [reference.Case(one.n_steps, one.gold, one.rewards) for one in example.EXAMPLES]
    RewardParts(folder).append(making.rewards(rows, keys))


def scorers(pilot):
    return [one.scorer.name for one in inspected(pilot).results.evaluations]


async def test_nothing_that_lands_takes_away_a_tag_a_search_or_a_moving_threshold(query):
    """Nor columns, order or filter. It waits while the threshold moves or a search is typed, and all of it is there
    afterwards.
    """
    async with opened(query) as pilot:
        await press(pilot, "g", "l")
        read, old = inspected(pilot).results.labels.journal.again(), load(query)
        await press(pilot, "w", *"odd", "enter")
        await shows(pilot, "Tagged")
        pilot.app.call_later(pilot.app.following.show_journal, read)
        await settled(pilot)
        assert inspected(pilot).results.evaluated.column("tags").to_list()[0] == ["odd"]
        pilot.app.call_later(pilot.app.following.show, old)
        await settled(pilot)
        assert inspected(pilot).results.evaluated.column("tags").to_list()[0] == ["odd"]
        assert inspected(pilot).results.loaded.texts is old.loaded.texts
        for name, keys in (("gamma", ("t", "left")), ("delta", ("slash", "x"))):
            await press(pilot, *keys)
            await settled(pilot)
            held, old = inspected(pilot), load(query)
            land(pilot, name)
            pilot.app.call_later(pilot.app.following.show, old)
            await settled(pilot)
            assert inspected(pilot).results.loaded.texts is held.results.loaded.texts
            await press(pilot, "escape")
            await until(pilot, lambda name=name: name in scorers(pilot))
            assert inspected(pilot).evaluation.rule.threshold == 0.5
        old = load(replace(query, thresholds=inspected(pilot).results.query.thresholds))
        pilot.app.screen.put(inspected(pilot).moved(0.53))
        await settled(pilot)
        land(pilot, "zeta")
        pilot.app.call_later(pilot.app.following.show, old)
        await settled(pilot)
        assert inspected(pilot).evaluation.rule.threshold == 0.53
        await until(pilot, lambda: "zeta" in scorers(pilot))
        assert inspected(pilot).evaluation.rule.threshold == 0.53
        kept = arranged(failures(inspected(pilot)), ("id", "verdict")).selected(sort="n_steps:desc")
        pilot.app.screen.put(kept)
        await settled(pilot)
        land(pilot, "eta")
        await until(pilot, lambda: "eta" in scorers(pilot))
        assert inspected(pilot).results.query == kept.results.query
        assert inspected(pilot).shown.tolist() == kept.shown.tolist()


async def test_what_was_read_before_something_went_is_not_shown_after_it(query, monkeypatch):
    """However long its thread took."""
    begun, goes_on = threading.Event(), threading.Event()

    def slowly(asked):
        if begun.is_set():
            return load(asked)
        results = load(asked)
        begun.set()
        goes_on.wait(20)
        return results

    async with opened(query) as pilot:
        monkeypatch.setattr("scoring.selection.loading.load", slowly)
        done = []
        pilot.app.following.read_again(lambda: done.append(True))
        await until(pilot, begun.is_set)
        shutil.rmtree(inspected(pilot).results.loaded.folders["beta"])
        await until(pilot, lambda: scorers(pilot) == ["alpha"])
        goes_on.set()
        await until(pilot, lambda: done)
        await settled(pilot)
        assert scorers(pilot) == ["alpha"]


async def test_what_was_computed_of_a_scorer_goes_with_it(query, monkeypatch):
    monkeypatch.setattr(derived, "WORTH", 0)
    root = Path(query.workspace)

    def kept():
        return sorted(path.parent.name.split("-")[0] for path in root.glob("derived/*/*/packed.json"))

    async with opened(query) as pilot:
        await until(pilot, lambda: kept() == ["alpha", "beta"])
        shutil.rmtree(inspected(pilot).results.loaded.folders["beta"])
        await until(pilot, lambda: kept() == ["alpha"])
        assert pilot.app.is_running


async def test_baselines_that_were_taken_away_stay_away_though_one_was_named(query):
    async with opened(replace(query, scorers=("coin",))) as pilot:
        assert inspected(pilot).focus.scorer == "coin"
        assert inspected(pilot).results.query.baselines
        await press(pilot, "v", "b")
        await until(pilot, lambda: scorers(pilot) == ["alpha", "beta"])
        land(pilot)
        await until(pilot, lambda: "gamma" in scorers(pilot))
        assert scorers(pilot) == ["alpha", "beta", "gamma"]


async def test_what_a_notebook_adds_shows_in_an_open_app(tmp_path):
    workspace = open_workspace(tmp_path / "ws")
    workspace.add_cases(authored.rows(3), benchmark="processbench")
    workspace.add_rewards("mine", [{"id": "sums-1", "rewards": [0.9, 0.4, 0.1]}])
    async with opened(Query(workspace=str(tmp_path / "ws"))) as pilot:
        assert inspected(pilot).cases.height == 3
        workspace.add_cases(authored.rows(5), benchmark="processbench")
        await until(pilot, lambda: inspected(pilot).cases.height == 5)
        cases = workspace.cases("processbench", texts=False)
        rewards = [[0.9] * n_steps for n_steps in cases["n_steps"]]
        workspace.add_rewards("from-a-notebook", cases.select("case", rewards=pl.Series(rewards)), threshold=0.4)
        await until(pilot, lambda: "from-a-notebook" in scorers(pilot))
        found = inspected(pilot).results.evaluation("from-a-notebook")
        assert found.rule.threshold == 0.4
        assert found.coverage.count == cases.height == 5
        await shows(pilot, "from-a-notebook")
        metrics = workspace.metrics("processbench", scorer="from-a-notebook")
        assert metrics.filter(metric="correct_acc", subset="all")["value"].to_list() == [1.0]
