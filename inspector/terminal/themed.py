"""An app that looks as its terminal and a person's theme ask: one to inspect, and one to ask something before that."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from textual.app import App
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen

from inspector.terminal.plain import Plain
from inspector.terminal.themes import DEFAULT, chosen_theme, themes, variables_for

Returned = TypeVar("Returned")


class Themed(App[Returned]):
    """Has our themes, and with `ascii_only` plain characters where there are no others."""

    ascii_only: bool = False

    def take_theme(self, state: Path | None, usual: str) -> None:
        """Take the theme that was chosen before, kept in the folder `state`; else the usual one."""
        for theme in themes():
            self.register_theme(theme)
        chosen = chosen_theme(state)
        self.theme = chosen if chosen in self.available_themes else usual

    def on_mount(self) -> None:
        """Say how it is drawn, and that nothing glides."""
        self.set_class(self.ascii_only, "-ascii")
        self.animation_level = "none"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the variables that our styles have beside Textual's."""
        theme = self.current_theme
        return variables_for(dark=theme.dark, ansi=theme.ansi)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Give what changes lines on their way to the terminal."""
        # Textual decides before the theme is known, and greys are all black where a terminal has sixteen colours.
        few = self.current_theme.ansi
        filters = [NoColor() if few and isinstance(one, Monochrome) else one for one in super().get_line_filters()]
        return [*filters, *([Plain()] if self.ascii_only else ())]


class OneDialog(Themed[Returned]):
    """Shows one dialog and ends with its answer; None where it was only closed."""

    CSS_PATH = "../inspector.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, dialog: Screen[Returned], *, state: Path | None = None, theme: str = DEFAULT, ascii_only: bool = False
    ) -> None:
        """`theme` is the one where none is kept in the folder `state`."""
        super().__init__()
        self._dialog, self.ascii_only = dialog, ascii_only
        self.take_theme(state, theme)

    def on_mount(self) -> None:
        """Show it; the base's own handler is called as well."""
        self.push_screen(self._dialog, self.exit)
