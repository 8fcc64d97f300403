"""Programs of this machine that the app starts for a person: viewers, editors, pagers, the clipboard, browsers.

Every one is started here, and none for a visitor: what a browser asks for must not run on the server. Scoring runs
are processes of our own and are started elsewhere (`inspector.processes`).
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.visit import Visit


class ProgramRefused(PermissionError):  # noqa: N818  # it is what happened
    """A visitor asked for something that starts a program on the server."""

    def __str__(self) -> str:
        return "The server starts no programs for a browser."


def check_program(visit: Visit) -> None:
    """Raise ProgramRefused for a visitor."""
    if visit.who:
        raise ProgramRefused


def run_program(
    visit: Visit,
    words: Sequence[str],
    *,
    data: bytes | None = None,
    env: Mapping[str, str] | None = None,
    quiet: bool = False,
    timeout: float | None = None,
) -> int:
    """Run a program to its end and return its exit code.

    Args:
        visit: who asked for it.
        words: the program and its arguments, for no shell.
        data: what it reads; without, it reads what this process does.
        env: its variables; without, those of this process.
        quiet: whether what it writes is dropped.
        timeout: seconds after which it is killed.

    Raises:
        ProgramRefused: for a visitor.
        OSError: it does not start.
        subprocess.TimeoutExpired: it took longer.
    """
    check_program(visit)
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(
        words, input=data, env=env, stdout=output, stderr=output, timeout=timeout, check=False
    ).returncode


def open_file(visit: Visit, path: Path, opener: str) -> None:
    """Open a file with the program `opener`, or, if it is "", with the one that Windows has for it; do not wait.

    Raises:
        ProgramRefused: for a visitor.
        OSError: it does not start.
    """
    check_program(visit)
    if not opener and sys.platform == "win32":
        os.startfile(path)  # noqa: S606
        return
    subprocess.Popen(
        [opener, str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def open_link(visit: Visit, url: str) -> None:
    """Open an address in the person's own browser. Raises ProgramRefused for a visitor."""
    check_program(visit)
    # Imported lazily to keep startup fast.
    import webbrowser

    webbrowser.open(url)
