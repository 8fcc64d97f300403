"""A command: something a person can do, with its key, its words and its action."""

import re
from collections.abc import Sequence

from msgspec import Struct

from inspector.commands.grammar import NO_KEY

ANALYSES = (
    "metrics",
    "highlights",
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


_PLACES = {"board": "the board", "cases": "the list", "case": "a case", "triage": "a case in triage"}


def place_words(screens: Sequence[str]) -> str:
    """Name a screen or two of those where something is known, as in "the board and the list"."""
    named = [_PLACES.get(name, f"the {name} screen") for name in screens]
    return " and ".join(named[:2]) + (" and elsewhere" if len(named) > 2 else "")


_MOVES = re.compile(r"\w+\((-?\d+|True|False)\)")
"""Actions that go so many further or back."""


class Command(Struct, frozen=True):
    """Something a person can do.

    `id` is its name in a keymap file, `keys` are Textual key names joined by commas, `screens` those where it is known;
    `footer` says that the footer shows it, of all screens or of those that it names, `in_answers` that it is known, and
    shown there, while a critic's answers have the focus. With `priority` its keys come before those of the widget that
    has the focus.
    """

    id: str
    keys: str
    title: str
    help: str
    action: str
    screens: tuple[str, ...] = SCREENS
    footer: bool | tuple[str, ...] = False
    in_answers: bool = False
    priority: bool = False

    def known_on(self, screen: str) -> bool:
        """Tell whether a screen knows it, that of an analysis without a key too."""
        return screen in self.screens if screen in SCREENS else set(self.screens) >= UNLIKE

    @property
    def moves(self) -> bool:
        """Whether it only goes so many further or back."""
        return bool(_MOVES.fullmatch(self.action))

    @property
    def worth_showing(self) -> bool:
        """Whether the footer shows it where there is room.

        What is known everywhere or only moves teaches nothing, what works in a critic's answers is told there, and
        what takes two keys is shown behind the first.
        """
        told = (
            self.screens == SCREENS
            or self.in_answers
            or self.action == "back"
            or self.keys == NO_KEY
            or " " in self.keys
        )
        return not told and not self.moves

    def in_footer(self, screen: str) -> bool:
        """Whether the footer of a screen shows it."""
        if isinstance(self.footer, bool):
            return self.footer
        return screen in self.footer if screen in SCREENS else set(self.footer) >= UNLIKE
