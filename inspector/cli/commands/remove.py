"""Take a scorer or a benchmark out of the workspace, into its trash."""

import argparse

from inspector.cli.commands import TAKEN_WHOLE, Verb

_REMOVAL = """Nothing is deleted: its folder is moved into the workspace's trash, from which `restore` brings it back.
Rewards that scorers gave the cases of a removed benchmark, and what people said of them, stay and show again with it.
An open app follows. It is refused while another process writes there or scores the benchmark."""


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=("scorer", "benchmark"), help="what it is")
    parser.add_argument("name", metavar="NAME", help="its name or a unique part of it")
    parser.epilog = _REMOVAL


VERB = Verb(
    ("prm-inspect remove scorer my-prm", "prm-inspect remove benchmark gsm8k"),
    _flags,
    module="inspector.cli.actions.trash",
    takes=(),
    instead=TAKEN_WHOLE,
    document=False,
    rank=9,
)
