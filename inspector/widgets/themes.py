"""The themes: colours for outcomes, rewards, gold labels and scorers beside those that Textual's own themes have.

People who see fewer colours can read every one of them: outcomes differ so much in lightness and hue that no two look
alike under any of the three kinds of colour blindness, and each has a glyph and a word besides. The tests compute
contrasts (4.5:1 at least, 7:1 in the themes of high contrast) and distances.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
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
from scoring.data.errors import InspectError
from scoring.data.storage.files import write_atomically

SCORERS = "abcdefgh"
"""Scorers beside each other are told apart by these letters, and by colours with these names."""


class Colours(Struct, frozen=True):
    """What a theme is made of. Text stands on `surface`, `panel` (titles, headers) and `cursor` (the row in focus).

    `dim` matters less than `foreground`; `border` is for frames alone, which nobody reads. `heat` stands behind the
    figures of a heat-map, for the second level to the highest, and `heat_low` where a difference is negative, for less
    and for most of it; the lowest level, or no difference, has none.
    """

    background: str
    surface: str
    panel: str
    cursor: str
    border: str
    foreground: str
    dim: str
    exact: str
    clean: str
    early: str
    late: str
    missed: str
    false_alarm: str
    gold: str
    match: str
    match_background: str
    scorers: tuple[str, ...]
    heat: tuple[str, str, str, str]
    heat_low: tuple[str, str]

    @property
    def grounds(self) -> tuple[str, ...]:
        """Everything that text stands on."""
        return self.background, self.surface, self.panel, self.cursor

    @property
    def outcomes(self) -> dict[str, str]:
        """The colours that must differ: of outcomes, and of gold labels beside them."""
        return {
            "exact": self.exact,
            "clean": self.clean,
            "early": self.early,
            "late": self.late,
            "missed": self.missed,
            "false-alarm": self.false_alarm,
            "gold": self.gold,
        }

    @property
    def variables(self) -> dict[str, str]:
        """The variables of ours that `inspector.tcss` uses."""
        return {
            **{f"outcome-{name}": colour for name, colour in self.outcomes.items() if name != "gold"},
            "reward-right": self.exact,
            "reward-wrong": self.missed,
            "gold": self.gold,
            "dim": self.dim,
            "match": self.match,
            "match-background": self.match_background,
            "row-cursor": self.cursor,
            "row-cursor-blurred": self.panel,
            "row-header": self.panel,
            "frame": self.border,
            **{f"scorer-{letter}": colour for letter, colour in zip(SCORERS, self.scorers, strict=True)},
            **{f"heat-{level}": colour for level, colour in enumerate(self.heat, 2)},
            **{f"heat-low-{level}": colour for level, colour in enumerate(self.heat_low, 1)},
        }


DARK = Colours(
    background="#101418",
    surface="#151a20",
    panel="#20272f",
    cursor="#1d2b3c",
    border="#43505e",
    foreground="#dfe5ec",
    dim="#97a3b0",
    exact="#3c93f9",
    clean="#b7fcf6",
    early="#e8a73d",
    late="#ccc1ff",
    missed="#fb5778",
    false_alarm="#b28ba7",
    gold="#fdfe55",
    match="#ffffff",
    match_background="#5c4a00",
    scorers=("#1298e9", "#f1a563", "#3fe69d", "#ffa7fa", "#f0dd25", "#b2fafd", "#d87470", "#8f8eb4"),
    heat=("#142c46", "#123e6c", "#105092", "#0f62b8"),
    heat_low=("#563715", "#96540a"),
)
LIGHT = Colours(
    background="#ffffff",
    surface="#f8fafc",
    panel="#eaeef3",
    cursor="#dcebfb",
    border="#a9b4c0",
    foreground="#14181d",
    dim="#4d5966",
    exact="#2c478e",
    clean="#147383",
    early="#722a0a",
    late="#19096b",
    missed="#ad3a56",
    false_alarm="#3e0228",
    gold="#726a0a",
    match="#000000",
    match_background="#ffe9a8",
    scorers=("#16477b", "#613402", "#13331f", "#8a40c5", "#65671e", "#247074", "#8d5758", "#0e0226"),
    heat=("#d0e4f8", "#a9cef3", "#82b8ee", "#5aa2ea"),
    heat_low=("#f0c89b", "#e8963a"),
)
DARK_CONTRAST = Colours(
    background="#000000",
    surface="#000000",
    panel="#0a0a0a",
    cursor="#16202c",
    border="#8a8a8a",
    foreground="#ffffff",
    dim="#d0d0d0",
    exact="#7daafe",
    clean="#b5ede9",
    early="#f9bf60",
    late="#d2cafa",
    missed="#f58e7c",
    false_alarm="#c69eba",
    gold="#fdfea7",
    match="#ffffff",
    match_background="#4a3c00",
    scorers=("#4cb1fe", "#f7b769", "#5fffa4", "#d696c6", "#f4e029", "#b7f8ff", "#f58e7e", "#c3cbfe"),
    heat=("#031426", "#06284c", "#083b72", "#0b4f98"),
    heat_low=("#3d2102", "#7a4203"),
)
LIGHT_CONTRAST = Colours(
    background="#ffffff",
    surface="#ffffff",
    panel="#ffffff",
    cursor="#e4eefa",
    border="#5a5a5a",
    foreground="#000000",
    dim="#2b2b2b",
    exact="#032252",
    clean="#255256",
    early="#7f3b02",
    late="#3432c3",
    missed="#4b0805",
    false_alarm="#23081b",
    gold="#504c3c",
    match="#000000",
    match_background="#ffe9a8",
    scorers=("#04112d", "#613908", "#075935", "#910178", "#212601", "#093740", "#270103", "#0f38c2"),
    heat=("#e2effc", "#c6e0fa", "#a9d0f8", "#8cc0f5"),
    heat_low=("#f8d8b1", "#f2b063"),
)
SIXTEEN = Colours(
    background="ansi_black",
    surface="ansi_black",
    panel="ansi_black",
    cursor="ansi_blue",
    border="ansi_white",
    foreground="ansi_bright_white",
    dim="ansi_white",
    exact="ansi_bright_cyan",
    clean="ansi_cyan",
    early="ansi_bright_yellow",
    late="ansi_bright_green",
    missed="ansi_bright_red",
    false_alarm="ansi_bright_magenta",
    gold="ansi_bright_white",
    match="ansi_black",
    match_background="ansi_yellow",
    scorers=(
        *("ansi_bright_cyan", "ansi_bright_yellow", "ansi_bright_green", "ansi_bright_magenta"),
        *("ansi_yellow", "ansi_cyan", "ansi_bright_red", "ansi_bright_white"),
    ),
    heat=("ansi_black", "ansi_black", "ansi_black", "ansi_black"),
    heat_low=("ansi_black", "ansi_black"),
)
"""The colours that a terminal without others has, on its black, so that nothing depends on its own ground."""

COLOURS = {
    "prm-dark": DARK,
    "prm-light": LIGHT,
    "prm-dark-contrast": DARK_CONTRAST,
    "prm-light-contrast": LIGHT_CONTRAST,
    "prm-16-colours": SIXTEEN,
}
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
        primary=colours.exact,
        secondary=colours.late,
        accent=colours.early,
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
            "footer-key-foreground": colours.early,
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
        **dict.fromkeys("▂▃▄▅▆▇█▀", " "),
        "…": "~",
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
