"""Runs many commands of the program in one process, of whichever version the interpreter finds.

A script of its own, of the standard library alone: an old commit's environment knows nothing of the tests of today.
Standard input holds a JSON list of `{"name", "folder", "words"}`; each command's exit code, output and messages go to
`NAME.code`, `NAME.out` and `NAME.err` in the folder that the first argument names.
"""

import contextlib
import json
import os
import sys
import traceback
from pathlib import Path


def run(words: list[str]) -> int:
    from inspector.cli import main

    try:
        return main(words)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 2
    except BaseException:  # noqa: BLE001  # a trace is what is to be compared, too
        traceback.print_exc()
        return 99


def captured(words: list[str], out: Path, err: Path) -> int:
    """The exit code of one command, whose two streams go to files."""
    saved = os.dup(1), os.dup(2)
    with out.open("wb") as output, err.open("wb") as messages:
        os.dup2(output.fileno(), 1)
        os.dup2(messages.fileno(), 2)
        try:
            return run(words)
        finally:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
            for descriptor in saved:
                os.close(descriptor)


if __name__ == "__main__":
    places = Path(sys.argv[1])
    home = Path.cwd()
    for command in json.load(sys.stdin):
        os.chdir(home / command["folder"])
        at = places / command["name"]
        code = captured(command["words"], at.with_suffix(".out"), at.with_suffix(".err"))
        at.with_suffix(".code").write_text(str(code))
        os.chdir(home)
