"""How the app looks on this terminal: its theme, and plain characters where there are no others."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.request import Request
from inspector.terminal.themes import DEFAULT, choose_theme, chosen_theme, themes, variables_for
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.filter import LineFilter
    from textual.theme import Theme


class Appearance(Wired):
    """Themes and plain characters."""

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
        for one in themes():
            self.register_theme(one)
        chosen = chosen_theme(state)
        self.theme = chosen if chosen in self.available_themes else theme

    def on_mount(self) -> None:
        self.set_class(self.ascii_only, "-ascii")
        self.animation_level = "none"
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

    def get_theme_variable_defaults(self) -> dict[str, str]:
        theme = self.current_theme
        return variables_for(dark=theme.dark, ansi=theme.ansi)

    def get_line_filters(self) -> "Sequence[LineFilter]":
        from textual.filter import Monochrome, NoColor

        from inspector.terminal.plain import Plain

        # Textual decides before the theme is known, and greys are all black where a terminal has sixteen colours.
        few = self.current_theme.ansi
        filters = [NoColor() if few and isinstance(one, Monochrome) else one for one in super().get_line_filters()]
        return [*filters, *([Plain()] if self.ascii_only else ())]
