"""An app that looks as its terminal and a person's theme ask: one to inspect, and one to ask something before that."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from rich.segment import Segment
from textual.app import App
from textual.binding import Binding
from textual.color import Color
from textual.filter import LineFilter
from textual.screen import Screen

from inspector.terminal.textual_compat import without_colours
from inspector.terminal.themes import DEFAULT, chosen_theme, themes, variables_for

# -- for terminals that have only ASCII: what Textual itself draws, cell for cell in plain characters


_PLAIN = str.maketrans(
    {
        **dict.fromkeys("▌▐▏▕▎▊▋▍▉│┃", "|"),
        **dict.fromkeys("▔▁─━", "-"),
        **dict.fromkeys("▂▃▄▅▆▇█▀", " "),
        "…": "~",
        # It is two cells wide.
        "🔎": "> ",
    }
)
KEYS = {"↑": "up", "↓": "down", "←": "left", "→": "right", "⏎": "enter", "⌫": "backspace"}
"""Names of keys that Textual shows as signs."""


class Plain(LineFilter):
    """Borders, scrollbars and other signs of the toolkit in ASCII. Other text stays as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002  # Textual's own
        """The same cells, those that are no plain text replaced."""
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_PLAIN), segment.style)
            for segment in segments
        ]


def plain_key(shown: str) -> str:
    """A key as it is shown, with its arrow as a word."""
    for arrow, word in KEYS.items():
        shown = shown.replace(arrow, word)
    return shown


Returned = TypeVar("Returned")


class Themed(App[Returned]):
    """Has our themes, and with `ascii_only` plain characters where there are no others; nothing in it glides."""

    def __init__(self, *, state: Path | None, theme: str, ascii_only: bool) -> None:
        """Take the theme that was chosen before, kept in the folder `state`; else `theme`."""
        super().__init__()
        self.ascii_only = ascii_only
        self.set_class(ascii_only, "-ascii", update=False)
        self.animation_level = "none"
        for one in themes():
            self.register_theme(one)
        chosen = chosen_theme(state)
        self.theme = chosen if chosen in self.available_themes else theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the variables that our styles have beside Textual's."""
        theme = self.current_theme
        return variables_for(dark=theme.dark, ansi=theme.ansi)

    def get_key_display(self, binding: Binding) -> str:
        """Write a key as sentences do."""
        # The board needs no names of keys before it stands there.
        from inspector.commands.key_words import written

        return plain_key(written(binding.key)) if self.ascii_only else written(binding.key)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Give what changes lines on their way to the terminal."""
        filters = without_colours(super().get_line_filters(), sixteen=self.current_theme.ansi)
        return [*filters, *([Plain()] if self.ascii_only else ())]


class OneDialog(Themed[Returned]):
    """Shows one dialog and ends with its answer; None where it was only closed."""

    CSS_PATH = "../inspector.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, dialog: Screen[Returned], *, state: Path | None = None, theme: str = DEFAULT, ascii_only: bool = False
    ) -> None:
        """`theme` is the one where none is kept in the folder `state`."""
        super().__init__(state=state, theme=theme, ascii_only=ascii_only)
        self._dialog = dialog

    def on_mount(self) -> None:
        """Show it."""
        self.push_screen(self._dialog, self.exit)
