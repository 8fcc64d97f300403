"""What a person can do on the board."""

from inspector.widgets.key_table.command import COMPARE, OPEN, SORT, Command, go, view

BOARD: tuple[Command, ...] = (
    Command(
        "open-failures",
        OPEN,
        "Failures",
        "The wrong cases of this scorer, most instructive first; on a number, exactly the cases behind it",
        "failures",
        ("board",),
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
    Command(
        "compare-here",
        COMPARE,
        "Compare scorers",
        "Compare the scorer under the cursor with the best other scorer",
        "go('compare')",
        ("board",),
    ),
)
