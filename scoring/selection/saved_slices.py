"""Slices saved under a name: what is kept, searched for and sorted by, in one small file of the workspace.

They hold SQL, so that `--slice NAME` keeps the same cases as the screen did.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import NoWorkspace, UnwritableWorkspace, UsageError
from scoring.data.names import match_name
from scoring.data.storage.files import locked, unwritable, write_atomically
from scoring.selection.query import Query

FILE = "slices.json"
FORMAT = 1


class SavedSlice(msgspec.Struct, frozen=True):
    """A slice: every condition of `where` (SQL) holds, and `search` is found in the scopes `within` (none = all).

    `sort` is that of a query, "" the order of the file.
    """

    name: str
    where: tuple[str, ...] = ()
    search: str = ""
    within: tuple[str, ...] = ()
    sort: str = ""


class SavedSlices(Struct, frozen=True):
    """The slices of a workspace, in the order they were saved; `problem` says what of the file cannot be read.

    `entries` are all that the file holds, also what a later version wrote.
    """

    slices: tuple[SavedSlice, ...] = ()
    problem: str = ""
    entries: tuple[Any, ...] = ()
    damaged: bool = False


def read_slices(root: Path | None) -> SavedSlices:
    """Read the slices saved in the workspace at `root`. Nothing is raised: a file that is unreadable is a `problem`."""
    path = root / FILE if root else None
    try:
        document = json.loads(path.read_bytes()) if path else {"slices": []}
        entries = document["slices"]
        if not isinstance(entries, list):
            raise TypeError("slices is not a list")  # noqa: TRY301  # one way out for all that is wrong with the file
    except FileNotFoundError:
        return SavedSlices()
    except OSError as error:
        return SavedSlices(problem=f"{path} cannot be read: {error.strerror or error}.")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        aside = "The next slice that is saved moves it aside and begins anew."
        return SavedSlices(problem=f"{path} is damaged ({error}). {aside}", damaged=True)
    read = [_read(entry) for entry in entries]
    unread = sum(saved is None for saved in read)
    problem = f"{unread} of the slices in {path} cannot be read and are left alone." if unread else ""
    return SavedSlices(tuple(saved for saved in read if saved is not None), problem, tuple(entries))


def _read(entry: object) -> SavedSlice | None:
    try:
        return msgspec.convert(entry, SavedSlice)
    except msgspec.ValidationError:
        return None


def save_slice(root: Path | None, new: SavedSlice) -> Path | None:
    """Save a slice in place of one of the same name; return where a damaged file was moved to.

    Raises:
        NoWorkspace: there is no folder to save it in.
        UnwritableWorkspace: it cannot be written; what was there is untouched.
    """
    folder = _folder(root)
    with locked(folder):
        there = read_slices(folder)
        aside = _moved_aside(folder / FILE) if there.damaged else None
        _write(folder, [*_others(there, new.name), msgspec.to_builtins(new)])
    return aside


def delete_slice(root: Path | None, name: str) -> None:
    """Delete the slice of this name, if there is one.

    Raises:
        NoWorkspace, UnwritableWorkspace: as for `save_slice`.
    """
    folder = _folder(root)
    with locked(folder):
        there = read_slices(folder)
        if any(saved.name == name for saved in there.slices):
            _write(folder, _others(there, name))


def _others(there: SavedSlices, name: str) -> list[Any]:
    """The entries less the one of this name; what cannot be read stays as it is."""
    read = ((entry, _read(entry)) for entry in there.entries)
    return [entry for entry, saved in read if saved is None or saved.name != name]


def _folder(root: Path | None) -> Path:
    if root is None:
        raise NoWorkspace("slices are kept in a workspace, and the demo alone has no folder.", "Name one with -w DIR.")
    return root


def _moved_aside(path: Path) -> Path:
    """Give a file a name that no other has, beside its old one."""
    number, aside = 1, path.with_name(f"{path.name}.damaged")
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{number}")
    try:
        path.rename(aside)
    except OSError as error:
        raise unwritable(path, error) from error
    return aside


def _write(folder: Path, entries: Sequence[Any]) -> None:
    text = json.dumps({"format": FORMAT, "slices": list(entries)}, ensure_ascii=False, indent=1)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise UnwritableWorkspace(f"a slice holds a byte that is not UTF-8 ({error}).", "Write it in UTF-8.") from None
    write_atomically(folder / FILE, data + b"\n")


def with_slices(query: Query, root: Path | None) -> Query:
    """Return the query with the slices it names spelled out, so that it no longer depends on them.

    Raises:
        UsageError: no slice of that name, or two searches.
    """
    saved = read_slices(root)
    for word in query.slices:
        names = [saved_slice.name for saved_slice in saved.slices]
        if not names:
            raise UsageError(
                saved.problem or "no slice is saved in this workspace.",
                "Save one in the app: on the list of cases, in the menu of slices.",
            )
        saved_slice = saved.slices[names.index(match_name(word, names, "slice"))]
        if saved_slice.search and query.search and saved_slice.search != query.search:
            raise UsageError(
                f"slice {saved_slice.name!r} searches as well, and one search is known at a time.", "Leave one out."
            )
        query = replace(
            query,
            where=(*query.where, *(text for text in saved_slice.where if text not in query.where)),
            search=saved_slice.search or query.search,
            within=saved_slice.within if saved_slice.search else query.within,
            sort=query.sort or saved_slice.sort,
        )
    return replace(query, slices=())


class SliceShelf:
    """The saved slices of one workspace, and what was last taken off."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._gone: SavedSlice | None = None

    def read(self) -> SavedSlices:
        """Read what is saved now, by whichever process."""
        return read_slices(self._root)

    def save(self, new: SavedSlice) -> str:
        """Save a slice; return a sentence that says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: it cannot be saved.
        """
        again = any(saved.name == new.name for saved in self.read().slices)
        aside = save_slice(self._root, new)
        moved = f" The damaged file is now {aside.name}." if aside else ""
        return f"{'Saved again' if again else 'Saved'}: {new.name}. Repeat it with --slice.{moved}"

    def delete(self, gone: SavedSlice) -> str:
        """Delete a slice; return a sentence that says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: as for `save`.
        """
        delete_slice(self._root, gone.name)
        self._gone = gone
        return f"Deleted: {gone.name}. u in this menu brings it back."

    def put_back(self) -> str:
        """Save again what was deleted last; return a sentence that says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: as for `save`.
        """
        if self._gone is None:
            return "No slice was deleted."
        gone, self._gone = self._gone, None
        save_slice(self._root, gone)
        return f"Back again: {gone.name}."
