"""How a session begins, and what its actions are called."""

from datetime import UTC, datetime

import msgspec

from inspector.commands import COMMANDS, RAIL
from inspector.documents import program_version
from inspector.selection import Selection
from inspector.session.lines import VERSION, Start
from inspector.session.place import data_of
from inspector.terminal.remembered import Left
from inspector.wiring.base import Wired
from scoring.triage.journal import Author


def start_of(app: Wired, selection: Selection, left: Left, journals: dict[str, int]) -> Start:
    """How a session begins: with what the app was opened on, how it was left before, and journals of these bytes."""
    workspace = selection.workspace
    return Start(
        v=VERSION,
        time=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        version=program_version(),
        request=app.request,
        root=None if workspace.root is None else str(workspace.root.resolve()),
        data=data_of(workspace, selection.cases["benchmark"].unique(maintain_order=True).to_list()),
        who=Author.me().who if selection.journal is None else selection.journal.author.who,
        size=(app.size.width, app.size.height),
        ascii_only=app.ascii_only,
        journals=journals,
        left=msgspec.to_builtins(left),
    )


def command_id(action: str, screen: str) -> str | None:
    """The id of the command of a screen that this action is; None where it is none of a person's commands."""
    bare = action.removeprefix("screen.").removeprefix("app.")
    commands = (*(one for one in COMMANDS if screen in one.screens), *RAIL)
    return next((one.id for one in commands if one.action == bare), None)
