"""How a session begins, and what its actions are called."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from inspector.commands import COMMANDS, RAIL
from inspector.provenance import program_version
from inspector.selection import Selection
from inspector.session.lines import VERSION, Start
from inspector.session.place import data_of, journals_of
from scoring.triage.journal import Author

if TYPE_CHECKING:
    from inspector.app import InspectApp


def start_of(app: "InspectApp", selection: Selection) -> Callable[[], Start]:
    """How a session begins: what the app was opened on, and how it was left before.

    What is quickly changed is looked at now; the rest when the value is called, in any thread.
    """
    workspace, remembered = selection.workspace, app.remembered
    left = {} if remembered is None else msgspec.to_builtins(remembered.left)
    journals, size = journals_of(workspace), (app.size.width, app.size.height)
    time = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    request, ascii_only = app.request, app.ascii_only

    def start() -> Start:
        return Start(
            v=VERSION,
            time=time,
            version=program_version(),
            request=request,
            root=None if workspace.root is None else str(workspace.root.resolve()),
            data=data_of(workspace, selection.benchmarks),
            who=Author.me().who if selection.journal is None else selection.journal.author.who,
            size=size,
            ascii_only=ascii_only,
            journals=journals,
            left=left,
        )

    return start


def command_id(action: str, screen: str) -> str | None:
    """The id of the command of a screen that this action is; None where it is none of a person's commands."""
    bare = action.removeprefix("screen.").removeprefix("app.")
    commands = (*(one for one in COMMANDS if one.known_on(screen)), *RAIL)
    return next((one.id for one in commands if one.action == bare), None)
