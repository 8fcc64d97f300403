"""What a person can do to make a taxonomy of notes."""

from inspector.commands.command import Command

_HERE = ("taxonomy",)

TAXONOMY: tuple[Command, ...] = (
    Command(
        "taxonomy",
        "A",
        "Taxonomy",
        "The notes in categories: put them there, merge and rename, who has their cases wrong, and saturation",
        "go('taxonomy')",
    ),
    Command(
        "put",
        "p",
        "Put into",
        "Put the ticked notes, or the note or category under the cursor, into a category, new or there already",
        "put",
        _HERE,
        footer=True,
        # As all that opens a line: letters that arrive together with it find the line open.
        priority=True,
    ),
    Command(
        "rename-category",
        "R",
        "Rename",
        "Give the category under the cursor another name",
        "rename",
        _HERE,
        priority=True,
    ),
    Command(
        "tick",
        "space",
        "Tick",
        "Tick the note under the cursor, or no more",
        "tick",
        _HERE,
        footer=True,
        shown_key="Space",
        priority=True,
    ),
    Command(
        "tick-with",
        "slash",
        "Tick with",
        "Tick the notes of this category that hold some words",
        "tick_with",
        _HERE,
        shown_key="/",
        priority=True,
    ),
    Command("whose", "o", "Whose", "Whose notes are shown: everybody's or one person's", "whose", _HERE),
    Command(
        "next-pane",
        "tab",
        "Next pane",
        "Categories, their notes, whose cases these are",
        "pane(1)",
        _HERE,
        footer=True,
        shown_key="Tab",
        priority=True,
    ),
    Command(
        "pane-before",
        "shift+tab",
        "Pane before",
        "The pane before",
        "pane(-1)",
        _HERE,
        shown_key="Shift+Tab",
        priority=True,
    ),
    # What these keys choose, the others act on: they are as quick as those, so that keys keep their order.
    Command(
        "line-down", "j,down", "Down", "The cursor of the pane to the next line", "cursor(1)", _HERE, priority=True
    ),
    Command("line-up", "k,up", "Up", "To the line before", "cursor(-1)", _HERE, priority=True),
    Command("line-first", "g,home", "First", "To the first line", "end(0)", _HERE, priority=True),
    Command("line-last", "G,end", "Last", "To the last line", "end(-1)", _HERE, priority=True),
    Command("page-down", "pagedown", "Page down", "A page on", "turn(1)", _HERE, priority=True),
    Command("page-up", "pageup", "Page up", "A page back", "turn(-1)", _HERE, priority=True),
    Command("sideways-right", "l,right", "Right", "The next pane, or number", "sideways(1)", _HERE, priority=True),
    Command("sideways-left", "h,left", "Left", "The pane before, or number", "sideways(-1)", _HERE, priority=True),
)
