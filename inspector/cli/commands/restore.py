"""Bring back what was removed; without a name, list the trash."""

import argparse

from inspector.cli.commands import TAKEN_WHOLE, Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    name = "its name or a unique part of it (`scorer` or `benchmark` before it where both have it)"
    parser.add_argument("words", nargs="*", metavar="NAME", help=name)
    parser.epilog = "It is refused where its name is taken again. Of several of one name the newest comes back."


VERB = Verb(
    ("prm-inspect restore", "prm-inspect restore my-prm"),
    _flags,
    module="inspector.cli.actions.trash",
    takes=(),
    instead=TAKEN_WHOLE,
    document=False,
    rank=10,
)
