"""What the app says when files go, break or cannot be written while it is open: a sentence, and it goes on."""

import shutil

import pytest
from msgspec.structs import replace

import critic_spaces
import example
from inspector.app.services import following
from opened import inspected, listed, opened
from scoring.evaluation import derived
from scoring.selection.query import Query
from screen_text import hides, press, rests, screen_text, shows, until


@pytest.fixture
def followed_closely(monkeypatch):
    """The app looks at its files every tenth of a second."""
    monkeypatch.setattr(following, "FOLLOW_SECONDS", 0.1)


@pytest.fixture
def space(tmp_path):
    return tmp_path / "w"


@pytest.fixture
def query(space):
    return example.write(space)


def texts_of(space):
    found = list(space.glob("benchmarks/*/*/texts-*.parquet"))
    assert found
    return found


def fine(pilot):
    assert pilot.app.is_running
    assert pilot.app._exception is None
    assert "Traceback" not in screen_text(pilot.app)


@pytest.mark.usefixtures("followed_closely")
async def test_texts_that_are_gone_or_broken_a_workspace_that_vanishes_and_a_file_in_its_place_are_told(
    query, space, tmp_path
):
    """By a search, an export, a case in the pane and on its screen, and by whatever would be written."""
    async with opened(query, size=(120, 30), folder=tmp_path) as pilot:
        await press(pilot, "g", "l", "enter")
        await shows(pilot, "Step 0 of exact-one")
        texts = texts_of(space)
        for path in texts:
            path.unlink()
        await press(pilot, "e", "c")
        await shows(pilot, "Damaged workspace")
        await press(pilot, "escape", "slash", *"zebra", "enter")
        await shows(pilot, "Damaged workspace")
        assert not list(tmp_path.glob("*.csv"))
        await press(pilot, "escape", "escape", "escape")
        for more in (("j", "G", "y", "v b", "v b", "enter", "v", "escape"), ()):
            pilot.app.clear_notifications()
            await press(pilot, "g", "l")
            await shows(pilot, "9 of 9 cases", "Damaged workspace")
            await press(pilot, "home", "j", "enter")
            await shows(pilot, "bench/early-one", "Damaged workspace")
            await press(pilot, "n", *more)
            await shows(pilot, "Damaged workspace")
            fine(pilot)
            await press(pilot, "g b")
            for path in texts:
                path.write_bytes(b"PAR1 and nothing else")
        await press(pilot, "g", "l")
        shutil.rmtree(space)
        # The app looks at its files now and then.
        await until(pilot, lambda: not pilot.app.following.seen)
        await press(pilot, "j", "f", "j", "space", "escape", "v", "s", "escape", "s", "escape", "x", "enter")
        await shows(pilot, "Damaged workspace")
        await press(pilot, "escape", "escape", "j", "enter", "escape", "v", "u", "o", "down", "enter", "t", "right")
        await press(pilot, "enter", "g b", "g", "l")
        space.write_text("a file where the folder was")
        pilot.app.clear_notifications()
        await press(pilot, "w", *"hard", "enter")
        await shows(pilot, str(space)[-10:])
        await press(pilot, "a", *"why", "enter", "v", "s", "s", *"mine", "enter", "escape")
        fine(pilot)


@pytest.mark.usefixtures("followed_closely")
async def test_rewards_that_break_or_go_are_told_and_what_is_on_screen_stays(query, space):
    async with opened(query, size=(120, 30)) as pilot:
        folder = next(path for path in (space / "rewards").iterdir() if path.name.startswith("beta"))
        (folder / "part-ffffffffffff7fffbfffffffffffffff.parquet").write_bytes(b"no parquet")
        # On the screen a line may end within it.
        await until(pilot, lambda: any("left out: parquet" in one.message for one in pilot.app._notifications))
        fine(pilot)
        pilot.app.clear_notifications()
        await press(pilot, "enter")
        before = listed(pilot)
        shutil.rmtree(space / "rewards")
        await shows(pilot, "no scorer matches 'alpha'")
        fine(pilot)
        assert listed(pilot) == before
        await press(pilot, "enter", "n", "t", "right", "escape", "escape", "escape")
        fine(pilot)


@pytest.mark.usefixtures("followed_closely")
async def test_conditions_on_what_a_gone_scorer_said_go_with_it(query, space):
    async with opened(replace(query, scorers=()), size=(120, 30)) as pilot:
        while inspected(pilot).focus.scorer != "alpha":
            await press(pilot, "j")
        for scorer, instead, left in (("alpha", "beta's.", ["beta.outcome"]), ("beta", "no other scorer", [])):
            await press(pilot, "enter")
            await shows(pilot, f"▸ {scorer} ▸ failures")
            conditions = replace(inspected(pilot).filter, where=(f'"{scorer}.margin" < 5',))
            pilot.app.screen.put(inspected(pilot).selected(chosen=conditions))
            for folder in (space / "rewards").glob(f"{scorer}*"):
                shutil.rmtree(folder)
            await shows(pilot, f"The rewards of {scorer} are gone.", instead)
            await press(pilot, "escape")
            now = inspected(pilot)
            assert now.filter.where == ()
            assert [facet.column for facet in now.filter.facets] == left
            await press(pilot, "enter", "n", "escape", "escape")
            fine(pilot)


async def test_a_damaged_folder_of_what_was_computed_before_is_computed_again(query, space, monkeypatch):
    monkeypatch.setattr(derived, "WORTH", 0)
    folder = space / derived.FOLDER
    async with opened(query, size=(120, 30)) as pilot:
        board = await rests(pilot, "45.0", "83.3")
        await until(pilot, lambda: len(list(folder.glob("*/*/packed.json"))) == 2)
    for in_the_way in (False, True):
        if in_the_way:
            shutil.rmtree(folder)
            folder.write_text("a file where the folder was")
        else:
            for path in folder.rglob("*.npy"):
                path.write_bytes(b"nothing that can be read")
        async with opened(query, size=(120, 30)) as pilot:
            if not in_the_way:
                await until(pilot, lambda: any("was damaged" in one.text for one in pilot.app.message_history))
                pilot.app.clear_notifications()
            assert (await rests(pilot, "45.0", "83.3")).splitlines()[:5] == board.splitlines()[:5]
            fine(pilot)


async def test_the_answers_of_a_critic_without_the_texts_say_so(tmp_path):
    root = critic_spaces.imported(tmp_path)
    critic_spaces.critic(root, lambda *_: [r"So \boxed{1}", r"So \boxed{2}"])
    async with opened(Query(workspace=str(root)), size=(120, 30)) as pilot:
        for path in texts_of(root):
            path.unlink()
        await press(pilot, "g", "l", "enter", "v", "c", "l", "tab", "n", "n", "v", "z", "escape")
        await shows(pilot, "Damaged workspace")
        fine(pilot)


async def test_until_the_rows_are_there_no_sentence_says_that_there_are_none(query, monkeypatch):
    from inspector.screens.cases import CasesScreen

    monkeypatch.setattr(CasesScreen, "_show_first", lambda _: None)
    monkeypatch.setattr(CasesScreen, "watch_state", lambda *_: None)
    async with opened(query, size=(120, 30)) as pilot:
        await press(pilot, "g", "l")
        await hides(pilot, "scorers")
        assert "No case" not in screen_text(pilot.app)
