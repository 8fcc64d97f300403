import json
import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.events import Paste

import example
from inspector.cli import main
from inspector.state.case_list.listed import arranged
from inspector.state.remembered import RememberedState
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.pick_list import PickList
from opened import inspected, listed, opened
from screen_text import hides, press, rests, screen_lines, shows
from thoroughness import also


@pytest.fixture
def query(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return replace(example.write(tmp_path / "ws"), workspace="ws")


def header(pilot):
    """Return the titles of the columns, without the frame of the list."""
    return screen_lines(pilot.app)[2].strip(" ┃│|")


async def test_the_menu_is_narrowed_by_typing_or_moved_in_by_arrows_and_enter_again_turns_the_order(query):
    async with opened(query) as pilot:
        await press(pilot, "g", "l", "s")
        await shows(pilot, "Sort by (now as in the file)", "nearest to flipping first", "most disagreed first")
        await press(pilot, *"flip")
        await hides(pilot, "most disagreed first")
        await press(pilot, "enter")
        await shows(pilot, "nearest to flipping first", "▸ cases ")
        distances = listed(pilot, "alpha.abs_margin")
        assert distances == sorted(distances)
        await press(pilot, "s")
        await shows(pilot, "farthest from flipping first")
        await press(pilot, "enter")
        await shows(pilot, "farthest from flipping first")
        assert listed(pilot, "alpha.abs_margin") == sorted(distances, reverse=True)
        assert inspected(pilot).results.query.sort == "abs_margin:desc"
        # An order of a scorer follows the one in focus.
        await press(pilot, "s", *"lowest m", "enter")
        await shows(pilot, "lowest margin first")
        await press(pilot, "o", "down", "enter")
        await shows(pilot, "beta")
        values = [value for value in listed(pilot, "beta.margin") if value is not None]
        assert values == sorted(values)
        await press(pilot, "o", "up", "enter", "s", *"margin beta", "enter")
        await shows(pilot, "lowest margin first (beta)")
        assert inspected(pilot).results.query.sort == "beta.margin:asc"
        await press(pilot, "g b")
        await press(pilot, "s", *"fp", "enter", "s")
        await shows(pilot, "Sort by (now FP%, descending)", ">FP%", "ascending")
        await press(pilot, "enter", "s")
        await shows(pilot, "Sort by (now FP%, ascending)")
        await press(pilot, "escape", "home", "enter", "s")
        await shows(pilot, "Sort by (now most instructive first)", ">instructive", "least instructive first")
        await press(pilot, "enter")
        await shows(pilot, "least instructive first")


async def test_columns_are_chosen_moved_and_given_back_and_a_click_on_a_title_turns_the_order(query):
    """One column stays, and the sorted one has a mark."""
    async with opened(query, ascii_only=True, size=(160, 60)) as pilot:
        await press(pilot, "g", "l")
        await rests(pilot, "case ", "at gold")
        before = header(pilot)
        screen = pilot.app.screen
        screen.put(arranged(inspected(pilot), ("case",)))
        await press(pilot, "v", "c", "space")
        await shows(pilot, "One column has to stay.")
        await press(pilot, "down", "K")
        await shows(pilot, "Space shows the column; then it can be moved.")
        await press(pilot, "escape")
        assert inspected(pilot).results.query.columns == ("case",)
        screen.put(arranged(inspected(pilot), ()))
        await press(pilot, "v", "c")
        await shows(pilot, "[x] case", "[ ] |margin|")
        await press(pilot, "down", "space", "J", "K", "K", "enter")
        await hides(pilot, "[x] case")
        chosen = inspected(pilot).results.query.columns
        assert chosen[:3] == ("earliest_error", "id", "verdict")
        assert "n_steps" not in chosen
        assert header(pilot).split()[:3] == ["gold", "case", "pred"]
        await press(pilot, "v", "c", "x", "enter")
        await hides(pilot, "[x] case")
        await rests(pilot)
        assert inspected(pilot).results.query.columns == ()
        assert header(pilot) == before
        assert "^" not in header(pilot)
        for mark in "^v":
            await pilot.click(FrameTable, offset=(screen_lines(pilot.app)[2].index("margin") + 1, 1))
            await shows(pilot, f"{mark}margin")
        assert inspected(pilot).results.query.sort == "margin:desc"
        # By where a search found something nothing can be sorted.
        await press(pilot, "slash", *"step", "enter")
        await shows(pilot, "found in")
        order = listed(pilot)
        await pilot.click(FrameTable, offset=(screen_lines(pilot.app)[2].index("found in") + 1, 1))
        await shows(pilot, "Found in has no order to sort by.")
        assert listed(pilot) == order


async def test_the_columns_on_screen_are_the_columns_of_the_file_and_the_command_repeats_them(query, tmp_path):
    """Empty columns are hidden and offered, and do not come while the threshold moves."""
    columns = ("case", "beta.outcome", "outcome", "rewards", "disagreement", "tags", "n_steps")
    async with opened(query, size=(200, 36)) as pilot:
        await press(pilot, "g", "l")
        await shows(pilot, "at gold")
        await press(pilot, "colon")
        pilot.app.post_message(Paste("earliest_error = -1"))
        await press(pilot, "enter")
        await hides(pilot, "at gold")
        table = pilot.app.screen.query_one(FrameTable)
        before = table.columns_shown
        await press(pilot, "t", "right", "right")
        await shows(pilot, "chosen")
        assert table.columns_shown == before
        await press(pilot, "escape", "v", "c")
        await shows(pilot, "3 empty columns hidden", "[ ] at gold", "empty in these rows")
        picks = pilot.app.screen.query_one(PickList)
        picks.cursor = next(at for at, pick in enumerate(picks.picks) if pick.key == "reward_at_gold")
        await press(pilot, "space", "enter")
        await shows(pilot, "at gold")
        assert "reward_at_gold" in inspected(pilot).results.query.columns
        await press(pilot, "x")
        await shows(pilot, "9 of 9 cases")
        screen = pilot.app.screen
        screen.put(arranged(inspected(pilot), columns))
        await shows(pilot, "outcome beta", "differ", "tags")
        assert [one.name for one in screen.query_one(FrameTable).columns_shown] == list(columns)
        await press(pilot, "e", "c")
        await shows(pilot, "Wrote 9 rows")
    path = Path("bench-cases.csv")
    titles = ("case", "beta.outcome", "alpha.outcome", "alpha.rewards", "disagreement", "tags", "n_steps")
    assert path.read_text().splitlines()[0] == ",".join(titles)
    command = json.loads(Path("bench-cases.provenance.json").read_bytes())["command"]
    assert "--columns case,beta.outcome,outcome,rewards,disagreement,tags,n_steps" in command
    assert main([*shlex.split(command)[1:], "--quiet", "-o", str(tmp_path / "again.csv")]) == 0
    assert (tmp_path / "again.csv").read_bytes() == path.read_bytes()


async def test_chosen_columns_and_widths_come_back_and_those_that_are_gone_do_not(query, tmp_path):
    state_folder = tmp_path / "state"
    async with opened(query, state_folder=state_folder) as pilot:
        await press(pilot, "g", "l")
        await shows(pilot, "9 of 9 cases")
        table = pilot.app.screen.query_one(FrameTable)
        usual = table.width_of("n_steps")
        await press(pilot, "v", "c", "down", *"lll")
        await shows(pilot, f"[{usual + 3}]")
        assert table.width_of("n_steps") == usual + 3
        await press(pilot, "escape")
        assert table.width_of("n_steps") == usual
        await press(pilot, "v", "c", "down", *"ll", "enter")
        await hides(pilot, "[x]")
        assert inspected(pilot).results.query.columns == ()
        await press(pilot, "v", "c", "space", "enter")
        await hides(pilot, "[ ]")
        chosen = inspected(pilot).results.query.columns
        assert chosen[0] == "n_steps"
    (path,) = state_folder.glob("workspaces/*")
    remembered = RememberedState(path)
    remembered.keep(columns=("gone.margin", "nothing", *chosen))
    remembered.save()
    async with opened(query, state_folder=state_folder) as pilot:
        await press(pilot, "g", "l")
        await shows(pilot, "9 of 9 cases")
        table = pilot.app.screen.query_one(FrameTable)
        assert table.columns_shown[0].name == "n_steps"
        assert table.width_of("n_steps") == usual + 2
        await press(pilot, "v", "c", "home", "0", "enter")
        await hides(pilot, "[x]")
        assert table.width_of("n_steps") == usual


async def test_menus_work_where_there_is_little_room_and_the_column_cursor_says_what_its_column_is(query):
    async with opened(query, size=(80, 24)) as pilot:
        await press(pilot, "g", "l")
        await shows(pilot, "as in the file")
        await press(pilot, "l")
        await shows(pilot, "outcome: what became of the case · 1 of 9")
        await press(pilot, "h", "h", "h")
        await shows(pilot, "steps: how many steps · 1 of 9")
        for size in ((40, 12), *also((80, 24))):
            await pilot.resize_terminal(*size)
            await press(pilot, "s", "down", "down", "enter", "v", "c", "down", "space", "J", "enter")
            await press(pilot, "s", "x", "escape", "v", "c", "x", "enter")
            await pilot.resize_terminal(120, 36)
            await shows(pilot, "9 of 9 cases")
