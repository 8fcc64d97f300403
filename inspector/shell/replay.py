"""`replay`: play the log of a session again, without a terminal, and say where a screen says something else."""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace
from platformdirs import user_state_path

from inspector.session.log import FOLDER, SessionStart, data_of, logs, read_session
from inspector.session.replaying import ReplayCounts, replay
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
        replayed = asyncio.run(replay(session, workspace, Path(folder)))
    for line in replay_lines(replayed):
        print(clean(line))
    return 0 if replayed.difference is None else 1


def _file(name: str) -> Path:
    if name != LAST:
        return Path(name)
    folder = user_state_path("prm-inspect", appauthor=False) / FOLDER
    files = logs(folder)
    if not files:
        raise UnreadableFile(f"there is no log of a session in {folder}.", "Open the app first, or name a file.")
    return files[-1]


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
    workspace = find_workspace_or_demo(None, (NAME,))
    if workspace.root is None or workspace.root == demo_workspace():
        # Rewards that have come since were none of the session's.
        return replace(workspace, root=None)
    raise UsageError(
        f"the session was of the demo where no workspace was, and here is one ({workspace.root}).",
        "Play it in another folder.",
    )


def _changed(start: SessionStart, workspace: Workspace) -> Iterator[str]:
    """What is not as it was when the session began."""
    if start.version != __version__:
        yield f"The session was logged by version {start.version}; this is {__version__}."
    names = start.query.benchmarks or tuple(workspace.default_benchmarks())
    if data_of(workspace, names) != start.data:
        yield "Cases or rewards of the workspace are not those of the session: titles may well differ."


def replay_lines(replayed: ReplayCounts) -> Iterator[str]:
    """Yield how a replay went, in words."""
    what, titles = f"{replayed.inputs:,} keys, texts, clicks and sizes", f"{replayed.titles:,} titles"
    if replayed.difference is None:
        yield f"The same: {what} were played, and {titles} are as they were."
        return
    difference = replayed.difference
    yield f"Line {difference.line} differs, after {difference.done} ({what} and {titles} before it are the same)."
    yield f"  was: [{difference.was.screen}] {difference.was.title}"
    yield f"  now: [{difference.now.screen}] {difference.now.title}" if difference.now else "  now: the app has ended"
