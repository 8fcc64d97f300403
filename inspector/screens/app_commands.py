"""Commands that the app carries out: go to a screen, go back, import a file, change the theme, quit."""

from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.messages import Back, Go, Import


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

    def action_theme(self) -> None:
        self.screen.app.search_themes()

    async def action_leave(self) -> None:
        await self.screen.app.run_action("quit")
