"""`demo`: the bundled benchmark with its scorers, in the app or as a printed board."""

import argparse
from dataclasses import replace

from inspector.shell.requests import request_of


def run(args: argparse.Namespace) -> int:
    """Open the app on the demo; with `--no-app` print its board."""
    request = replace(request_of(args), workspace=None, benchmarks=("demo",))
    if args.no_app:
        from inspector.board import board_lines
        from inspector.selection import load

        for line in board_lines(load(request)):
            print(line)
        return 0
    from inspector.app import run_app

    return run_app(request, ascii_only=args.ascii, mouse=not args.no_mouse, demo=True)
