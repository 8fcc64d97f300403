"""Play the log of a session again: do the screens say the same?."""

import argparse

from inspector.verbs import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the log of a session, or `last` for the newest one")
    parser.epilog = "Exit codes: 0 every title is as it was, 1 one differs, 2 it cannot be played."


VERB = Verb(
    ("prm-inspect replay last", "prm-inspect replay session.jsonl -w ~/prm-workspace"),
    _flags,
    module="inspector.shell.replay",
    takes=(),
    document=False,
)
