"""The taxonomy screen: from notes to a table of categories without leaving the keyboard."""

import json
import shlex
from pathlib import Path

import pytest

import example
import making
from inspector.cli import main
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import Sheet, text_of
from inspector.render.terminal import Terminal
from inspector.screens.note_sorting import notes_shown
from inspector.screens.taxonomy import TaxonomyScreen, category_blocks, category_of
from inspector.state.opening import inspect
from inspector.state.triage.category_cases import NOT_TRIED, VALUES
from inspector.widgets.pick_list import TextList
from opened import inspected, listed, opened
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.actions import NOTE, SORT
from scoring.workspace.triage.journal import ENVIRONMENT, Author, Journal
from scoring.workspace.workspace import Workspace
from screen_text import hides, press, rests, screen_lines, shows, type_ahead, until
from walking import walk


def note(who, case, text, category=""):
    who.do([(NOTE, [case], text), *([(SORT, [case], category)] if category else [])])


@pytest.fixture
def query(tmp_path, monkeypatch):
    """Ann's six notes and two of Bob's on thirty cases with three scorers."""
    monkeypatch.setenv(ENVIRONMENT, "ann")
    cases, scorers = making.study()
    making.workspace(tmp_path / "w", cases, scorers, **making.labels(cases))
    ann, bob = (Journal(tmp_path / "w" / "triage", Author(who, "gpu")) for who in ("ann", "bob"))
    for number, (text, category) in enumerate(
        [
            ("dropped a minus", "signs"),
            ("lost the sign", "signs"),
            ("metres and feet", "units"),
            ("reads the wrong column", ""),
            ("feet again", ""),
            ("premise not checked", ""),
        ]
    ):
        note(ann, f"bench/c{number}", text, category)
    note(bob, "bench/c0", "minus", "signs")
    note(bob, "bench/c9", "who knows")
    return Query(workspace=str(tmp_path / "w"))


def kept(query):
    """What another process reads from the workspace now, of Ann."""
    said = load(query).labels.journal.triage.categories
    return {case.removeprefix("bench/"): of["ann"] for case, of in said.items() if "ann" in of}


def categories(pilot):
    return [(pick.label, pick.note) for pick in pilot.app.screen.query_one("#categories", TextList)._picks]


async def reach(pilot, *keys):
    await press(pilot, "g", "x")
    await shows(pilot, "8 notes in 2 categories", "too few to speak of saturation")
    await press(pilot, *keys)


async def test_categories_stand_beside_their_notes_and_enter_opens_the_cases_of_whatever_is_under_the_cursor(query):
    async with opened(query, size=(100, 30)) as pilot:
        await reach(pilot)
        assert categories(pilot) == [("signs", "3"), ("units", "1"), ("(in none)", "4")]
        await shows(pilot, "(in none): 4 notes on 4 cases", "reads the wrong column", "bench/c9 bob")
        await press(pilot, "home")
        await shows(pilot, "signs: 3 notes on 2 cases", "dropped a minus", "bench/c0 bob")
        await press(pilot, "tab", "j")
        await shows(pilot, "bench/c1, ann, ")
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen.NAME == "case")
        await shows(pilot, "c1", "of 2", "lost the sign")
        await press(pilot, "escape")
        await shows(pilot, "8 notes in 2 categories", ">[ ] lost the sign")
        await press(pilot, "shift+tab", "enter")
        await until(pilot, lambda: pilot.app.screen.NAME == "cases")
        assert sorted(listed(pilot)) == ["bench/c0", "bench/c1"]
        await shows(pilot, "category signs")
        await press(pilot, "escape")
        await shows(pilot, "signs: 3 notes on 2 cases")
        await press(pilot, "shift+tab", "j")
        drill = pilot.app.screen.query_one("#sheet").drill
        assert drill.words == "signs, tried by rand-0"
        await shows(pilot, f"Enter: {drill.n} case")
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen.NAME == "cases")
        assert len(listed(pilot)) == drill.n
        # What another process notes on the way is there afterwards.
        cy = Journal(load(query).loaded.workspace.root / "triage", Author("cy", "gpu"))
        note(cy, "bench/c20", "line and line " * 40, "luck")
        await press(pilot, "escape")
        await shows(pilot, "9 notes in 3 categories", "luck")
        # A long note stands in full as far as there is room.
        await press(pilot, "tab", "home", "j", "j", "tab")
        await shows(pilot, "bench/c20, cy, ", "(3 more lines)", "luck: 1 note on 1 case")


async def test_only_ones_own_notes_move_be_it_a_whole_category_and_the_threshold_moves_who_is_wrong(query):
    """A category is merged with another one, renamed or taken out."""
    async with opened(query, size=(100, 40)) as pilot:
        await reach(pilot, "tab", "G", "w")
        await shows(pilot, "This is not a note of yours (ann)")
        await press(pilot, "v", "w")
        await shows(pilot, "Whose notes", "everybody", "6 notes", "bob")
        await press(pilot, "G", "enter")
        await shows(pilot, "2 notes in 1 category", "of bob")
        await press(pilot, "v", "w", "home", "enter")
        await shows(pilot, "8 notes in 2 categories")
        await press(pilot, "shift+tab", "home")
        await rests(pilot, "wrong  of")
        before = wrong(pilot)
        await press(pilot, "t", "n", "n")
        await until(pilot, lambda: wrong(pilot) != before)
        state, screen = inspected(pilot), pilot.app.screen
        assert walk(state, screen.lay_out(state, None, 80, 20)) > 3
        await press(pilot, "escape")
        await until(pilot, lambda: wrong(pilot) == before)
        await press(pilot, "w")
        await shows(pilot, "Put 2 notes into (1 note of others stays)", "take them out")
        await press(pilot, *"unit", "enter")
        await shows(pilot, "2 notes put into units")
        assert kept(query) == {"c0": "units", "c1": "units", "c2": "units"}
        assert categories(pilot) == [("units", "3"), ("signs", "1"), ("(in none)", "4")]
        await press(pilot, "u")
        await until(pilot, lambda: kept(query) == {"c0": "signs", "c1": "signs", "c2": "units"})
        await press(pilot, "home", "j", "a")
        await shows(pilot, "Rename units")
        await press(pilot, "2", "enter")
        await shows(pilot, "1 note put into units2; u undoes it.", "units2: 1 note on 1 case")
        await press(pilot, "a", *["backspace"] * 6, *"signs", "enter")
        await shows(pilot, "There is a category signs already.")
        await press(pilot, "a", *["backspace"] * 6, "enter")
        await shows(pilot, "A category needs a name.")
        await press(pilot, "a", "enter")
        await shows(pilot, "It is called units2 already.")
        assert kept(query) == {"c0": "signs", "c1": "signs", "c2": "units2"}
        await press(pilot, "w", "down", "down")
        await shows(pilot, ">(in none)", "take them out")
        await press(pilot, "enter")
        await shows(pilot, "1 note taken out of the category")
        assert kept(query) == {"c0": "signs", "c1": "signs"}
        # Of notes in no category none can be taken out, and that has no name to change.
        await press(pilot, "G", "a")
        await shows(pilot, "There is no category here to rename.")
        await press(pilot, "w")
        await shows(pilot, "Put 4 notes into (1 note of others stays)")
        await hides(pilot, "take them out")
        await press(pilot, "escape")
        await hides(pilot, "Put 4 notes into")
        assert kept(query) == {"c0": "signs", "c1": "signs"}


def wrong(pilot):
    """What scorers have wrong, as it stands in the lowest pane."""
    names = [one.scorer.name for one in inspected(pilot).results.evaluations]
    return [line for line in screen_lines(pilot.app) if any(f" {name} " in line for name in names)]


async def test_notes_are_ticked_put_into_categories_and_exported_as_the_command_prints_them(
    query, tmp_path, monkeypatch, capsys
):
    """By keys that may come before the screen has followed; a full disk leaves ticks."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(tmp_path)
    async with opened(query, size=(100, 30), folder=tmp_path) as pilot:
        # A category is found by a part of its name.
        await reach(pilot, "tab", "j", "w")
        await shows(pilot, "Put 1 note into", ">signs", "units")
        await press(pilot, *"nit")
        await shows(pilot, ">units", "nit", "a new category")
        await hides(pilot, "signs  3 notes")
        await press(pilot, "enter")
        await shows(pilot, "1 note put into units; u undoes it.")
        assert kept(query) == {"c0": "signs", "c1": "signs", "c2": "units", "c4": "units"}
        assert categories(pilot) == [("signs", "3"), ("units", "2"), ("(in none)", "3")]
        await press(pilot, "u")
        await shows(pilot, "Undone: the category 'units' on bench/c4.")
        assert "c4" not in kept(query)
        # Ticked notes go into a new one together, and Esc takes ticks away before it leaves.
        await press(pilot, "home", "space", "space")
        await shows(pilot, "2 ticked", "[x] reads the wrong column", "[x] feet again", ">[ ] premise not checked")
        await press(pilot, "w", *"new", "enter")
        await shows(pilot, "2 notes put into new")
        await hides(pilot, "ticked")
        assert {kept(query)["c3"], kept(query)["c4"]} == {"new"}
        await press(pilot, "u")
        await until(pilot, lambda: "c3" not in kept(query) and "c4" not in kept(query))
        await press(pilot, "space")
        await shows(pilot, "1 ticked")
        await press(pilot, "escape")
        await hides(pilot, "1 ticked", "[x]")
        assert isinstance(pilot.app.screen, TaxonomyScreen)
        # What is typed ahead means what is under the cursor then.
        await press(pilot, "shift+tab")
        type_ahead(pilot, "g", "g", "j", "w", *"signs", "enter")
        await shows(pilot, "1 note put into signs")
        assert kept(query) == {"c0": "signs", "c1": "signs", "c2": "signs"}
        await press(pilot, "u", "G")
        await until(pilot, lambda: kept(query)["c2"] == "units")
        # Notes that hold words or are alike are ticked together.
        await press(pilot, "slash", *"Et", "enter")
        await shows(pilot, "1 ticked", "[x] feet again")
        await press(pilot, "slash", *"xyz")
        await shows(pilot, ">those that hold xyz  0 notes")
        await press(pilot, "enter")
        await hides(pilot, "ticked")
        await press(pilot, "slash", "e", "enter")
        await shows(pilot, "3 ticked")
        await press(pilot, "slash", "escape")
        await shows(pilot, "3 ticked")
        await press(pilot, "slash", "enter")
        await hides(pilot, "ticked")
        ann = Journal(Path(query.workspace) / "triage", Author("ann", "gpu"))
        for case, text in (("c3", "misread the table"), ("c4", "another table [misread]")):
            note(ann, f"bench/{case}", text)
        await shows(pilot, "[ ] misread the table", "another table [misread]")
        await press(pilot, "slash")
        await shows(pilot, "Tick notes in", ">none", "misread, table  2 notes")
        # What was said of what was done lies over the notes.
        pilot.app.clear_notifications()
        await press(pilot, "down")
        await shows(pilot, "2 notes alike in words: misread the table / another table [misread]")
        await press(pilot, "enter")
        await shows(pilot, "2 ticked", "[x] misread the table", "[x] another table [misread]")
        await press(pilot, "e")
        await shows(pilot, "The categories", "The notes, in the order written")
        await press(pilot, "j")
        await until(pilot, lambda: len(list(tmp_path.glob("*.json"))) == 1)
        await press(pilot, "e", "J")
        await until(pilot, lambda: len(list(tmp_path.glob("*.json"))) == 2)
        await press(pilot, "w", "n")
        with monkeypatch.context() as patched:
            patched.setattr("scoring.workspace.triage.journal.os.write", full)
            await press(pilot, "enter")
            await shows(pilot, "Cannot write", "2 ticked")
    assert set(kept(query).values()) == {"signs", "units"}
    for file in tmp_path.glob("*.json"):
        document = json.loads(file.read_text())
        capsys.readouterr()
        assert main(shlex.split(document["provenance"]["command"])[1:]) == 0
        assert json.loads(capsys.readouterr().out)["rows"] == document["rows"]
    assert sorted(len(json.loads(file.read_text())["rows"]) for file in tmp_path.glob("*.json")) == [3, 8]


async def test_where_there_is_no_folder_it_is_said(monkeypatch):
    """Here, and wherever else something would be said of a case."""
    monkeypatch.setattr("scoring.selection.loading.find_workspace_or_demo", lambda *_: Workspace(None))
    async with opened(size=(100, 30)) as pilot:

        async def refused(*keys):
            await press(pilot, *keys)
            told = pilot.app._notifications
            await until(pilot, lambda: any("Tags, notes and rulings are kept" in one.message for one in told))
            pilot.app.clear_notifications()

        await refused("g", "t")
        await press(pilot, "enter")
        for key in ("w", "a", "u", "ctrl+r"):
            await refused(key)
        await press(pilot, "g", "x")
        await shows(pilot, "No case here has a note yet.")
        await refused("w")
        await refused("a")


async def test_where_there_is_no_note_its_keys_say_so(tmp_path):
    async with opened(example.write(tmp_path / "w"), size=(100, 30)) as pilot:
        await press(pilot, "g", "x")
        await shows(pilot, "No case here has a note yet.", "no note is in a category yet, of 0")
        for key, said in (("w", "There is no note here."), ("a", "There is no category here"), ("enter", "no number")):
            await press(pilot, key)
            await shows(pilot, said)
            pilot.app.clear_notifications()


def pane(state, category, width=120):
    """The lines on a category in a pane of so many cells."""
    return Sheet(tuple(Terminal(width, Glyphs(False)).blocks(tuple(category_blocks(state, category)))))


def test_every_number_of_every_category_opens_its_cases(query):
    state = inspect(load(query))
    notes = notes_shown(state)
    for name in notes.by_category:
        for width in (30, 80, 200):
            assert walk(state, pane(state, category_of(state, notes, name), width)) > 3


def test_the_condition_of_a_category_is_its_name_where_that_is_exact(query):
    state = inspect(load(query))
    notes = notes_shown(state)
    assert category_of(state, notes, "signs").conditions == ("ARRAY_CONTAINS(\"category\", 'signs')",)
    assert category_of(state, notes, "").conditions[0].startswith("case IN (")
    # Of Bob alone, Ann's other case is none of them.
    assert category_of(state, notes.of("bob"), "signs").conditions == ("case IN ('bench/c0')",)


def test_values_beyond_the_first_are_counted(tmp_path):
    cases, _ = making.study(n=30)
    making.workspace(tmp_path, cases, [], subset=[f"s{number}" for number in range(30)])
    journal = Journal(tmp_path / "triage", Author("ann", "gpu"))
    for number in range(12):
        note(journal, f"bench/c{number}", "x\n" * 5, "many")
    state = inspect(load(Query(workspace=str(tmp_path))))
    lines = [text_of(row) for row in pane(state, category_of(state, notes_shown(state), "many")).lines]
    assert lines[0] == "many: 12 notes on 12 cases"
    (subset,) = [line for line in lines if line.startswith("subset")]
    assert subset.count("1 s") == VALUES
    assert subset.endswith(f"and {12 - VALUES} other values")
    assert not any("wrong" in line for line in lines)


def test_scorers_that_tried_no_case_of_a_category_are_told_last_without_figures(tmp_path):
    query = example.noted(tmp_path)
    note(Journal(tmp_path / "triage", Author("ann", "gpu")), "bench/early-one", "alone", "early")
    state = inspect(load(query))
    lines = [text_of(row) for row in pane(state, category_of(state, notes_shown(state), "early")).lines]
    heads, alpha, beta = lines[2:5]
    assert heads.split() == ["scorer", "wrong", "of"]
    assert alpha.split() == ["alpha", "1", "1"]
    assert (beta.split()[0], beta.endswith(NOT_TRIED)) == ("beta", True)
