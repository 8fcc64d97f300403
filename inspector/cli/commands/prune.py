"""Empty the trash: what is in it is gone then."""

import argparse

from inspector.cli.commands import TAKEN_WHOLE, Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask (needed where there is no terminal)")


VERB = Verb(
    ("prm-inspect prune", "prm-inspect prune --yes"),
    _flags,
    module="inspector.cli.actions.trash",
    takes=(),
    instead=TAKEN_WHOLE,
    document=False,
    rank=11,
)
