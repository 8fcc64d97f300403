"""What `at_the_terminal.app` is, without a terminal and a process: the app of this process, under a Pilot.

Whoever tells a story from the keys to the screen needs no more, and waits for no silence. What is about bytes, signals,
or the end of the program has its terminal.
"""

import asyncio
import os
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from rich.style import Style
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot

from opened import opened
from scoring.selection.query import Query
from screen_text import CHARACTERS, rests, screen_lines, settled, shows
from terminal import KEYS

T = TypeVar("T")
LONG = 0.1
"""Seconds of silence that a story waits for where more than an answer has to come."""
FLAGS = {"-w": "workspace", "--benchmark": "benchmarks", "--scorer": "scorers", "--where": "where", "--seed": "seed"}


def app(*words: str, cwd: Path, size: tuple[int, int] = (120, 36), **env: str) -> "Seat":
    """The app in a folder, asked for as on a command line; NO_COLOR is not set unless it is given."""
    asked: dict[str, Any] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        name, value = (FLAGS[word], left.pop(0)) if word in FLAGS else ("benchmarks", word)
        asked[name] = value if name == "workspace" else int(value) if name == "seed" else (value,)
    return Seat(Query(**asked), cwd, size, {"NO_COLOR": "", **env})


class Seat:
    """Presses keys and reads the screen, as a `Terminal` does. The app works while one of its methods waits."""

    def __init__(self, query: Query, folder: Path, size: tuple[int, int], env: dict[str, str]) -> None:
        self._query, self._folder, self._size, self._env = query, folder, size, env
        self._loop = asyncio.new_event_loop()
        self._asked: asyncio.Queue[tuple[Callable[[Pilot[int]], Coroutine[Any, Any, Any]], asyncio.Future[Any]] | None]

    def __enter__(self) -> Self:
        self._before = Path.cwd(), {name: os.environ.get(name) for name in self._env}
        os.chdir(self._folder)
        _set(self._env)
        self._asked = asyncio.Queue()
        self._sitting = self._loop.create_task(self._sit())
        try:
            self._do(settled)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the app."""
        self._asked.put_nowait(None)
        try:
            self._loop.run_until_complete(self._sitting)
        finally:
            self._loop.close()
            os.chdir(self._before[0])
            _set({name: value or "" for name, value in self._before[1].items()})

    async def _sit(self) -> None:
        # One task opens, uses and leaves the app: it is known by what a task knows.
        async with opened(self._query, size=self._size, folder=self._folder) as pilot:
            while (one := await self._asked.get()) is not None:
                work, done = one
                try:
                    done.set_result(await work(pilot))
                except Exception as error:  # noqa: BLE001  # raised where it was asked for
                    done.set_exception(error)

    def _do(self, work: Callable[[Pilot[int]], Coroutine[Any, Any, T]]) -> T:
        done: asyncio.Future[T] = self._loop.create_future()
        self._asked.put_nowait((work, done))
        waiting = asyncio.wait({self._sitting, done}, return_when=asyncio.FIRST_COMPLETED)
        self._loop.run_until_complete(waiting)
        if not done.done():
            self._sitting.result()
        return done.result()

    # -- as of a Terminal

    def send(self, data: bytes) -> None:
        """Type all of it without waiting for an answer to any."""
        known = {value.decode(): name for name, value in reversed(KEYS.items())}
        strokes = re.findall("|".join(map(re.escape, sorted(known, key=len, reverse=True))) + "|.", data.decode())

        async def typed(pilot: Pilot[int]) -> None:
            for stroke in strokes:
                _type(pilot, known.get(stroke, stroke))
            await settled(pilot)

        self._do(typed)

    def press(self, *keys: str, **_waiting: float) -> bool:
        """Press keys, each when the one before has been answered."""

        async def pressed(pilot: Pilot[int]) -> None:
            for key in keys:
                for stroke in [key] if key == " " else key.split(" "):
                    _type(pilot, stroke)
                    await settled(pilot)

        self._do(pressed)
        return True

    def settle(self, gap: float = 0.3, **_longest: float) -> None:
        """Wait until no message is under way; for a longer silence, until nothing may change it."""

        async def quiet(pilot: Pilot[int]) -> None:
            await asyncio.sleep(0.002)
            await settled(pilot)

        self._do(rests if gap >= LONG else quiet)

    def wait_for(self, text: str) -> None:
        """Wait until a text stands on the screen. Raises TimeoutError, which shows the screen."""
        self._do(lambda pilot: shows(pilot, text))

    def screen_text(self) -> str:
        """What stands on the screen, blanks included."""

        async def lines(pilot: Pilot[int]) -> list[str]:
            return screen_lines(pilot.app)

        return "\n".join(line.ljust(self._size[0]) for line in self._do(lines))

    def cells(self) -> list[list[tuple[str, Style]]]:
        """Of every line on the screen its cells: what stands in each and how it is painted."""

        async def painted(pilot: Pilot[int]) -> list[list[tuple[str, Style]]]:
            strips = pilot.app.screen._compositor.render_strips()
            return [[(sign, part.style or Style()) for part in strip for sign in part.text] for strip in strips]

        return self._do(painted)

    def clipboard(self) -> str:
        """What was copied last."""

        async def copied(pilot: Pilot[int]) -> str:
            return pilot.app.clipboard

        return self._do(copied)


def _type(pilot: Pilot[int], key: str) -> None:
    """One key, by its name or as a character."""
    driver = pilot.app._driver
    assert driver is not None
    driver.send_message(Key(_character_to_key(key), key) if len(key) == 1 else Key(key, CHARACTERS.get(key)))


def _set(env: dict[str, str]) -> None:
    """Set variables of the environment; an empty value removes one."""
    for name, value in env.items():
        if value:
            os.environ[name] = value
        else:
            os.environ.pop(name, None)
