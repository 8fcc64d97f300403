"""The terminal's title says what is open, and is given back at the end."""

import os
from typing import TYPE_CHECKING

from inspector.messages import Inspected
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from inspector.inspection import Inspection

LONGEST = 120
"""Characters of a title."""
WITHOUT = {"", "dumb", "linux"}
"""Terminals that would show the sequence instead of following it."""


class Titling(Wired):
    """Names the workspace and the filter."""

    _titled = ""

    def on_inspected(self, message: Inspected) -> None:
        self.entitle(message.inspection)

    def entitle(self, inspection: "Inspection") -> None:
        """Write the title where it changed."""
        title = title_of(inspection, ascii_only=self.ascii_only)
        if title == self._titled or self.is_headless or os.environ.get("TERM", "") in WITHOUT:
            return
        # The first time the terminal keeps the title that it had.
        self._write_title(f"{'' if self._titled else KEEP}\x1b]2;{title}\x1b\\")
        self._titled = title

    def on_unmount(self) -> None:
        if self._titled:
            self._write_title(GIVE_BACK)

    def _write_title(self, sequence: str) -> None:
        if self._driver is not None:
            self._driver.write(sequence)


KEEP, GIVE_BACK = "\x1b[22;2t", "\x1b[23;2t"


def title_of(inspection: "Inspection", *, ascii_only: bool = False) -> str:
    """The title: cleaned of everything by which it could act, and no longer than a title should be."""
    from inspector.filtering.filter_words import filter_words

    root = inspection.selection.workspace.root
    name = "demo" if root is None else (root.resolve().parent if root.name.startswith(".") else root.resolve()).name
    filtered = filter_words(inspection)
    parts = ["prm-inspect", name, inspection.benchmark, *([filtered] if filtered != "no filter" else [])]
    title = clean(" - ".join(part for part in dict.fromkeys(parts) if part))
    if ascii_only:
        title = title.encode("ascii", "replace").decode("ascii")
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 3]}..."
