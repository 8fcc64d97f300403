"""Programs that the app starts: viewers, editors, pagers, tmux, browsers.

All of them are started here, and never for a visitor, because they would run on the server. Python processes of our own
are started in `scoring.data.python_child`.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.state.visit import Visit


class ProgramRefused(PermissionError):  # noqa: N818  # it is what happened
    """A visitor did something that starts a program on the server."""

    def __str__(self) -> str:
        return "The server does not start programs for visitors."


def check_program(visit: Visit) -> None:
    """Raise ProgramRefused for a visitor."""
    if visit.who:
        raise ProgramRefused


def run_program(
    visit: Visit,
    command: Sequence[str],
    *,
    data: bytes | None = None,
    env: Mapping[str, str] | None = None,
    quiet: bool = False,
    timeout: float | None = None,
) -> int:
    """Run a program to its end and return its exit code.

    Args:
        visit: who asked for it.
        command: the program and its arguments, which no shell reads.
        data: its standard input; None = the one of this process.
        env: its environment; None = the one of this process.
        quiet: whether its output is dropped.
        timeout: seconds after which it is killed.

    Raises:
        ProgramRefused: for a visitor.
        OSError: it does not start.
        subprocess.TimeoutExpired: it took longer.
    """
    check_program(visit)
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(
        command, input=data, env=env, stdout=output, stderr=output, timeout=timeout, check=False
    ).returncode


def open_file(visit: Visit, path: Path, opener: str) -> None:
    """Open a file with the program `opener`, or with Windows' own if `opener` is "". Do not wait for it.

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
