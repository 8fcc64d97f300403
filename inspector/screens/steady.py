"""Sizes that are no longer true are not laid out."""

from textual import on
from textual.events import Resize
from textual.message_pump import MessagePump


class Steady(MessagePump):
    """Comes before `Screen` or `ModalScreen` among the bases of every screen.

    A screen of Textual 8.2 that lays itself out tells itself its new size. With two sizes on their way at once each of
    them makes the other come again, for ever. Only the terminal's own size counts.
    """

    @on(Resize)
    def _only_the_present_size(self, event: Resize) -> None:
        if event.size != self.app.size:
            event.prevent_default()
