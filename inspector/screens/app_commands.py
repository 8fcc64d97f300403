"""Commands about the app: go to a screen, go back, import a file, read its messages, change the theme, quit."""

from inspector.render.texts.text import cell
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.dialog import Picking
from inspector.screens.messages import Back, Copy, Go, Import
from inspector.widgets.pick_list import Pick

LONGEST = 200
"""Cells of a message that are listed; all of it is copied."""


class AppCommands(Controller[ControlledScreen]):
    """Passes commands of a screen on to the app."""

    def action_back(self) -> None:
        self.screen.post_message(Back())

    def action_go(self, name: str) -> None:
        """Open a screen of analysis, or go back to the board or the list."""
        self.go(name)

    def go(self, name: str, row: int = -1) -> None:
        """Open a screen, or go back to it; `row` is the case that is shown here, -1 where there are many."""
        self.screen.close_rail()
        # Another analysis is opened anew: it is of the cases that are listed here.
        self.screen.post_message(Go(name, row, beneath=name in {"board", "cases"}))

    def action_import(self) -> None:
        self.screen.close_rail()
        self.screen.post_message(Import())

    def action_messages(self) -> None:
        """List what the app has said so far, and copy one of the messages."""
        past = list(self.screen.context.message_history)
        picks = [
            Pick(
                str(at),
                f"{message.when:%H:%M:%S}  {cell(message.text, LONGEST)}",
                strong=message.severity != "information",
            )
            for at, message in enumerate(past)
        ]

        def copy(chosen: str | None) -> None:
            if chosen:
                self.screen.post_message(Copy(past[int(chosen)].text, "the message"))

        self.screen.close_rail()
        hint = "Enter copies a message." if picks else "The app has said nothing yet."
        self.screen.app.push_screen(Picking("Messages", picks, hints=[hint]), copy)

    def action_theme(self) -> None:
        self.screen.app.search_themes()

    async def action_leave(self) -> None:
        await self.screen.app.run_action("quit")
