"""What a person can do on every screen."""

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import (
    COPY,
    EXPORT,
    GO,
    KEYS,
    MESSAGES,
    ONE_CASE,
    PANE,
    PANE_BEFORE,
    QUIT,
    SCORE,
    SCREENS,
    THRESHOLD,
    VIEW,
    Command,
    go,
)

_OF_CASES = tuple(screen for screen in SCREENS if screen != "board")
_BEYOND_THE_BOARD = tuple(screen for screen in SCREENS if screen not in {"board", "cases"})
_OF_MANY = tuple(screen for screen in SCREENS if screen not in ONE_CASE)
"""Those of more than one case."""

EVERYWHERE: tuple[Command, ...] = (
    Command("go", GO, "Go to", "Another screen; a letter says which", f"first_key('{GO}')"),
    Command("view", VIEW, "View", "What is shown here, and how; a letter says what", f"first_key('{VIEW}')"),
    Command("next-pane", PANE, "Next pane", "Move to the next pane, or to the next panel of a page", "pane(1)"),
    Command("pane-before", PANE_BEFORE, "Previous pane", "Move to the previous pane or panel", "pane(-1)"),
    Command("board", go("b"), "Board", "Every scorer on every benchmark", "go('board')", _OF_CASES),
    Command("list", go("l"), "List", "The list of cases", "go('cases')", _BEYOND_THE_BOARD),
    Command("guide", go("u"), "Guide", "The page of the guide about this screen", "guide"),
    Command(
        "threshold",
        THRESHOLD,
        "Threshold",
        "Move the threshold, in steps or from flip to flip, then keep it or restore the old one",
        "threshold",
        # As the rail's own keys are, so that arrows that arrive together with it find the rail open.
        priority=True,
    ),
    Command(
        "export",
        EXPORT,
        "Export",
        "Save or copy exactly what is on screen, or the metrics table",
        "export",
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
    ),
    Command(
        "messages",
        MESSAGES,
        "Messages",
        "List past messages with their times, the latest first",
        "messages",
    ),
    Command("help", KEYS, "Help", "All keys of this screen", "keys"),
)
