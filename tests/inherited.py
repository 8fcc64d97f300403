"""Commands that a screen has from another one unchanged, and that are tried there."""

from inspector.commands import COMMANDS
from inspector.screens.case import CaseScreen
from inspector.screens.triage import TriageScreen


def _method(kind: type, action: str) -> object:
    return getattr(kind, f"action_{action.partition('(')[0]}")


INHERITED = {
    ("triage", command.id)
    for command in COMMANDS
    if {"triage", "case"} <= set(command.screens)
    and _method(TriageScreen, command.action) is _method(CaseScreen, command.action)
}
"""(screen, id): what does the same on a case of a queue as on one of a list."""
