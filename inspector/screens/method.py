"""The method behind a page of an analysis."""

from inspector.screens.controller import Controller
from inspector.screens.screen_help import HelpedScreen


class MethodPage(Controller[HelpedScreen]):
    """Shows how the figures of a screen are computed."""

    def action_method(self) -> None:
        """Open the page of the guide about this screen."""
        from inspector.screens.help_pages import guide_page

        self.screen.close_rail()
        self.screen.app.push_screen(guide_page(self.screen.GUIDE))
