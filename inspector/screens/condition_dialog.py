"""The line in which a condition is typed, with what may come next above it and what is wrong below."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.render.texts.wrap import wrap
from inspector.screens.dialog import TypedAhead
from inspector.state.filtering.completion import Completion
from inspector.widgets.line_view import Line, LineView
from inspector.widgets.text_editor import TypingLine
from scoring.data.errors import FilterError

SENTENCE = 2
"""Lines of what is wrong."""
CHOICES = 5
"""Choices that are seen at once."""


class ConditionScreen(TypedAhead[str | None]):
    """Asks for an SQL condition; the value is the text as it was typed, None if nothing is to be added."""

    ENTER = "Add"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Leave"),
        Binding("tab", "take", "Take the word", priority=True),
        Binding("ctrl+n", "mark(1)", "Next word", priority=True),
        Binding("shift+tab", "mark(-1)", "Word before", priority=True),
        Binding("up", "earlier(1)", "Earlier condition"),
        Binding("down", "earlier(-1)", "Later condition"),
    ]

    def __init__(
        self,
        complete: Callable[[str, int], Completion],
        judge: Callable[[str], FilterError | None],
        count: Callable[[str], str],
        history: Sequence[str],
    ) -> None:
        """`count` says in words how many cases a right condition would leave; `history` begins with the newest."""
        super().__init__()
        self._complete, self._judge, self._count = complete, judge, count
        self._history = ("", *history)
        self._at = 0
        self._completion = Completion(0)
        self._completed = ("", 0)
        """The text and the place of the cursor that the completion is of."""
        self._marked = 0
        # Enter was pressed on what stands there.
        self._taken = False

    def compose(self) -> ComposeResult:
        choices, complaint = LineView(id="choices"), LineView(id="complaint")
        # Before anything is mounted: the first that can take the focus gets it.
        choices.can_focus = complaint.can_focus = False
        with Vertical(id="condition-line"):
            yield choices
            with Horizontal(id="condition-input"):
                yield Static(Content(":"), id="colon")
                yield TypingLine(id="condition", compact=True, select_on_focus=False)
            yield complaint
        yield self.key_line()

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._show()

    @property
    def _text(self) -> str:
        return self.query_one(Input).value

    def on_input_changed(self) -> None:
        self._marked, self._taken = 0, False
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    # -- showing

    def _show(self) -> None:
        line = self.query_one(Input)
        self._completed = line.value, line.cursor_position
        self._completion = self._complete(*self._completed)
        self._show_choices()
        wrong = self._judge(line.value) if line.value.strip() else None
        self._complain(wrong)

    def _show_choices(self) -> None:
        view, choices = self.query_one("#choices", LineView), self._completion.choices
        first = max(0, min(self._marked - CHOICES // 2, len(choices) - CHOICES))
        seen = choices[first : first + CHOICES]
        left = " " * max(0, cell_len(self._text[: self._completion.start]) - self._scrolled)
        lines = []
        for place, choice in enumerate(seen, first):
            marked = place == self._marked
            more = f"  {len(choices):,} choices" if place == first and len(choices) > CHOICES else ""
            mark, style = ("> ", "strong") if marked else ("  ", "")
            lines.append(Line([(left + mark, "strong"), (choice, style), (more, "dim")]))
        # The words stand right above the line. No height changes with them: the screen is laid out once.
        view.show([Line([])] * (CHOICES - len(lines)) + lines)

    def _complain(self, wrong: FilterError | None) -> None:
        view = self.query_one("#complaint", LineView)
        if wrong is None:
            cases_left = self._count(self._text) if self._text.strip() else ""
            view.show([Line([(f" {cases_left}", "dim")])] if cases_left else [])
            return
        style = "bad" if self._taken else "dim"
        caret = []
        if wrong.place is not None:
            start, end = wrong.place
            before = 1 + cell_len(self._text[:start]) - self._scrolled
            caret = [(" " * max(0, before), ""), ("^" * max(1, cell_len(self._text[start:end])), "bad")]
        words = wrap(f"{wrong.fault[0].upper()}{wrong.fault[1:]}", max(20, self.size.width - 2))[:SENTENCE]
        lines = [*([caret] if caret else []), *([(f" {line}", style)] for line in words)]
        view.show(lines)

    @property
    def _scrolled(self) -> int:
        """Cells of the text that are out of sight at the left."""
        return self.query_one(Input).scroll_offset.x

    # -- keys

    def action_take(self) -> None:
        """Put the marked word in place of what was typed of it."""
        self._catch_up()
        line, choices = self.query_one(Input), self._completion.choices
        if choices:
            text, at = self._completion.taken(line.value, line.cursor_position, choices[self._marked])
            line.value = text
            line.cursor_position = at

    def _catch_up(self) -> None:
        """Complete the text as it is now: a key may come before the choices for the last one, or move the cursor."""
        line = self.query_one(Input)
        if self._completed != (line.value, line.cursor_position):
            self._marked = 0
            self._show()

    def action_mark(self, by: int) -> None:
        self._catch_up()
        if self._completion.choices:
            self._marked = (self._marked + by) % len(self._completion.choices)
            self._show_choices()

    def action_earlier(self, by: int) -> None:
        """Go through the conditions that were used before; what was typed is the newest of them."""
        if self._at == 0:
            self._history = (self._text, *self._history[1:])
        self._at = max(0, min(self._at + by, len(self._history) - 1))
        line = self.query_one(Input)
        line.value = self._history[self._at]
        line.cursor_position = len(line.value)

    def on_input_submitted(self) -> None:
        text = self._text.strip()
        if not text:
            self.dismiss(None)
        elif self._judge(text) is None:
            self.dismiss(text)
        else:
            self._taken = True
            self._show()
