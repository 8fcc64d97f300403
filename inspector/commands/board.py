"""What a person can do on the board."""

from inspector.commands.command import Command

BOARD: tuple[Command, ...] = (
    Command(
        "open-failures",
        "enter",
        "Failures",
        "The wrong cases of this scorer, most instructive first; on a number, exactly the cases behind it",
        "failures",
        ("board",),
        footer=True,
        shown_key="Enter",
    ),
    Command("open-cases", "a", "All cases", "Every case, through this scorer", "all_cases", ("board",), footer=True),
    Command(
        "board-rows",
        "R",
        "Rows",
        "Group the rows: by benchmark, by scorer with its subsets, or by subset",
        "rows",
        ("board",),
    ),
    Command("board-sort", "s", "Sort", "Sort the board by any column, up or down", "sort", ("board",), priority=True),
    Command(
        "board-columns", "C", "Columns", "Choose the columns of the board and of its export", "columns", ("board",)
    ),
    Command(
        "differences",
        "d",
        "Differences",
        "Tell scores as differences to this scorer, with paired intervals; again for the scores",
        "differences",
        ("board",),
    ),
    Command(
        "baselines",
        "o",
        "Baselines",
        "Also a coin and others that look at nothing, as scorers; again without",
        "baselines",
        ("board",),
    ),
    Command(
        "published", "O", "Published", "Also the figures that the paper prints; again without", "published", ("board",)
    ),
)
