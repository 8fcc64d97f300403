"""No command: import what was named, then open the app."""

import argparse
import os
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from inspector.command_flags import commands
from inspector.provenance import program_version
from inspector.request import request_of
from scoring.errors import UsageError


def run(args: argparse.Namespace) -> int:
    """Open the app on the workspace."""
    if args.version:
        print(f"prm-inspect {program_version()}")
        return 0
    request = request_of(args)
    if args.paths:
        from inspector.shell.importing import bring
        from scoring.importing.bringing import STDIN

        args.paths = _existing(args.paths)
        found = bring(args)
        if STDIN in args.paths:
            _take_keys_from_the_terminal()
        names = (*(one.benchmark for one in found.imported), *(name for one in found.joined for name in one.benchmarks))
        request = replace(request, benchmarks=request.benchmarks or tuple(dict.fromkeys(names)))
    from inspector.app import run_app

    return run_app(request, ascii_only=args.ascii, mouse=not args.no_mouse, session_log=not args.no_session_log)


def _take_keys_from_the_terminal() -> None:
    """Once rows were read from standard input, have it be the terminal, if there is one: the app reads keys from it."""
    with suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, 0)
        os.close(terminal)


def _existing(words: list[str]) -> list[str]:
    """The words, if they are sources: a lone word that is no file was perhaps meant as a command."""
    from scoring.importing.bringing import is_elsewhere

    for word in words:
        if not word.startswith("hf:") and not is_elsewhere(word) and not Path(word).exists():
            near = get_close_matches(word, commands(), n=1)
            meant = f"Did you mean: prm-inspect {near[0]}" if near else "See prm-inspect --help"
            raise UsageError(f"{word!r} is neither a file nor a command.", meant)
    return words
