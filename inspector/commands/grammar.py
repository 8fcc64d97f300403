"""The one grammar of keys: a key does the same on every screen.

A command takes its keys from here. Two keys, `g` and `v`, want a letter behind them, which says where to go or what to
show; all else is one key.
"""

OPEN = "enter"
CLOSE = "escape"
MARK = "space"
DOWN, UP, LEFT, RIGHT = "down,j", "up,k", "left,h", "right,l"
PAGE_DOWN, PAGE_UP, HALF_DOWN, HALF_UP = "pagedown", "pageup", "ctrl+d", "ctrl+u"
FIRST, LAST = "home", "end,G"
NEXT, BEFORE = "n", "N"
PART, PART_BEFORE = "tab", "shift+tab"
GO, VIEW = "g", "v"
SEARCH, FACETS, CONDITION, KEEP, HIDE = "slash", "f", "colon", "at", "number_sign"
THRESHOLD, SCORERS, SORT = "t", "o", "s"
TAG, WRITE, EXPORT, COPY, SCORE = "w", "a", "e", "y", "S"
TAKE_AWAY, UNDO, REDO = "x", "u", "ctrl+r"
RULINGS = ("1", "2", "3", "4", "5")
WRONG, NEUTRAL, RIGHT_STEP = "minus", "0", "plus"
KEYS, QUIT = "question_mark", "q"
NO_KEY = "no_key"
"""What is done through the palette and the list of all keys alone, unless somebody gives it a key."""

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
    (NEXT, "The next of what is walked: hits while a search is on, flips while the threshold moves, else cases"),
    (BEFORE, "The one before"),
    (PART, "The next page, pane or mention"),
    (PART_BEFORE, "The page, pane or mention before"),
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
    (KEYS, "List everything that can be done here"),
    (QUIT, "Quit"),
)
"""Keys as Textual names them, those of one verb joined by commas, and what they do everywhere."""


def go(letter: str) -> str:
    """Write the two keys that go somewhere."""
    return f"{GO} {letter}"


def view(letter: str) -> str:
    """Write the two keys that change what is shown."""
    return f"{VIEW} {letter}"
