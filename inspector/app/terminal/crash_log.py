"""What is written down when the program fails: enough to find the fault, nothing of the data but the traceback."""

import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("prm-inspect", "textual", "rich", "polars", "numpy")
VARIABLES = ("TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "NO_COLOR", "COLUMNS", "LINES")
KEPT = 10
"""Logs that stay; older ones are deleted."""


def log_fault(facts: Mapping[str, object], commands: Iterable[str], folder: Path) -> str:
    """Write a log of the fault that is being handled into the folder; return what a person is told of it."""
    path = write(report(traceback.format_exc(), facts, commands, os.environ), folder)
    return sentence(sys.exc_info()[1], path)


def report(traced: str, facts: Mapping[str, object], commands: Iterable[str], environ: Mapping[str, str]) -> str:
    """Return the text of a log: versions, the terminal, what was done last, and the traceback without local values."""
    known = {
        "when": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        **{package: _version(package) for package in PACKAGES},
        **{name: environ[name] for name in VARIABLES if name in environ},
        "multiplexer": "tmux" if environ.get("TMUX") else "screen" if environ.get("STY") else "none seen",
        **facts,
    }
    described = [f"{name}: {value}" for name, value in known.items()]
    return "\n".join([*described, "", "last commands, the newest last:", *(commands or ["none"]), "", traced])


def write(text: str, folder: Path) -> Path | None:
    """Put a log into the folder or else into the one for temporary files; None if neither takes it."""
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for place in (folder, Path(tempfile.gettempdir())):
        try:
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, encoding="utf-8", errors="backslashreplace")
            _forget_old(place)
        except OSError:
            continue
        return place / name
    return None


def sentence(error: BaseException | None, path: Path | None) -> str:
    """Return what a person is told on the restored terminal."""
    what = f"prm-inspect failed ({type(error).__name__}), which is a fault in it."
    where = f"What happened stands in {path}" if path else "No log could be written."
    return f"{what} {where}"


def _forget_old(folder: Path) -> None:
    for old in sorted(folder.glob("crash-*.log"))[:-KEPT]:
        old.unlink(missing_ok=True)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
