"""The workspace's folder of checkpoints that were made safe to read: `converted/<32 hex>/`, addressed by content.

The name is a digest of what a checkpoint was made of and how, so it is never out of date: other sources make
another folder. It is written under a dot-name, fsynced and renamed; one process converts at a time, the others wait
and find it made. Whoever needs the room may delete any of them.
"""

import json
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.errors import NoWorkspace
from scoring.data.storage.files import locked, sync, unwritable, uuid7
from scoring.models.fingerprint import fingerprint

FOLDER, SOURCES = "converted", "sources.json"
ABANDONED_SECONDS = 24 * 3600
"""An unfinished folder older than this belongs to a process that was killed, also where locks do not work."""


class ConvertedStore(Struct, frozen=True):
    """The converted checkpoints of a workspace; `root` None is a workspace that cannot be written."""

    root: Path | None

    def made(self, recipe: Mapping[str, Any], make: Callable[[Path], object]) -> tuple[Path, bool]:
        """Return the checkpoint folder of a recipe, and whether it was made now.

        Args:
            recipe: what it is made of (digests) and how, as JSON values; kept in it as `sources.json`.
            make: fills an empty folder. What it raises leaves nothing behind.

        Raises:
            NoWorkspace: there is no folder to keep it in.
            UnwritableWorkspace: read-only, or the disk is full.
        """
        if self.root is None:
            raise NoWorkspace("there is no folder to keep converted weights in.", "Name one with --workspace DIR.")
        place = self.root / FOLDER / fingerprint(recipe)[:32]
        if place.is_dir():
            return place, False
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with locked(place.parent):
                if place.is_dir():
                    return place, False
                _sweep(place.parent)
                self._make(place, recipe, make)
        except OSError as error:
            raise unwritable(place, error) from error
        return place, True

    @staticmethod
    def _make(place: Path, recipe: Mapping[str, Any], make: Callable[[Path], object]) -> None:
        draft = place.with_name(f".{place.name}.{uuid7()}")
        draft.mkdir()
        try:
            make(draft)
            (draft / SOURCES).write_text(json.dumps(recipe, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            for path in draft.iterdir():
                sync(path)
            sync(draft)
            try:
                draft.rename(place)
            except OSError:
                # Where locks do not work another process may have been faster, with the same content.
                if not place.is_dir():
                    raise
            sync(place.parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _sweep(folder: Path) -> None:
    for path in folder.glob(".*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                shutil.rmtree(path)
