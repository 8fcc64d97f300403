"""How a person left a workspace: what they looked at and how they arranged it.

It lies in the person's own state folder, one small JSON file a workspace: a workspace may be shared, read-only or the
demo, and what one colleague looked at is no business of the next. Nothing that changes a number is kept: neither the
filter nor a threshold comes back by itself.
"""

import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from scoring.data.errors import InspectError
from scoring.data.storage.files import write_atomically
from scoring.workspace.workspace import MARK, is_storage_address

FORMAT = 1
LONGEST = 50
"""Entries that a history keeps."""
DEMO = "demo"


class LastView(msgspec.Struct, frozen=True):
    """How a workspace was left. Empty means: never chosen, so what is usual there holds.

    | field | what |
    | --- | --- |
    | `place` | the workspace's folder, or its address |
    | `benchmark`, `scorer` | what was in focus |
    | `columns` | the columns of the list, by name, in their order |
    | `widths` | the cells that a person gave columns of the list, by name |
    | `overlaid` | the scorers beside each other in a case, in their order |
    | `conditions` | SQL conditions, the newest first |
    | `models` | checkpoints and hub names that were scored with, the newest first |
    | `servers` | addresses at which critics were asked, the newest first |
    | `board_rows`, `board_sort`, `board_columns` | what the board is grouped by, its order and its columns |
    | `board_widths` | the cells that a person gave these, by name |

    A name may no longer exist when it is read back: whoever uses it checks.
    """

    place: str = ""
    benchmark: str = ""
    scorer: str = ""
    columns: tuple[str, ...] = ()
    widths: dict[str, int] = {}
    overlaid: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    board_rows: str = ""
    board_sort: str = ""
    board_columns: tuple[str, ...] = ()
    board_widths: dict[str, int] = {}


class RememberedState:
    """Reads and changes what is remembered of one workspace.

    `left` is up to date at once; `save` brings it to the disk, merged with what other processes wrote meanwhile: of a
    field the last one counts, histories are joined. Nothing here raises: what cannot be read counts as never written;
    that, and what cannot be written, is told in `problem`.
    """

    def __init__(self, path: Path | None = None) -> None:
        """`path` is the file, which need not exist; None remembers until the program ends."""
        self._path = path
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._kept: dict[str, Any] = {}
        self._added: dict[str, tuple[str, ...]] = {}
        written = _written(path)
        damaged = written is None and path is not None and os.path.exists(path)  # noqa: PTH110  # Path.exists may raise
        self.problem = f"{path} is damaged: how you left this workspace is forgotten, and kept anew." if damaged else ""
        self.left = _read(written or {})

    @classmethod
    def of_workspace(cls, root: Path | None, folder: Path) -> "RememberedState":
        """Make that of the workspace in folder `root` (None: the demo alone), kept in the state folder `folder`."""
        return cls(folder / "workspaces" / _file_name(root))

    def keep(self, **fields: Any) -> None:
        """Give fields of `LastView` other values; they must be of the field's type. Raises TypeError for no field."""
        with self._lock:
            self.left = msgspec.structs.replace(self.left, **fields)
            self._kept.update(fields)

    def add(self, history: str, text: str) -> None:
        """Put a text at the head of a history of `LastView` (`conditions`, `models`, `servers`), each text once."""
        with self._lock:
            self.left = msgspec.structs.replace(self.left, **{history: _joined((text,), getattr(self.left, history))})
            self._added[history] = _joined((text,), self._added.get(history, ()))

    @property
    def file(self) -> str:
        """The path of the file that it is kept in; "" for none."""
        return "" if self._path is None else str(self._path)

    @property
    def changed(self) -> bool:
        """Whether there is something to save."""
        return bool(self._kept or self._added)

    def save(self) -> None:
        """Write what changed, from any thread; on a disk that refuses it nothing happens but a sentence in `problem`.

        No lock is held between processes: of two that save in the same instant one may lose an entry of a history, and
        none ever waits for another that was suspended.
        """
        with self._saving:
            with self._lock:
                kept, self._kept = self._kept, {}
                added, self._added = self._added, {}
            if self._path is not None and (kept or added):
                self._write(self._path, kept, added)

    def _write(self, path: Path, kept: Mapping[str, Any], added: Mapping[str, tuple[str, ...]]) -> None:
        written = _written(path) or {}
        there = _read(written)
        histories = {name: _joined(texts, getattr(there, name)) for name, texts in added.items()}
        # Fields that only a later version knows stay.
        whole = {**written, "format": FORMAT, **kept, **histories}
        try:
            write_atomically(path, json.dumps(whole, ensure_ascii=False, indent=1).encode("utf-8", "replace"))
        except InspectError as error:
            self.problem = f"How you leave this workspace will not be remembered. {error}"


def recent_workspaces(folder: Path) -> list[str]:
    """Return the folders of workspaces that were looked at and are still there, the newest first.

    `folder` is the state folder, as for `RememberedState.of_workspace`.
    """
    try:
        files = sorted(folder.glob("workspaces/*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []
    places = (_read(_written(path) or {}).place for path in files[:LONGEST])
    return [place for place in places if is_storage_address(place) or (place and (Path(place) / MARK).is_file())]


def _joined(newer: tuple[str, ...], older: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*newer, *older)))[:LONGEST]


def _file_name(root: Path | None) -> str:
    """A file's name for a workspace: readable, and another one for every other folder."""
    if root is None:
        return f"{DEMO}.json"
    whole = str(root.resolve())
    # The workspace's own folder is usually called .prm-inspect: the one it lies in tells more.
    readable = re.sub(r"[^\w-]+", "-", "-".join(root.resolve().parts[-2:])).strip("-")[:60]
    return f"{readable}-{hashlib.blake2b(whole.encode('utf-8', 'surrogateescape'), digest_size=4).hexdigest()}.json"


def _written(path: Path | None) -> dict[str, Any] | None:
    """The object in the file; None where there is none, or nothing readable."""
    try:
        document = json.loads(path.read_bytes()) if path is not None else None
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _read(written: Mapping[str, Any]) -> LastView:
    """Every field that is what it should be; the others as if never written."""
    fields = {}
    for field in msgspec.structs.fields(LastView):
        if field.name in written:
            try:
                fields[field.name] = msgspec.convert(written[field.name], field.type)
            except msgspec.ValidationError:
                continue
    return LastView(**fields)
