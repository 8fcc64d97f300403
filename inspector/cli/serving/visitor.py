"""The process of one visitor: the app, which speaks with the server that started it, and so with a browser."""

import os
import sys
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from inspector.state.visit import Visit
from scoring.selection.query import Query

_NOT_OURS = ("TMUX", "STY")
"""Variables by which the app would copy into the terminal of whoever started the server."""


class VisitorOpening(Struct, frozen=True):
    """What the app is opened on, and for whom."""

    query: Query
    visit: Visit
    ascii_only: bool = False


def environment(who: str, of_textual: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the process: this one's, those that Textual wants, and who is at work."""
    from scoring.workspace.triage.journal import ENVIRONMENT

    ours = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    return {**ours, **of_textual, "TERM": "xterm-256color", "COLORTERM": "truecolor", ENVIRONMENT: who}


def main() -> int:
    """Open the app and return the exit code. What there is to say afterwards goes to standard error, for the server."""
    from inspector.app.app import run_app
    from inspector.render.texts.text import clean
    from scoring.data.errors import InspectError

    opening = msgspec.json.decode(sys.argv[1], type=VisitorOpening)
    try:
        if opening.query.plugins:
            from inspector.analyses._own import load_own

            load_own(opening.query.plugins)
        return run_app(opening.query, ascii_only=opening.ascii_only, visit=opening.visit)
    except InspectError as error:
        print(clean(str(error)), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
