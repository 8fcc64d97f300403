"""The palette offers what the table of commands says."""

from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from inspector.analyses import load
from inspector.analysis_list import summaries
from inspector.commands.command import SCREENS
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
        from inspector.screens.base import InspectionScreen

        ours = screen.commands if isinstance(screen, InspectionScreen) else []
        for command in ours:
            key = self.keys.written(command.id)
            told = f"{key}: {command.help}" if key else command.help
            yield SystemCommand(command.title, told, partial(screen.run_action, command.action))
        if ours:
            yield from self._analyses_without_a_key(screen)
            yield from self._guide()
        titles = {command.title for command in ours}
        yield from (command for command in super().get_system_commands(screen) if command.title not in titles)

    def _guide(self) -> "Iterable[SystemCommand]":
        """Offer the pages of the guide."""
        from inspector.guide import pages

        for name, title in pages().items():
            opened = partial(self._open_guide, name)
            yield SystemCommand(f"Guide: {title}", "A page of the guide", opened)

    def _open_guide(self, name: str) -> None:
        from inspector.screens.guide_page import guide_page

        self.push_screen(guide_page(name))

    def _analyses_without_a_key(self, screen: "Screen[object]") -> "Iterable[SystemCommand]":
        """Offer those that a screen can show: they do not need to be told anything."""
        for name, summary in summaries().items():
            if name not in SCREENS and not any(option.required for option in load(name).options):
                yield SystemCommand(load(name).title, f"{summary}.", partial(screen.run_action, f"go({name!r})"))
