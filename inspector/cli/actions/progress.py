"""How far something is, on one line of standard error, where that is a terminal."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from inspector.render.texts.text import clean
from inspector.state.processes.scoring_words import progress_words

PATIENCE = 1.0
"""Seconds that something may take without a word."""
EVERY = 0.2
"""Seconds between two pictures of it."""
_BAR, _SHORTEST_BAR = 30, 10
_CLEAR, _CLEAR_BELOW = "\x1b[K", "\x1b[J"


def show_progress(done: int, to_do: int, words: str, below: Sequence[str] = ()) -> None:
    """Put a bar and words in the place of what the line said, and lines `below` it, as many as a third of a screen has.

    Nothing where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        return
    columns, height = shutil.get_terminal_size()
    visible = [clean(line)[: columns - 1] for line in below[: height // 3]]
    if len(visible) < len(below):
        visible[-1:] = [f"... and {len(below) - len(visible) + 1:,} more"]
    lines = [bar_line(done, to_do, words, columns), *visible]
    # The cursor stays on the first line, so that whoever clears from there on clears all.
    back = f"\x1b[{len(visible)}A" if visible else ""
    print("\r" + f"{_CLEAR}\n".join(lines) + f"{_CLEAR_BELOW}{back}\r", end="", file=sys.stderr)
    sys.stderr.flush()


def say_over_progress(text: str) -> None:
    """Print a line of words on standard error, over progress if there is any."""
    start = f"\r{_CLEAR_BELOW}" if sys.stderr.isatty() else ""
    print(f"{start}{clean(text)}", file=sys.stderr)


def bar_line(done: int, to_do: int, words: str, columns: int) -> str:
    """Return a bar and words for a terminal so many cells wide; the words alone where there is no room for both."""
    # A line that is wrapped could not be written over; the last column is left for the cursor.
    room = columns - 1
    width = min(_BAR, room - len(words) - 3)
    bar = "#" * (width * done // max(1, to_do))
    line = f"[{bar:<{width}}] {words}" if width >= _SHORTEST_BAR else words
    return line[:room]


class ReadingProgress:
    """Shows how far reading is: to be entered, called with what is done, and left.

    What takes less than `PATIENCE` is not shown. A thread paints, so that it is seen to go on while nobody calls.
    """

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        """`what` is being done; `quiet` is for who wants to hear nothing."""
        self._now = (0, 0, what)
        self._unit = ""
        self._began = time.monotonic()
        self._end = threading.Event()
        self._painted = False
        self._hushed = False
        wanted = not quiet and sys.stderr.isatty()
        self._painter = threading.Thread(target=self._paint, daemon=True) if wanted else None

    def __call__(self, done: int, to_do: int, what: str, unit: str = "") -> None:
        """Say that so many of so many are done, and what is done now; `unit` is what is counted, "" = bytes.

        Fewer than before are of something else, whose time begins now.
        """
        if done < self._now[0]:
            self._began = time.monotonic()
        self._now, self._unit = (done, to_do, what), unit

    @contextmanager
    def hushed(self) -> Iterator[None]:
        """Paint nothing while something else is on the terminal; the time it takes does not count."""
        began, self._hushed = time.monotonic(), True
        if self._painted:
            print(f"\r{_CLEAR}", end="", file=sys.stderr, flush=True)
        try:
            yield
        finally:
            self._began += time.monotonic() - began
            self._hushed = False

    def __enter__(self) -> Self:
        if self._painter is not None:
            self._painter.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._painter is None:
            return
        self._end.set()
        self._painter.join()
        if self._painted:
            print(f"\r{_CLEAR}", end="", file=sys.stderr, flush=True)

    def _paint(self) -> None:
        wait = PATIENCE
        while not self._end.wait(wait):
            if self._hushed:
                continue
            wait, self._painted = EVERY, True
            done, to_do, _ = self._now
            show_progress(done, to_do, self.words(time.monotonic() - self._began))

    def words(self, seconds: float) -> str:
        """Return what stands beside the bar after so many seconds."""
        return progress_words(*self._now, seconds, self._unit)
