"""The table of commands, one file per screen: the source of bindings, footer, palette, help and keymap."""

from textual.binding import Binding

from inspector.widgets.key_table.analyses import ANALYSIS
from inspector.widgets.key_table.board import BOARD
from inspector.widgets.key_table.case import CASE
from inspector.widgets.key_table.cases import CASES
from inspector.widgets.key_table.command import SCREENS, Command
from inspector.widgets.key_table.critique import CRITIQUE
from inspector.widgets.key_table.everywhere import EVERYWHERE
from inspector.widgets.key_table.rail import RAIL
from inspector.widgets.key_table.reading import READING
from inspector.widgets.key_table.taxonomy import TAXONOMY
from inspector.widgets.key_table.triage import TRIAGE

__all__ = ["COMMANDS", "RAIL", "SCREENS", "Command", "bindings_of", "bindings_of_answers"]

COMMANDS: tuple[Command, ...] = (*BOARD, *CASES, *TRIAGE, *CASE, *CRITIQUE, *READING, *TAXONOMY, *ANALYSIS, *EVERYWHERE)


def bindings_of(screen: str) -> list[Binding]:
    """Return the bindings of a screen, those of the rail first."""
    commands = [*RAIL, *(command for command in COMMANDS if command.known_on(screen))]
    return [_binding(command, command.action) for command in commands]


def bindings_of_answers() -> list[Binding]:
    """Return the commands of the case screen while a critic's answers have the focus."""
    return [_binding(command, f"screen.{command.action}") for command in COMMANDS if command.in_answers]


def _binding(command: Command, action: str) -> Binding:
    return Binding(
        command.keys,
        action,
        command.title,
        show=False,
        priority=command.priority,
        tooltip=command.help,
        id=command.id,
    )
