"""What is pasted is text from anywhere."""

from textual.events import Event, Paste

from inspector.text import clean
from inspector.wiring.base import Wired


class Pasting(Wired):
    """Cleans it before any widget sees it, those of Textual included."""

    async def on_event(self, event: Event) -> None:
        """Pass events on."""
        await super().on_event(Paste(clean(event.text, lines=True)) if isinstance(event, Paste) else event)
