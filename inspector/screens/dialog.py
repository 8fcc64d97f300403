"""What every dialog is: a panel over a screen that stays readable beside it, with the keys that work in it."""

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.commands import Command
from inspector.commands.grammar import CLOSE, KEYS, OPEN
from inspector.screens.steady import Steady
from inspector.text import clean
from inspector.widgets.key_line import ALL_KEYS, KeyLine

Answer = TypeVar("Answer")


def quit_at_once(action: str) -> Binding:
    """Bind the key that quits from everywhere."""
    explained = "Asks first while a run is on"
    return Binding("ctrl+c", action, "Quit at once", show=False, system=True, tooltip=explained, id="quit-at-once")


class Dialog(Steady, ModalScreen[Answer]):
    """Ends with an answer; None where it was only closed.

    A subclass gives what its panel holds in `compose_panel`. Its bindings stand in the footer, in their order, and `?`
    lists them all, unless one types there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # No key of the app's own comes through to it from a modal screen.
        quit_at_once("app.quit"),
        Binding(KEYS, ALL_KEYS, "Keys", tooltip="Everything that can be done in this dialog"),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; background: transparent; }
    """
    # At most lists that high are as high as they need.
    VERTICAL_BREAKPOINTS = [(0, "-short"), (24, "-tall")]  # noqa: RUF012  # Textual declares it without ClassVar

    ENTER: ClassVar[str] = ""
    """What Enter does in a line that one types in, as the footer says it; "" where there is none."""
    SHARE: ClassVar[float] = 0.8
    """How wide its panel is, of the width of the screen."""
    WIDEST: ClassVar[int] = 100
    """Cells that it is wide at most."""

    def __init__(self, title: str = "") -> None:
        """`title` stands above what the panel holds."""
        super().__init__()
        self.title = title

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(clean(self.title or "")), classes="strong")
            yield from self.compose_panel()
        yield self.key_line()

    def compose_panel(self) -> ComposeResult:
        """What stands beneath the title."""
        raise NotImplementedError

    def key_line(self) -> KeyLine:
        """The footer of a dialog."""
        return KeyLine(titles={"submit": self.ENTER} if self.ENTER else {}, first=(OPEN, CLOSE))

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """End with an answer. A key right behind the one that ended it would end the screen beneath as well."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    @property
    def line_width(self) -> int:
        """Cells of a line of a pane in its panel, as they will be: what is drawn before it is laid out is drawn right.

        Border, padding and the pane's scrollbar take five.
        """
        return max(1, min(self.WIDEST, int(self.app.size.width * self.SHARE)) - 5)

    def action_keys(self) -> None:
        """List everything that can be done here, and do what is chosen."""
        # A list of commands is a dialog too.
        from inspector.screens.command_menu import CommandMenu, commands_bound

        commands = commands_bound(self, self.active_bindings.values())
        keys = {command.id: key for command, key in commands}
        menu = CommandMenu(self.title or "Keys", [("In this dialog", [command for command, _ in commands])], keys)
        self.app.push_screen(menu, self._run_chosen)

    async def _run_chosen(self, chosen: Command | None) -> None:
        if chosen is not None:
            await self.run_action(chosen.action)
