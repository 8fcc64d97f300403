"""The one table of commands: bindings, footer, palette and help come from it."""

from dataclasses import dataclass

from textual.binding import Binding

SCREENS = ("board", "cases", "case")


@dataclass(frozen=True)
class Command:
    """Something a person can do. `keys` are Textual key names, `footer` says that the footer shows it."""

    id: str
    keys: str
    title: str
    help: str
    action: str
    screens: tuple[str, ...] = SCREENS
    footer: bool = False
    shown_key: str = ""
    priority: bool = False


COMMANDS: tuple[Command, ...] = (
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
        "open-case", "enter", "Open", "The case on the whole screen", "open", ("cases",), footer=True, shown_key="Enter"
    ),
    Command(
        "threshold",
        "t",
        "Threshold",
        "Move the threshold: left and right, shift for small steps, Enter keeps, Esc restores",
        "threshold",
        footer=True,
        # As the rail's own keys are, so that arrows that arrive together with it find the rail open.
        priority=True,
    ),
    Command(
        "score", "S", "Score", "Run a PRM on this benchmark; its rewards appear while they land", "score", ("board",)
    ),
    Command("stop-scoring", "X", "Stop scoring", "Stop the run; what it computed is kept", "stop_scoring", ("board",)),
    Command("next-case", "n", "Next", "The next case of the list", "turn(1)", ("case",), footer=True),
    Command("previous-case", "p", "Previous", "The case before", "turn(-1)", ("case",), footer=True),
    Command("next-step", "j", "Next step", "Scroll to the next step", "step(1)", ("case",)),
    Command("previous-step", "k", "Step back", "Scroll to the step before", "step(-1)", ("case",)),
    Command(
        "facets",
        "f",
        "Facets",
        "Choose what to keep: outcome, subset, pattern, error type",
        "facets",
        ("cases",),
        footer=True,
    ),
    Command("clear", "x", "Clear filter", "Show all cases again", "clear", ("cases",)),
    Command(
        "sort", "s", "Sort", "Next order: most instructive first, as in the file, longest first", "sort", ("cases",)
    ),
    Command("zoom", "z", "Zoom", "Show or hide the steps beside the list", "zoom", ("cases",)),
    Command("next-scorer", "m", "Next scorer", "Look through the next scorer", "scorer(1)", ("cases", "case")),
    Command(
        "previous-scorer", "M", "Previous scorer", "Look through the scorer before", "scorer(-1)", ("cases", "case")
    ),
    Command("reason", "r", "Gold reason", "Show or hide why the gold labels are so", "reason", ("cases", "case")),
    Command(
        "answers", "v", "Answers", "What a critic answered: fold, texts, reasoning before them", "answers", ("case",)
    ),
    Command(
        "raw",
        "backslash",
        "Raw LaTeX",
        "Formulas as they were written, or readable",
        "raw",
        ("cases", "case"),
        shown_key="\\",
    ),
    Command(
        "export", "e", "Export", "Save or copy exactly what is on screen, or the metrics table", "export", footer=True
    ),
    Command("back", "escape", "Back", "One level back, never out", "back", ("cases", "case")),
    Command("quit", "q", "Quit", "To the first screen, and out from there", "leave", footer=True),
    Command("help", "question_mark", "Keys", "All keys of this screen", "keys", footer=True, shown_key="?"),
)

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
"""Keys while the threshold rail is open; they come before any widget's own."""


def bindings_of(screen: str) -> list[Binding]:
    """The bindings of a screen, those of the rail first."""
    commands = [*RAIL, *(command for command in COMMANDS if screen in command.screens)]
    return [
        Binding(
            command.keys,
            command.action,
            command.title,
            show=command.footer,
            key_display=command.shown_key or None,
            priority=command.priority,
            tooltip=command.help,
            id=command.id,
        )
        for command in commands
    ]
