"""How the app looks, and what its terminal is called: the theme is chosen and kept, the title says what is open."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.terminal.themes import choose_theme, chosen_theme
from inspector.text import clean

if TYPE_CHECKING:
    from textual.theme import Theme

    from inspector.app import InspectApp
    from inspector.inspection import Inspection

LONGEST = 120
"""Characters of a title."""
WITHOUT = {"", "dumb", "linux"}
"""Terminals that would show the sequence instead of following it."""
KEEP, GIVE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""What has a terminal keep the title that it had, and take it again."""


class Appearance:
    """Keeps the theme that a person chooses, and names the workspace and the filter in the terminal's title."""

    def __init__(self, app: "InspectApp") -> None:
        self._app = app
        self._title = ""

    def keep_theme(self) -> None:
        """Keep what a person chooses from now on."""
        self._app.theme_changed_signal.subscribe(self._app, self._keep, immediate=True)

    def _keep(self, theme: "Theme") -> None:
        state = self._app.state
        if state is not None and theme.name != chosen_theme(state):
            self._app.run_in_thread(partial(self._write_theme, state, theme.name), "theme")

    def _write_theme(self, state: Path, name: str) -> None:
        if problem := choose_theme(state, name):
            self._app.tell(problem, "warning")

    def entitle(self, inspection: "Inspection") -> None:
        """Write the title where it changed."""
        title = title_of(inspection, ascii_only=self._app.ascii_only)
        if title == self._title or self._app.is_headless or os.environ.get("TERM", "") in WITHOUT:
            return
        # The first time the terminal keeps the title that it had.
        self._app.write(f"{'' if self._title else KEEP}\x1b]2;{title}\x1b\\")
        self._title = title

    def give_title_back(self) -> None:
        """Have the terminal take the title that it had."""
        if self._title:
            self._app.write(GIVE_BACK)


def title_of(inspection: "Inspection", *, ascii_only: bool = False) -> str:
    """Give the title: cleaned of everything by which it could act, and no longer than a title should be."""
    from inspector.filtering.filter_words import filter_words

    root = inspection.selection.workspace.root
    name = "demo" if root is None else (root.resolve().parent if root.name.startswith(".") else root.resolve()).name
    filtered = filter_words(inspection)
    parts = ["prm-inspect", name, inspection.benchmark, *([filtered] if filtered != "no filter" else [])]
    title = clean(" - ".join(part for part in dict.fromkeys(parts) if part))
    if ascii_only:
        title = title.encode("ascii", "replace").decode("ascii")
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 3]}..."
