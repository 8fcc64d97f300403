"""Help on a screen: its commands, and its page of the guide."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from textual.binding import ActiveBinding
from textual.widget import Widget

from inspector.screens.arranging import Arranging
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.dialog import CommandMenu, commands_bound
from inspector.widgets.key_table.command import Command
from inspector.widgets.key_table.rail import RAIL

MOUSE = (
    ("drag", "selects text of a case or of a critic's answer; Ctrl+C copies it"),
    ("Shift+drag", "selects any text on screen; the terminal copies it"),
)
"""Mouse actions on text."""
ROOM_FOR_WORDS = 24
"""Lines from which the list of commands has room for what the screen is for."""


class HelpedScreen(ControlledScreen, Protocol):
    """What help uses of its screen."""

    @property
    def ABOUT(self) -> str: ...  # noqa: N802  # a constant of the class
    @property
    def GUIDE(self) -> str: ...  # noqa: N802
    @property
    def arranging(self) -> Arranging[ControlledScreen] | None: ...
    @property
    def commands(self) -> list[Command]: ...
    @property
    def rail_open(self) -> bool: ...
    @property
    def active_bindings(self) -> Mapping[str, ActiveBinding]: ...
    @property
    def focused(self) -> Widget | None: ...
    def marks_here(self) -> Sequence[tuple[str, str]]: ...
    async def run_action(self, action: str, /) -> None: ...


class ScreenHelp(Controller[HelpedScreen]):
    """Lists the commands of a screen, and opens its page of the guide."""

    def action_guide(self) -> None:
        """Open the page of the guide about this screen."""
        from inspector.screens.help_pages import guide_page

        self.screen.app.push_screen(guide_page(self.screen.GUIDE))

    def action_method(self) -> None:
        """Open the page of the guide on a screen without figures of its own to explain."""
        self.screen.close_rail()
        self.action_guide()

    def action_keys(self) -> None:
        """List everything that can be done here, and do what is chosen."""
        from inspector.screens.help_pages import grouped, outcome_marks

        screen = self.screen
        rail = RAIL if screen.rail_open else ()
        pane = commands_bound(screen.app, screen.active_bindings.values(), screen.focused)
        first = [*rail, *(command for command, _ in pane)]
        taken = {key for command in first for key in command.keys.split(",")}
        others = [
            command
            for command in screen.commands
            if command not in first and not taken.issuperset(command.keys.split(","))
        ]
        keys = {command.id: self.context.keys.written(command.id) for command in screen.commands}
        keys |= {command.id: written_keys for command, written_keys in pane}
        groups = [
            ("While the threshold moves", rail),
            ("In this pane", [command for command, _ in pane]),
            *grouped(others),
        ]
        listed = CommandMenu(
            "Everything that can be done here",
            groups,
            keys,
            about=screen.ABOUT if screen.size.height >= ROOM_FOR_WORDS else "",
            marks=[*screen.marks_here(), *outcome_marks(), *MOUSE],
            columns=[] if screen.arranging is None else screen.arranging.columns_here(),
        )
        screen.app.push_screen(listed, self._run_chosen)

    async def _run_chosen(self, chosen: Command | None) -> None:
        if chosen is not None:
            await self.screen.run_action(chosen.action)

    def action_messages(self) -> None:
        """List past messages."""
        from inspector.screens.help_pages import message_page

        self.screen.close_rail()
        self.screen.app.push_screen(message_page(self.screen.context.message_history))
