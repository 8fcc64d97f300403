"""What a person can do to make a taxonomy of notes."""

from inspector.widgets.key_table.command import (
    DOWN,
    FIRST,
    HALF_DOWN,
    HALF_UP,
    LAST,
    LEFT,
    MARK,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    SEARCH,
    TAG,
    UP,
    WRITE,
    Command,
    go,
    view,
)

_TAXONOMY = ("taxonomy",)
TAXONOMY: tuple[Command, ...] = (
    Command(
        "taxonomy",
        go("x"),
        "Taxonomy",
        "The notes in categories: put them there, merge and rename, who has their cases wrong, and saturation",
        "go('taxonomy')",
    ),
    Command(
        "put",
        TAG,
        "Put into",
        "Put the ticked notes, or the note or category under the cursor, into a category, new or there already",
        "put",
        _TAXONOMY,
        # As all that opens a line: letters that arrive together with it find the line open.
        priority=True,
    ),
    Command(
        "rename-category",
        WRITE,
        "Rename",
        "Give the category under the cursor another name",
        "rename",
        _TAXONOMY,
        priority=True,
    ),
    Command(
        "tick",
        MARK,
        "Tick",
        "Tick the note under the cursor, or no more",
        "tick",
        _TAXONOMY,
        priority=True,
    ),
    Command(
        "tick-with",
        SEARCH,
        "Tick with",
        "Tick the notes of this category that hold some words, or some that are alike: a category to be",
        "tick_with",
        _TAXONOMY,
        priority=True,
    ),
    Command("whose", view("w"), "Whose", "Whose notes are shown: everybody's or one person's", "whose", _TAXONOMY),
    # What these keys choose, the others act on: they are as quick as those, so that keys keep their order.
    Command(
        "line-down", DOWN, "Down", "The cursor of the pane to the next line", "cursor(1)", _TAXONOMY, priority=True
    ),
    Command("line-up", UP, "Up", "To the line before", "cursor(-1)", _TAXONOMY, priority=True),
    Command("line-first", FIRST, "First", "To the first line", "end(0)", _TAXONOMY, priority=True),
    Command("line-last", LAST, "Last", "To the last line", "end(-1)", _TAXONOMY, priority=True),
    Command("page-down", PAGE_DOWN, "Page down", "A page on", "turn(1)", _TAXONOMY, priority=True),
    Command("page-up", PAGE_UP, "Page up", "A page back", "turn(-1)", _TAXONOMY, priority=True),
    Command("half-down", HALF_DOWN, "Half a page down", "Half a page on", "turn(0.5)", _TAXONOMY, priority=True),
    Command("half-up", HALF_UP, "Half a page up", "Half a page back", "turn(-0.5)", _TAXONOMY, priority=True),
    Command("sideways-right", RIGHT, "Right", "The next pane, or number", "sideways(1)", _TAXONOMY, priority=True),
    Command("sideways-left", LEFT, "Left", "The pane before, or number", "sideways(-1)", _TAXONOMY, priority=True),
)
