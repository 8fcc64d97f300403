"""What a person can do on the board."""

from inspector.commands.command import Command

BOARD: tuple[Command, ...] = (
    Command(
        "open-failures",
        "enter",
        "Failures",
        "The wrong cases of this scorer, most instructive first",
        "failures",
        ("board",),
        footer=True,
        shown_key="Enter",
    ),
    Command("open-cases", "a", "All cases", "Every case, through this scorer", "all_cases", ("board",), footer=True),
    Command(
        "score", "S", "Score", "Run a PRM on this benchmark; its rewards appear while they land", "score", ("board",)
    ),
    Command("stop-scoring", "X", "Stop scoring", "Stop the run; what it computed is kept", "stop_scoring", ("board",)),
)
