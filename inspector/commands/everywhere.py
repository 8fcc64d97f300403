"""What a person can do on every screen."""

from inspector.commands.command import ONE_CASE, SCREENS, Command

_READING = tuple(screen for screen in SCREENS if screen != "triage")
"""Where there is room for it in the footer."""
_OF_MANY = tuple(screen for screen in SCREENS if screen not in ONE_CASE)
"""Those of more than one case."""

EVERYWHERE: tuple[Command, ...] = (
    Command(
        "threshold",
        "t",
        "Threshold",
        "Move the threshold, in steps or from flip to flip, then keep it or restore the old one",
        "threshold",
        footer=_READING,
        # As the rail's own keys are, so that arrows that arrive together with it find the rail open.
        priority=True,
    ),
    Command(
        "export",
        "e",
        "Export",
        "Save or copy exactly what is on screen, or the metrics table",
        "export",
        footer=_READING,
    ),
    Command(
        "theme",
        "ctrl+t",
        "Theme",
        "Other colours: dark, light, high contrast, 16 colours; kept for the next time",
        "theme",
    ),
    Command(
        "yank-row",
        "y",
        "Copy row",
        "Copy the facts of the row under the cursor, as a line of JSON with the command that shows it",
        "yank_row",
        ("board", "cases"),
    ),
    Command(
        "score",
        "S",
        "Score",
        "Run a PRM on this benchmark, or ask a critic; its rewards appear while they land",
        "score",
        _OF_MANY,
    ),
    Command("stop-scoring", "X", "Stop scoring", "Stop the run; what it computed is kept", "stop_scoring", _OF_MANY),
    Command(
        "quit",
        "q",
        "Quit",
        "To the first screen, and out from there; while a run is on it is asked what becomes of it",
        "leave",
        footer=True,
    ),
    Command("help", "question_mark", "Keys", "All keys of this screen", "keys", footer=True, shown_key="?"),
)
