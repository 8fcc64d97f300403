"""What `reparse` does besides showing its analysis."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--save",
        action="store_true",
        help="keep what is read; by a critic's own parser it corrects what an older version of that read (without a "
        "name: of all critics), by another parser it is a scorer of its own, since the numbers are others",
    )
    parser.add_argument("--name", metavar="NAME", help="what that scorer is called (default: CRITIC-PARSER)")


VERB = Verb(flags=_flags, module="inspector.cli.actions.reparsing")
