"""The board: which scorer is how good, and what its mistakes are made of."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
import polars as pl
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from inspector.analyses.board.arrangement import (
    ON_SCREEN,
    Arrangement,
    BoardKind,
    arranged,
    empty_keys,
    kind_of,
    title_of,
)
from inspector.analyses.board.board import board_view
from inspector.analyses.board.board_rows import (
    BOARD,
    SEPARATOR,
    BoardSlice,
    board_frame,
    metrics_in,
    pieces,
    published_frame,
    unscored_frame,
)
from inspector.analyses.board.cells import NOBODY, NOT_HERE, PUBLISHED, BoardCells
from inspector.analyses.board.drills import NO_NUMBER
from inspector.analyses.board.standings import Standings
from inspector.render.cells import share, signed
from inspector.render.charts.chart_columns import ChartAxis
from inspector.render.lines import CaseLink
from inspector.render.texts.frame_edges import THREE_COLUMNS
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart, cell, clean
from inspector.render.texts.wrap import wrap
from inspector.screens.base import AppScreen
from inspector.screens.board_arranging import BoardArranging
from inspector.screens.board_columns import Legend, board_columns, remarks
from inspector.screens.board_details import CURVE, LEAST, BoardDetails, BoardSheet
from inspector.screens.board_opening import BoardOpening
from inspector.screens.board_ranking import BoardRanking
from inspector.screens.common_cases import reasons_on_screen, show_banner, toggle_common_cases
from inspector.screens.controller import same_owners
from inspector.screens.exporting import report_of, score_facts
from inspector.screens.messages import Copy, Export, Inspected
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_lines import make_table, one_line, write_header
from inspector.state.case_list.listed import cleared
from inspector.state.screen_state import ScreenState
from inspector.widgets.columns import TableColumn
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_table import bindings_of
from inspector.widgets.line_scroll import Sized
from inspector.widgets.sheet_view import SheetView
from scoring.data.storage.remembered import IdentityCache
from scoring.selection.searching import search_words

NO_CASE = "There is no case here: prm-inspect import PATH reads a benchmark, or results."
FOOT = 2
"""Number of lines below the rows, for marks or for the column under the cursor."""
MOST_REMARKS = 4
"""Most lines of remarks on a row, if no panels are shown."""
_SIZES = IdentityCache(4)
"""Numbers of cases, by the frame of cases and the masks of benchmarks."""


class BoardScreen(AppScreen):
    """A row a scorer and benchmark, or one a subset.

    `how` is its arrangement, as it was left; `kind` says which columns it has; `frame` are its rows, in their order,
    and `pieces` their cases, by benchmark and subset.
    """

    NAME = "board"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("board"),
        # Elsewhere Esc goes back, and closes them first.
        Binding("escape", "back", "Close", show=False, system=True),
    ]
    ABOUT = (
        "Scorers by the official metric, with panels about the one under the cursor. Enter lists its failures. Press "
        "left and right to pick a number, Enter to list its cases."
    )

    arranging: BoardArranging

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__(context, state)
        self.ranking = BoardRanking(self)
        self.arranging = BoardArranging(self)
        self.opening = BoardOpening(self)
        self.details = BoardDetails(self)
        self.control(self.arranging, self.opening, self.details)
        self.how = Arrangement()
        self.kind = BoardKind()
        self._columns: dict[BoardKind, list[TableColumn]] = {}
        self._cells = BoardCells(context.glyphs)
        self._empty: tuple[str, ...] = ()
        self.pieces: dict[tuple[str, str | None], BoardSlice] = {}
        self._focus: tuple[str | None, str] = None, ""
        self._rows_of: tuple[object, ...] = ()
        self._bare = pl.DataFrame(schema=BOARD)
        self._told = Standings()
        self._order = ""
        self._marks: dict[int, list[TextPart]] = {}
        self.frame = self._told.beside(self._bare)

    def compose(self) -> ComposeResult:
        yield one_line("title")
        warning = one_line("banner")
        warning.display = False
        yield warning
        table = make_table(self.context.glyphs, "board", NO_CASE)
        table.add_class("pane")
        curve = BoardSheet(id="thresholds", classes="pane")
        sheet = BoardSheet(id="highlights")
        curve.can_focus = curve.display = sheet.display = False
        # An empty frame would flash for a moment.
        curve.visible = sheet.visible = False
        yield Horizontal(table, curve, id="upper")
        yield sheet
        yield from self.compose_rail()

    @property
    def table(self) -> FrameTable:
        """The rows."""
        return self.query_one(FrameTable)

    @property
    def line(self) -> dict[str, Any] | None:
        """The row under the cursor; None where there is none."""
        row = self.table.row_id
        return None if row is None else self.frame.row(row, named=True)

    def on_mount(self) -> None:
        self.arranging.recall()
        table = self.table
        table.focus()
        self.watch(table, "cell_name", self._describe, init=False)
        self.show_state(self.state)

    def show_state(self, state: ScreenState) -> None:
        results, table = state.results, self.table
        base = state.base, state.base_search
        if self.how.against not in {"", *(evaluation.scorer.name for evaluation in results.evaluations)}:
            self.how = replace(self.how, against="")
        board_pieces = pieces(results, *base, subsets=self.how.subsets)
        focus = state.focus.scorer, state.focus.benchmark
        other, self._focus = not table.row_count or focus != self._focus, focus
        query = results.query
        counting = query.protocol, query.unparsed, query.seed
        places = [(piece.benchmark, piece.subset) for piece in board_pieces]
        members = [piece.rows for piece in board_pieces]
        owners = self.how, self.rail_open, *counting, *results.evaluations, *places, *members
        if same_owners(owners, self._rows_of):
            self._describe()
        else:
            # A cursor that moves from scorer to scorer leaves the rows as they are.
            self._rows_of = owners
            self._make_rows(state, board_pieces)
        if other:
            self._follow(state)
        self._show_title(state)
        self._show_details()

    def _make_rows(self, state: ScreenState, board_pieces: Sequence[BoardSlice]) -> None:
        results, base = state.results, (state.base, state.base_search)
        self.pieces = {(piece.benchmark, piece.subset): piece for piece in board_pieces}
        frame = board_frame(results, *base, subsets=self.how.subsets)
        # Where nothing was scored the printed figures are all that there is to see.
        if self.how.published or not frame.height:
            frame = pl.concat([frame, published_frame(self.pieces)])
        scored = set(frame.filter(pl.col("kind") != PUBLISHED)["benchmark"])
        self._bare = pl.concat([frame, unscored_frame(board_pieces, scored)])
        self._fill(self.ranking.ranked(results, board_pieces, self.how.against))

    def _share_out(self) -> None:
        """Give the table the lines that it needs and the panels the rest; short screens have only the table."""
        table, sheet, curve = self.table, self.details.sheet, self.details.curve
        frame = 2 * (not self.has_class("-short"))
        needed = self.table.row_count + 1 + FOOT + frame + table.show_horizontal_scrollbar
        taken = sum(self.query_one(f"#{name}").display for name in ("title", "banner", "job")) + 1
        rail = self.query_one("#rail").styles.height
        taken += int(rail.value) if self.rail_open and rail is not None else 0
        wide = self.app.size.width >= THREE_COLUMNS
        upper = max(needed, CURVE) if wide else needed
        left = self.app.size.height - taken - needed
        sheet.display = bool(table.row_count) and left >= LEAST + frame
        curve.display = sheet.display and wide and self.app.size.height - taken - upper >= LEAST + frame
        height = (upper if curve.display else needed) if sheet.display else "1fr"
        self.query_one("#upper").styles.height = height

    def _show_details(self) -> None:
        self._share_out()
        self.details.follow()

    def on_sheet_view_opened(self, message: SheetView.Opened) -> None:
        """Open the case of a failure, or list the cases behind another number."""
        if not self.details.open(message.drill):
            self.opening.open_link(message.drill)

    def on_sheet_view_moved(self) -> None:
        """Show the failure under the cursor."""
        self.details.redraw()

    def show_ranks(self) -> None:
        """Put on screen how the rows stand to each other, which is known now."""
        self._fill(self.ranking.known)

    def _fill(self, known: Standings) -> None:
        """Put the rows on screen, with what is known of them beside each other."""
        table = self.table
        self.frame = frame = arranged(known.beside(self._bare), self.how)
        several = self.state.cases["benchmark"].n_unique() > 1
        if not self.rail_open:
            # While the threshold moves nothing jumps.
            self._empty = empty_keys(frame)
        kind = kind_of(frame, self.how, several=several)
        axis = self._axis(kind.axis)
        self.kind = replace(kind, empty=self._empty, usual_keys=ON_SCREEN, axis=axis)
        # The same column objects while they are right: new ones would have every row painted again.
        if self.kind not in self._columns:
            self._columns[self.kind] = board_columns(self.context.glyphs, self.kind)
        table.show(frame, np.arange(frame.height, dtype=np.int32), self._columns[self.kind], key="row")
        table.sorted_by = self.arranging.sort_mark()
        self._told = known
        self._marks.clear()
        self._order = (" | " if self.context.glyphs.ascii_only else " · ").join(self._order_words())
        self._describe()

    def _axis(self, fitted: ChartAxis) -> ChartAxis:
        """Return the axis of the intervals. It stays while the threshold moves, if the intervals fit."""
        before = self.kind.axis
        return before if self.rail_open and before.low <= fitted.low and fitted.high <= before.high else fitted

    @property
    def legend(self) -> Legend:
        """What columns and marks mean now."""
        return Legend(self.frame, self.how, self._told, self.state.results.query.seed, self._cells)

    def marks_here(self) -> list[tuple[str, str]]:
        return list(self.legend.marks())

    def _show_title(self, state: ScreenState) -> None:
        scorers = self.frame.filter(~pl.col("kind").is_in(NOT_HERE))["scorer"].n_unique()
        names = state.cases["benchmark"].unique(maintain_order=True).to_list()
        whole = counted(state.cases.height, "case")
        n, wrong, clean_ones = self._sizes(state)
        between = " | " if self.context.glyphs.ascii_only else " · "
        cases = whole if n == state.cases.height else f"{n:,} of {whole}"
        sides = between.join((cases, f"{wrong:,} with an error", f"{clean_ones:,} clean"))
        path = [
            Phrase(("prm-inspect", ""), rank=5),
            Phrase((", ".join(names) or "no benchmark", counted(len(names), "benchmark"), ""), rank=1),
        ]
        facts = [Phrase((sides, cases) if wrong + clean_ones else (cases,), rank=3)]
        facts.append(Phrase((counted(scorers, "scorer"), ""), rank=4))
        if conditions := (*state.base, *search_words(state.base_search)):
            facts.append(Phrase(("filter " + " AND ".join(conditions), "filtered"), rank=2))
        write_header(self, path, facts)
        show_banner(self, state)

    def _sizes(self, state: ScreenState) -> tuple[int, int, int]:
        """Return the numbers of all cases, cases with an error and clean cases."""
        whole = [piece.rows for piece in self.pieces.values() if piece.subset is None]
        earliest = state.cases["earliest_error"]

        def count() -> tuple[int, int, int]:
            rows = np.logical_or.reduce(whole) if whole else np.zeros(earliest.len(), dtype=np.bool_)
            labels = earliest.filter(pl.Series(rows))
            return int(rows.sum()), int((labels >= 0).sum()), int((labels == -1).sum())

        return _SIZES.of("sizes", (state.cases, *whole), count)

    def on_screen_resume(self) -> None:
        self._follow(self.state)

    def _follow(self, state: ScreenState) -> None:
        """Put the cursor on the scorer in focus: at the start, and where something else went to another one."""
        here = self.line
        row = f"{state.focus.scorer or ''}{SEPARATOR}{state.focus.benchmark}"
        if here is None or not f"{here['row']}{SEPARATOR}".startswith(f"{row}{SEPARATOR}"):
            self.table.go_to(row)

    def on_frame_table_highlighted(self) -> None:
        """Focus the scorer of the row under the cursor.

        Asked of the table now: the message may be older than where the cursor is.
        """
        line = self.line
        if line is not None and line["kind"] != PUBLISHED:
            scorer, benchmark = None if line["kind"] == NOBODY else line["scorer"], line["benchmark"]
            if (scorer, benchmark) != (self.state.focus.scorer, self.state.focus.benchmark):
                self.close_rail()
                self.put(self.state.focused(scorer, benchmark))
                return
        self._describe()

    def _describe(self) -> None:
        """Write the frame of the table and the lines below its rows."""
        table, line, key = self.table, self.line, self.table.cell_name
        position = f"{table.cursor + 1:,} of {table.row_count:,}" if line is not None else ""
        behind = None if line is None else self.opening.behind(line)
        opens = f"Enter lists {behind.n:,}: {behind.words}" if isinstance(behind, CaseLink) else ""
        title = "Scorers"
        if self.how.against:
            title = f"Scorers: differences to {short_name(self.how.against, 40, self.state.results.chosen)}"
        between = " | " if self.context.glyphs.ascii_only else " · "
        table.caption(title, self._order, between.join(filter(None, (opens, position))))
        if key:
            words = f"{title_of(key, self.kind)}: {self.legend.column(key)}."
            if key == "interval" and line is not None and (ends := self._ends(line)):
                words = f"{words} {line['scorer']}: {ends}."
            if not opens and isinstance(behind, str) and behind != NO_NUMBER:
                words = f"{words} {behind}"
            self._write_foot(words)
        elif line is not None:
            self._write_marks(line)

    def _ends(self, line: dict[str, Any]) -> str:
        """Return the interval of a row in figures, since the table draws it; "" without an interval."""
        against = bool(self.how.against)
        low, high = (line[f"{'d_' if against else ''}{name}"] for name in ("low", "high"))
        if low is None or high is None:
            return ""
        return f"{signed(low)} to {signed(high)}" if against else f"{share(low)} to {share(high)}"

    def _write_marks(self, line: dict[str, Any]) -> None:
        """Write the marks below the rows and, if no panels are shown, remarks on the row."""
        width = max(20, self.table.viewport.width - 2)
        if width not in self._marks:
            self._marks[width] = [(" ", ""), *self.legend.line(width)]
        marks = self._marks[width]
        # Remarks hide at most one row.
        room = self.table.viewport.height - 1 - self.table.row_count - FOOT
        if self.details.sheet.display:
            self.table.foot = ((), marks)
        elif room <= 0 and (line["kind"] == NOBODY or remarks(line)):
            self._write_foot(self._remarks(line))
        else:
            blank = [()] if room > 0 else []
            self.table.foot = (*blank, marks, *self._lines(self._remarks(line), min(MOST_REMARKS, max(1, room))))

    def _write_foot(self, text: str) -> None:
        """Write sentences below the rows."""
        lines = self._lines(text, FOOT)
        self.table.foot = (*lines, *[()] * (FOOT - len(lines)))

    def _lines(self, text: str, most: int) -> list[list[TextPart]]:
        """Wrap sentences to at most `most` lines; cut the last one."""
        width = max(20, self.table.viewport.width - 2)
        lines = wrap(clean(text), width) if text else []
        if len(lines) > most:
            lines = [*lines[: most - 1], cell(" ".join(lines[most - 1 :]), width)]
        return [[(f" {line}", "dim")] for line in lines]

    def _order_words(self) -> Iterator[str]:
        """Yield the metric, the grouping of rows and their order."""
        metrics = metrics_in(self.frame)
        kinds = self.frame["over"].drop_nulls().unique().to_list() if len(metrics) == 1 else []
        if len(kinds) == 1:
            yield f"{metrics[0]}: {kinds[0]}"
        if self.how.subsets and self.frame["subset"].is_not_null().any():
            yield f"rows by {self.how.rows}"
        key, _, direction = self.how.sort.rpartition(":")
        arrows = ("^", "v") if self.context.glyphs.ascii_only else ("↑", "↓")
        yield f"sorted by {title_of(key, self.kind)} {arrows[direction == 'desc']}"

    def _remarks(self, line: dict[str, Any]) -> str:
        """Return sentences about a row that no panel shows."""
        if line["kind"] == NOBODY:
            score = self.context.keys.of("score")
            return f"{counted(line['cases'], 'case')} not scored yet. Enter opens them, {score} scores them."
        texts = [*remarks(line), *([f"{unseen}."] if (unseen := self._unseen(line)) else [])]
        return " ".join([*texts, *([line["about"]] if line["about"] else [])])

    def _unseen(self, line: dict[str, Any]) -> str:
        """Return the threshold of a row in words; "" if the table shows it."""
        if line["kind"] in NOT_HERE or self.table.width_of("threshold"):
            return ""
        at = "" if line["threshold"] is None else f"Threshold {line['threshold']:.3f}, "
        return f"{at}{line['threshold_source']}"

    def on_frame_table_opened(self) -> None:
        self.opening.open()

    def on_sized_resized(self, event: Sized.Resized) -> None:
        """Say what the table has room for now."""
        if isinstance(event.view, FrameTable):
            self._show_details()
            self._describe()
        elif isinstance(event.view, BoardSheet):
            self.details.redraw()
        super().on_sized_resized(event)

    def action_go(self, name: str) -> None:
        """Open a screen of analysis: on all cases, as the board is."""
        self.close_rail()
        # Told to the app alone: the board shows the same with and without a filter of the list.
        self.post_message(Inspected(cleared(self.state)))
        self.app_commands.go(name)

    def action_back(self) -> None:
        """Leave the pane, then the cell that was chosen, then the differences."""
        table = self.table
        if not table.has_focus:
            table.focus()
        elif table.cell_name:
            table.cell_name = ""
        elif self.how.against:
            self.arranging.arrange_as(replace(self.how, against=""))

    def action_common(self) -> None:
        """Put all figures on the common cases, or each on its own again."""
        toggle_common_cases(self, reasons_on_screen)

    def action_yank_row(self) -> None:
        """Copy the row under the cursor."""
        facts = self.line
        if facts is None:
            self.say("There is no row to copy.")
            return
        self.post_message(Copy(score_facts(self.state, facts), f"the row of {facts['scorer']}"))

    def action_export(self) -> None:

        from inspector.screens.export import offer_exports

        self.close_rail()
        rows = f"The {counted(self.frame.height, 'row')} on screen, in this order, with these columns"
        choices = (
            (Export("board", "", make=partial(board_view, self.state, self.how)), rows),
            (Export("all-metrics", ""), "The metrics of all scorers, by subset"),
        )
        behind = cleared(self.state)
        report = Export("report", "html", make=partial(report_of, behind)) if behind.focus.scorer else None
        offer_exports(self, choices, report)
