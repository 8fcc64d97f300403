"""Panes that tell when there is more or less room."""

from dataclasses import dataclass

from textual.message import Message
from textual.message_pump import MessagePump


class Sized(MessagePump):
    """Comes first among the bases of a widget whose lines somebody else makes for the room there is.

    Only the pane knows when it has been laid out: a screen that asks after it has mounted something beside it, or has
    heard of another size, may be answered with the room of before.
    """

    @dataclass
    class Resized(Message):
        """The pane has another size: its lines should be made anew for the room there is now."""

        view: MessagePump

    def on_resize(self) -> None:
        # Textual calls the method of this name of every base.
        self.post_message(self.Resized(self))
