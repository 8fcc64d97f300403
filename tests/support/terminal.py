"""A program under a pseudo-terminal: press its keys, read its screen, time its answers. POSIX only."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import pyte

KEYS = {
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "pageup": b"\x1b[5~",
    "pagedown": b"\x1b[6~",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "shift+tab": b"\x1b[Z",
    "space": b" ",
    "backspace": b"\x7f",
    **{f"ctrl+{letter}": bytes([ord(letter) & 0x1F]) for letter in "abcdefghijklmnopqrstuvwxyz"},
}

# A child that leads a session takes the terminal as its own, so that resizing and hanging up reach it as signals.
# Doing this in the child after a fork of this process would not be safe: polars has started threads in it.
_OWN_THE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)


@dataclass(frozen=True)
class Answer:
    """What came back for a key: milliseconds from the key to the first and to the last byte, and the bytes."""

    first: float
    last: float
    data: bytes


class Terminal:
    """A context manager: the program runs inside it, and is gone after it.

    Output is collected while a method of this object waits; nothing is read in between.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 120,
        lines: int = 36,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
    ) -> None:
        """Start `argv`. `env` is added to this process's environment; an empty value removes the variable.

        Unless `env` says otherwise, the program's person has neither state nor settings from before.
        """
        self.output = bytearray()
        """Everything the program has written so far."""
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._shown = 0
        self._sizes: list[tuple[int, int, int]] = []
        """Columns and lines that are still to be given to the emulated screen, each after so many bytes of output."""
        self._fd, child = pty.openpty()
        os.set_blocking(self._fd, False)
        _set_size(child, columns, lines)
        self._home = tempfile.TemporaryDirectory(prefix="prm-inspect-home-")
        homes = {f"XDG_{name}_HOME": f"{self._home.name}/{name.lower()}" for name in ("STATE", "CONFIG")}
        self._process = subprocess.Popen(
            [sys.executable, "-ISc", _OWN_THE_TERMINAL, *argv],
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=cwd,
            env=_environment({**homes, **(env or {})}),
            start_new_session=True,
        )
        os.close(child)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The program's process id."""
        return self._process.pid

    def close(self) -> None:
        """Kill the program if it still runs, reap it, and close the terminal. May be called twice."""
        if self._fd < 0:
            return
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._fd)
        self._home.cleanup()
        self._fd = -1

    def hang_up(self, *, timeout: float = 30) -> int:
        """Take the terminal away, as a lost connection does; the exit code.

        Raises:
            TimeoutError: the program goes on.
        """
        os.close(self._fd)
        # Nothing is read or written any more; whoever closes needs a descriptor.
        self._fd = os.open(os.devnull, os.O_RDWR)
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"still running {timeout} s after the terminal was gone") from None

    # -- what goes in

    def send(self, data: bytes) -> None:
        """Type bytes without waiting for an answer."""
        while data:
            select.select([], [self._fd], [], 5)
            data = data[os.write(self._fd, data) :]

    def press(self, *keys: str, gap: float = 0.1, timeout: float = 10) -> Answer | None:
        """Press keys at once (names as in Textual, or text) and collect the answer; None if there is none in time.

        Two keys of which the second is a letter may be one text, such as "g l".

        The answer ends with `gap` seconds of silence.
        """
        start = time.perf_counter()
        strokes = (key.replace(" ", "") if re.fullmatch("[gv] .", key) else key for key in keys)
        self.send(b"".join(KEYS.get(key, key.encode()) for key in strokes))
        return self._answer(start, gap, timeout)

    def click(self, column: int, line: int, *, gap: float = 0.1, timeout: float = 10) -> Answer | None:
        """Press and release the left button on a cell (0-based), reported the SGR way."""
        start = time.perf_counter()
        self.send(f"\x1b[<0;{column + 1};{line + 1}M\x1b[<0;{column + 1};{line + 1}m".encode())
        return self._answer(start, gap, timeout)

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size; the program gets SIGWINCH."""
        self._sizes.append((len(self.output), columns, lines))
        _set_size(self._fd, columns, lines)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self._process.send_signal(number)

    # -- what comes out

    def screen_text(self, size: int | None = None) -> str:
        """What stands on the screen, blanks included, after the first `size` bytes of output; None = after all."""
        self._show(size)
        buffer, columns = self._screen.buffer, range(self._screen.columns)
        # The second cell of a wide character is empty, also where something has been written over the first.
        return "\n".join("".join(buffer[line][column].data for column in columns) for line in range(self._screen.lines))

    def screen(self) -> pyte.Screen:
        """The screen with its colours; of `buffer[line][column]`, all 0-based."""
        self._show()
        return self._screen

    def wait_for(self, text: str, *, timeout: float = 30) -> float:
        """Seconds until `text` stands on the screen. Raises TimeoutError, which shows the screen.

        What the program writes together with the text is read, too.
        """
        start = time.perf_counter()
        while text not in self.screen_text():
            waited = time.perf_counter() - start
            if waited > timeout or (self._read(0.05) is None and self._process.poll() is not None):
                raise TimeoutError(f"never saw {text!r} in {waited:.1f} s; the screen was\n{self.screen_text()}")
        seen = time.perf_counter() - start
        self.settle(0.05, timeout=1)
        return seen

    def arrival_of(self, text: str, *, gap: float = 0.1, timeout: float = 30) -> float:
        """Seconds until the bytes had come that put `text` on the screen; `gap` seconds of silence end the reading.

        They are looked at afterwards: an emulated screen takes longer to show them than the program to make them.

        Raises:
            TimeoutError: the text does not come.
        """
        start = time.perf_counter()
        self._show()
        while True:
            arrivals = []
            while self._read(gap):
                arrivals.append((time.perf_counter() - start, len(self.output)))
            for arrived, size in arrivals:
                if text in self.screen_text(size):
                    self._show()
                    return arrived
            if time.perf_counter() - start > timeout or not self.running:
                raise TimeoutError(f"never saw {text!r}; the screen was\n{self.screen_text()}")

    def settle(self, gap: float = 0.3, *, timeout: float = 30) -> None:
        """Wait until the program has been silent for `gap` seconds."""
        end = time.perf_counter() + timeout
        while time.perf_counter() < end and self._read(gap):
            pass

    @property
    def running(self) -> bool:
        """Whether the program has not ended."""
        return self._process.poll() is None

    def wait(self, *, timeout: float = 30) -> int:
        """Wait until the program ends by itself; its exit code, negative for a signal. Raises TimeoutError."""
        end = time.perf_counter() + timeout
        while self._process.poll() is None:
            if time.perf_counter() > end:
                raise TimeoutError(f"still running after {timeout} s; the screen was\n{self.screen_text()}")
            self._read(0.02)
        while self._read(0):
            pass
        return self._process.returncode

    def _answer(self, start: float, gap: float, timeout: float) -> Answer | None:
        data, first, last = b"", 0.0, 0.0
        while chunk := self._read(gap if data else timeout):
            last = time.perf_counter()
            first = first or last
            data += chunk
        return Answer((first - start) * 1e3, (last - start) * 1e3, data) if data else None

    def _read(self, timeout: float) -> bytes | None:
        """The next output, or None when there is none in time or none any more."""
        if not select.select([self._fd], [], [], timeout)[0]:
            return None
        # Linux reports the end of a terminal as an error.
        with contextlib.suppress(OSError):
            chunk = os.read(self._fd, 1 << 20)
            self.output += chunk
            return chunk or None
        return None

    def _show(self, size: int | None = None) -> None:
        """Let the emulated screen catch up; apart from reading, because it takes longer than the program."""
        end = len(self.output) if size is None else size
        while self._sizes and self._sizes[0][0] <= end:
            before, columns, lines = self._sizes.pop(0)
            self._feed(before)
            self._screen.resize(lines, columns)
        self._feed(end)

    def _feed(self, end: int) -> None:
        new = bytes(self.output[self._shown : end])
        self._shown += len(new)
        self._stream.feed(new)


def _set_size(fd: int, columns: int, lines: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


def _environment(changes: Mapping[str, str]) -> dict[str, str]:
    # The size is the terminal's own, whatever a shell has exported about another one.
    known = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "COLUMNS": "", "LINES": ""}
    return {name: value for name, value in {**os.environ, **known, **changes}.items() if value}
