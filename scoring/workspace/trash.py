"""What was taken out of a workspace, until it is brought back or thrown away.

    trash/<uuid7>/   removed.json, and beside it the folder of a scorer or a benchmark under the name that it had

A removal and a restoration are one rename each, within the workspace: whoever looks, and whatever crashes, there is the
old state or the new one. The record is there before the folder comes, and goes after the folder has gone, so that one
without a folder is nobody's, and `prune` throws it away. What `prune` throws away is renamed to a dot-name first.
What cannot be made again, rewards and cases, is moved; what can (`scoring.evaluation.derived`) is left to be cleaned
up.
"""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct

from scoring.data.errors import DamagedWorkspace, InUse, NoWorkspace, UsageError, WorkspaceError
from scoring.data.scorer import Scorer
from scoring.data.storage.files import DiskUse, locked, sync, unwritable, uuid7, write_atomically
from scoring.workspace.reservation import scorers
from scoring.workspace.workspace import BENCHMARKS, REWARDS, Workspace

TRASH, RECORD = "trash", "removed.json"
FORMAT = 1
TrashKind = Literal["scorer", "benchmark"]
HOMES: dict[TrashKind, str] = {"scorer": REWARDS, "benchmark": BENCHMARKS}
"""In which folder of a workspace the folders of each kind lie."""
_ENTRY = re.compile(r"[0-9a-f]{32}\Z")
_DOOMED = re.compile(r"\.[0-9a-f]{32}\Z")


class Removable(Struct, frozen=True):
    """A scorer or a benchmark that a workspace holds, in its folder.

    `name` is its own, and with its folder's behind it where several have that; of a scorer whose `scorer.json` cannot
    be read it is the folder's.
    """

    kind: TrashKind
    name: str
    folder: Path


class TrashEntry(Struct, frozen=True):
    """What lies in the trash.

    `time` says when it was removed (ISO 8601, UTC); `folder` is its folder there, which has the name that it had in its
    place. `kind` is None where the record beside it cannot be read: then `name` is that of the folder.
    """

    kind: TrashKind | None
    name: str
    time: str
    folder: Path
    bytes: int

    @property
    def label(self) -> str:
        """Kind and name."""
        return f"{self.kind} {self.name}" if self.kind else f"{self.folder} (its record cannot be read)"


def removable(workspace: Workspace, kind: TrashKind) -> list[Removable]:
    """List what of a kind can be removed, in order of name.

    Raises:
        NoWorkspace: the workspace has no folder.
    """
    root = _root(workspace)
    if kind == "benchmark":
        return [Removable(kind, name, root / BENCHMARKS / name) for name in workspace.benchmarks()]
    named = [(_name(folder), folder) for folder in workspace.reward_folders()]
    names = [name for name, _ in named]
    each = (
        Removable(kind, name if names.count(name) == 1 else f"{name} ({folder.name})", folder) for name, folder in named
    )
    return sorted(each, key=lambda entry: entry.name)


def remove(workspace: Workspace, wanted: Removable) -> TrashEntry:
    """Move something into the trash.

    Raises:
        InUse: another process writes there, or scores the cases of the benchmark.
        UsageError: it is not there any more.
        UnwritableWorkspace: read-only, full, not allowed; everything is as it was.
        WorkspaceError: its folder lies on another disk than the workspace.
    """
    root = _root(workspace)
    name = _name(wanted.folder) if wanted.kind == "scorer" else wanted.name
    time = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    record = {"format": FORMAT, "kind": wanted.kind, "name": name, "time": time}
    record["from"] = f"{HOMES[wanted.kind]}/{wanted.folder.name}"
    entry = root / TRASH / uuid7()
    place = entry / wanted.folder.name
    with locked(root / TRASH, make=True), _to_itself(wanted):
        write_atomically(entry / RECORD, json.dumps(record, ensure_ascii=False).encode(errors="replace"))
        try:
            _move(wanted.folder, place)
        except BaseException:
            _forget(entry)
            raise
    return TrashEntry(wanted.kind, name, time, place, DiskUse.of(place).bytes)


def removed(workspace: Workspace) -> list[TrashEntry]:
    """List what is in the trash, in the order of removal.

    Raises:
        NoWorkspace: the workspace has no folder.
    """
    entries = _entries(_root(workspace) / TRASH, _ENTRY)
    return [_removed(entry, folder) for entry in entries if (folder := _content(entry)) is not None]


def _removed(entry: Path, folder: Path) -> TrashEntry:
    """What a folder in an entry of the trash is, by the record beside it."""
    size = DiskUse.of(folder).bytes
    try:
        record = json.loads((entry / RECORD).read_bytes())
        kind, name, time = record["kind"], record["name"], record["time"]
        sound = record["format"] == FORMAT and kind in HOMES and isinstance(name, str) and isinstance(time, str)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        sound = False
    return TrashEntry(kind, name, time, folder, size) if sound else TrashEntry(None, folder.name, "", folder, size)


def restore(workspace: Workspace, wanted: TrashEntry) -> Path:
    """Bring something back from the trash; where it is now.

    Raises:
        UsageError: its name or its place is taken again, its record cannot be read, or it is in the trash no more.
        InUse: another process is at work at its place.
        UnwritableWorkspace: read-only, full, not allowed; everything is as it was.
    """
    root = _root(workspace)
    if wanted.kind is None:
        raise UsageError(f"{wanted.label}.", "Move the folder back by hand, to where it was in the workspace.")
    target = root / HOMES[wanted.kind] / wanted.folder.name
    with locked(root / TRASH, make=True):
        if not wanted.folder.is_dir():
            raise UsageError(f"{wanted.label} is not in the trash any more.", "")
        taken = (
            workspace.benchmarks() if wanted.kind == "benchmark" else [scorer.name for scorer, _ in scorers(workspace)]
        )
        if wanted.name in taken:
            raise UsageError(
                f"there is a {wanted.label} again, and two of one name there cannot be.",
                f"Remove that one first, or leave this one in the trash: prm-inspect remove {wanted.label}",
            )
        _make_way(target)
        try:
            target.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(target.parent, error) from error
        _move(wanted.folder, target)
        _forget(wanted.folder.parent)
    return target


def prune(workspace: Workspace, wanted: Sequence[TrashEntry]) -> list[str]:
    """Throw away what was listed, and what an interrupted removal or prune left; a sentence for what stays.

    Raises:
        UnwritableWorkspace: read-only, not allowed; everything is as it was.
    """
    trash = _root(workspace) / TRASH
    if not trash.is_dir():
        return []
    problems = []
    with locked(trash):
        entries = [removal.folder.parent for removal in wanted]
        entries += [entry for entry in _entries(trash, _ENTRY) if _content(entry) is None]
        for entry in entries:
            try:
                entry.rename(entry.with_name(f".{entry.name}"))
            except FileNotFoundError:
                # Somebody has brought it back meanwhile, or thrown it away.
                continue
            except OSError as error:
                raise unwritable(entry, error) from error
        with suppress(OSError):
            sync(trash)
        for doomed in _entries(trash, _DOOMED):
            try:
                shutil.rmtree(doomed)
            except OSError as error:
                problems.append(f"{doomed} could not be deleted whole ({error.strerror or error}); prune again")
    return problems


def leftovers(workspace: Workspace) -> int:
    """Count the bytes of what an interrupted prune has not deleted."""
    return sum(DiskUse.of(entry).bytes for entry in _entries(_root(workspace) / TRASH, _DOOMED))


def _root(workspace: Workspace) -> Path:
    if workspace.root is None:
        raise NoWorkspace("there is no workspace to take something out of.", "Name one with --workspace DIR.")
    return workspace.root


def _name(folder: Path) -> str:
    """What a scorer is called; as its folder is, where its description cannot be read."""
    try:
        return Scorer.load(folder).name
    except DamagedWorkspace:
        return folder.name


def _entries(trash: Path, pattern: re.Pattern[str]) -> list[Path]:
    """The folders of this kind of name in the trash, in order of name. Others are nobody's business here."""
    try:
        there = sorted(trash.iterdir())
    except OSError:
        return []
    return [path for path in there if pattern.match(path.name) and path.is_dir() and not path.is_symlink()]


def _content(entry: Path) -> Path | None:
    """The folder that was moved into an entry of the trash; None where there is none."""
    return next((path for path in sorted(entry.iterdir()) if path.is_dir()), None)


@contextmanager
def _to_itself(wanted: Removable) -> Iterator[None]:
    """Have a folder to oneself, and what is read from while a benchmark is scored."""
    folders = [wanted.folder, *(wanted.folder.glob("gen-*") if wanted.kind == "benchmark" else ())]
    uses = "an import or a scoring run of another process uses it" if wanted.kind == "benchmark" else ""
    with ExitStack() as held:
        try:
            for folder in folders:
                held.enter_context(locked(folder, wait=False))
        except InUse:
            raise InUse(
                f"{wanted.kind} {wanted.name} was not removed: {uses or 'another process is writing its rewards'}.",
                "Try again when that has ended, or stop it.",
            ) from None
        except FileNotFoundError:
            raise UsageError(f"{wanted.kind} {wanted.name} is not here any more.", "") from None
        yield


def _make_way(target: Path) -> None:
    """Remove what an import that failed may have left at a place: nothing but dot-folders."""
    if not target.is_dir():
        return
    with locked(target, wait=False):
        if any(not path.name.startswith(".") for path in target.iterdir()):
            raise UsageError(f"something else is in its place by now: {target}", "Move that away first.")
        shutil.rmtree(target, ignore_errors=True)


def _move(source: Path, target: Path) -> None:
    """Rename a folder within the workspace, and have the disk hold it."""
    try:
        source.rename(target)
    except OSError as error:
        if source.is_dir() and source.stat().st_dev != target.parent.stat().st_dev:
            raise WorkspaceError(
                f"{source} lies on another disk than its workspace, so that it cannot be moved at once.",
                "Move it by hand.",
            ) from None
        raise unwritable(source, error) from error
    # It has been moved, whatever the disk says of it.
    with suppress(OSError):
        sync(source.parent)
        sync(target.parent)


def _forget(entry: Path) -> None:
    """Remove an entry of the trash that holds nothing but its record. Where that fails, `prune` does it."""
    with suppress(OSError):
        (entry / RECORD).unlink(missing_ok=True)
        entry.rmdir()
