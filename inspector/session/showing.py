"""What the app says at the moment, for logs of sessions."""

from typing import TYPE_CHECKING

from textual.css.query import NoMatches

from inspector.session.lines import Said
from inspector.widgets.phrase_line import PhraseLine

if TYPE_CHECKING:
    from inspector.app import InspectApp

LINES = ("title", "queue")
"""The lines of a screen that say what it shows."""


def said(app: "InspectApp") -> Said | None:
    """What the screen on top says, and which it is; None before there is one. Of a dialog, what is beneath it."""
    front = app.front
    if front is None:
        return None
    title = []
    for name in LINES:
        try:
            line = front.query_one(f"#{name}", PhraseLine)
        except NoMatches:
            continue
        title += [line.line_strip(at).text.rstrip() for at in range(line.line_count)]
    on_top = front.NAME if app.screen is front else type(app.screen).__name__
    return Said(on_top, "\n".join(title))
