"""`replay`: play the log of a session again, without a terminal, and say where a screen says something else."""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace
from platformdirs import user_state_path

from inspector.session.log import FOLDER, Start, data_of, logs, read_session
from inspector.session.replaying import Replayed, replay
from inspector.shell.output import say
from inspector.texts.text import clean
from inspector.workspace_place import demo_workspace, find_demo, find_workspace_or_demo
from scoring import __version__
from scoring.benchmarks.demo import NAME
from scoring.errors import NoWorkspace, UnreadableFile, UsageError
from scoring.workspace import Workspace

LAST = "last"


def run(args: argparse.Namespace) -> int:
    """Play it; 0 where every title is the same, 1 where one differs."""
    session = read_session(_file(args.file))
    named = args.workspace or session.start.root
    workspace = _demo_alone() if named is None else _named(Path(named))
    say(_changed(session.start, workspace), args)
    with tempfile.TemporaryDirectory(prefix="prm-inspect-replay-") as folder:
        found = asyncio.run(replay(session, workspace, Path(folder)))
    for line in told(found):
        print(clean(line))
    return 0 if found.difference is None else 1


def _file(name: str) -> Path:
    if name != LAST:
        return Path(name)
    folder = user_state_path("prm-inspect", appauthor=False) / FOLDER
    found = logs(folder)
    if not found:
        raise UnreadableFile(f"there is no log of a session in {folder}.", "Open the app first, or name a file.")
    return found[-1]


def _named(root: Path) -> Workspace:
    if root == demo_workspace().resolve():
        return find_demo()
    try:
        return Workspace.open(root)
    except NoWorkspace:
        raise NoWorkspace(f"{root}, where the session was, holds no workspace.", "Name it: --workspace DIR") from None


def _demo_alone() -> Workspace:
    """Where the demo is looked at without a workspace; refused where the same words would now open one.

    Raises:
        UsageError: there is one.
    """
    found = find_workspace_or_demo(None, (NAME,))
    if found.root is None or found.root == demo_workspace():
        # Rewards that have come since were none of the session's.
        return replace(found, root=None)
    raise UsageError(
        f"the session was of the demo where no workspace was, and here is one ({found.root}).",
        "Play it in another folder.",
    )


def _changed(start: Start, workspace: Workspace) -> Iterator[str]:
    """What is not as it was when the session began."""
    if start.version != __version__:
        yield f"The session was logged by version {start.version}; this is {__version__}."
    names = start.request.benchmarks or tuple(workspace.default_benchmarks())
    if data_of(workspace, names) != start.data:
        yield "Cases or rewards of the workspace are not those of the session: titles may well differ."


def told(found: Replayed) -> Iterator[str]:
    """How a replay went, in words."""
    what = f"{found.inputs:,} keys, texts, clicks and sizes"
    if found.difference is None:
        yield f"The same: {what} were played, and {found.titles:,} titles are as they were."
        return
    one = found.difference
    yield f"Line {one.line} differs, after {one.done} ({what} and {found.titles:,} titles before it are the same)."
    yield f"  was: [{one.was.screen}] {one.was.title}"
    yield f"  now: [{one.now.screen}] {one.now.title}" if one.now else "  now: the app has ended"
