"""The app in a browser, on this machine alone, behind a token."""

import argparse

from inspector.cli.commands import Verb
from inspector.state.common_flags import natural


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=natural, metavar="N", default=8765, help="where it listens (default 8765; 0: any that is free)"
    )
    parser.add_argument(
        "--allow-write", action="store_true", help="visitors may also import, score and keep slices and variants"
    )
    parser.epilog = """Each visitor gives a name, and triages in a journal of that name. From another machine:
    ssh -L 8765:127.0.0.1:8765 HOST, and the link is opened there. Needs pip install 'prm-inspect[serve]'."""


VERB = Verb(
    ("prm-inspect serve", "prm-inspect serve --port 9000 --benchmark processbench"),
    _flags,
    module="inspector.cli.actions.browser",
    document=False,
    rank=5,
)
