import io
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import asdict
from textual.worker import WorkerCancelled

import example
from inspector.app.app import InspectApp, run_app
from inspector.screens.base import AppScreen
from inspector.screens.board import BoardScreen
from inspector.screens.case import CaseScreen
from inspector.screens.cases import CasesScreen
from inspector.screens.messages import Back, Go
from inspector.widgets.frame_table import FrameTable
from opened import inspected, listed, opened
from scoring.selection.query import Query
from screen_text import press, rests, screen_text, settled, shows


def stack(pilot):
    return [type(screen) for screen in pilot.app.screen_stack if isinstance(screen, AppScreen)]


async def test_the_board_begins_with_the_best_where_no_scorer_was_asked_for(query):
    async with opened(Query(workspace=query.workspace)) as pilot:
        await shows(pilot, "Beta knows the labels.")
        assert inspected(pilot).focus.scorer == "beta"
        assert pilot.app.screen.query_one(FrameTable).cursor == 0


async def test_something_is_painted_before_anything_is_read(query):
    app = InspectApp(query)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "prm-inspect: reading the workspace" in screen_text(app)
        await shows(pilot, "2 scorers")


async def test_screens_lie_on_each_other_and_each_below_shows_what_was_changed_above(query):
    """The first opens with the scorer that was asked for and every case. Esc goes one level back, never out, and g b to
    the board; a message to go where one is opens nothing twice.
    """
    async with opened(query) as pilot:
        assert stack(pilot) == [BoardScreen]
        assert inspected(pilot) is pilot.app.state
        assert inspected(pilot).focus.scorer == "alpha"
        assert inspected(pilot).shown.size == len(example.EXAMPLES)
        await press(pilot, "enter", "enter")
        assert stack(pilot) == [BoardScreen, CasesScreen, CaseScreen]
        await press(pilot, "g", "b")
        assert stack(pilot) == [BoardScreen]
        await press(pilot, "enter", "enter")
        for expected in ([BoardScreen, CasesScreen], [BoardScreen], [BoardScreen], [BoardScreen]):
            await press(pilot, "escape")
            assert stack(pilot) == expected
        for _ in range(3):
            pilot.app.post_message(Go("cases"))
        await settled(pilot)
        for _ in range(3):
            pilot.app.post_message(Go("case", 2))
        await settled(pilot)
        assert stack(pilot) == [BoardScreen, CasesScreen, CaseScreen]
        for _ in range(5):
            pilot.app.post_message(Back(2))
        await settled(pilot)
        assert stack(pilot) == [BoardScreen]
        await press(pilot, "enter", "enter", "t", *["right"] * 3, "enter", "l")
        await shows(pilot, "beta")
        await press(pilot, "escape")
        await shows(pilot, "1 of 9 cases", "beta")
        assert listed(pilot) == ["bench/exact-one"]
        await press(pilot, "escape")
        await shows(pilot, "Beta knows the labels.")
        assert stack(pilot) == [BoardScreen]
        assert inspected(pilot).focus.scorer == "beta"
        assert inspected(pilot).results.evaluation("alpha").rule.threshold == 0.53


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"workspace": "nowhere"}, "nowhere holds no workspace.json"),
        ({"benchmarks": ("gsm",)}, "gsm"),
        ({"where": ("n_stepz > 2",)}, "did you mean n_steps"),
    ],
)
async def test_what_cannot_be_shown_ends_with_code_2_and_a_sentence(query, changes, words):
    """What else cannot be: `test_cli`."""
    app = InspectApp(Query(**{**asdict(query), **changes}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        # The app that ends cancels whatever else it had begun.
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()
        end = time.monotonic() + 20
        while app.is_running and time.monotonic() < end:
            await pilot.pause(0.01)
        assert not app.is_running
    assert app.return_value == 2
    assert words in app.failure


async def test_what_was_asked_for_holds_on_every_screen(query):
    asked = Query(**{**asdict(query), "subsets": ("word",), "thresholds": (("alpha", "0.53"),), "sort": "n_steps"})
    async with opened(asked) as pilot:
        text = await rests(pilot, "filter", "subset", "words")
        assert "80.0" in text
        await press(pilot, "g", "l")
        await shows(pilot, "4 of 9 cases", "F1 80.0", "θ 0.530 chosen")
        await press(pilot, "x")
        await shows(pilot, "4 of 9 cases")


@pytest.mark.parametrize("keys", [(), ("enter", "enter"), ("g", "c")])
async def test_q_quits_from_everywhere(query, keys):
    async with opened(query) as pilot:
        await press(pilot, *keys, "q")
        assert not pilot.app.is_running
    assert pilot.app.return_value == 0


async def test_ctrl_c_leaves_at_once(query):
    async with opened(query) as pilot:
        await press(pilot, "enter", "t", "ctrl+c")
        assert not pilot.app.is_running
    assert pilot.app.return_code == 0


async def test_what_could_not_be_read_is_said_when_the_app_opens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rewards = Path("ws") / "rewards"
    example.write(Path("ws"))
    (rewards / example.BETA.folder / "part-0.parquet").write_bytes(b"\x1b]0;x\x07 no Parquet")
    (rewards / "odd-00000000").mkdir()
    (rewards / "odd-00000000" / "scorer.json").write_text('{"format": 1, "name": "[/b]')
    async with opened(Query(workspace="ws"), size=(160, 36)) as pilot:
        text = await rests(pilot, "part-0.parquet", "odd-00000000", "alpha", "beta")
        assert "\x1b" not in text


async def test_a_resized_terminal_is_filled_again_on_every_screen(query):
    async with opened(query, size=(80, 24)) as pilot:
        for keys, words, sizes in (
            ((), "2 scorers", ((20, 5),)),
            (("enter",), "5 of 9 cases", ((1, 1), (200, 60))),
            (("enter",), "1 of 5", ((10, 40),)),
        ):
            await press(pilot, *keys, "t")
            await shows(pilot, words, "* best")
            for size in (*sizes, (120, 24)):
                await pilot.resize_terminal(*size)
            text = await rests(pilot, words, "* best")
            assert max(map(len, text.splitlines())) <= 120
            await press(pilot, "escape")


async def test_ascii_only_paints_nothing_else(query, tmp_path):
    async with opened(query, size=(120, 30), ascii_only=True, folder=tmp_path) as pilot:
        for keys, words in (
            ((), "2 scorers"),
            (("t", "v", "m"), "optimistic: b"),
            (("enter", "enter"), "of 9 cases"),
            (("f",), "outcome of"),
            (("f", "t", "right"), "threshold 0.56"),
            (("escape", "enter"), "Gold"),
            (("question_mark",), "One case, step by step"),
            (("escape", "ctrl+p"), "Search for"),
            (("escape", "e"), "CSV file"),
            (("g", "c"), "Again:"),
        ):
            await press(pilot, *keys)
            text = await rests(pilot, words)
            assert {char for char in text if not char.isascii()} == set()


async def test_a_key_that_exports_does_nothing_where_nothing_can_be_read(tmp_path):
    app = InspectApp(Query(workspace=str(tmp_path / "nowhere")), folder=tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("e", "c")
    assert app.failure
    assert list(tmp_path.iterdir()) == []


def test_where_there_is_no_terminal_a_sentence_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert run_app(Query()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "this is not a terminal" in said.err
    assert "demo --no-app" in said.err
