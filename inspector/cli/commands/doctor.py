"""What is installed and usable here; with PATHs, what files hold."""

import argparse

from inspector.cli.commands import OF_AN_IMPORT, Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="what to look at (named as for import)")


VERB = Verb(
    ("prm-inspect doctor", "prm-inspect doctor results/*.jsonl -v"),
    _flags,
    module="inspector.cli.actions.environment",
    takes=(),
    meanings=OF_AN_IMPORT,
    document=False,
    rank=6,
)
