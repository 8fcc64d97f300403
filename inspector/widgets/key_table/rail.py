"""What a person can do while the threshold rail is open; these keys come before any widget's own."""

from inspector.widgets.key_table.command import BEFORE, CLOSE, NEXT, OPEN, TAKE_AWAY, Command, view

RAIL: tuple[Command, ...] = (
    Command(
        "rail-down",
        "left",
        "Lower",
        "Lower the threshold by 1/100 of the range",
        "nudge(-0.01)",
        priority=True,
    ),
    Command("rail-up", "right", "Raise", "Raise it by 1/100", "nudge(0.01)", priority=True),
    Command("rail-down-fine", "h", "Lower a little", "Lower it by 1/1000", "nudge(-0.001)", priority=True),
    Command("rail-up-fine", "l", "Raise a little", "Raise it by 1/1000", "nudge(0.001)", priority=True),
    Command(
        "rail-flip-down",
        BEFORE,
        "Flip below",
        "To the next threshold below at which an outcome changes",
        "flip(-1)",
        priority=True,
    ),
    Command(
        "rail-flip-up",
        NEXT,
        "Flip above",
        "To the next threshold above at which an outcome changes",
        "flip(1)",
        priority=True,
    ),
    Command("rail-default", TAKE_AWAY, "Default", "Back to the scorer's own threshold", "to_default", priority=True),
    Command(
        "rail-best",
        view("m"),
        "Best on these",
        "To the best threshold on these cases (optimistic)",
        "to_best",
        priority=True,
    ),
    Command("rail-keep", OPEN, "Keep", "Keep this threshold", "keep", priority=True),
    Command("rail-restore", CLOSE, "Restore", "Give back the old threshold", "restore", priority=True),
)
