"""A command: something a person can do, with its key, its words and its action."""

from dataclasses import dataclass

ANALYSES = (
    "metrics",
    "compare",
    "card",
    "thresholds",
    "stats",
    "paper",
    "breakdown",
    "bias",
    "best-of-n",
    "votes",
    "timeline",
    "taxonomy",
)
"""The analyses with a key, each of which opens its cases."""
UNLIKE = frozenset({"thresholds", "breakdown"})
"""Two analyses that share little: what is known on both is known on the screen of any analysis."""
ONE_CASE = ("case", "triage")
"""The screens that show one case."""
SCREENS = ("board", "cases", *ONE_CASE, *ANALYSES)


@dataclass(frozen=True)
class Command:
    """Something a person can do.

    `id` is its name in a keymap file, `keys` are Textual key names joined by commas, `screens` those where it is known;
    `footer` says that the footer shows it, of all screens or of those that it names, `in_answers` that it does while a
    critic's answers have the focus, `shown_key` how its key is written where that is not its name. With `priority` its
    keys come before those of the widget that has the focus.
    """

    id: str
    keys: str
    title: str
    help: str
    action: str
    screens: tuple[str, ...] = SCREENS
    footer: bool | tuple[str, ...] = False
    in_answers: bool = False
    shown_key: str = ""
    priority: bool = False

    def known_on(self, screen: str) -> bool:
        """Tell whether a screen knows it, that of an analysis without a key too."""
        return screen in self.screens if screen in SCREENS else set(self.screens) >= UNLIKE

    def in_footer(self, screen: str) -> bool:
        """Whether the footer of a screen shows it."""
        if isinstance(self.footer, bool):
            return self.footer
        return screen in self.footer if screen in SCREENS else set(self.footer) >= UNLIKE
