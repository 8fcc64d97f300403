"""The app under adjudicated labels."""

from pathlib import Path

import pytest
from msgspec.structs import replace

import example
from inspector.state.opening import inspect
from opened import inspected, opened
from scoring.selection.loading import load
from scoring.workspace.triage.actions import RATE, RULE
from scoring.workspace.triage.journal import Author, Journal
from screen_text import pane_text, press, rests, screen_lines, screen_text, shows, until


@pytest.fixture
def query(tmp_path):
    query = example.write(tmp_path / "w")
    journal = Journal(Path(tmp_path / "w" / "triage"), Author("ann", "gpu"))
    journal.do([(RULE, ["bench/late-one"], "gold wrong"), (RATE, ["bench/late-one"], "2 -1")])
    return replace(query, labels="adjudicated")


async def test_a_ruling_takes_effect_when_one_goes_back_and_every_screen_says_that_labels_are_adjudicated(
    query, tmp_path
):
    """What another person rules takes effect too."""

    def label(pilot):
        cases = inspected(pilot).cases
        return dict(cases.select("id", "earliest_error").iter_rows())["alarm-one"]

    async with opened(query, size=(200, 40)) as pilot:
        await press(pilot, "enter", "g", "t", "enter")
        await shows(pilot, "▸ alarm-one ")
        before = inspected(pilot)
        assert label(pilot) == -1
        await press(pilot, "minus", "2")
        await shows(pilot, "adjudicated labels without the last rulings")
        assert label(pilot) == -1
        await press(pilot, "escape")
        await until(pilot, lambda: label(pilot) == 1)
        assert "without the last" not in await rests(pilot, "adjudicated labels")
        now = inspected(pilot)
        assert now.summary.headline != before.summary.headline
        fresh = inspect(load(query)).focused(now.focus.scorer, now.focus.benchmark)
        assert now.summary.headline == fresh.summary.headline
        await press(pilot, "u")
        await until(pilot, lambda: label(pilot) == -1)
        assert inspected(pilot).summary.headline == before.summary.headline
        await press(pilot, "g", "b")
        # A message would cover the right side of the header.
        pilot.app.clear_notifications()
        for width in (200, 80):
            await pilot.resize_terminal(width, 40)
            await shows(pilot, "1 gold label adjudicated")
            assert "adjudicated" in screen_lines(pilot.app)[0], width
        said = "Labels are adjudicated: 1 of 9 cases changed, by ann"
        assert inspected(pilot).results.problems[-1].startswith(said)
        await press(pilot, "enter")
        for width in (80, 200):
            await pilot.resize_terminal(width, 40)
            assert "adjudicated" in (await rests(pilot)).splitlines()[0], width
        place = inspected(pilot).results.cases["id"].to_list().index("late-one")
        assert inspected(pilot).evaluation.codes[place] == 0
        await press(pilot, "g", "b")
        journal = Journal(tmp_path / "w" / "triage", Author("bob", "far"))
        journal.do([(RULE, ["bench/alarm-one"], "gold wrong"), (RATE, ["bench/alarm-one"], "1 -1")])
        await shows(pilot, "2 gold labels adjudicated")


async def test_under_the_original_labels_nothing_is_said(query):
    async with opened(replace(query, labels="original")) as pilot:
        assert "adjudicated" not in screen_text(pilot.app)
        await press(pilot, "enter")
        assert "adjudicated" not in screen_text(pilot.app)


async def test_a_case_says_what_the_benchmark_says_of_it_and_a_persons_name_never_acts(query, tmp_path):
    who = "\x1b[31meve[b]\n\u202e"
    journal = Journal(Path(tmp_path / "w" / "triage"), Author(who, "gpu"))
    journal.do([(RULE, ["bench/late-one"], "gold wrong"), (RATE, ["bench/late-one"], "2 -1")])
    async with opened(replace(query, where=("adjudication = 'changed'",)), size=(140, 40)) as pilot:
        await press(pilot, "g", "l", "enter")
        await until(pilot, lambda: "changed by" in screen_text(pilot.app) + pane_text(pilot.app))
        assert "and ann, the benchmark says: step 0" in screen_text(pilot.app) + pane_text(pilot.app)
        text = screen_text(pilot.app)
        assert "eve[b]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        await press(pilot, "escape", "escape", "g", "r")
        await shows(pilot, "adjudicated by")
        assert "eve[b]" in screen_text(pilot.app)
        assert "\x1b" not in screen_text(pilot.app)
