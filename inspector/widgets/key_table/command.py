"""A command: something a person can do, with its key, its words and its action."""

import re
from collections.abc import Sequence

from msgspec import Struct

# -- the one grammar of keys: a key does the same on every screen
#
# A command takes its keys from here. Two keys, `g` and `v`, want a letter behind them, which says where to go or what
# to show; all else is one key.


OPEN = "enter"
CLOSE = "escape"
MARK = "space"
DOWN, UP, LEFT, RIGHT = "down,j", "up,k", "left,h", "right,l"
PAGE_DOWN, PAGE_UP, HALF_DOWN, HALF_UP = "pagedown", "pageup", "ctrl+d", "ctrl+u"
FIRST, LAST = "home", "end,G"
NEXT, BEFORE = "n", "N"
PANE, PANE_BEFORE = "tab", "shift+tab"
PAGE, PAGE_BEFORE = "right_square_bracket", "left_square_bracket"
GO, VIEW = "g", "v"
SEARCH, FACETS, CONDITION, KEEP, HIDE = "slash", "f", "colon", "at", "number_sign"
THRESHOLD, SCORERS, SORT = "t", "o", "s"
TAG, WRITE, EXPORT, COPY, SCORE = "w", "a", "e", "y", "S"
TAKE_AWAY, UNDO, REDO = "x", "u", "ctrl+r"
RULINGS = ("1", "2", "3", "4", "5")
WRONG, NEUTRAL, RIGHT_STEP = "minus", "0", "plus"
METHOD, MESSAGES = "i", "exclamation_mark"
COMPARE = "c"
KEYS, QUIT = "question_mark", "q"

VERBS = (
    (OPEN, "Open what is under the cursor"),
    (CLOSE, "Close what lies on top, then go one level up"),
    (MARK, "Mark"),
    (DOWN, "Down"),
    (UP, "Up"),
    (LEFT, "Left; lower"),
    (RIGHT, "Right; higher"),
    (PAGE_DOWN, "A page down"),
    (PAGE_UP, "A page up"),
    (HALF_DOWN, "Half a page down"),
    (HALF_UP, "Half a page up"),
    (FIRST, "To the first (also g g)"),
    (LAST, "To the last"),
    (NEXT, "The next hit of a search or flip of a threshold, else the next case"),
    (BEFORE, "The one before"),
    (PANE, "The next pane, panel of a page, or step that an answer names"),
    (PANE_BEFORE, "The previous pane, panel or step"),
    (PAGE, "The next page; on a case, the next case"),
    (PAGE_BEFORE, "The previous page; on a case, the previous case"),
    (GO, "Go to another screen: a letter says which"),
    (VIEW, "Choose what is shown, and how: a letter says what"),
    (SEARCH, "Search"),
    (FACETS, "Facets"),
    (CONDITION, "A condition in SQL"),
    (KEEP, "Keep the value under the cursor"),
    (HIDE, "Hide it"),
    (THRESHOLD, "Move the threshold"),
    (SCORERS, "Choose the scorers"),
    (SORT, "Sort"),
    (TAG, "Tag; put into a category"),
    (WRITE, "Write: a note, a name"),
    (EXPORT, "Export"),
    (COPY, "Copy"),
    (SCORE, "Score"),
    (TAKE_AWAY, "Take away the last choice made here: a filter, a threshold, a ruling"),
    (UNDO, "Undo what was written"),
    (REDO, "Do it again"),
    (",".join(RULINGS), "Rule on the case"),
    (WRONG, "Rate the step wrong"),
    (NEUTRAL, "Rate the step neutral"),
    (RIGHT_STEP, "Rate the step right"),
    (COMPARE, "Compare scorers"),
    (METHOD, "Explain the method behind a page"),
    (MESSAGES, "List the messages of the app"),
    (KEYS, "List everything that can be done here"),
    (QUIT, "Quit"),
)
"""Keys as Textual names them, those of one verb joined by commas, and what they do everywhere."""


def go(letter: str) -> str:
    """Return the two keys that go somewhere."""
    return f"{GO} {letter}"


def view(letter: str) -> str:
    """Return the two keys that change what is shown."""
    return f"{VIEW} {letter}"


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
    `in_answers` says that it is known while a critic's answers have the focus. With `priority` its keys come before
    those of the widget that has the focus.
    """

    id: str
    keys: str
    title: str
    help: str
    action: str
    screens: tuple[str, ...] = SCREENS
    in_answers: bool = False
    priority: bool = False

    def known_on(self, screen: str) -> bool:
        """Return whether a screen knows it, that of an analysis without a key too."""
        return screen in self.screens if screen in SCREENS else set(self.screens) >= UNLIKE

    @property
    def moves(self) -> bool:
        """Whether it only goes so many further or back."""
        return bool(_MOVES.fullmatch(self.action))
