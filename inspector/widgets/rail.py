"""The pane of the threshold rail."""

from inspector.widgets.line_view import LineView
from inspector.widgets.sized import Sized


class Rail(Sized, LineView, can_focus=False):
    """Lines that are made anew whenever their width changes: keys may come before the rail has a place."""
