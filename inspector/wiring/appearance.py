"""How the app looks: a theme can be chosen, and is kept."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.request import Request
from inspector.terminal.themed import Themed
from inspector.terminal.themes import DEFAULT, choose_theme, chosen_theme
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from textual.theme import Theme


class Appearance(Wired, Themed[int]):
    """Chooses themes."""

    def __init__(
        self,
        request: Request,
        *,
        ascii_only: bool = False,
        folder: Path | None = None,
        state: Path | None = None,
        config: Path | None = None,
        theme: str = DEFAULT,
    ) -> None:
        """`theme` is the one that holds where none was chosen before; for the others see `Wired`."""
        super().__init__(request, ascii_only=ascii_only, folder=folder, state=state, config=config)
        self.take_theme(state, theme)

    def on_mount(self) -> None:
        # Only what a person chooses from now on is remembered.
        self.theme_changed_signal.subscribe(self, self._keep_theme, immediate=True)

    def _keep_theme(self, theme: "Theme") -> None:
        if self.state is not None and theme.name != chosen_theme(self.state):
            self.run_worker(
                partial(self._write_theme, self.state, theme.name), thread=True, group="theme", description="theme"
            )

    def _write_theme(self, state: Path, name: str) -> None:
        if problem := choose_theme(state, name):
            self.notify(clean(problem), severity="warning", markup=False)

    def search_themes(self) -> None:
        from inspector.screens.steady_palette import SteadyPalette
        from inspector.terminal.theme_picker import Themes

        self.push_screen(SteadyPalette(providers=[Themes], placeholder="Search for themes"))
