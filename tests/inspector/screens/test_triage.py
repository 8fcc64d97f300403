"""The triage screen under a Pilot: a key a decision, the next case, skipping, deferring, rating, undo, blind."""

from pathlib import Path

import pytest
from msgspec.structs import replace

import example
from inspector.widgets.toasts import LINES
from opened import DEMO, inspected, opened
from scoring.data.errors import UnwritableWorkspace
from scoring.selection.loading import load
from scoring.workspace.triage import journal as writing
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.journal import Author, Journal
from screen_text import pane_text, press, screen_text, until
from screen_text import rests as screen_rests

FAILURES = ("alarm-one", "late-one", "missed-one", "missed-two", "early-one")
"""The wrong cases of alpha, most instructive first."""


@pytest.fixture
def query(tmp_path):
    """A workspace of its own: what is ruled stays."""
    return example.write(tmp_path / "workspace")


async def begun(pilot, *before):
    """On the first case of a queue of alpha's failures, as listed."""
    await press(pilot, "enter")
    await shows(pilot, "5 of 9 cases")
    await press(pilot, *before, "g", "t")
    await shows(pilot, "Decide about 5 cases of the list", "Most disagreed by scorers first")
    await press(pilot, "enter")
    await shows(pilot, "▸ alarm-one ", "1 of 5", "0 ruled, 5 to go")


async def shows(pilot, *texts):
    """Wait until every text is on the screen or in one of its panes, with runs of blanks joined."""
    screen = ""

    def holds():
        nonlocal screen
        screen = " ".join([*screen_text(pilot.app).split(), pane_text(pilot.app)])
        return all(text.strip() in screen for text in texts)

    await until(pilot, holds)
    return screen


async def rests(pilot, *texts):
    """Wait until every text is shown and no work is running."""
    await shows(pilot, *texts)
    await screen_rests(pilot)
    return " ".join(screen_text(pilot.app).split())


def journal(pilot):
    return inspected(pilot).results.labels.journal


def rulings(pilot):
    me = journal(pilot).author.who
    return {case.removeprefix("bench/"): of[me] for case, of in journal(pilot).triage.rulings.items()}


async def test_a_key_is_a_ruling_on_a_case_or_a_rating_of_a_step_and_another_queue_can_be_begun(query):
    """The next case comes by itself, and one looks back and changes it. Plus on the problem rates the other steps."""
    async with opened(query) as pilot:
        await begun(pilot)
        for number, case in enumerate(FAILURES, 1):
            await shows(pilot, f"▸ {case} ", f"{number} of 5")
            await press(pilot, str(number))
            told = " (no step rated)" if number == 2 else ""
            await shows(pilot, f"{RULINGS[number - 1]}{told} on bench/{case}")
        await shows(pilot, "All decided: 1 model wrong, 1 gold wrong, 1 both defensible, 1 import problem, 1 unsure")
        assert rulings(pilot) == dict(zip(FAILURES, RULINGS, strict=True))
        await shows(pilot, "[5 unsure]")
        await press(pilot, "u")
        await shows(pilot, "▸ early-one ", "Undone: the ruling")
        await press(pilot, "u", "u", "u", "u")
        await shows(pilot, "▸ alarm-one ", "Undone: the ruling", "0 ruled, 5 to go")
        assert rulings(pilot) == {}
        await press(pilot, "ctrl+r")
        await shows(pilot, "1 ruled, 4 to go")
        assert rulings(pilot) == {"alarm-one": "model wrong"}
        await press(pilot, "N")
        await shows(pilot, "▸ alarm-one ", "[1 model wrong]")
        await press(pilot, "3")
        await shows(pilot, "[3 both defensible]", "▸ alarm-one ")
        await press(pilot, "3")
        await shows(pilot, "That is your ruling already.")
        await press(pilot, "x")
        await shows(pilot, " 3 both defensible", "0 ruled, 5 to go")
        assert rulings(pilot) == {}
        await press(pilot, "x")
        await shows(pilot, "1 skipped, 4 to go")
        await press(pilot, "u", "N")
        await shows(pilot, "This is the first case of the queue.")
        await press(pilot, "minus")
        await shows(pilot, "step 1 rated -1", "Rated step 1 -1")
        await press(pilot, "k", "plus")
        await shows(pilot, "Rated step 0 +1, step 1 -1")
        await press(pilot, "plus")
        await shows(pilot, "step 0 no longer rated", "Rated step 1 -1")
        await press(pilot, "home", "0")
        await shows(pilot, "Put the cursor on a step to rate it.")
        await press(pilot, "plus")
        await shows(pilot, "1 step rated +1", "Rated step 0 +1, step 1 -1")
        await press(pilot, "plus")
        await shows(pilot, "You have rated every step.")
        await press(pilot, "u")
        await shows(pilot, "Rated step 1 -1")
        await press(pilot, "u", "u", "u", "home", "plus")
        await shows(pilot, "2 steps rated +1", "Rated step 0 +1, step 1 +1")
        await press(pilot, "u")
        assert "Rated" not in await rests(pilot, "Undone")
        # What was done is no longer said of the next case.
        await press(pilot, "home", "j", "0")
        await shows(pilot, "step 0 rated 0 on bench/alarm-one")
        await press(pilot, "n")
        assert "rated 0" not in await rests(pilot, "▸ late-one ")
        # Another queue is begun here, and then several wait beside each other.
        await press(pilot, "N", "1", "space", "g", "t")
        said = "A new queue puts the others aside", "v b in a queue hides gold and scorers until you rule"
        await shows(pilot, "Decide about 4 cases", *said)
        await press(pilot, *["G", "enter"])
        assert "model wrong on" not in await rests(pilot, "▸ alarm-one ", "1 of 1", "0 ruled, 1 to go")
        await press(pilot, "escape", "g", "b", "g", "t")
        await shows(pilot, "Go on with a queue", ">1 of 1 to go; ", " 4 of 5 to go; bench")
        await press(pilot, "j", "enter")
        # What was put off in it is still put off.
        await shows(pilot, "▸ missed-one ", "1 ruled, 4 to go")
        assert [len(one.waiting) for one in journal(pilot).queues] == [1, 4]


async def test_a_queue_is_gone_on_with_where_it_was_through_the_scorer_that_it_was_made_with(query):
    """Whoever looked through another one meanwhile, or opens the app again, comes back to the same failures."""
    async with opened(query) as pilot:
        await shows(pilot, "9 cases")
        await press(pilot, "g", "t")
        await shows(pilot, "No case waits for you")
        await begun(pilot)
        await shows(pilot, "outcome = any failure, through alpha")
        await press(pilot, "1", "x", "space")
        await shows(pilot, "▸ missed-two ", "1 ruled, 1 skipped, 3 to go")
        await press(pilot, "escape", "v", "n")
        await until(pilot, lambda: inspected(pilot).focus.scorer == "beta")
        await press(pilot, "g", "t")
        await shows(pilot, "Go on, 3 of 5 to go")
        await press(pilot, "enter")
        await shows(pilot, "▸ missed-two ", "1 ruled, 1 skipped, 3 to go", "alpha")
        assert inspected(pilot).focus.scorer == "alpha"
    async with opened(replace(query, scorers=("beta",))) as pilot:
        await press(pilot, "g", "t")
        await shows(pilot, "▸ missed-two ", "4 of 5", "1 ruled, 1 skipped, 3 to go")
        assert inspected(pilot).focus.scorer == "alpha"
        await press(pilot, "1", "1")
        # What was deferred comes last.
        await shows(pilot, "▸ missed-one ", "1 to go")
        await press(pilot, "escape", "enter")
        await shows(pilot, "5 of 9 cases")
        await press(pilot, "g", "t")
        await shows(
            pilot, "Decide about 2 cases of the list; 3 cases that you ruled on left out", "Go on, 1 of 5 to go"
        )
        await press(pilot, "escape")
        journal(pilot).begin("by hand", ["bench/alarm-one"], "gone-prm")
        await press(pilot, "escape", "g", "t")
        await shows(pilot, "Go on with a queue", "1 of 1 to go; by hand", "1 of 5 to go; bench, filter")
        await press(pilot, "enter")
        said = "gone-prm, through which this queue was begun, is not here."
        await until(pilot, lambda: said in [one.message for one in pilot.app._notifications])


async def test_who_decides_blind_sees_labels_rulings_of_others_and_a_curve_by_the_ruling(query):
    """The next key goes on, to a case whose labels are hidden again."""
    Journal(Path(query.workspace) / "triage", Author("zoe", "far")).rule(["bench/alarm-one"], "unsure")
    async with opened(query, size=(200, 50)) as pilot:
        await begun(pilot)
        await shows(pilot, "Ruling zoe: unsure")
        curve = pilot.app.screen.query_one("#side-curve")
        await until(pilot, lambda: curve.display)
        await press(pilot, "v", "b")
        hidden = await rests(pilot, "BLIND", "scorers are hidden until you rule", "Step 0 of alarm-one")
        assert not [words for words in ("zoe", "false alarm", "0.90") if words in hidden]
        assert not curve.display
        await press(pilot, "v", "v")
        assert "0.90" not in await rests(pilot, "Scorers are hidden.")
        await press(pilot, "1")
        await shows(pilot, "false alarm", "[1 model wrong]", "▸ alarm-one ", "0.90")
        await until(pilot, lambda: curve.display)
        await press(pilot, "n")
        assert "late (" not in await rests(pilot, "▸ late-one ", "BLIND")


async def test_a_ruling_that_cannot_be_written_is_said_and_so_is_one_of_another_text(query, monkeypatch):
    """A case that is gone is passed over."""

    def full(*_):
        raise UnwritableWorkspace("The disk is full.", "Free space and try again.")

    async with opened(query) as pilot:
        await begun(pilot)
        with monkeypatch.context() as patched:
            patched.setattr(writing, "append_lines", full)
            await press(pilot, "1")
            await shows(pilot, "The disk is full.", "▸ alarm-one ", "0 ruled, 5 to go")
        assert rulings(pilot) == {}
        journal(pilot).begin("made elsewhere", ["bench/not-there", "bench/late-one", "gone/1"])
        await press(pilot, "space")
        await shows(pilot, "This case does not wait in the queue.")
        await press(pilot, "escape", "g", "t", "enter")
        await shows(pilot, "▸ late-one ", "2 of 3", "made elsewhere")
        await press(pilot, "1")
        await shows(pilot, "1 ruled, 2 to go", "▸ late-one ")
        # What was said of another text is said anew.
        old = [("rule", ["bench/alarm-one"], "gold wrong"), ("rate", ["bench/alarm-one"], "0 1")]
        journal(pilot).do(old, "0123456789ab")
        journal(pilot).begin("again", ["bench/alarm-one"])
        await press(pilot, "escape", "g", "t", "enter")
        await shows(pilot, "▸ alarm-one ", "0 ruled, 1 to go", "Of another text of this case, and so without effect")
        await press(pilot, "home", "plus")
        await shows(pilot, "2 steps rated +1")
        await press(pilot, "2")
        assert "Of another text" not in await rests(pilot, "All decided: 1 gold wrong")
        key = dict(inspected(pilot).cases.select("case", "key").iter_rows())["bench/alarm-one"]
        said = journal(pilot).of_case("bench/alarm-one")
        assert [one.content for one, _ in said] == ["0123456789ab"] * 2 + [key[:12]] * 3
        await press(pilot, "2")
        await shows(pilot, "That is your ruling already.")


async def test_the_demo_can_be_triaged_without_a_workspace(monkeypatch, tmp_path, data_home):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    async with opened() as pilot:
        await press(pilot, "enter", "g", "t", "enter")
        await shows(pilot, "to go")
        await press(pilot, "1")
        await until(pilot, lambda: rulings(pilot))
        assert list(rulings(pilot).values()) == ["model wrong"]
        said = journal(pilot).triage.rulings
    # Another process finds it.
    assert load(DEMO).labels.journal.triage.rulings == said
    assert len(list(data_home.rglob("*.jsonl"))) == 1
    assert not list(tmp_path.iterdir())


async def test_there_is_room_for_rulings_on_a_small_terminal_and_who_has_ruled_on_all_goes_through_them_again(query):
    """A toast leaves the rulings to be read."""
    async with opened(query, size=(80, 24)) as pilot:
        await begun(pilot)
        await rests(pilot, "1 model wrong")
        await press(pilot, "enter")
        await shows(pilot, "Too short to fold.")
        (toast,) = pilot.app.screen.query("Toast")
        assert not toast.region.overlaps(pilot.app.screen.query_one("#rulings").region)
        assert toast.region.bottom <= LINES
        for size in ((60, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            await shows(pilot, "1 model", "5 unsure")
            assert all(len(line) <= size[0] for line in screen_text(pilot.app).splitlines())
        # A new queue puts the present one aside, and undo brings it back.
        await press(pilot, "2", "escape", "g", "t")
        await shows(pilot, ">Go on, 4 of 5 to go", " Random, in turns by error type", "A new queue puts the others")
        await press(pilot, "down", "enter")
        await shows(pilot, "0 ruled, 4 to go")
        await press(pilot, "u")
        await shows(pilot, "1 ruled, 4 to go", "Undone: a new queue on 4 cases.")
        await pilot.resize_terminal(120, 36)
        await press(pilot, "2", "2", "2", "x")
        await shows(pilot, "None waits: 4 gold wrong; 1 case skipped")
        await press(pilot, "escape", "colon", *"ruling = 'gold wrong'", "enter")
        await shows(pilot, "4 of 9 cases")
        await press(pilot, "g", "t")
        screen = await rests(pilot, "Decide about 0 cases of the list; 4 cases that you ruled on left out")
        # No order leads nowhere.
        assert "As listed" not in screen
        assert "Only those that you ruled on, once more" in screen
        await press(pilot, "enter")
        await shows(pilot, "0 ruled, 4 to go", "[2 gold wrong]")
        # The ruling stands, the rating that it lacked is there; the same ruling once more goes on.
        await press(pilot, "minus")
        await shows(pilot, "step 1 rated -1", "0 ruled, 4 to go")
        await press(pilot, "2")
        await shows(pilot, "1 ruled, 3 to go")
        await press(pilot, "3")
        await shows(pilot, "2 ruled, 2 to go")
        assert sorted(rulings(pilot).values()) == ["both defensible", *["gold wrong"] * 3]
