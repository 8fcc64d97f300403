"""What a person can do on the list of cases."""

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import (
    CONDITION,
    DOWN,
    FACETS,
    FIRST,
    HALF_DOWN,
    HALF_UP,
    HIDE,
    KEEP,
    LAST,
    LEFT,
    MARK,
    NEUTRAL,
    ONE_CASE,
    OPEN,
    PAGE_DOWN,
    PAGE_UP,
    PART,
    PART_BEFORE,
    RIGHT,
    RIGHT_STEP,
    SEARCH,
    SORT,
    TAG,
    TAKE_AWAY,
    UP,
    WRITE,
    WRONG,
    Command,
    go,
    view,
)
from scoring.workspace.triage.actions import RULINGS

CASES: tuple[Command, ...] = (
    Command("open-case", OPEN, "Open", "The case on the whole screen", "open", ("cases",), footer=True),
    Command(
        "facets",
        FACETS,
        "Facets",
        "Choose what to keep and what to hide: outcome, subset, pattern, error type, steps, tags",
        "facets",
        ("cases",),
        footer=True,
    ),
    Command(
        "condition",
        CONDITION,
        "Condition",
        "Keep cases that fulfil an SQL condition, completed while it is typed",
        "condition",
        ("cases",),
        priority=True,
    ),
    Command(
        "keep",
        KEEP,
        "Keep this",
        "Keep only the value of the cell in brackets, which the keys that go sideways choose",
        "keep_value",
        ("cases",),
    ),
    Command("hide", HIDE, "Hide this", "Hide the value of that cell", "hide_value", ("cases",)),
    Command(
        "search",
        SEARCH,
        "Search",
        'Words, a "phrase" or a /regular expression/ in all texts of the cases or in some',
        "search",
        ("cases",),
        footer=True,
        # Letters that arrive together with it find the line open; so it is with all that opens a line.
        priority=True,
    ),
    Command(
        "slices",
        view("s"),
        "Slices",
        "Ready-made and saved slices: failures, right answer but wrong process, ...",
        "slices",
        ("cases",),
    ),
    Command(
        "mark",
        MARK,
        "Mark",
        "Mark this case, or no more: what is done next is done to all that are marked",
        "mark",
        ("cases",),
    ),
    Command("mark-all", NO_KEY, "Mark all", "Mark every case in the list, or none", "mark_all", ("cases",)),
    Command(
        "clear",
        TAKE_AWAY,
        "Clear filter",
        "Take the marks away; without marks, the filter: all cases again",
        "clear",
        ("cases",),
    ),
    Command("sort", SORT, "Sort", "Sort by any column, up or down", "sort", ("cases",), priority=True),
    Command("columns", view("c"), "Columns", "Choose the columns of the list and of its export", "columns", ("cases",)),
    Command("zoom", view("z"), "Zoom", "Show or hide the steps beside the list", "zoom", ("cases",)),
)


# -- what a person can do on the board


BOARD: tuple[Command, ...] = (
    Command(
        "open-failures",
        OPEN,
        "Failures",
        "The wrong cases of this scorer, most instructive first; on a number, exactly the cases behind it",
        "failures",
        ("board",),
        footer=True,
    ),
    Command("open-cases", go("l"), "All cases", "Every case, through this scorer", "all_cases", ("board",)),
    Command(
        "board-rows",
        view("r"),
        "Rows",
        "Group the rows: by benchmark, by scorer with its subsets, or by subset",
        "rows",
        ("board",),
    ),
    Command("board-sort", SORT, "Sort", "Sort the board by any column, up or down", "sort", ("board",), priority=True),
    Command(
        "board-columns",
        view("c"),
        "Columns",
        "Choose the columns of the board and of its export",
        "columns",
        ("board",),
    ),
    Command(
        "differences",
        view("d"),
        "Differences",
        "Tell scores as differences to this scorer, with paired intervals; again for the scores",
        "differences",
        ("board",),
    ),
    Command(
        "baselines",
        view("b"),
        "Baselines",
        "Also a coin and others that look at nothing, as scorers; again without",
        "baselines",
        ("board",),
    ),
    Command(
        "published",
        view("p"),
        "Published",
        "Also the figures that the paper prints; again without",
        "published",
        ("board",),
    ),
    Command("pane", PART, "Stands out", "To what stands out about this scorer, and back", "pane", ("board",)),
)


# -- what a person can do to decide about cases one after the other


_HERE = ("triage",)
_WORDS = {
    "model wrong": "The scorer is mistaken, the label is right",
    "gold wrong": "The label is mistaken; rate the wrong step -1, or every step, to say what it should be",
    "both defensible": "One can see it either way",
    "import problem": "The case did not come here as it is in its source",
    "unsure": "It takes somebody else",
}

TRIAGE: tuple[Command, ...] = (
    Command(
        "triage",
        go("t"),
        "Triage",
        "Decide about the cases of the list one after the other, or go on where you were",
        "triage",
        ("board", "cases", *ONE_CASE),
    ),
    *(
        Command(
            f"rule-{ruling.replace(' ', '-')}",
            str(number),
            ruling.capitalize(),
            _WORDS[ruling],
            f"rule({number - 1})",
            _HERE,
        )
        for number, ruling in enumerate(RULINGS, 1)
    ),
    Command(
        "unrule",
        TAKE_AWAY,
        "Take away",
        "Your ruling on this case; without one, the case out of the queue",
        "take_away",
        _HERE,
        footer=True,
    ),
    Command("skip", NO_KEY, "Skip", "Leave this case out of the queue", "skip", _HERE),
    Command(
        "defer",
        MARK,
        "Later",
        "Mark this case for later: it comes at the end of the queue",
        "defer",
        _HERE,
        footer=True,
    ),
    Command(
        "rate-wrong",
        WRONG,
        "Step wrong",
        "Rate the step under the cursor -1; once more takes it away",
        "rate(-1)",
        _HERE,
        footer=True,
    ),
    Command("rate-neutral", NEUTRAL, "Step neutral", "Rate it 0", "rate(0)", _HERE),
    Command(
        "rate-right",
        RIGHT_STEP,
        "Step right",
        "Rate it +1; on the problem: every step that you have not rated",
        "rate(1)",
        _HERE,
        footer=True,
    ),
)


# -- what a person can do to make a taxonomy of notes


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
        footer=True,
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
        footer=True,
        priority=True,
    ),
    Command(
        "tick",
        MARK,
        "Tick",
        "Tick the note under the cursor, or no more",
        "tick",
        _TAXONOMY,
        footer=True,
        priority=True,
    ),
    Command(
        "tick-with",
        SEARCH,
        "Tick with",
        "Tick the notes of this category that hold some words, or some that are alike: a category to be",
        "tick_with",
        _TAXONOMY,
        footer=True,
        priority=True,
    ),
    Command("whose", view("w"), "Whose", "Whose notes are shown: everybody's or one person's", "whose", _TAXONOMY),
    Command(
        "next-pane",
        PART,
        "Next pane",
        "Categories, their notes, whose cases these are",
        "pane(1)",
        _TAXONOMY,
        footer=True,
        priority=True,
    ),
    Command(
        "pane-before",
        PART_BEFORE,
        "Pane before",
        "The pane before",
        "pane(-1)",
        _TAXONOMY,
        priority=True,
    ),
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
