"""What a person can do on the list of cases."""

from inspector.commands.command import Command

CASES: tuple[Command, ...] = (
    Command(
        "open-case", "enter", "Open", "The case on the whole screen", "open", ("cases",), footer=True, shown_key="Enter"
    ),
    Command(
        "facets",
        "f",
        "Facets",
        "Choose what to keep and what to hide: outcome, subset, pattern, error type, steps, tags",
        "facets",
        ("cases",),
        footer=True,
    ),
    Command(
        "condition",
        "colon",
        "Condition",
        "Keep cases that fulfil an SQL condition, completed while it is typed",
        "condition",
        ("cases",),
        shown_key=":",
        priority=True,
    ),
    Command(
        "keep",
        "at",
        "Keep this",
        "Keep only the value of the cell in brackets, which the keys that go sideways choose",
        "keep_value",
        ("cases",),
        shown_key="@",
    ),
    Command("hide", "number_sign", "Hide this", "Hide the value of that cell", "hide_value", ("cases",), shown_key="#"),
    Command(
        "search",
        "slash",
        "Search",
        'Words, a "phrase" or a /regular expression/ in all texts of the cases or in some',
        "search",
        ("cases",),
        footer=True,
        shown_key="/",
        # Letters that arrive together with it find the line open; so it is with all that opens a line.
        priority=True,
    ),
    Command(
        "slices",
        "apostrophe",
        "Slices",
        "Ready-made and saved slices: failures, right answer but wrong process, ...",
        "slices",
        ("cases",),
        shown_key="'",
    ),
    Command("clear", "x", "Clear filter", "Show all cases again", "clear", ("cases",)),
    Command("sort", "s", "Sort", "Sort by any column, up or down", "sort", ("cases",), priority=True),
    Command("columns", "C", "Columns", "Choose the columns of the list and of its export", "columns", ("cases",)),
    Command("zoom", "z", "Zoom", "Show or hide the steps beside the list", "zoom", ("cases",)),
)
