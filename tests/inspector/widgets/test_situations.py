"""Little, nothing and gaps: what a person reads there, and that no key is silent, let alone breaks anything.

A terminal too small for anything: `test_too_small`. Files that go or break while the app is open: `test_gone`; here a
part of a scorer's rewards goes.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

import example
import scenes
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import Command
from opened import listed, opened
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from screen_text import hides, press, rests, screen_text, settled, shows, strokes, until
from thoroughness import THOROUGH


@dataclass(frozen=True)
class Situation:
    """A workspace, the keys that lead to a screen of it, and what is read there."""

    space: Callable[[], Query]
    screen: str
    keys: tuple[str, ...]
    reads: tuple[str, ...]


def searched(text: str) -> tuple[str, ...]:
    return ("g l", "slash", *text, "enter")


def late() -> Query:
    """The small workspace, of which the query names one case."""
    return Query(workspace=scenes.small().workspace, where=("id = 'late-one'",))


def nobody() -> Query:
    """And none at all."""
    return Query(workspace=scenes.small().workspace, where=("id = 'nobody'",))


IMPORT = "prm-inspect import"
SITUATIONS = {
    "an empty workspace": Situation(scenes.empty, "cases", ("g l",), ("0 of 0 cases", "No cases yet", IMPORT)),
    "its board": Situation(scenes.empty, "board", (), ("0 cases", "There is no case here", IMPORT)),
    "one case": Situation(scenes.single, "cases", ("g", "l"), ("1 of 1 case", "problem 0", "exactly right")),
    "one case's board": Situation(scenes.single, "board", (), ("1 case", "No F1: no clean case was scored.")),
    "the one case": Situation(scenes.single, "case", ("g", "l", "enter"), ("1 of 1", "problem 0", "exactly right")),
    "no scorers": Situation(scenes.unscored, "cases", ("g l",), ("9 of 9 cases", "Problem of exact-one")),
    "no scorers' board": Situation(scenes.unscored, "board", (), ("0 scorers", "not scored yet", "S scores them")),
    "a case without scorers": Situation(scenes.unscored, "case", ("g l", "enter"), ("1 of 9", "Step 0 of exact-one")),
    "no hits": Situation(
        scenes.small, "cases", searched("zebra"), ("0 of 9 cases", "search zebra", "No case passes", "x shows all")
    ),
    "partial coverage": Situation(scenes.small, "board", ("k",), ("7/9",)),
    "one of many cases, on the board": Situation(late, "board", (), ("F1", "alpha")),
    "one of many cases, listed": Situation(late, "cases", ("g", "l"), ("1 of 9 cases", "late-one")),
    "one of many cases, read": Situation(late, "case", ("g", "l", "enter"), ("1 of 1", "Step 0 of late-one")),
    "no case at all, on the board": Situation(nobody, "board", (), ("0 scorers", "filter id = 'nobody'")),
    "no case at all, listed": Situation(nobody, "cases", ("g", "l"), ("0 of 9 cases", "No case passes")),
    "a case that was refused": Situation(
        scenes.small, "case", ("k", "g", "l", "enter"), ("beta", "refused: over length", "Step 0 of exact-one")
    ),
    "a case that was never scored": Situation(
        scenes.small, "case", ("k", "g", "l", "j", "enter"), ("beta", "not scored", "Step 0 of early-one")
    ),
}
SCREENS = {there.screen for there in SITUATIONS.values()}
SILENT = {"reason", "blind", "raw", "half-page-down", "half-page-up"}
"""Nothing is seen where no reason, label or formula is on screen, or all of the case is."""
AWAY = {"quit", "back", "board", "list", "guide", "go", "view", "open-case", "open-cases", "open-failures"}
"""Commands that lead to another screen; they are pressed in `test_commands`."""
TWICE = {"zoom", "blind", "raw", "news", "reason", "help", "curve", "facts", "tokens", "turn-over", "prefix"}
"""Commands whose key turns back what it did."""


def seen(app: Any) -> Any:
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def tried(name: str) -> list[Command]:
    """What is pressed in a situation: usually a part of its screen's commands, of which the others have the rest."""
    there = SITUATIONS[name]
    alike = [other for other, one in SITUATIONS.items() if one.screen == there.screen]
    commands = [one for one in COMMANDS if there.screen in one.screens and one.id not in AWAY]
    if THOROUGH:
        return commands
    # What every screen has leads to the same from each of them.
    everywhere = [one for one in commands if SCREENS.issubset(one.screens)]
    own = [one for one in commands if one not in everywhere]
    return own[alike.index(name) :: len(alike)] + everywhere[list(SITUATIONS).index(name) :: len(SITUATIONS)]


async def answered(pilot: Any, before: Any) -> bool:
    """Whether a toast says something, or the screen is another."""
    with suppress(TimeoutError):
        await until(pilot, lambda: pilot.app._notifications or seen(pilot.app) != before, timeout=5)
        return True
    return False


async def brought_back(pilot: Any, there: Situation, command: str, *keys: str) -> None:
    """Back to where the command was pressed."""
    app = pilot.app
    if command in TWICE:
        await press(pilot, *keys)
        return
    if command in {"facets", "search", "threshold"}:
        await press(pilot, "escape")
    for _ in range(4):
        if getattr(app.screen, "NAME", "") not in {there.screen, "board"}:
            await press(pilot, "escape")
    if there.screen != app.screen.NAME:
        # Where there was nothing to leave, Esc went back.
        await press(pilot, *{"cases": ("g l",), "case": ("g l", "enter")}[there.screen])
    assert there.screen == app.screen.NAME, f"{command} leads away"


def together() -> list[list[str]]:
    """Situations of one workspace share an opening, but a search, which stays."""
    sharing: dict[Any, list[str]] = {}
    for name, there in SITUATIONS.items():
        sharing.setdefault(name if name == "no hits" else there.space, []).append(name)
    return list(sharing.values())


@pytest.mark.parametrize("names", together(), ids=", ".join)
async def test_it_says_so_and_no_key_is_silent_there(names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    silent = set()
    async with opened(SITUATIONS[names[0]].space(), size=(120, 36), folder=tmp_path) as pilot:
        app = pilot.app
        for name in names:
            there = SITUATIONS[name]
            for _ in range(4):
                if getattr(app.screen, "NAME", "") != "board":
                    await press(pilot, "escape")
            app.clear_notifications()
            await press(pilot, *there.keys)
            await shows(pilot, *there.reads)
            assert there.screen == app.screen.NAME
            for command in tried(name):
                app.clear_notifications()
                await settled(pilot)
                before = seen(app)
                await press(pilot, *strokes(command))
                if command.id not in SILENT and not await answered(pilot, before):
                    silent.add((name, command.id))
                await brought_back(pilot, there, command.id, *strokes(command))
    assert silent == set()


async def test_a_part_of_the_rewards_that_goes_leaves_its_cases_unscored(tmp_path):
    query = example.write(tmp_path / "w")
    folder = next(path for path in (tmp_path / "w" / "rewards").iterdir() if path.name.startswith("beta"))
    (whole,) = folder.glob("part-*.parquet")
    rows = pl.read_parquet(whole)
    whole.unlink()
    RewardParts(folder).append(rows[:4])
    first = set(folder.glob("part-*.parquet"))
    RewardParts(folder).append(rows[4:])
    (second,) = set(folder.glob("part-*.parquet")) - first
    async with opened(query, size=(120, 36)) as pilot:
        before = await rests(pilot, "7/9")
        await press(pilot, "k", "g", "l")
        await shows(pilot, "9 of 9 cases", "beta")
        second.unlink()
        await shows(pilot, "unscored")
        assert len(listed(pilot)) == 9
        await press(pilot, "escape")
        await hides(pilot, "7/9")
        assert screen_text(pilot.app) != before
