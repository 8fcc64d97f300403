"""A pane for one case: lines with a cursor on one of them, the first of which stay in place while the rest scrolls."""

from typing import ClassVar, Self

from textual.binding import Binding, BindingType
from textual.strip import Strip

from inspector.widgets.key_table.command import PAGE_DOWN, PAGE_UP
from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import Line, Lines, LineView, PreparedLines, prepared


class StepView(Sized, LineView, inherit_bindings=False):
    """Prepared lines, as in a `LineView`, with a cursor on one of them that the screen moves; pages are its own."""

    ALLOW_SELECT: ClassVar = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(PAGE_DOWN, "page_down", "Page down", show=False, system=True),
        Binding(PAGE_UP, "page_up", "Page up", show=False, system=True),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own parameter
        super().__init__(name=name, id=id, classes=classes)
        self._cursor: int | None = None
        self._palette = 0

    def show(
        self,
        lines: Lines | PreparedLines,
        *,
        keep_scroll: bool = False,
        pinned: int = 0,
        cursor: int | None = None,
        scroll: int | None = None,
    ) -> Self:
        """Replace the lines; the first `pinned` ones stay in place, `cursor` (0-based) is where the cursor stands.

        `scroll` is the line to begin with beneath the pinned ones; otherwise see `LineView.show`.
        """
        self.fixed_lines, self._cursor = pinned, cursor
        if scroll is None:
            return super().show(lines, keep_scroll=keep_scroll)
        self.prepare(lines)
        self.scroll_to(0, scroll - pinned, force=True)
        self.repaint_changed()
        return self

    def painted_ahead(
        self, lines: Lines, *, pinned: int = 0, cursor: int | None = None, scroll: int = 0
    ) -> PreparedLines:
        """Make lines ready for a `show` with the same arguments: what will be seen of them is painted already."""
        ready = prepared(lines)
        height = self.viewport.height
        seen = {*range(pinned), *range(scroll, scroll - pinned + height)} & set(range(len(ready.lines)))
        strips = {
            at: self.strip(line.parts, "cursor" if at == cursor else line.row)
            for at in seen
            if isinstance(line := ready.lines[at], Line)
        }
        return PreparedLines(ready.lines, ready.width, strips)

    @property
    def palette(self) -> int:
        """Another number whenever styles have changed, so that what was painted ahead is so no longer."""
        return self._palette

    def forget_strips(self) -> None:
        super().forget_strips()
        self._palette += 1

    @property
    def cursor(self) -> int | None:
        """The line (0-based) on which the cursor stands."""
        return self._cursor

    @property
    def seen(self) -> range:
        """The lines (0-based) that are on screen beneath the pinned ones."""
        top = self.scroll_offset.y
        return range(top + self.fixed_lines, min(top + self.viewport.height, self.line_count))

    def put_cursor(self, line: int | None) -> None:
        """Move the cursor; only the lines that it leaves and reaches are written."""
        old, self._cursor = self._cursor, line
        for number in (old, line):
            if number is not None:
                self._strips.pop(number, None)
        self.repaint_changed()

    def scroll_to_line(self, line: int, *, top: bool = False) -> None:
        first, pinned, height = self.scroll_offset.y, self.fixed_lines, self.viewport.height
        if top or line < first + pinned:
            first = line - pinned
        elif line >= first + height:
            first = line - height + 1
        self.scroll_to(y=max(0, first), force=True)

    def line_strip(self, line: int) -> Strip:
        if line == self._cursor and line not in self._strips and line < len(self._lines):
            content = self._lines[line]
            if isinstance(content, Line):
                self._strips[line] = self.strip(content.parts, "cursor")
        return super().line_strip(line)
