"""The history of a case: what everybody did to it, in order, with what was undone."""

from typing import ClassVar

import polars as pl
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.render.texts.text import clean
from inspector.render.texts.wrap import hung, wrap
from inspector.screens.dialog import Dialog
from inspector.state.triage.history import history_indent, history_lines
from inspector.widgets.line_view import Line, LineView

HIDDEN = "What others did is hidden for as long as gold labels and verdicts are."
UNDER = 4
"""Cells by which what was done is moved in where it stands beneath who did it."""
ABOUT = 3
"""Lines of the dialog besides the history: its frame and its key hints."""


class HistoryDialog(Dialog[None]):
    """Lines of a history, newest last, of which some may be beyond the screen."""

    SHARE, WIDEST = 0.96, 140
    BINDINGS: ClassVar[list[BindingType]] = [
        ("j,down", "scroll(1)", "Down"),
        ("k,up", "scroll(-1)", "Up"),
        ("pagedown", "page(1)", "Page down"),
        ("pageup", "page(-1)", "Page up"),
        ("g,home", "edge(False)", "First"),
        ("G,end", "edge(True)", "Last"),
        ("escape,q", "dismiss(None)", "Close"),
    ]

    def __init__(self, case: str, rows: pl.DataFrame, *, hidden: bool = False) -> None:
        """`rows` are those of `history_rows`; `hidden` says that they are those of one person alone."""
        undone = rows["holds"].to_list().count(False)
        super().__init__(f"What was done to {case}{f': {undone:,} undone' if undone else ''}")
        self._rows, self._hidden = rows, hidden
        self._lines = list(history_lines(rows))

    def compose_panel(self) -> ComposeResult:
        # As high as it will be, from the first time that it is drawn.
        yield LineView(id="done")
        if self._hidden:
            yield Static(Content(HIDDEN), classes="dim")

    def on_mount(self) -> None:
        view = self.query_one(LineView)
        view.focus()
        view.flow(self._wrapped)
        # The newest ones come first.
        self.call_after_refresh(self.action_edge, True)  # Textual passes on by position

    def on_resize(self) -> None:
        self.query_one(LineView).styles.max_height = max(1, self.size.height - ABOUT - (1 if self._hidden else 0))

    def _wrapped(self, width: int) -> list[Line]:
        if not self._lines:
            nothing = (
                "You have done nothing to this case." if self._hidden else "Nobody has done anything to this case."
            )
            return [Line([(line, "")]) for line in wrap(nothing, width)]
        indent = history_indent(self._lines, width)
        lines = []
        for holds, (author, words) in zip(self._rows["holds"], self._lines, strict=True):
            style = "dim" if holds is False else ""
            label, text = clean(author), clean(words)
            if cell_len(label) < indent:
                pairs = list(hung(label, text, width, indent))
            else:
                # Beside a long name there is no room.
                pairs = [(line, "") for line in wrap(label, width)]
                pairs += [(" " * UNDER, line) for line in wrap(text, width - UNDER)]
            lines += [Line([(left, "dim"), (right, style)]) for left, right in pairs]
        return lines

    def action_scroll(self, by: int) -> None:
        view = self.query_one(LineView)
        view.scroll_to(y=view.scroll_offset.y + by, force=True)

    def action_page(self, by: int) -> None:
        self.action_scroll(by * self.query_one(LineView).viewport.height)

    def action_edge(self, last: bool) -> None:
        view = self.query_one(LineView)
        view.scroll_to(y=view.line_count if last else 0, force=True)
