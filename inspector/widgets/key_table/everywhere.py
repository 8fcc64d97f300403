"""What a person can do on every screen."""

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import (
    BEFORE,
    CLOSE,
    COPY,
    EXPORT,
    GO,
    KEYS,
    NEXT,
    ONE_CASE,
    OPEN,
    QUIT,
    SCORE,
    SCREENS,
    TAKE_AWAY,
    THRESHOLD,
    VIEW,
    Command,
    go,
    view,
)

_READING = tuple(screen for screen in SCREENS if screen != "triage")
"""Where there is room for it in the footer."""
_OF_CASES = tuple(screen for screen in SCREENS if screen != "board")
_BEYOND_THE_BOARD = tuple(screen for screen in SCREENS if screen not in {"board", "cases"})
_OF_MANY = tuple(screen for screen in SCREENS if screen not in ONE_CASE)
"""Those of more than one case."""

EVERYWHERE: tuple[Command, ...] = (
    Command("go", GO, "Go to", "Another screen; a letter says which", f"first_key('{GO}')", footer=_READING),
    Command(
        "view", VIEW, "View", "What is shown here, and how; a letter says what", f"first_key('{VIEW}')", footer=True
    ),
    Command("board", go("b"), "Board", "Every scorer on every benchmark", "go('board')", _OF_CASES),
    Command("list", go("l"), "List", "The list of cases", "go('cases')", _BEYOND_THE_BOARD),
    Command("guide", go("u"), "Guide", "The page of the guide about this screen", "guide"),
    Command(
        "threshold",
        THRESHOLD,
        "Threshold",
        "Move the threshold, in steps or from flip to flip, then keep it or restore the old one",
        "threshold",
        footer=_READING,
        # As the rail's own keys are, so that arrows that arrive together with it find the rail open.
        priority=True,
    ),
    Command(
        "export",
        EXPORT,
        "Export",
        "Save or copy exactly what is on screen, or the metrics table",
        "export",
        footer=_READING,
    ),
    Command(
        "theme",
        NO_KEY,
        "Theme",
        "Other colours: dark, light, high contrast, 16 colours; kept for the next time",
        "theme",
    ),
    Command(
        "yank-row",
        COPY,
        "Copy row",
        "Copy the facts of the row under the cursor, as a line of JSON with the command that shows it",
        "yank_row",
        ("board", "cases"),
    ),
    Command(
        "score",
        SCORE,
        "Score",
        "Run a PRM on this benchmark, or ask a critic; its rewards appear while they land. Once more stops the run",
        "score",
        _OF_MANY,
    ),
    Command(
        "import",
        go("i"),
        "Import",
        "Rewards, verdicts, answers or cases of a file, with a look at which column is what",
        "import",
        ("board", "cases"),
    ),
    Command("stop-scoring", NO_KEY, "Stop scoring", "Stop the run; what it computed is kept", "stop_scoring", _OF_MANY),
    Command(
        "quit",
        QUIT,
        "Quit",
        "Out, from everywhere; while a run is on it is asked what becomes of it",
        "leave",
        footer=True,
    ),
    Command("help", KEYS, "Keys", "All keys of this screen", "keys", footer=True),
)


# -- what a person can do while the threshold rail is open; these keys come before any widget's own


RAIL: tuple[Command, ...] = (
    Command(
        "rail-down",
        "left",
        "Lower",
        "Lower the threshold by 1/100 of the range",
        "nudge(-0.01)",
        footer=True,
        priority=True,
    ),
    Command("rail-up", "right", "Raise", "Raise it by 1/100", "nudge(0.01)", footer=True, priority=True),
    Command("rail-down-fine", "h", "Lower a little", "Lower it by 1/1000", "nudge(-0.001)", priority=True),
    Command("rail-up-fine", "l", "Raise a little", "Raise it by 1/1000", "nudge(0.001)", priority=True),
    Command(
        "rail-flip-down",
        BEFORE,
        "Flip below",
        "To the next threshold below at which an outcome changes",
        "flip(-1)",
        footer=True,
        priority=True,
    ),
    Command(
        "rail-flip-up",
        NEXT,
        "Flip above",
        "To the next threshold above at which an outcome changes",
        "flip(1)",
        footer=True,
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
    Command("rail-keep", OPEN, "Keep", "Keep this threshold", "keep", footer=True, priority=True),
    Command("rail-restore", CLOSE, "Restore", "Give back the old threshold", "restore", footer=True, priority=True),
)
