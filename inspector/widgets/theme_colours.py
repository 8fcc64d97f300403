"""The colours for outcomes, rewards, gold labels and scorers, in addition to those of Textual's own themes.

All colours are readable with colour blindness: outcomes differ so much in lightness and hue that no two look alike
under any of its three kinds, and each outcome also has a glyph and a word. Every role has its own hues: outcome hues
mark only outcomes, rewards have a scale from purple to green, scorers differ in brightness, and the accent marks the
focus and keys. The tests compute contrasts (at least 4.5:1, and 7:1 in high-contrast themes) and distances.
"""

from itertools import cycle

from msgspec import Struct

SCORERS = "abcdefgh"
"""Letters of scorers in one picture; the style of each has its own brightness."""
REWARD_LEVELS = 5
"""Levels of a reward: far below the threshold, below it, close to it, above it and far above it."""


class Colours(Struct, frozen=True):
    """Colours of a theme. Backgrounds of text are `surface`, `panel` (titles, headers) and `cursor` (the row in focus).

    `dim` is weaker than `foreground`; `border` colours only frames. `heat` is the background of figures in a heat map,
    from the second level to the highest; `heat_low` is the background of small and of large negative differences. The
    lowest level, or no difference, has no background. `rewards` follow REWARD_LEVELS, with grey in the middle.
    `brightness` distinguishes scorers: bright, medium and dim, then bright again.
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
    accent: str
    rewards: tuple[str, str, str, str, str]
    brightness: tuple[str, str, str]
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
            **{f"reward-{level}": colour for level, colour in enumerate(self.rewards, 1)},
            "gold": self.gold,
            "dim": self.dim,
            "match": self.match,
            "match-background": self.match_background,
            "row-cursor": self.cursor,
            "row-cursor-blurred": self.panel,
            "row-header": self.panel,
            "frame": self.border,
            **{f"scorer-{letter}": colour for letter, colour in zip(SCORERS, cycle(self.brightness), strict=False)},
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
    accent="#22c7d6",
    rewards=("#d25cf8", "#c08fd0", "#97a3b0", "#7dbd92", "#22d467"),
    brightness=("#ffffff", "#b0b9c3", "#8794a2"),
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
    accent="#00708f",
    rewards=("#a50db4", "#7b4585", "#4d5966", "#33604a", "#00521c"),
    brightness=("#000000", "#3b444e", "#5f6a76"),
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
    accent="#5fe0ee",
    rewards=("#d797ff", "#d6bbe4", "#d0d0d0", "#a2dcb6", "#2bef82"),
    brightness=("#ffffff", "#d0d0d0", "#acacac"),
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
    accent="#00475c",
    rewards=("#62017e", "#4a2c53", "#2b2b2b", "#23452f", "#005c00"),
    brightness=("#000000", "#282828", "#4b4b4b"),
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
    accent="ansi_bright_blue",
    rewards=("ansi_yellow", "ansi_yellow", "ansi_white", "ansi_green", "ansi_green"),
    brightness=("ansi_bright_white", "ansi_white", "ansi_white"),
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
