"""The bundled demo: cases, scorers, nothing to install or download."""

import argparse

from inspector.cli.commands import Verb
from inspector.state.common_flags import APP, FIGURES


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-app", action="store_true", help="print the board and exit")
    parser.add_argument("--rescore", action="store_true", help="first run the bundled PRMs for real, and compare")


VERB = Verb(
    ("prm-inspect demo", "prm-inspect demo --no-app"),
    _flags,
    module="inspector.cli.actions.bundled_demo",
    takes=(*(flag for flag in FIGURES if flag != "--benchmark"), *APP),
    instead={"--benchmark": "The demo is the one benchmark of it."},
    document=False,
    rank=1,
)
