"""The palette offers what the table of commands says."""

from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.screen import Screen


class Palette(Wired):
    """Our own commands first, then what Textual has beside them."""

    def action_command_palette(self) -> None:
        """Open it, unless it is open."""
        from inspector.screens.steady_palette import SteadyPalette

        if self.use_command_palette and not isinstance(self.screen, SteadyPalette):
            self.push_screen(SteadyPalette(id="--command-palette"))

    def get_system_commands(self, screen: "Screen[object]") -> "Iterable[SystemCommand]":
        from inspector.commands import COMMANDS, RAIL
        from inspector.screens.base import InspectionScreen

        ours = []
        if isinstance(screen, InspectionScreen):
            ours = [*(RAIL if screen.rail_open else ()), *(one for one in COMMANDS if screen.NAME in one.screens)]
        for command in ours:
            yield SystemCommand(command.title, command.help, partial(screen.run_action, command.action))
        titles = {command.title for command in ours}
        yield from (command for command in super().get_system_commands(screen) if command.title not in titles)
