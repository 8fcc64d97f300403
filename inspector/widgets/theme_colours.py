"""The colours for outcomes, rewards, gold labels and scorers beside those that Textual's own themes have.

People who see fewer colours can read every one of them: outcomes differ so much in lightness and hue that no two look
alike under any of the three kinds of colour blindness, and each has a glyph and a word besides. The tests compute
contrasts (4.5:1 at least, 7:1 in the themes of high contrast) and distances.
"""

from msgspec import Struct

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
