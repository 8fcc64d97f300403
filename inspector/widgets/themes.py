"""The themes, the one that a person chose, and apps that are painted in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from rich.segment import Segment
from textual.app import App
from textual.binding import Binding
from textual.color import Color
from textual.events import Event
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES, Theme

from inspector.widgets.key_spelling import plain_key, written
from inspector.widgets.textual_compat import EndingNotifications, KeyOrder, without_colours
from inspector.widgets.theme_colours import COLOURS, DARK, LIGHT, SIXTEEN, Colours
from inspector.widgets.toasts import make_toasts_brief
from scoring.data.errors import InspectError
from scoring.data.storage.files import write_atomically

DEFAULT = "prm-dark"
FEW_COLOURS = "prm-16-colours"


def themes() -> Iterator[Theme]:
    """Yield every theme of ours."""
    for name, colours in COLOURS.items():
        yield _theme(name, colours, dark="light" not in name, ansi=colours is SIXTEEN)


def variables_for(*, dark: bool, ansi: bool) -> dict[str, str]:
    """Return our variables for a theme that has none of them, such as Textual's own."""
    return (SIXTEEN if ansi else DARK if dark else LIGHT).variables


def _theme(name: str, colours: Colours, *, dark: bool, ansi: bool) -> Theme:
    return Theme(
        name=name,
        primary=colours.accent,
        secondary=colours.late,
        accent=colours.accent,
        warning=colours.early,
        error=colours.missed,
        success=colours.exact,
        foreground=colours.foreground,
        background=colours.background,
        surface=colours.surface,
        panel=colours.panel,
        boost=colours.panel,
        dark=dark,
        ansi=ansi,
        variables={
            # Textual's own rules for sixteen colours ask for variables that only such themes have.
            **(BUILTIN_THEMES["ansi-dark"].variables if ansi else {}),
            **colours.variables,
            "text-muted": colours.dim,
            "border": colours.border,
            "border-blurred": colours.border,
            "block-cursor-background": colours.cursor,
            "block-cursor-foreground": colours.foreground,
            "block-cursor-blurred-background": colours.panel,
            "footer-background": colours.panel,
            "footer-foreground": colours.foreground,
            "footer-description-foreground": colours.foreground,
            "footer-key-foreground": colours.accent,
            "scrollbar": colours.border,
            "scrollbar-hover": colours.dim,
            "scrollbar-active": colours.foreground,
            "scrollbar-background": colours.surface,
            "scrollbar-background-hover": colours.surface,
            "scrollbar-background-active": colours.surface,
            "scrollbar-corner-color": colours.surface,
        },
    )


# -- the one that holds


def usual_theme(color_system: str | None) -> str:
    """Return the theme where none was chosen, for a terminal with these colours (a name of rich's; None: none)."""
    return FEW_COLOURS if color_system in {"standard", "windows"} else DEFAULT


def chosen_theme(folder: Path | None) -> str:
    """Return the theme that was chosen last, kept in the state folder; "" where none was."""
    try:
        return (folder / "theme").read_text(encoding="utf-8").strip() if folder is not None else ""
    except (OSError, ValueError):
        return ""


def choose_theme(folder: Path, name: str) -> str:
    """Remember a theme for every workspace: it is the person's and the terminal's. Return why that failed, else ""."""
    try:
        write_atomically(folder / "theme", f"{name}\n".encode())
    except InspectError as error:
        return f"The theme will not be remembered. {error}"
    return ""


# -- an app that looks as its terminal and a person's theme ask: one to inspect, and one to ask something before that


# -- for terminals that have only ASCII: what Textual itself draws, cell for cell in plain characters


_PLAIN = str.maketrans(
    {
        **dict.fromkeys("▌▐▏▕▎▊▋▍▉│┃", "|"),
        **dict.fromkeys("▔▁─━", "-"),
        **dict.fromkeys("╭╮╰╯┏┓┗┛", "+"),
        **dict.fromkeys("▂▃▄▅▆▇█▀", " "),
        "…": "~",
        "−": "-",
        # It is two cells wide.
        "🔎": "> ",
    }
)


class Plain(LineFilter):
    """Borders, scrollbars and other signs of the toolkit in ASCII. Other text stays as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002  # Textual's own
        """Return the same cells, those that are no plain text replaced."""
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_PLAIN), segment.style)
            for segment in segments
        ]


Returned = TypeVar("Returned")


class Themed(App[Returned]):
    """Has our themes, and with `ascii_only` plain characters where there are no others; nothing in it glides."""

    def __init__(self, *, state_folder: Path | None, theme: str, ascii_only: bool) -> None:
        """Take the theme that was chosen before, kept in the folder `state_folder`; else `theme`."""
        super().__init__()
        self.ascii_only = ascii_only
        self._notifications = EndingNotifications()
        make_toasts_brief()
        self.set_class(ascii_only, "-ascii", update=False)
        self.animation_level = "none"
        for own_theme in themes():
            self.register_theme(own_theme)
        chosen = chosen_theme(state_folder)
        self.theme = chosen if chosen in self.available_themes else theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the variables that our styles have beside Textual's."""
        theme = self.current_theme
        return variables_for(dark=theme.dark, ansi=theme.ansi)

    def get_key_display(self, binding: Binding) -> str:
        """Write a key as sentences do."""
        return plain_key(written(binding.key)) if self.ascii_only else written(binding.key)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what changes lines on their way to the terminal."""
        filters = without_colours(super().get_line_filters(), sixteen=self.current_theme.ansi)
        return [*filters, *([Plain()] if self.ascii_only else ())]


async def _never_second(_: Event) -> bool:
    """A dialog has no commands of two keys."""
    return False


class OneDialog(Themed[Returned]):
    """Shows one dialog and ends with its answer; None where it was only closed."""

    CSS_PATH = "../app/inspector.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        dialog: Screen[Returned],
        *,
        state_folder: Path | None = None,
        theme: str = DEFAULT,
        ascii_only: bool = False,
    ) -> None:
        """`theme` is the one where none is kept in the folder `state_folder`."""
        super().__init__(state_folder=state_folder, theme=theme, ascii_only=ascii_only)
        self._dialog = dialog
        self._key_order = KeyOrder(self, super().on_event, _never_second)

    async def on_event(self, event: Event) -> None:
        """Keep keys until their turn: Tab right after a paste would otherwise act on the text before it."""
        await self._key_order.take(event)

    def on_mount(self) -> None:
        """Show it."""
        self.push_screen(self._dialog, self.exit)
