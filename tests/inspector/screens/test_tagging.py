import json

import pytest
from textual.events import Paste

import example
import making
from inspector.screens.messages import Copy
from inspector.screens.tag_dialog import in_columns
from inspector.state.opening import inspect
from inspector.widgets.text_editor import TextEditor
from opened import inspected, listed, opened
from reference import Case
from scoring.data.storage.files import check_writable
from scoring.selection.loading import load
from scoring.workspace.triage.journal import ENVIRONMENT, Journal
from screen_text import hides, press, shows, until


@pytest.fixture
def query(tmp_path, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT, "ann")
    return example.write(tmp_path / "ws")


def kept(query):
    """What another process reads from the workspace now."""
    return load(query).labels.journal.triage


async def test_tags_and_notes_are_put_on_the_case_under_the_cursor_changed_taken_away_undone_and_done_again(query):
    """In the list and on the screen of a case."""
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, "enter", "j", "w")
        await shows(pilot, "Tag bench/late-one", "⏎ tag")
        await press(pilot, *"odd", "space", "e", "enter")
        await shows(pilot, "Tagged bench/late-one: odd, e; u undoes it.")
        assert kept(query).tags == {"bench/late-one": ("e", "odd")}
        await press(pilot, "w")
        await shows(pilot, "It has: e, odd", "1 e (1)", "2 odd (1)")
        await press(pilot, *"-e,n", "enter")
        await shows(pilot, "Tagged bench/late-one: n, -e;")
        assert kept(query).tags == {"bench/late-one": ("n", "odd")}
        await press(pilot, "u")
        await shows(pilot, "Undone: n, -e on bench/late-one.")
        await press(pilot, "u")
        await shows(pilot, "Undone: odd, e on bench/late-one.")
        assert kept(query).tags == {}
        await press(pilot, "u")
        await shows(pilot, "There is nothing to undo.")
        await press(pilot, "ctrl+r")
        await shows(pilot, "Done again: odd, e on bench/late-one.")
        assert kept(query).tags == {"bench/late-one": ("e", "odd")}
        assert inspected(pilot).results.evaluated.column("tags").to_list().count(["e", "odd"]) == 1
        # Notes.
        await press(pilot, "k", "a")
        await shows(pilot, "Note on bench/alarm-one")
        await press(pilot, "l", "enter")
        await shows(pilot, "Noted on bench/alarm-one;")
        assert kept(query).notes == {"bench/alarm-one": {"ann": "l"}}
        await press(pilot, "a", "s", "enter")
        await shows(pilot, "Noted on bench/alarm-one;")
        assert kept(query).note("bench/alarm-one") == "ls"
        await press(pilot, "a", "backspace", "backspace", "enter")
        await shows(pilot, "The note on bench/alarm-one is gone;")
        assert kept(query).notes == {}
        await press(pilot, "u")
        await shows(pilot, "Undone: taking the note away on bench/alarm-one.")
        assert kept(query).note("bench/alarm-one") == "ls"
        await press(pilot, "enter", "n", "w")
        await shows(pilot, "Tag bench/late-one")
        await press(pilot, *"seen", "enter", "a", "h", "enter", "u")
        await shows(pilot, "Undone: the note on bench/late-one.")
        triage = kept(query)
        assert (triage.tags, triage.notes) == (
            {"bench/late-one": ("e", "odd", "seen")},
            {"bench/alarm-one": {"ann": "ls"}},
        )
        await press(pilot, "escape")
        assert inspected(pilot).results.evaluated.column("note").drop_nulls().to_list() == ["ls"]
        # A tag is completed, and what changes nothing is not written.
        (path,) = (load(query).loaded.workspace.root / "triage").iterdir()
        await press(pilot, "k", "w")
        await shows(pilot, "3 seen (1)")
        await press(pilot, *"se", "tab", "enter")
        await shows(pilot, "Tagged bench/alarm-one: seen;")
        before = path.read_bytes()
        await press(pilot, "w", *"seen", "enter")
        await shows(pilot, "It is tagged like that already.")
        await press(pilot, "w", "enter")
        await hides(pilot, "Tag bench/alarm-one")
        assert path.read_bytes() == before


async def test_tags_and_notes_stand_above_the_case_and_hostile_ones_act_nowhere_and_others_notes_stay(
    query, monkeypatch
):
    """A note has as many lines as it takes, typed or pasted; without an editor of one's own that is said."""
    monkeypatch.setenv(ENVIRONMENT, "bob")
    load(query).labels.journal.note(["bench/alarm-one"], "bob\x1b[2J was\there")
    monkeypatch.setenv(ENVIRONMENT, "ann")
    journal = load(query).labels.journal
    journal.tag(["bench/alarm-one"], ["odd", "easy", "[/b]\x1b[2J", "[red]x"])
    journal.note(["bench/late-one"], "look at $x$ again")
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, "enter", "a")
        await shows(pilot, "bob: bob␛[2J was    here")
        await press(pilot, *"me", "enter")
        await shows(pilot, "Noted on")
        assert kept(query).note("bench/alarm-one") == "ann: me; bob: bob\x1b[2J was\there"
        await press(pilot, "w")
        await shows(pilot, "[/b]␛[2J", "[red]x")
        await press(pilot, "escape", "enter")
        await shows(pilot, "Tags  ", "[/b]␛[2J, [red]x, easy, odd", "bob␛[2J was")
        await press(pilot, "n")
        await shows(pilot, "Note  look at")
        await press(pilot, "escape", "j", "a", *"one", "ctrl+j", *"two", "ctrl+j")
        pilot.app.post_message(Paste("\x1b[31mthree\r\n"))
        await until(pilot, lambda: "three" in pilot.app.screen.query_one(TextEditor).text)
        assert "\x1b" not in pilot.app.screen.query_one(TextEditor).text
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.delenv("EDITOR", raising=False)
        await press(pilot, "ctrl+e")
        await shows(pilot, "No editor is named")
        await press(pilot, "enter")
        # The toast of the dialog may still be in the way of the one of the list.
        said = "Noted on bench/missed-one;"
        await until(pilot, lambda: any(one.message.startswith(said) for one in pilot.app._notifications))
        note = kept(query).note("bench/missed-one")
        assert note.split("\n") == ["one", "two", "␛[31mthree"]


def tagged(query, tag):
    return {case for case, tags in kept(query).tags.items() if tag in tags}


async def test_what_another_process_writes_is_shown_and_what_acts_acts_on_the_marked_cases(query, monkeypatch):
    """Who loses the tag that was filtered by leaves the list; all cases in the list are tagged and undone at once."""
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "5 of 9 cases")
        load(query).labels.journal.tag(["bench/alarm-one", "bench/missed-one"], ["their"])
        await shows(pilot, "their")
        await press(pilot, "w", *"our", "enter")
        await shows(pilot, "Tagged bench/alarm-one: our;", "our, their")
        assert kept(query).tags == {"bench/alarm-one": ("our", "their"), "bench/missed-one": ("their",)}
        await press(pilot, "colon")
        pilot.app.post_message(Paste("array_contains(tags, 'their')"))
        await press(pilot, "enter")
        await shows(pilot, "2 of 9 cases")
        await press(pilot, "w", *"-their", "enter")
        await shows(pilot, "1 of 9 cases")
        assert listed(pilot) == ["bench/missed-one"]
        await press(pilot, "u")
        await shows(pilot, "2 of 9 cases")
        await press(pilot, "x", "g b", "g l", "home", "space", "j", "space")
        await shows(pilot, "2 marked", "◇exact-one", "◇late-one")
        await press(pilot, "w", *"two", "enter")
        await shows(pilot, "Tagged 2 cases: two;")
        assert tagged(query, "two") == {"bench/exact-one", "bench/late-one"}
        await press(pilot, "a", "x", "enter")
        await shows(pilot, "Noted on 2 cases;")
        # They are copied a line each.
        said = []
        post = pilot.app.screen.post_message
        with monkeypatch.context() as patched:
            patched.setattr(pilot.app.screen, "post_message", lambda message: (said.append(message), post(message))[1])
            await press(pilot, "y")
        (copied,) = (message for message in said if isinstance(message, Copy))
        assert copied.what == "the facts of 2 cases"
        assert [json.loads(line)["case"] for line in copied.text.splitlines()] == ["bench/exact-one", "bench/late-one"]
        await press(pilot, "g t")
        await shows(pilot, "Decide about 2 marked cases of the list")
        await press(pilot, "enter", "1", "1")
        await shows(pilot, "All decided: 2 model wrong", "marked cases")
        await press(pilot, "g l")
        await shows(pilot, "2 marked")
        # A filter hides marks, and what is hidden is not acted on.
        await press(pilot, "colon", *"n_steps<3", "enter")
        await hides(pilot, " marked")
        await press(pilot, "x", "x")
        await hides(pilot, " marked")
        # All in the list are tagged at once, and undone at once.
        await press(pilot, "g b", "enter", "question_mark", *"mark all", "enter", "w")
        await shows(pilot, "Tag 5 marked cases")
        await press(pilot, "b", "enter")
        await shows(pilot, "Tagged 5 cases: b;")
        assert tagged(query, "b") == set(example.FAILURES)
        await press(pilot, "u")
        await shows(pilot, "Undone: b on 5 cases.")
        assert tagged(query, "b") == set()


async def test_more_than_a_hundred_are_tagged_only_after_a_question(tmp_path):
    cases = [Case(1, -1)] * 101
    making.workspace(tmp_path / "ws", cases, [])
    query = example.Query(workspace=str(tmp_path / "ws"))
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, "question_mark", *"mark all", "enter", "w", *"big", "enter")
        await shows(pilot, "This changes the tags of 101 cases. Do it?")
        await press(pilot, "escape")
        await hides(pilot, "Do it?")
        assert kept(query).tags == {}
        await press(pilot, "w", *"big", "enter", "y")
        await shows(pilot, "Tagged 101 cases: big;")
        assert len(kept(query).tags) == 101


async def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_tagged(query, tmp_path):
    (tmp_path / "ws" / "triage").write_text("a file")
    check_writable(tmp_path)
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, "enter", "w", *"odd", "enter")
        await shows(pilot, "Cannot write")
        assert inspected(pilot).results.evaluated.column("tags").to_list() == [[]] * 9


def test_what_a_journal_could_not_read_is_told(query, tmp_path):
    Journal(tmp_path / "ws" / "triage").tag(["bench/alarm-one"], ["odd"])
    (tmp_path / "ws" / "triage" / "torn.jsonl").write_text(json.dumps({"n": 1})[:-3])
    found = load(query)
    assert any("torn.jsonl:1" in problem for problem in found.problems)
    assert inspect(found).cases.height == 9


def test_tags_stand_below_each_other_in_columns_of_equal_width():
    words = ["1 one", "2 two", "3 three", "4 four", "5 five"]
    assert in_columns(words, 40) == ["1 one    3 three  5 five", "2 two    4 four"]
    assert in_columns(words, 5) == words
    assert in_columns([], 40) == []
