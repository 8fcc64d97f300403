"""What does an action; and commands that a screen has from another one unchanged, which are tried there."""

from inspector.screens.base import AppScreen
from inspector.screens.case import CaseScreen
from inspector.screens.screen_context import ScreenContext
from inspector.screens.triage import TriageScreen
from inspector.state.screen_state import Focus, ScreenState
from inspector.widgets.key_table import COMMANDS
from scoring.selection.loading import nothing_loaded


def action_of(kind, action):
    """What a screen or widget of this kind does for an action, itself or by a controller; None for nothing."""
    name = f"action_{action.partition('(')[0].rpartition('.')[2]}"
    if not issubclass(kind, AppScreen) or hasattr(kind, name):
        return getattr(kind, name, None)
    shared = ScreenContext(), ScreenState(nothing_loaded(), Focus("", None))
    made = kind(*shared, 0) if issubclass(kind, CaseScreen) else kind(*shared)
    return getattr(getattr(made, name, None), "__func__", None)


INHERITED = {
    ("triage", command.id)
    for command in COMMANDS
    if {"triage", "case"} <= set(command.screens)
    and action_of(TriageScreen, command.action) is action_of(CaseScreen, command.action)
}
"""(screen, id): what does the same on a case of a queue as on one of a list."""
