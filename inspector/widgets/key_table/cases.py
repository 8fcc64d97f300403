"""What a person can do on the list of cases."""

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import (
    CONDITION,
    FACETS,
    HIDE,
    KEEP,
    MARK,
    OPEN,
    SEARCH,
    SORT,
    TAKE_AWAY,
    Command,
    view,
)

CASES: tuple[Command, ...] = (
    Command("open-case", OPEN, "Open", "The case on the whole screen", "open", ("cases",)),
    Command(
        "facets",
        FACETS,
        "Facets",
        "Choose what to keep and what to hide: outcome, subset, pattern, error type, steps, tags",
        "facets",
        ("cases",),
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
