"""What a person does to the filter of the list: facets, and the value under the cell cursor."""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.screens.common_cases import is_common
from inspector.screens.controller import Controller, TableScreen
from inspector.screens.dialog import TypedAhead
from inspector.state.filtering.completion import Completion, completion, fault_of, left_by, vocabulary
from inspector.state.filtering.facets import Counts, FacetColumn
from inspector.state.filtering.filter_words import value_words
from inspector.state.filtering.slices import condition_titles
from inspector.state.screen_state import ScreenState
from inspector.widgets.columns import TableColumn
from inspector.widgets.facet_list import FacetGroup, FacetList, FacetMark, FacetValue
from inspector.widgets.line_view import Line, LineView
from inspector.widgets.text_editor import TypingLine
from scoring.data.errors import FilterError, UsageError
from scoring.workspace.filtering.filters import FacetChoice, Filter
from scoring.workspace.filtering.sql_words import named

# -- the line in which a condition is typed, with what may come next above it and what is wrong below


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


# -- the facets of a screen state in the words of the screen


LISTED = 8
"""Values of a facet that are listed before the others are asked for."""
CONDITIONS, GIVEN = "conditions", "given"
"""What stands as the column of a condition that was typed, and of one that was given when the app was opened."""


class Folds(Struct, frozen=True):
    """Which groups of facets are folded or open, where it was asked for, and of which all values are listed."""

    open: dict[str, bool] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()

    def is_open(self, group: str, *, aside: bool) -> bool:
        """Return whether a group is open; one that stands `aside` is folded until it is asked for."""
        return self.open.get(group, not aside)

    def turned(self, group: str, *, now_open: bool) -> "Folds":
        """Return the folds with one group folded or opened."""
        return replace(self, open={**self.open, group: now_open})

    def listing(self, group: str) -> "Folds":
        """Return the folds with all values of a group listed, or the first ones again."""
        return replace(self, whole=self.whole ^ {group})


def facet_groups(state: ScreenState, folds: Folds | None = None) -> list[FacetGroup]:
    """Return every facet that tells cases apart, its values counted under this filter and marked; then conditions.

    Only groups that are open are counted.
    """
    folds = folds or Folds()
    chosen = state.filter
    columns = state.facet_columns
    opened = [
        facet for facet in columns if folds.is_open(facet.column, aside=facet.aside and not chosen.facet(facet.column))
    ]
    counts = state.facet_counts(opened)
    groups = []
    for facet in columns:
        if facet in opened and facet.column in counts:
            groups.append(_opened(facet, counts[facet.column], state, folds))
        elif facet not in opened:
            note = _marked(chosen, facet.column)
            groups.append(FacetGroup(facet.column, facet.title, folded=True, note=note, short=_short(facet)))
    return [*_conditions(state, folds), *groups]


def _opened(facet: FacetColumn, counts: Counts, state: ScreenState, folds: Folds) -> FacetGroup:
    marks = [_mark(state, facet, value) for value, _ in counts]
    radio = facet.kind == "benchmarks"
    values = tuple(
        FacetValue(facet.column, value, _label(facet, value), count, mark, radio=radio)
        for (value, count), mark in zip(counts, marks, strict=True)
    )
    whole = facet.column in folds.whole
    listed = values if whole else _first(values)
    more = len(values) - len(listed)
    return FacetGroup(facet.column, facet.title, listed, more=more, whole=whole, short=_short(facet))


def _short(facet: FacetColumn) -> str:
    """Of an outcome, whose it is: long names differ at their ends, and the values say what they are."""
    return facet.column.rpartition(".")[0] if facet.kind == "outcomes" else ""


def _first(values: Sequence[FacetValue]) -> tuple[FacetValue, ...]:
    """The first values and all that are marked; one more than the first few is listed rather than told of."""
    if len(values) <= LISTED + 1:
        return tuple(values)
    return tuple(value for place, value in enumerate(values) if place < LISTED or value.mark)


def _mark(state: ScreenState, facet: FacetColumn, value: FacetChoice) -> FacetMark:
    if facet.kind == "benchmarks":
        return "keep" if value == state.benchmark else ""
    for marked in state.filter.facets:
        if marked.column == facet.column and value in marked.values:
            return "keep" if marked.keep else "hide"
    return ""


def _marked(chosen: Filter, column: str) -> str:
    """How many values of a facet are kept and hidden, in words."""
    counts = {"kept": chosen.facet(column, keep=True), "hidden": chosen.facet(column, keep=False)}
    return ", ".join(f"{len(facet.values)} {word}" for word, facet in counts.items() if facet)


def _conditions(state: ScreenState, folds: Folds) -> list[FacetGroup]:
    """The conditions that were typed or given, as a group of their own; none where there are none."""
    titles = condition_titles(state)
    base = [FacetValue(GIVEN, text, titles.get(text, text), None, "fixed") for text in state.base]
    typed = [FacetValue(CONDITIONS, text, titles.get(text, text), None, "keep") for text in state.filter.where]
    if not base and not typed:
        return []
    if not folds.is_open(CONDITIONS, aside=False):
        return [FacetGroup(CONDITIONS, CONDITIONS, folded=True, note=str(len(base) + len(typed)))]
    return [FacetGroup(CONDITIONS, CONDITIONS, (*base, *typed))]


def _label(facet: FacetColumn, value: FacetChoice) -> str:
    if facet.kind == "outcomes" and isinstance(value, str):
        return f"{GLYPHS[value]} {WORDS[value]}"
    return value_words(value, facet.column)


# -- the value of one cell of the list, as a change of the filter: keep it or hide it


def with_cell(state: ScreenState, column: TableColumn, value: Any, *, keep: bool) -> Filter:
    """Return the filter with the value of a cell kept, and no other of its column; or hidden.

    A fraction stands for all that read the same on screen. Of a list every member is kept or hidden.

    Raises:
        UsageError: the cell is no column that a condition can speak of; and why.
    """
    name = _source(state, column)
    dtype, chosen = state.results.column(name).dtype, state.filter
    if isinstance(dtype, pl.List):
        if dtype.inner != pl.String():
            raise UsageError(f"{column.title} holds lists of numbers.", "Keep or hide it with : and a condition.")
        members = list(dict.fromkeys(value)) if value else [None]
        chosen = chosen.without(name) if keep else chosen
        for member in members:
            chosen = _with(chosen, name, member, keep=keep, listed=True, first=member is members[0])
        return chosen
    if isinstance(value, float):
        return chosen.plus(_reads_the_same(name, value, column.decimals, keep=keep))
    return _with(chosen, name, value, keep=keep, listed=False, first=True)


def _with(chosen: Filter, name: str, value: Any, *, keep: bool, listed: bool, first: bool) -> Filter:
    if not keep:
        return chosen.hiding(name, value, listed=listed)
    return chosen.only(name, value, listed=listed) if first else chosen.toggled(name, value, listed=listed)


def _source(state: ScreenState, column: TableColumn) -> str:
    """The one column of the data that a cell shows."""
    if isinstance(column.source, tuple):
        raise UsageError(
            f"{column.title} is a picture of several columns, not a value to keep or hide.", "Choose another cell."
        )
    (name,) = column.sources
    if name not in state.results.columns:
        raise UsageError(f"{column.title} is not a column that a condition can speak of.", "Choose another cell.")
    return name


def _reads_the_same(name: str, value: float, decimals: int, *, keep: bool) -> str:
    """The condition that a number reads as this one does with so many digits; or that it does not."""
    column = named(name)
    if math.isnan(value):
        return f"{column} IS {'' if keep else 'NOT '}NULL"
    if math.isinf(value):
        return _sided(column, value, keep=keep)
    low, high = _least(value, decimals), -_least(-value, decimals)
    within = f"{column} BETWEEN {low!r} AND {high!r}"
    return within if keep else f"{column} NOT BETWEEN {low!r} AND {high!r} OR {column} IS NULL"


def _sided(column: str, value: float, *, keep: bool) -> str:
    """The condition on an infinite number: beyond every finite one."""
    most = sys.float_info.max
    beyond = f"{column} < {-most!r}" if value < 0 else f"{column} > {most!r}"
    return beyond if keep else f"NOT ({beyond}) OR {column} IS NULL"


def _least(value: float, decimals: int) -> float:
    """The least float that reads as this one does."""
    reading = _reading(value, decimals)
    # Half a unit below; what rounds to even or was no tie is a few floats away.
    low = float(reading) - 0.5 * 10.0**-decimals
    while _reading(low, decimals) == reading:
        low = math.nextafter(low, -math.inf)
    while _reading(low, decimals) != reading:
        low = math.nextafter(low, math.inf)
    return low


def _reading(value: float, decimals: int) -> str:
    """A number as it reads; zero without its sign."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


LISTS = ("tags",)
"""Columns of lists that are facets."""


class FilteredScreen(TableScreen, Protocol):
    """What filtering uses of the screen with the list."""

    @property
    def facets(self) -> FacetList: ...
    def rearrange(self) -> None: ...


class Filtering(Controller[FilteredScreen]):
    """Changes the filter of the list; the facets beside it tell the filter."""

    _folds = Folds()

    # -- facets

    def show(self, state: ScreenState) -> None:
        """Count the facets anew where they are on screen."""
        facets = self.screen.facets
        if facets.display:
            facets.show(facet_groups(state, self._folds))

    def action_facets(self) -> None:
        """Open the facets and go there; from there, back to the list and close."""
        facets = self.screen.facets
        if facets.display and facets.has_focus:
            self.close()
            return
        facets.display = True
        self.screen.rearrange()
        self.show(self.state)
        facets.focus()

    def close(self) -> None:
        """Close the facets and go back to the list, which gets their room."""
        self.screen.facets.display = False
        self.screen.table.focus()
        self.screen.rearrange()

    def toggle(self, event: FacetList.Toggled) -> None:
        now, column = self.state, event.column
        if column == GIVEN and is_common(now, str(event.value)):
            key = self.context.keys.of("common-cases")
            self.screen.say(f"This puts all figures on the common cases; {key} on the board takes it away.")
        elif column == GIVEN:
            self.screen.say("This was given when prm-inspect was started, and holds until it is left.")
        elif column == CONDITIONS:
            self._put_filter(now.filter.less(event.value))
        elif column == "benchmark":
            self._look_at(event.value, keep=event.keep)
        elif event.alone:
            self._put_filter(_alone(now.filter, column, event.value))
        else:
            listed = column in LISTS
            self._put_filter(now.filter.toggled(column, event.value, keep=event.keep, listed=listed))

    def fold(self, event: FacetList.Folded) -> None:
        self._fold(self._folds.turned(event.group, now_open=event.now_open))

    def list_all(self, event: FacetList.Listed) -> None:
        self._fold(self._folds.listing(event.group))

    def _fold(self, folds: Folds) -> None:
        self._folds = folds
        self.show(self.state)

    def _look_at(self, benchmark: str, *, keep: bool) -> None:
        """Another benchmark in focus."""
        if not keep:
            self.screen.say(
                "Metrics differ from benchmark to benchmark: one is looked at, and keeping another chooses that."
            )
            return
        before = self.state.filter
        self.screen.close_rail()
        self.screen.put(self.state.on_benchmark(benchmark))
        gone = len(before.facets) - len(self.state.filter.facets)
        if gone:
            self.screen.say(f"{gone} of the filter's conditions had no case in {benchmark} and were left out.")

    def _put_filter(self, chosen: Filter) -> None:
        self.screen.close_rail()
        self.screen.put(self.state.filtered(chosen))

    def clear(self) -> None:
        """Take away what was filtered here."""
        self.screen.close_rail()
        before = self.state.shown.size
        self.screen.put(self.state.unfiltered())
        if self.state.shown.size == before:
            for_all = self.state.base or self.state.base_search is not None
            self.screen.say(
                "Only conditions that hold for the whole app are left." if for_all else "Nothing is filtered."
            )

    # -- conditions

    def action_condition(self) -> None:
        """Ask for an SQL condition, and add it to the filter."""
        now = self.state
        known = vocabulary(now.results, now.scorer)
        line = ConditionScreen(
            lambda text, at: completion(text, at, known),
            lambda text: fault_of(now.results, text),
            lambda text: left_by(now, text),
            self.context.remembered.left.conditions,
        )
        self.screen.app.push_screen(line, self._add_condition)

    def _add_condition(self, condition: str | None) -> None:
        if condition is None:
            return
        self.context.remembered.add("conditions", condition)
        try:
            self._put_filter(self.state.filter.plus(condition))
        except FilterError as error:
            # What can be evaluated on no case may still fail on some.
            self.screen.notify(clean(str(error)), severity="warning", markup=False)

    # -- the value under the cell cursor

    def action_keep_value(self) -> None:
        self._with_cell(keep=True)

    def action_hide_value(self) -> None:
        self._with_cell(keep=False)

    def _with_cell(self, *, keep: bool) -> None:
        table = self.screen.table
        if table.row_id is None:
            self.screen.say("There is no row here to take a value from.")
            return
        if table.cell is None:
            table.action_cell(0)
            keys = f"{self.context.keys.of('keep')} keeps its value, {self.context.keys.of('hide')} hides it"
            self.screen.say(f"The cell in brackets can be another one beside it; then {keys}.")
            return
        try:
            chosen = with_cell(self.state, *table.cell, keep=keep)
        except UsageError as error:
            self.screen.say(f"{error.sentence[0].upper()}{error.sentence[1:]} {error.next_step}")
            return
        self._put_filter(chosen)


def _alone(chosen: Filter, column: str, value: FacetChoice) -> Filter:
    """The filter with one value of a column kept and no other; without it where it was so before."""
    only, without = chosen.only(column, value, listed=column in LISTS), chosen.without(column)
    before = [facet for facet in chosen.facets if facet.column == column]
    return without if before == [only.facet(column)] else only
