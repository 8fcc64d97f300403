"""Cases like a case, in the shell and in the app."""

import json

import pytest

import example
from inspector.analyses import Params, load
from inspector.cli import main
from opened import inspected, opened
from scoring.data.errors import UsageError
from scoring.selection.loading import load as selected
from scoring.workspace.triage.journal import ENVIRONMENT
from screen_text import hides, press, shows, until


@pytest.fixture
def query(tmp_path, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT, "ann")
    return example.write(tmp_path / "ws")


def test_the_nearest_of_each_kind_with_outcome_and_tags(query, capsys):
    selected(query).labels.journal.tag(["bench/late-one"], ["odd"])
    assert main(["-w", query.workspace, "similar", "exact-one", "--scorer", "alpha", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["scorer"] for row in rows} == {None, "alpha"}
    assert all(row["case"] != "bench/exact-one" for row in rows)
    for scorer in (None, "alpha"):
        likeness = [row["likeness"] for row in rows if row["scorer"] == scorer]
        assert likeness == sorted(likeness, reverse=True)
    assert {tuple(row["tags"]) for row in rows if row["case"] == "bench/late-one"} == {("odd",)}


def test_every_case_opens_exactly_itself(query):
    results = selected(query)
    view = load("similar").view(results, Params(options={"case": "exact-one"}))
    cells = [row[0] for section in view.sections for block in section.blocks[:-1] for row in block.rows]
    assert cells
    for cell in cells:
        opened_rows = results.evaluated.passing(cell.link.where).nonzero()[0]
        assert [results.cases["case"][int(row)] for row in opened_rows] == [cell.value]


def test_the_filter_keeps_others_out(query, capsys):
    words = ["-w", query.workspace, "similar", "exact-one", "--where", "\"alpha.outcome\" = 'late'", "--json"]
    assert main(words) == 0
    assert {row["case"] for row in json.loads(capsys.readouterr().out)["rows"]} == {"bench/late-one"}


def test_without_a_case_or_with_nothing_like_it_there_is_a_sentence(query, capsys):
    with pytest.raises(UsageError, match="needs"):
        load("similar").view(selected(query), Params())
    assert main(["-w", query.workspace, "similar", "exact-one", "--where", "case = 'bench/exact-one'"]) == 0
    assert "No other case that the filter keeps is like bench/exact-one." in capsys.readouterr().err


async def test_in_the_app_one_is_opened_from_a_case_and_nothing_is_told_that_is_hidden_or_was_not_tagged(query):
    async with opened(query) as pilot:
        await press(pilot, "enter", "g", "t", "enter")
        await shows(pilot, "triage ▸ alarm-one")
        assert not pilot.app.screen.query_one("#alike").display
        await press(pilot, "g", "l", "v", "b", "g", "k")
        await shows(pilot, "Like bench/", "text ")
        await hides(pilot, "false alarm", "o missed")
        await press(pilot, "escape")
        await hides(pilot, "Like bench/")
        await press(pilot, "g", "k", "q")
        await hides(pilot, "Like bench/")
        await press(pilot, "v", "b", "enter")
        here = pilot.app.screen.row
        await press(pilot, "g", "k")
        await shows(pilot, "Like bench/", "text ", "rewards ", "⏎ open it")
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen.NAME == "case" and pilot.app.screen.row != here)
        assert pilot.app.screen.row in inspected(pilot).shown


async def test_in_triage_tagged_cases_that_are_like_this_one_are_told(query):
    tagged = ("missed-one", "missed-two", "clean-one", "clean-two")
    selected(query).labels.journal.tag([f"bench/{case}" for case in tagged], ["[odd]"])
    async with opened(query) as pilot:
        await press(pilot, "enter", "g", "t", "enter")
        # What shares hardly a word with it is not like it.
        await shows(pilot, "triage ▸ alarm-one")
        await press(pilot, "n", "n")
        screen = await shows(pilot, "triage ▸ missed-one", "Tagged and like it: bench/", "[[odd]] 28%")
        assert "missed-one [" not in screen
        await press(pilot, "v", "b")
        await hides(pilot, "Tagged and like it")
        await press(pilot, "1")
        # With a ruling everything is shown.
        await shows(pilot, "triage ▸ missed-one", "Tagged and like it")
