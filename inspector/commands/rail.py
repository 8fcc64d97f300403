"""What a person can do while the threshold rail is open; these keys come before any widget's own."""

from inspector.commands.command import Command

RAIL: tuple[Command, ...] = (
    Command(
        "rail-down",
        "left",
        "Lower",
        "Lower the threshold by 1/100 of the range",
        "nudge(-0.01)",
        footer=True,
        shown_key="<-",
        priority=True,
    ),
    Command(
        "rail-up", "right", "Raise", "Raise it by 1/100", "nudge(0.01)", footer=True, shown_key="->", priority=True
    ),
    Command("rail-down-fine", "shift+left", "Lower a little", "Lower it by 1/1000", "nudge(-0.001)", priority=True),
    Command("rail-up-fine", "shift+right", "Raise a little", "Raise it by 1/1000", "nudge(0.001)", priority=True),
    Command(
        "rail-flip-down",
        "comma",
        "Flip below",
        "To the next threshold below at which an outcome changes",
        "flip(-1)",
        priority=True,
        shown_key=",",
    ),
    Command(
        "rail-flip-up",
        "full_stop",
        "Flip above",
        "To the next threshold above at which an outcome changes",
        "flip(1)",
        priority=True,
        shown_key=".",
    ),
    Command("rail-default", "0", "Default", "Back to the scorer's own threshold", "to_default", priority=True),
    Command(
        "rail-best",
        "asterisk",
        "Best on these",
        "To the best threshold on these cases (optimistic)",
        "to_best",
        priority=True,
        shown_key="*",
    ),
    Command("rail-keep", "enter", "Keep", "Keep this threshold", "keep", footer=True, priority=True, shown_key="Enter"),
    Command("rail-restore", "escape", "Restore", "Give back the old threshold", "restore", footer=True, priority=True),
)
