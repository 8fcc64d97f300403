"""Which workspace a command means."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring.data.environment import WORKSPACE
from scoring.data.errors import NoWorkspace
from scoring.workspace.workspace import MARK, TRIAGE, Workspace, workspace_folder

LOCAL = Path(".prm-inspect")


def find_workspace(path: str | None, *, create: bool = False) -> Workspace:
    """Find the workspace that a command means: that given, `$PRM_INSPECT_WORKSPACE`, `./.prm-inspect`, the user's own.

    With `create` (importing), the folder is made where it is missing, and a new one goes to `./.prm-inspect`.

    Raises:
        NoWorkspace: there is none and none is to be made.
        UsageError: the one that is named is an address that cannot be read.
        StoreError, MissingExtra: it is on object storage, and cannot be had.
    """
    named = path if path is not None else os.environ.get(WORKSPACE) or None
    if named is not None:
        folder = workspace_folder(named, create=create)
        if not create:
            return Workspace.open(folder)
        workspace = Workspace.create(folder)
        if workspace.mirror is not None:
            # Before anything is written that could not be sent.
            workspace.mirror.check_writable()
        return workspace
    if (LOCAL / MARK).is_file():
        return Workspace.open(LOCAL)
    if create:
        return Workspace.create(LOCAL)
    own = _own()
    if (own / MARK).is_file():
        return Workspace.open(own)
    raise NoWorkspace(
        "nothing was imported here yet.", "Start with: prm-inspect import PATH, or look: prm-inspect demo"
    )


def deciding_files(path: str | None) -> list[Path]:
    """Return the files of which it depends which workspace is found, whether they are there or not."""
    named = path if path is not None else os.environ.get(WORKSPACE)
    return [Path(named) / MARK] if named else [LOCAL / MARK, _own() / MARK, demo_workspace() / MARK]


def find_workspace_or_demo(path: str | None, benchmarks: Sequence[str]) -> Workspace:
    """Find it for looking: where there is no workspace, the demo can still be asked for by name.

    What is said of its cases is kept among the user's own data, where it would be if the workspace there were made;
    what it is scored with, in a workspace of its own there, once there is one.
    """
    try:
        return find_workspace(path)
    except NoWorkspace:
        if "demo" not in benchmarks or path is not None:
            raise
        return find_demo()


def find_demo() -> Workspace:
    """Find where the demo is looked at without any other workspace."""
    there = demo_workspace()
    return Workspace(there if (there / MARK).is_file() else None, demo_triage=_own() / TRIAGE)


def send() -> list[str]:
    """Send what was written so far of workspaces on object storage; return a sentence for each where that cannot be."""
    remote = sys.modules.get("scoring.workspace.remote")
    return [] if remote is None else remote.send_all()


def sent(code: int, say: Callable[[str], object]) -> int:
    """Send what was written of workspaces on object storage, and let go of them; return the exit code after that."""
    remote = sys.modules.get("scoring.workspace.remote")
    if remote is None:
        return code
    sentences, keeps = remote.finish()
    for sentence in sentences:
        say(sentence)
    return code or 2 if keeps else code


def demo_workspace() -> Path:
    """Return where rewards computed of the demo go, where there is no other workspace: it may not be there yet."""
    return _own() / "demo"


def _own() -> Path:
    """Where the user's own workspace is, if there is one."""
    from platformdirs import user_data_path

    return user_data_path("prm-inspect")
