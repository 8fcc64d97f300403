"""Save the rows of a run as parts in a scorer's folder, rewards and answers alike."""

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from scoring.data.errors import UnwritableWorkspace
from scoring.data.scorer import FILE, Scorer
from scoring.data.storage.files import FolderShare
from scoring.runs.events import (
    Saved,
)
from scoring.workspace.cache import Parts

ROWS, SECONDS = 512, 1.0
"""Rows are saved after so many or so long, whichever comes first."""
MANY_PARTS = 128
"""Parts that are written before they are merged."""


@dataclass
class RowSaver:
    """Keeps rows until they are due and saves them as parts; the folder's `scorer.json` with the first.

    `total` rows have been saved. What is not saved when a process is killed is lost, and computed again. Until it is
    closed it has a share in the folder, which keeps others from removing the scorer.
    """

    scorer: Scorer
    parts: Parts
    total: int = 0
    _pending: list[Mapping[str, Any]] = field(default_factory=list)
    _last: float = field(default_factory=time.monotonic)
    _share: FolderShare = field(init=False)
    _merging: threading.Thread | None = None
    _merged: int = 0
    """Parts that were left when they were last merged."""
    _closing: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._share = FolderShare(self.parts.folder)

    def close(self) -> None:
        """Let go of the folder, when the piece that parts are being merged into is written."""
        self._closing.set()
        if self._merging is not None:
            self._merging.join()
        self._share.close()

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep rows: columns of the parts' schema; a nullable one may be left out, and `engine` where all have one."""
        self._pending += rows

    def due(self) -> bool:
        """Return whether it is time to save."""
        return len(self._pending) >= ROWS or time.monotonic() - self._last >= SECONDS

    def flush(self, engine: str | None) -> Saved | None:
        """Save what is kept; None if that is nothing. A failure is not tried again: there is no place to save to.

        Args:
            engine: what ran, written beside every row that does not say it itself.

        Raises:
            UnwritableWorkspace: the part could not be written.
        """
        rows, self._pending = self._pending, []
        self._last = time.monotonic()
        if not rows:
            return None
        schema = self.parts.kind.schema
        frame = pl.DataFrame(rows, schema=dict(schema), orient="row")
        self._share.take()
        # Where there are no locks, somebody may have removed it since the last rows.
        if not (self.parts.folder / FILE).exists():
            self.scorer.save(self.parts.folder)
        part = self.parts.append(frame.with_columns(pl.col("engine").fill_null(pl.lit(engine, dtype=schema["engine"]))))
        self.total += len(rows)
        busy = self._merging is not None and self._merging.is_alive()
        if not busy and len(self.parts.parts()) - self._merged >= MANY_PARTS:
            # Elsewhere than in the loop, whose engine and whose answers would wait for it.
            self._merging = threading.Thread(target=self._compact, name="merging parts", daemon=True)
            self._merging.start()
        return Saved(len(rows), self.total, part.name)

    def _compact(self) -> None:
        # Where there was room for the rows and none for another copy of some: more parts are no harm.
        with suppress(UnwritableWorkspace):
            self.parts.compact(stop=self._closing.is_set)
        self._merged = len(self.parts.parts())
