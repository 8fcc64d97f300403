"""A table is looked at column by column before it is imported, and nothing is written that was not wanted."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

import authored
import making
from inspector.screens.mapping import MappingDialog
from inspector.screens.mapping_words import claim_words, claimed
from inspector.state.focusing import covering
from inspector.widgets.pick_list import PickList
from inspector.widgets.themes import OneDialog
from opened import inspected, opened, unpainted
from reference import Case
from scoring.formats.reading.rows import read_rows
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.proposal import OpenTable
from scoring.importing.sources import ReadOptions, read_source
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import demo_workspace
from screen_text import press, settled, shows, until


@pytest.fixture(autouse=True)
def _no_frames():
    with unpainted():
        yield


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A workspace of three cases with a scorer, in the folder that the test stands in."""
    monkeypatch.chdir(tmp_path)
    cases = [Case(2, 1, (0.9, 0.1)), Case(2, -1, (0.9, 0.8)), Case(3, 0, (0.4, 0.5, 0.6))]
    making.workspace(tmp_path / "space", cases, [(making.scorer("old"), cases)])
    return tmp_path


def write(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def results(path):
    return write(path, [{"id": f"c{at}", "rewards": [0.2] * steps, "shade": "x"} for at, steps in enumerate((2, 2, 3))])


def cases(path):
    """Cases under names that nobody would guess; labels count from 1, and 0 is no error."""
    rows = [{"aa": f"problem {at}", "bb": [f"one {at}", f"two {at}"], "cc": at % 3, "dd": "blue"} for at in range(6)]
    return write(path, rows)


def asked(path):
    return OneDialog(MappingDialog(OpenTable(read_rows(path))))


async def test_what_was_found_is_imported_with_one_key_and_how_is_saved_for_the_next_table(here):
    """What does not fit is said and not imported."""
    app = OneDialog(MappingDialog(OpenTable(read_rows(results(here / "mine.jsonl"))), here))
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await shows(pilot, "Import it", "results of mine", "the id of the case", "step rewards of a scorer: mine")
        await shows(pilot, 'left out, such as "x"', "rewards of mine: 0.2 0.2", "save the mapping")
        await choose(pilot, "id", "nothing of these")
        await shows(pilot, "The mapping names no case", "not yet")
        await press(pilot, "home", "enter")
        assert isinstance(pilot.app.screen, MappingDialog)
        await choose(pilot, "id", "the id of the case")
        await press(pilot, "home", "e", "enter")
        await until(pilot, (here / "mine.mapping.json").exists)
        await press(pilot, "e", "enter")
        await until(pilot, (here / "mine.mapping-2.json").exists)
        await press(pilot, "enter")
    assert (app.return_value.id, app.return_value.rewards) == ("id", {"mine": "rewards"})
    assert ColumnMapping.read(here / "mine.mapping.json") == app.return_value


async def test_columns_that_nobody_would_guess_are_said(here):
    """Nothing is imported before it is enough; the first case is seen as it would be, and labels can be counted."""
    app = asked(cases(here / "mine.jsonl"))
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, "not yet: see what is missing", "Nothing is named yet", 'left out, such as "problem 0"')
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, MappingDialog)
        for column, field in (("aa", "the problem"), ("bb", "the steps"), ("cc", "gold: the earliest wrong step")):
            await choose(pilot, column, field)
        await shows(pilot, "cases of mine", "earliest error, 0-based: not known", "kept with the case")
        await press(pilot, "home", "down")
        await shows(pilot, "What does the column 'cc' call the first step?: the labels are not used")
        await press(pilot, "enter")
        await shows(pilot, "step 0 (the earliest error): one 0")
        await shows(pilot, "labels counted from 0, and the number of steps", "earliest error, 0-based: step 0")
        await press(pilot, "enter")
        await shows(pilot, "labels counted from 1, and 0 where no step is wrong", "earliest error, 0-based: no error")
        await press(pilot, "home", "enter")
    mapping = app.return_value
    assert (mapping.problem, mapping.steps, mapping.earliest_error) == ("aa", "bb", "cc")
    assert (mapping.label_base, mapping.clean) == (1, "0")


async def choose(pilot, column, field):
    """Say what a column is: Enter on its line, and on the field's in the list that opens."""
    await to_line(pilot, column)
    await press(pilot, "enter")
    await shows(pilot, f"What is in {column}?")
    await to_line(pilot, field)
    await press(pilot, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, MappingDialog))
    await until(pilot, lambda: not pilot.app.screen._trying)


async def to_line(pilot, label):
    """Put the cursor on a line; that arrows move it there is held where lists are."""
    picks = pilot.app.screen.query_one(PickList)
    picks.cursor = next(at for at, pick in enumerate(picks.picks) if pick.label.startswith(label))
    await settled(pilot)


async def test_columns_may_be_said_in_any_order_and_rewards_that_none_of_the_rows_holds_are_said(here):
    """What is not enough yet is kept, and said."""
    path = write(here / "my_prm.jsonl", [{"aa": f"c{at}", "out": {"all": [1]}, "bb": [0.5, 0.25]} for at in range(3)])
    app = asked(path)
    async with app.run_test(size=(160, 30)) as pilot:
        await shows(pilot, "Nothing is named yet")
        await choose(pilot, "out", "step rewards of a scorer")
        # In the words of somebody who presses keys.
        text = await shows(pilot, "The mapping names no case.", "step rewards of a scorer: my_prm")
        assert "Wrong usage" not in text
        await choose(pilot, "aa", "the id of the case")
        await shows(pilot, "rewards of my_prm: none of these rows holds any in out")
        await choose(pilot, "out", "nothing of these")
        await choose(pilot, "bb", "step rewards of a scorer")
        await shows(pilot, "results of my_prm", "rewards of my_prm: 0.5 0.25")
        await press(pilot, "home", "enter")
    assert (app.return_value.id, app.return_value.rewards) == ("aa", {"my_prm": "bb"})


async def test_names_and_values_that_would_act_are_only_text(here):
    """Who leaves it has nothing."""
    bad = "\x1b[31m[red]\u202e"
    path = write(here / "mine.jsonl", [{"id": "c0", "rewards": [0.5, 0.5], bad: bad, f"{bad}2": {bad: 1}}])
    app = asked(path)
    async with app.run_test(size=(120, 30)) as pilot:
        text = await shows(pilot, "results of mine", "␛[31m[red]", "left out")
        assert "\x1b" not in text
        assert "\u202e" not in text
        await to_line(pilot, bad)
        await press(pilot, "enter")
        assert "\x1b" not in await shows(pilot, "What is in ␛[31m[red]")
        await press(pilot, "escape", "escape")
    assert app.return_value is None


def test_a_lone_scorer_is_called_after_the_file_and_others_after_their_columns():
    one = claimed(ColumnMapping(id="id"), "a", "rewards", "my-prm_results.jsonl")
    assert one.rewards == {"my-prm": "a"}
    two = claimed(one, "b", "rewards", "my-prm_results.jsonl")
    assert two.rewards == {"my-prm": "a", "b": "b"}
    assert claim_words(two, "b") == "step rewards of a scorer: b"
    assert (
        claim_words(claimed(ColumnMapping(), "r", "rewards", "x_of_y.csv"), "r") == "step rewards of a scorer: x_of_y"
    )
    assert claimed(one, "my-prm", "rewards", "my-prm_results.jsonl").rewards == {"my-prm": "a", "my-prm-2": "my-prm"}
    moved = claimed(two, "b", "answers", "my-prm_results.jsonl")
    assert (moved.rewards, moved.answers) == ({"my-prm": "a"}, {"b": "b"})
    assert claim_words(moved.claiming("b", ""), "b") == ""


@pytest.mark.parametrize("subset", [None, "extra"])
def test_what_a_person_chose_is_not_called_a_guess(here, subset):
    path = write(here / "mine.jsonl", [{"question": "p", "solution": ["a", "b"], "first_error": 1, "extra": "x"}])
    options = ReadOptions(ask=lambda table: replace(table.proposal().mapping, subset=subset))
    [cases] = read_source(str(path), options).imported
    assert ("guessed-columns" in {finding.code for finding in cases.findings}) == (subset is None)


def refused(pilot):
    return any("broken.jsonl" in one.message and one.severity == "error" for one in pilot.app._notifications)


async def test_a_file_is_imported_without_leaving_the_app_and_what_is_not_wanted_or_cannot_be_read_is_not(
    here, monkeypatch
):
    """Whoever quits need not answer first."""
    results(here / "mine.jsonl")
    (here / "broken.jsonl").write_text("{")
    before = sorted(path.name for path in here.rglob("*"))
    monkeypatch.setattr("inspector.app.services.importing.TOLD_EVERY", 0.0)
    async with opened(Query(workspace=str(here / "space"))) as pilot:
        job = pilot.app.screen.query_one("#job")
        await press(pilot, "g", "i")
        await press(pilot, *"mine", "enter")
        # How far a large file is read is told until it is.
        await until(pilot, lambda: job.display)
        await shows(pilot, "which column is what", "results of mine")
        await press(pilot, "escape")
        await until(pilot, lambda: not job.display)
        await press(pilot, "g", "i", *"broken", "enter")
        await until(pilot, lambda: refused(pilot))
        assert sorted(path.name for path in here.rglob("*")) == before
        await press(pilot, "g", "i")
        await shows(pilot, "mine.jsonl", "Rewards, verdicts, answers or cases")
        await press(pilot, *"mine", "enter")
        await shows(pilot, "which column is what", "3 of cases that are here (bench)")
        await press(pilot, "enter")
        await shows(pilot, "3 of 3 results joined to bench")
        await press(pilot, "enter")
        await until(pilot, lambda: "mine" in covering(inspected(pilot)))
        assert len(list((here / "space" / "rewards").iterdir())) == 2
        await press(pilot, "g", "i", *"mine", "enter")
        await shows(pilot, "which column is what")
        await press(pilot, "ctrl+c")
    assert pilot.app.return_value == 0
    assert len(list((here / "space" / "rewards").iterdir())) == 2


async def test_the_report_outlives_what_is_read_again(here):
    """A benchmark whose cases come before those on screen closes what lies on the board, and then says what came."""
    authored.write(here / "aaa.json", authored.rows(3))
    making.workspace(here / "other", [Case(2, 1, (0.9, 0.1))], [], benchmark="zz")
    async with opened(Query(workspace=str(here / "other"))) as pilot:
        await press(pilot, "escape", "g", "i", *"aaa", "enter")
        await shows(pilot, "Esc close", "3 cases", f"Workspace {here / 'other'}")
        assert "processbench" in pilot.app.state.cases["benchmark"]
        await press(pilot, "escape")


@pytest.mark.parametrize("scored", [False, True])
async def test_a_benchmark_comes_beside_the_demo_in_a_workspace_of_this_folder_but_not_what_was_refused(
    tmp_path, monkeypatch, scored
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if scored:
        Workspace.create(demo_workspace())
    (tmp_path / "broken.jsonl").write_text("{")
    results(tmp_path / "mine.jsonl")
    authored.write(tmp_path / "sums.json", authored.rows(3))
    async with opened() as pilot:
        await press(pilot, "g", "i", *"broken", "enter")
        await until(pilot, lambda: refused(pilot))
        await press(pilot, "g", "i", *"mine", "enter")
        await shows(pilot, "which column is what")
        await press(pilot, "escape")
        assert not Path(".prm-inspect").exists()
        await press(pilot, "g", "i", *"sums", "enter")
        await shows(pilot, "Esc close", "3 cases")
        await press(pilot, "escape")
        await until(pilot, lambda: "processbench" in inspected(pilot).cases["benchmark"])
        assert {"demo", "processbench"} == set(inspected(pilot).cases["benchmark"])
    assert Path(".prm-inspect").is_dir()


async def test_a_column_without_a_name_has_a_line_and_is_taken_for_nothing(here):
    (here / "mine.csv").write_text(',id,rewards\n0,c0,"[0.2, 0.2]"\n1,c1,"[0.2, 0.2]"\n')
    app = OneDialog(MappingDialog(OpenTable(read_rows(here / "mine.csv"))))
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await shows(pilot, "results of mine", '(no name)  left out, such as "0"')
        await to_line(pilot, "(no name)")
        await press(pilot, "enter")
        await shows(pilot, "this one has no name")
        await press(pilot, "home", "enter")
    assert app.return_value.rewards == {"mine": "rewards"}


async def test_what_a_higher_value_means_is_shown_and_imported_as_shown(here):
    rows = [{"id": f"c{at}", "error_prob": [0.2] * steps} for at, steps in enumerate((2, 2, 3))]
    path = write(here / "mine.jsonl", rows)
    for changes, stated in ((0, "worse"), (1, "better")):
        app = asked(path)
        async with app.run_test(size=(120, 30)) as pilot:
            await shows(pilot, "it means worse", "rewards of error_prob: 0.8 0.8")
            for _ in range(changes):
                await press(pilot, "home", "down", "enter")
                await shows(pilot, "it means better", "rewards of error_prob: 0.2 0.2")
            await press(pilot, "home", "enter")
        assert (app.return_value.rewards, app.return_value.higher_is) == ({"error_prob": "error_prob"}, stated)
