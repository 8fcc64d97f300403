"""A session played again, without a terminal: the same keys, and whether the screens say the same."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from textual.events import Key, Paste
from textual.pilot import Pilot

from inspector.app import InspectApp
from inspector.messages import Score
from inspector.session.log import LogLine, ReadSession, ScreenTitle, screen_words, shadow
from inspector.terminal.remembered import RememberedState
from scoring.errors import UsageError
from scoring.triage.journal import ENVIRONMENT
from scoring.workspace import Workspace

PATIENCE = 10.0
"""Seconds that a screen has to say what it said."""
LOADING = 600.0
"""Seconds that the workspace may take to be read."""
_ELSEWHERE = ("TMUX", "STY")
"""Where copies would leave the program."""
_SUSPENDS = "ctrl+z"


class Difference(Struct, frozen=True):
    """The first place where a session comes to something else: the line of the log, and what was done before it."""

    line: int
    done: str
    was: ScreenTitle
    now: ScreenTitle | None


class ReplayCounts(Struct, frozen=True):
    """How many keys, texts, clicks and sizes were played, and how many titles compared; where the first differs."""

    inputs: int
    titles: int
    difference: Difference | None = None


class ReplayedApp(InspectApp):
    """The app, but that nothing is started from it."""

    # Textual looks for it beside the file of the class.
    CSS_PATH = str(Path(str(sys.modules[InspectApp.__module__].__file__)).with_name("inspector.tcss"))

    def on_score(self, message: Score) -> None:
        """Say so instead of starting a run."""
        message.prevent_default()
        self.notify("Scoring is not played again.", markup=False)


async def replay(session: ReadSession, workspace: Workspace, at: Path) -> ReplayCounts:
    """Play a session on the data of a workspace; all that it writes goes into the folder `at`, which is empty.

    Args:
        session: what was logged.
        workspace: where it was, or another one.
        at: where the journals, exports and the state of the replay go.

    Raises:
        UsageError: nothing can be shown of it.
    """
    start, state_folder = session.start, at / "state"
    place = shadow(workspace, at / "workspace", start.journals)
    query = replace(start.query, workspace=str(place))
    left = RememberedState.of_workspace(place, state_folder)
    left.keep(**{name: tuple(value) if isinstance(value, list) else value for name, value in start.left.items()})
    left.save()
    (at / "exports").mkdir()
    app = ReplayedApp(query, ascii_only=start.ascii_only, folder=at / "exports", state_folder=state_folder)
    with _as(start.who):
        async with app.run_test(size=start.size, notifications=True) as pilot:
            await _until(pilot, lambda: app.front is not None or not app.is_running, LOADING)
            if app.failure:
                raise UsageError(f"the session cannot be played: {app.failure}", "Look at the workspace first.")
            return await _played(pilot, app, session.lines)


async def _played(pilot: Pilot[Any], app: InspectApp, lines: tuple[LogLine, ...]) -> ReplayCounts:
    inputs = titles = 0
    done = "the start"
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        # What a screen said while more was under way it may say here for an instant only.
        passing = following is not None and following.title is not None
        was = None if passing else line.said
        if was is not None:
            await _until(pilot, lambda was=was: not app.is_running or screen_words(app) == was, PATIENCE)
            now = screen_words(app) if app.is_running else None
            if now != was:
                return ReplayCounts(inputs, titles, Difference(line.number, done, was, now))
            titles += 1
        elif line.command is not None:
            done = line.command
        elif line.is_input and app.is_running:
            await _play(pilot, line)
            inputs += 1
            done = f"the key {line.key}" if line.key is not None else done
    return ReplayCounts(inputs, titles)


async def _play(pilot: Pilot[Any], line: LogLine) -> None:
    """What came in comes once more."""
    if line.key is not None and line.key != _SUSPENDS:
        pilot.app.post_message(Key(line.key, line.character))
    elif line.paste is not None:
        pilot.app.post_message(Paste(line.paste))
    elif line.click is not None:
        await pilot.click(offset=line.click)
    elif line.size is not None and line.size != tuple(pilot.app.size):
        await pilot.resize_terminal(*line.size)
    if pilot.app.is_running:
        await pilot.pause()


async def _until(pilot: Pilot[Any], holds: Any, patience: float) -> None:
    """Wait until something holds, or for as long as there is patience."""
    end = time.monotonic() + patience
    while not holds() and time.monotonic() < end:
        await pilot.pause(0.02)


@contextmanager
def _as(who: str) -> Iterator[None]:
    """Be the person of the session, for as long as it is played, and leave the clipboard of tmux and screen alone."""
    kept = {name: os.environ.pop(name) for name in (ENVIRONMENT, *_ELSEWHERE) if name in os.environ}
    os.environ[ENVIRONMENT] = who
    try:
        yield
    finally:
        os.environ.pop(ENVIRONMENT, None)
        os.environ.update(kept)
