"""What is pasted is text from anywhere."""

from textual.events import Event, Paste

from inspector.text import clean
from inspector.wiring.base import Wired


class Pasting(Wired):
    """Cleans it before any widget sees it, those of Textual included."""

    async def on_event(self, event: Event) -> None:
        """Pass events on; a paste that no widget took and that comes back is none that arrives."""
        if isinstance(event, Paste) and not event.is_forwarded:
            event = Paste(clean(event.text, lines=True))
        await super().on_event(event)
