"""Toasts at the top right: one of two lines, or two of one line, so that they cover no content and no footer."""

from rich.cells import cell_len
from textual.content import Content
from textual.events import Mount
from textual.widgets import _toast

from inspector.render.texts.text import cell
from inspector.render.texts.wrap import wrap

LINES, WIDEST = 2, 90
"""Lines of all toasts together, and the greatest width of a line in cells."""
AROUND = 6
"""Cells of the screen besides a line: the bar and padding of the toast, and part of the path on the left."""


def toast_text(message: str, width: int, lines: int, key: str) -> str:
    """Return the message in at most `lines` lines of `width` cells.

    A longer message ends with the key that shows all of it, or with an ellipsis if `key` is "".
    """
    wrapped = wrap(message, width)
    if len(wrapped) <= lines:
        return "\n".join(wrapped)
    end = f"… {key} shows all" if key else "…"
    room = max(1, width - cell_len(end))
    last = wrapped[lines - 1]
    return "\n".join(
        [*wrapped[: lines - 1], f"{(cell(last, room) if cell_len(last) > room else last).rstrip(' …')}{end}"]
    )


class BriefToast(_toast.Toast):
    """A toast shortened to fit; the message history has the full text."""

    def render(self) -> Content:
        """Return the title and the message, shortened to fit."""
        toast = self._notification
        message = Content.from_markup(toast.message).plain if toast.markup else toast.message
        words = f"{toast.title}: {message}" if toast.title else message
        # Two toasts have one line each.
        lines = max(1, LINES - len(self.screen.query(BriefToast)) + 1)
        width = max(10, min(WIDEST, self.app.size.width - AROUND))
        return Content(toast_text(words, width, lines, getattr(self.app, "message_key", "")))

    def _on_mount(self, event: Mount) -> None:
        super()._on_mount(event)
        # Textual keeps the holder of a removed toast, which would push the others down.
        known = {f"--textual-toast-{notification.identity}" for notification in self.app._notifications}  # noqa: SLF001
        for holder in self.screen.query(_toast.ToastHolder):
            if holder.id not in known:
                holder.remove()
        for toast in self.screen.query(BriefToast):
            toast.refresh(layout=True)


def make_toasts_brief() -> None:
    """Patch the toast class of Textual, which has no option to replace it."""
    setattr(_toast, "Toast", BriefToast)  # noqa: B010
