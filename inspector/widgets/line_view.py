"""A pane that shows prepared lines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from msgspec import Struct
from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from inspector.render.texts.phrases import Phrase, joined, path_parts
from inspector.render.texts.text import TextPart, clean
from inspector.widgets.line_scroll import LineScroll, Sized


class Line(Struct, frozen=True):
    """Parts of a line, and the name of a style (`cursor`, say) under the whole line, to the edge of the pane."""

    parts: Sequence[TextPart]
    row: str = ""


Lines = Iterable[Line | Sequence[TextPart] | Strip]


class PreparedLines(Struct, frozen=True):
    """Lines that were cleaned before they are shown, the widest one's cells, and strips of some of them by number."""

    lines: Sequence[Line | Strip]
    width: int
    strips: Mapping[int, Strip]


def prepared(lines: Lines) -> PreparedLines:
    """Make lines ready to be shown."""
    cleaned = [_cleaned(line) for line in lines]
    return PreparedLines(cleaned, max(map(_width, cleaned), default=0), {})


class LineView(LineScroll):
    """Lines as they are given, unwrapped, with scrolling both ways.

    The caller wraps lines to `viewport.width` before `show`, and again after a resize. If a class allows it
    (`ALLOW_SELECT`), the mouse selects text. Additional style names are `scorer-a` to `scorer-h`, for up to eight
    scorers side by side, and backgrounds of a heat map: `heat-1` (lowest) to `heat-5`, and `heat-low-1` and
    `heat-low-2` for negative differences.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"line--scorer-{letter}" for letter in "abcdefgh"),
        *(f"line--heat-{level}" for level in ("1", "2", "3", "4", "5", "low-1", "low-2")),
    }
    DEFAULT_CSS = """
    LineView {
        & > .line--scorer-a, & > .line--scorer-c, & > .line--scorer-e, & > .line--scorer-g { color: $text-primary; }
        & > .line--scorer-b, & > .line--scorer-d, & > .line--scorer-f, & > .line--scorer-h { color: $text-warning; }
        & > .line--heat-4, & > .line--heat-5 { background: $primary-muted; }
        & > .line--heat-low-2 { background: $warning-muted; }
    }
    """

    @dataclass
    class Clicked(Message):
        """A line (0-based) was clicked."""

        view: "LineView"
        line: int

        @property
        def control(self) -> "LineView":
            return self.view

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own parameter
        super().__init__(name=name, id=id, classes=classes)
        self._lines: list[Line | Strip] = []
        self._make: Callable[[int], Sequence[Line]] | None = None
        self._made_for = 0
        self._strips: dict[int, Strip] = {}

    def show(self, lines: Lines | PreparedLines, *, keep_scroll: bool = False) -> Self:
        """Replace the lines; of the lines on screen only those that changed are written.

        Text is cleaned here; only that of a Strip must have been cleaned by whoever made it. With `keep_scroll` the
        first visible line stays the same number, as far as there are enough lines; otherwise the pane goes back to its
        top left corner.
        """
        self._make = None
        self.prepare(lines)
        if not keep_scroll:
            self.scroll_to(0, 0, force=True)
        self.repaint_changed()
        return self

    def flow(self, make: "Callable[[int], Sequence[Line]]") -> None:
        """Show the lines that are made for so many cells, from the first frame on, and anew when the pane is resized.

        A pane whose height is `auto` is as high as they are. The first visible line stays the same number.
        """
        self._make, self._made_for = make, 0
        if self.viewport.width:
            self._fill()
            self.repaint_changed()
        if self.styles.auto_dimensions:
            self.refresh(layout=True)

    def _fill(self) -> None:
        """Make the lines for the room there is, where it is another than they were made for."""
        width = self.viewport.width
        if self._make is not None and width and width != self._made_for:
            self._made_for = width
            self.prepare(self._make(width))

    def render_lines(self, crop: Region) -> list[Strip]:
        self._fill()
        return super().render_lines(crop)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if self._make is None:
            return super().get_content_height(container, viewport, width)
        return len(self._make(max(1, width)))

    def prepare(self, lines: Lines | PreparedLines) -> None:
        """Replace the lines without writing any."""
        ready = lines if isinstance(lines, PreparedLines) else prepared(lines)
        self._lines = list(ready.lines)
        self._strips = dict(ready.strips)
        self.set_extent(ready.width, len(self._lines))

    def lines_with(self, style: str) -> list[int]:
        """Return the lines (0-based) of which any part has this style name."""
        return [
            number
            for number, line in enumerate(self._lines)
            if isinstance(line, Line) and any(style in names.split() for _, names in line.parts)
        ]

    @property
    def line_count(self) -> int:
        """How many lines there are, seen or not."""
        return len(self._lines)

    def scroll_to_line(self, line: int, *, top: bool = False) -> None:
        """Bring a line (0-based) into view by the shortest way; with `top`, to the top as far as the end allows."""
        first, height = self.scroll_offset.y, self.viewport.height
        if top or line < first:
            first = line
        elif line >= first + height:
            first = line - height + 1
        self.scroll_to(y=first, force=True)

    def line_strip(self, line: int) -> Strip:
        if line >= len(self._lines):
            return Strip([], 0)
        strip = self._strips.get(line)
        if strip is None:
            content = self._lines[line]
            strip = content if isinstance(content, Strip) else self.strip(content.parts, content.row)
            self._strips[line] = strip
        return strip

    def forget_strips(self) -> None:
        self._strips.clear()

    # -- text selection with the mouse

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        return self._selectable(strip, y) if self.ALLOW_SELECT else strip

    def _selectable(self, strip: Strip, y: int) -> Strip:
        """Give each cell its offset in the text, as Textual needs it, and mark the selection."""
        left, top = self.scroll_offset
        line = y if y < self.fixed_lines else y + top
        span = None if self.text_selection is None else self.text_selection.get_span(line)
        if span is not None:
            width = strip.cell_length
            start, end = max(0, span[0] - left), width if span[1] < 0 else min(width, span[1] - left)
            if start < end:
                marked = strip.crop(start, end).apply_style(self.screen.get_component_rich_style("screen--selection"))
                strip = Strip.join([strip.crop(0, start), marked, strip.crop(end, width)])
        return strip.apply_offsets(left, line)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text without trailing blanks."""
        text = selection.extract("\n".join(self.line_strip(line).text for line in range(self.line_count)))
        return "\n".join(line.rstrip() for line in text.split("\n")), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002  # every line may have changed
        self.refresh()

    def on_resize(self) -> None:
        self._fill()
        self.forget_strips()
        self.repaint_changed()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        # A drag that selected text does not end in a click.
        if offset is None or self.text_selection is not None:
            return
        line = offset.y if offset.y < self.fixed_lines else offset.y + self.scroll_offset.y
        if line < len(self._lines):
            self.post_message(self.Clicked(self, line))


def _cleaned(line: Line | Sequence[TextPart] | Strip) -> Line | Strip:
    if isinstance(line, Strip):
        return line
    if not isinstance(line, Line):
        line = Line(line)
    return Line([(clean(text), names) for text, names in line.parts], line.row)


def _width(line: Line | Strip) -> int:
    return line.cell_length if isinstance(line, Strip) else sum(cell_len(text) for text, _ in line.parts)


# -- one line of phrases that always fits


class PhraseLine(LineView):
    """A line that is told again, in as many words as fit, whenever its width changes."""

    _make_parts: Callable[[int], Sequence[TextPart]] | None = None

    def tell(self, phrases: Sequence[Phrase], between: str = "", style: str = "") -> None:
        """Show these phrases; only cells that change are painted."""
        self._fit(lambda width: [(joined(phrases, width, between), style)])

    def tell_path(self, path: Sequence[Phrase], between: str, facts: Sequence[Phrase]) -> None:
        """Show the path on the left, with its last part strong, and facts on the right."""
        self._fit(lambda width: path_parts(path, between, facts, width))

    def _fit(self, make: Callable[[int], Sequence[TextPart]]) -> None:
        self._make_parts = make
        self._write()

    def on_resize(self) -> None:
        self._write()

    def _write(self) -> None:
        if self._make_parts is not None:
            self.show([self._make_parts(self.viewport.width)])


# -- the pane of the threshold rail


class Rail(Sized, LineView, can_focus=False):
    """Lines with a ruler that reacts to the mouse. They are rebuilt whenever their width changes."""

    RULER: ClassVar = range(1, 3)
    """Lines of the ruler."""

    @dataclass
    class Pointed(Message):
        """The mouse points at a position on the ruler, from 0 (left end) to 1 (right end)."""

        place: float

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own parameter
        super().__init__(id=id)
        self._place: float | None = None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and offset.y in self.RULER:
            self.capture_mouse()
            self._point(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self._point(event)

    def on_mouse_up(self) -> None:
        self.release_mouse()

    def _point(self, event: events.MouseEvent) -> None:
        """Report the position of the mouse once per frame."""
        width = max(1, self.viewport.width)
        cell = min(max(event.x - self.styles.gutter.left, 0), width - 1)
        if self._place is None:
            self.call_after_refresh(self._tell)
        self._place = (cell + 0.5) / width

    def _tell(self) -> None:
        if self._place is not None:
            self.post_message(self.Pointed(self._place))
            self._place = None
