"""Ask math-verify, an optional package, whether two answers are equal.

math-verify parses LaTeX with sympy, which may take any time and memory, and its own time limit works in the main thread
alone. So it runs in a child process, where every pair has a limit of processor time and the process has a limit of
memory. A pair that exceeds one ends the child, counts as undecided, and the next pair starts another.
"""

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import TracebackType
from typing import Self

from scoring.data.python_child import start_python

MOST_LOST = 20
"""Pairs that may end the child before nothing more is asked."""
_MOST_REMEMBERED = 100_000
_CHILD = "scoring.formats.reading.math_verify_child"
_decided: dict[tuple[str, str, str], bool | None] = {}


def math_verify_version() -> str | None:
    """Return the version of math-verify; None where it is not installed, or processes have no limits."""
    if sys.platform == "win32" or find_spec("math_verify") is None:
        return None
    try:
        return version("math-verify")
    except PackageNotFoundError:
        return None


class MathVerify:
    """math-verify, asked pair by pair; a context that ends its child.

    Attributes:
        version: math-verify's; None = not installed, and every pair is undecided.
        lost: how many pairs ended the child.
    """

    def __init__(self) -> None:
        self.version = math_verify_version()
        self.lost = 0
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def equal(self, reference: str, answer: str) -> bool | None:
        """Return whether two answers in LaTeX are equal; None where math-verify cannot read or decide them.

        What was decided once in this process is not asked again.
        """
        if self.version is None:
            return None
        pair = (self.version, reference, answer)
        if pair not in _decided:
            if self.lost >= MOST_LOST:
                return None
            if len(_decided) >= _MOST_REMEMBERED:
                _decided.clear()
            _decided[pair] = self._asked(reference, answer)
        return _decided[pair]

    def _asked(self, reference: str, answer: str) -> bool | None:
        try:
            if self._child is None:
                self._child = start_python(
                    _CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
            assert self._child.stdin is not None  # noqa: S101  # as it was started
            assert self._child.stdout is not None  # noqa: S101
            self._child.stdin.write(json.dumps([reference, answer]).encode() + b"\n")
            self._child.stdin.flush()
            decided = json.loads(self._child.stdout.readline())
        except (OSError, ValueError):
            # The child ended: a line that is empty is no JSON.
            self._end()
            self.lost += 1
            return None
        return decided if isinstance(decided, bool) else None

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()
