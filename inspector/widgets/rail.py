"""The pane of the threshold rail."""

from dataclasses import dataclass

from textual.message import Message

from inspector.widgets.line_view import LineView


class Rail(LineView, can_focus=False):
    """Lines that are made anew whenever their width changes: keys may come before the rail has a place."""

    @dataclass
    class Placed(Message):
        """The rail has a size now, or another one."""

        rail: "Rail"

        @property
        def control(self) -> "Rail":
            return self.rail

    def on_resize(self) -> None:
        if self.viewport.width:
            self.post_message(self.Placed(self))
