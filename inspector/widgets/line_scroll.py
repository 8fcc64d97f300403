"""What every pane of painted lines shares: scrolling at once, one palette, and writing only the lines that changed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.events import Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style as ContentStyle
from textual.widget import Widget

from inspector.render.texts.frame_edges import fit_edge
from inspector.render.texts.text import TextPart, clean
from inspector.widgets.textual_compat import FrameCache

MOVE_BYTES, COLOUR_BYTES = 9, 19
"""What it takes to move the cursor, and to change a colour."""
CUT = "…"
"""Stands at the edge where a line goes on beyond it."""


class LineScroll(ScrollView, can_focus=True):
    """A scrolled sequence of lines, of which only the visible ones are ever made.

    A subclass makes lines (`line_strip`), says how many there are and how wide (`set_extent`), and after a change calls
    `repaint_changed`: it compares the visible lines with the painted ones and writes those that differ. The first
    `fixed_lines` lines and `fixed_cells` cells stay in place while the others scroll.

    The style names of a `TextPart` are those of `COMPONENT_CLASSES` without their prefix:

    | name | for |
    | --- | --- |
    | `dim`, `strong` | what matters less, what matters more |
    | `good`, `bad` | right and wrong |
    | `reward-1` to `reward-5` | rewards, from far below the threshold to far above it |
    | `exact`, `clean`, `early`, `late`, `missed`, `false-alarm` | outcomes |
    | `gold` | what people labelled |
    | `predicted` | what the scorer names |
    | `match` | text that was extracted |
    | `found` | text that was searched for |
    | `header`, `cursor`, `cursor-blurred` | whole rows |
    | `frame`, `frame-focus` | frames, and the frame with the focus |

    A subclass may add classes of its own under the same prefix. The colours here are those that every theme of Textual
    has; an app gives others to the classes. Colour is never the only sign: names come with a glyph
    or a word.
    """

    # They stay keys, and lists of keys are shorter without them.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "scroll_left", "Scroll left", show=False, system=True),
        Binding("right", "scroll_right", "Scroll right", show=False, system=True),
        Binding("ctrl+pageup", "page_left", "Page left", show=False, system=True),
        Binding("ctrl+pagedown", "page_right", "Page right", show=False, system=True),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--dim",
        "line--strong",
        "line--good",
        "line--bad",
        "line--reward-1",
        "line--reward-2",
        "line--reward-3",
        "line--reward-4",
        "line--reward-5",
        "line--exact",
        "line--clean",
        "line--early",
        "line--late",
        "line--missed",
        "line--false-alarm",
        "line--gold",
        "line--predicted",
        "line--match",
        "line--found",
        "line--header",
        "line--cursor",
        "line--cursor-blurred",
        "line--frame",
        "line--frame-focus",
    }

    # The vertical scrollbar is always there: its coming and going would change the width, and with it every line.
    DEFAULT_CSS = """
    LineScroll {
        background: $surface;
        color: $foreground;
        overflow-x: auto;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        & > .line--dim { color: $text-muted; }
        & > .line--strong { text-style: bold; }
        & > .line--good { color: $text-primary; }
        & > .line--bad { color: $text-warning; }
        & > .line--reward-1, & > .line--reward-2 { color: $text-warning; }
        & > .line--reward-3 { color: $text-muted; }
        & > .line--reward-4, & > .line--reward-5 { color: $text-success; }
        & > .line--exact { color: $text-primary; }
        & > .line--clean { color: $text-secondary; }
        & > .line--early { color: $text-warning; }
        & > .line--late { color: $text-accent; }
        & > .line--missed { color: $text-error; }
        & > .line--false-alarm { color: $text-error; }
        & > .line--gold { color: $text-success; text-style: bold; }
        & > .line--predicted { text-style: bold underline; }
        & > .line--match { background: $accent-muted; color: $text-accent; }
        & > .line--found { background: $warning-muted; color: $text-warning; text-style: bold underline; }
        & > .line--header { background: $panel; color: $foreground; text-style: bold; }
        & > .line--cursor { background: $primary-muted; color: $foreground; text-style: bold; }
        & > .line--cursor-blurred { background: $boost; color: $foreground; }
        & > .line--frame { color: $border-blurred; }
        & > .line--frame-focus { color: $primary; }
    }
    """

    ALLOW_SELECT = False

    fixed_lines: int = 0
    fixed_cells: int = 0

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's own parameter
        super().__init__(name=name, id=id, classes=classes)
        self._styles_cache = FrameCache()
        self._painted: dict[int, Strip] = {}
        self._seen: Size | None = None
        self._styles_by_name: dict[tuple[str, str], Style] = {}
        self._captions = "", "", ""
        self._edges = "", ""
        self._written_in: tuple[ContentStyle, ...] = ()

    def line_strip(self, line: int) -> Strip:
        """Return line `line` (0-based, fixed lines first) in its whole width; past the end, an empty strip."""
        raise NotImplementedError

    def forget_strips(self) -> None:
        """Drop the strips that a subclass keeps: called when styles have changed."""

    # -- geometry

    @property
    def viewport(self) -> Size:
        """Cells and lines in which lines are seen: without borders, padding and scrollbars, but with fixed lines."""
        if self._seen is not None:
            return self._seen
        width, height = self.container_size
        return Size(max(0, width - self.scrollbar_size_vertical), max(0, height - self.scrollbar_size_horizontal))

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """While lines are made their pane stays as large as it is: it is measured once."""
        outer, self._seen = self._seen, self.viewport
        try:
            yield
        finally:
            self._seen = outer

    def set_extent(self, width: int, lines: int) -> None:
        """Say how wide the lines are and how many; the scroll offset is clamped to it."""
        extent = Size(width, lines)
        if extent == self.virtual_size:
            return
        if self.styles.auto_dimensions:
            self.virtual_size = extent
            return
        # The pane keeps its own size, so the screen need not be laid out again, nor this pane painted twice.
        self.set_reactive(Widget.virtual_size, extent)
        self._scroll_update(extent)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Also report a new inner size, which Textual 8.2 does not when a frame appears or disappears."""
        outer, inner = self._size, self._container_size
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if outer == size and inner != self._container_size:
            self.post_message(Resize(size, virtual_size, container_size))
        return changed

    # -- painting

    def render_lines(self, crop: Region) -> list[Strip]:
        with self._looking():
            return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        strip = self._painted[y] = self._visible_strip(y)
        return strip

    def _visible_strip(self, y: int) -> Strip:
        width = self.viewport.width
        scroll_x, scroll_y = self.scroll_offset
        strip = self.line_strip(y if y < self.fixed_lines else y + scroll_y)
        end = scroll_x + width
        if width and strip.cell_length > end and strip.crop(end).text.strip():
            # Half a number would read as a whole one.
            style = next(iter(strip.crop(end - 1, end))).style
            strip = Strip([*strip.crop(0, end - 1), Segment(CUT, style)], end)
        if not scroll_x:
            return strip if strip.cell_length == width else strip.crop_extend(0, width, self.line_style(""))
        fixed = min(self.fixed_cells, width)
        scrolled = strip.crop_extend(scroll_x + fixed, scroll_x + width, self.line_style(""))
        return Strip.join([strip.crop(0, fixed), scrolled])

    def repaint_changed(self) -> None:
        """Write what differs from what was painted last, of every visible line the cells from the first changed one on.

        A threshold that moves changes one column of every row; over a slow connection the rest need not be sent again.
        """
        regions = []
        with self._looking():
            for y in range(self.viewport.height):
                old, new = self._painted.get(y), self._visible_strip(y)
                if old != new:
                    runs = [(0, self.viewport.width)] if old is None else changed_runs(old, new)
                    regions += [Region(first, y, end - first, 1) for first, end in runs]
        if regions:
            self.refresh(*regions)

    def repaint_lines(self, *lines: int) -> None:
        """Write these lines (counted from the first, fixed or not; none of them fixed) if they are visible."""
        visible = range(self.fixed_lines, self.viewport.height)
        self._repaint(y for y in (line - self.scroll_offset.y for line in lines) if y in visible)

    def _repaint(self, offsets: Iterable[int]) -> None:
        width = self.viewport.width
        if regions := [Region(0, y, width, 1) for y in offsets]:
            self.refresh(*regions)

    def strip(self, parts: Sequence[TextPart], row: str = "") -> Strip:
        """Return parts as one strip of cleaned text, at least as wide as the pane; `row` is the style beneath it."""
        segments: list[Segment] = []
        base = run_style = self.line_style("", row)
        run = ""
        # Every segment costs some 40 bytes of escape sequences: neighbours of one style are joined.
        for text, names in parts:
            style = self.line_style(names, row)
            # Styles are made once: comparing them by value would take longer than all the rest.
            if style is not run_style:
                if run:
                    segments.append(Segment(clean(run), run_style))
                run, run_style = "", style
            run += text
        if run:
            segments.append(Segment(clean(run), run_style))
        return Strip(segments).extend_cell_length(max(self.viewport.width, self.virtual_size.width), base)

    def line_style(self, names: str, row: str = "") -> Style:
        """Return the style of style names (joined by spaces) on a row style. Raises KeyError for an unknown name."""
        style = self._styles_by_name.get((names, row))
        if style is None:
            style = self.get_component_rich_style(f"line--{row}") if row else self.rich_style
            for name in names.split():
                style += self._own_style(f"line--{name}")
            self._styles_by_name[names, row] = style
        return style

    def _own_style(self, component: str) -> Style:
        """Only what the component's rules say, with transparent colours blended into the pane's background."""
        own = self.get_component_rich_style(component, partial=True)
        blended = self.get_component_rich_style(component)
        colors = Style(
            color=blended.color if own.color else None,
            bgcolor=blended.bgcolor if own.bgcolor else None,
        )
        return own + colors

    @classmethod
    def _get_component_classes(cls) -> frozenset[str]:  # type: ignore[override]
        """None for Textual, which would work all of them out whenever a focus moves or a dialog closes.

        A pane uses a few of its thirty; see `get_component_styles`.
        """
        return frozenset()

    def get_component_styles(self, *names: str) -> RenderStyles:
        for name in names:
            if name not in self._component_styles:
                self._component_styles[name] = self._worked_out(name)
        return super().get_component_styles(*names)

    def _worked_out(self, name: str) -> RenderStyles:
        if name not in super()._get_component_classes():
            raise KeyError(name)
        node = DOMNode(classes=name)
        node._attach(self)  # noqa: SLF001  # as Textual does for a component
        self.app.stylesheet.apply(node, animate=False)
        return node.styles

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles_by_name.clear()
        self.forget_strips()
        used = self._component_styles
        now = {name: self._worked_out(name) for name in used}
        if now != used:
            self.refresh()
        self._component_styles = now
        if self._edges != ("", "") and self._edge_styles != self._written_in:
            self._write_edges()

    # -- the frame of a pane

    def caption(self, title: str, status: str = "", hint: str = "") -> None:
        """Write a title and a status into the upper edge of the frame, and a hint into the lower edge.

        Only a widget of the class `pane` has a frame. The status is left out if the edge is too short for both.
        """
        if (title, status, hint) != self._captions:
            self._captions = title, status, hint
            self._write_edges(whole=False)

    def _write_edges(self, *, whole: bool = True) -> None:
        """Write the edges, with heavy lines if the pane has the focus: `whole`, or only their changed cells."""
        if not (self.is_attached and self.styles.border_top[0]):
            return
        # Textual draws a corner, a line and a blank at either end of a label.
        width = self.outer_size.width - 6
        title, status, hint = map(clean, self._captions)
        left, line, right = fit_edge(title, status, width, "━" if self.has_focus else "─")
        hint = hint if cell_len(hint) <= width else ""
        # Without a status, Textual draws the rest of the line.
        strong, dim = self._written_in = self._edge_styles
        rest = (line, (right, dim)) if right else ()
        styled = (left if right else left.rstrip(), strong), *rest
        self._border_title = Content.assemble(*styled) if left or right else None
        self._border_subtitle = Content.assemble((hint, dim)) if hint else None
        before, self._edges = self._edges, (f"{left}{line}{right}", " " * (width - cell_len(hint)) + hint)
        if width <= 0 or not self.is_mounted:
            return
        regions = []
        for row, old, new in zip((-1, self.container_size.height), before, self._edges, strict=True):
            first, end = changed_cells(Strip([Segment(old)]), Strip([Segment(new)]))
            if whole:
                regions.append(Region(-self.styles.gutter.left, row, width + 6, 1))
            elif end > first:
                # The blanks beside a label are also new.
                regions.append(Region(2 + first - self.styles.gutter.left, row, end - first + 2, 1))
        if regions:
            self.refresh(*regions)

    @property
    def _edge_styles(self) -> tuple[ContentStyle, ContentStyle]:
        """Styles of titles, and of statuses and hints."""
        return ContentStyle.from_rich_style(self.line_style("strong")), ContentStyle.from_rich_style(
            self.line_style("dim")
        )

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._write_edges()

    def on_resize(self) -> None:
        self._write_edges()

    # -- scrolling

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        if self.show_horizontal_scrollbar:
            self.horizontal_scrollbar.position = new_value
        if round(old_value) != round(new_value):
            self.repaint_changed()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if round(old_value) != round(new_value):
            self.repaint_changed()

    def _scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> bool:
        """Scroll at once, whatever `animate` says: an animation would write the pane over and over.

        Every way to scroll ends here. Before the pane is mounted there is nothing to scroll.
        """
        return self.is_mounted and super()._scroll_to(x, y, **{**options, "animate": False})


def changed_cells(old: Strip, new: Strip) -> tuple[int, int]:
    """Return the first cell in which two strips differ and one past the last, or a few more: no wide character is cut.

    All cells if the strips differ in length, none if they are equal.
    """
    if old.cell_length != new.cell_length:
        return 0, max(old.cell_length, new.cell_length)
    first, behind = _equal_cells(old, new), _equal_cells(old, new, reverse=True)
    return first, max(first, new.cell_length - behind)


def changed_runs(old: Strip, new: Strip) -> list[tuple[int, int]]:
    """Return the runs of cells in which two strips differ, each as its first cell and one past its last.

    Equal cells are part of a run where a move over them would take more bytes. Strips with wide characters have one
    run.
    """
    before, after = list(old), list(new)
    # Most of a line is as it was: equal segments at either end take no time.
    first, end, fewer = 0, 0, min(len(before), len(after))
    while first < fewer and before[first] == after[first]:
        first += 1
    while end < fewer - first and before[-1 - end] == after[-1 - end]:
        end += 1
    at = sum(map(_cells, after[:first]))
    before, after = before[first : len(before) - end], after[first : len(after) - end]
    wide = any(_cells(segment) != len(segment.text) for segment in (*before, *after))
    if wide or old.cell_length != new.cell_length:
        return [changed_cells(old, new)]
    runs: list[tuple[int, int]] = []
    equal_bytes, style_before = 0, Style.null()
    for text, style, differs in _pieces(before, after):
        start, at = at, at + len(text)
        colour = 0 if style is style_before else COLOUR_BYTES
        style_before = style
        if not differs:
            equal_bytes += len(text.encode()) + colour
            continue
        joined = bool(runs) and equal_bytes <= MOVE_BYTES
        runs.append((runs.pop()[0] if joined else start, at))
        equal_bytes = 0
    return runs


def _cells(segment: Segment) -> int:
    return len(segment.text) if segment.text.isascii() else cell_len(segment.text)


def _pieces(old: Sequence[Segment], new: Sequence[Segment]) -> Iterator[tuple[str, Style, bool]]:
    """Yield the pieces of two equally long lines that are alike, or differ from their first cell to their last.

    Each is its text and style in the new line, and whether the lines differ in it.
    """
    lines = iter(old), iter(new)
    texts, styles = ["", ""], [Style.null(), Style.null()]
    while True:
        for side, line in enumerate(lines):
            while not texts[side]:
                segment = next(line, None)
                if segment is None:
                    return
                texts[side], styles[side] = segment.text, segment.style or Style.null()
        size = min(map(len, texts))
        before, after = (text[:size] for text in texts)
        style = styles[1]
        if not (styles[0] is style or styles[0] == style):
            yield after, style, True
        elif before == after:
            yield after, style, False
        else:
            first = _common_start(before, after)
            end = size - _common_start(before[first:][::-1], after[first:][::-1])
            for text, differs in ((after[:first], False), (after[first:end], True), (after[end:], False)):
                if text:
                    yield text, style, differs
        texts = [text[size:] for text in texts]


def _equal_cells(old: Strip, new: Strip, *, reverse: bool = False) -> int:
    """Return how many cells at the beginning of two lines are equal, or at their end with `reverse`."""
    cells, way = 0, -1 if reverse else 1
    for (before, style, _), (after, new_style, _) in zip(list(old)[::way], list(new)[::way], strict=False):
        # Styles are made once; comparing them by value takes long.
        same_style = style is new_style or style == new_style
        if before != after:
            narrow = cell_len(before) == len(before) and cell_len(after) == len(after)
            return cells + (_common_start(before[::way], after[::way]) if narrow and same_style else 0)
        if not same_style:
            return cells
        cells += len(after) if after.isascii() else cell_len(after)
    return cells


def _common_start(before: str, after: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    shared, longest = 0, min(len(before), len(after))
    while shared < longest:
        middle = (shared + longest + 1) // 2
        if before[:middle] == after[:middle]:
            shared = middle
        else:
            longest = middle - 1
    return shared


# -- panes that tell when there is more or less room


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
