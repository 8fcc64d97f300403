"""The board: which scorer is how good, and what its mistakes are made of."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
import polars as pl
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.analyses.board.arrangement import Arrangement, BoardKind, arranged, empty_keys, kind_of, title_of
from inspector.analyses.board.board import board_view
from inspector.analyses.board.board_rows import (
    BOARD,
    SEPARATOR,
    BoardSlice,
    board_frame,
    metrics_of,
    pieces,
    published_frame,
    unscored_frame,
)
from inspector.analyses.board.cells import NOBODY, NOT_HERE, PUBLISHED, BoardCells
from inspector.analyses.board.standings import Standings
from inspector.render.cells import signed
from inspector.render.lines import CaseLink
from inspector.render.texts.headlines import unit_of
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import clean
from inspector.screens.base import AppScreen
from inspector.screens.board_arranging import BoardArranging
from inspector.screens.board_columns import Legend, board_columns
from inspector.screens.board_highlights import CurvePane, HighlightsPane, ScorerPane
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
from scoring.selection.searching import search_words

NO_CASE = "There is no case here: prm-inspect import PATH reads a benchmark, or results."
NOT_SCORED = (
    "{cases} that nobody has scored: Enter reads them, {score} scores them, prm-inspect import PATH reads results."
)


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
        "Scorers by the official metric. From each one gets to its failures and to all cases; from a number, which the "
        "keys that go sideways choose, to exactly the cases behind it."
    )

    arranging: BoardArranging

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__(context, state)
        self.ranking = BoardRanking(self)
        self.arranging = BoardArranging(self)
        self.opening = BoardOpening(self)
        self.control(self.arranging, self.opening)
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
        self.frame = self._told.beside(self._bare)

    def compose(self) -> ComposeResult:
        yield one_line("title")
        warning = one_line("banner")
        warning.display = False
        yield warning
        yield make_table(self.context.glyphs, "board", NO_CASE)
        yield CurvePane(self.context.glyphs)
        yield HighlightsPane(self.context.glyphs)
        yield Static(Content(""), id="about")
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
        self._highlight(state)

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

    def _highlight(self, state: ScreenState) -> None:
        """Have the panes follow, where the rows leave room."""
        for pane in self.query(ScorerPane):
            pane.follow(state, self.size.height - self.table.row_count - self.table.show_horizontal_scrollbar)

    def on_sheet_view_opened(self, message: SheetView.Opened) -> None:
        """List the cases behind a number of the pane."""
        self.opening.open_link(message.drill)

    def action_pane(self) -> None:
        """Go to the pane, and back."""
        pane, table = self.query_one(HighlightsPane), self.table
        if pane.has_focus:
            table.focus()
        elif pane.display:
            pane.focus()
        else:
            self.say(f"There is no room for it here: {self.context.keys.of('highlights')} opens it.")

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
        self.kind = replace(kind_of(frame, self.how, several=several), empty=self._empty)
        # The same column objects while they are right: new ones would have every row painted again.
        if self.kind not in self._columns:
            self._columns[self.kind] = board_columns(self.context.glyphs, self.kind)
        table.show(frame, np.arange(frame.height, dtype=np.int32), self._columns[self.kind], key="row")
        table.sorted_by = self.arranging.sort_mark()
        self._told = known
        self._describe()

    @property
    def legend(self) -> Legend:
        """What columns and marks mean now."""
        return Legend(self.frame, self.how, self._told, self.state.results.query.seed, self._cells)

    def marks_here(self) -> list[tuple[str, str]]:
        return list(self.legend.marks())

    def _show_title(self, state: ScreenState) -> None:
        frame = self.frame
        metrics = metrics_of(frame)
        scorers = frame.filter(~pl.col("kind").is_in(NOT_HERE))["scorer"].n_unique()
        kinds = frame["over"].drop_nulls().unique().to_list() if len(metrics) == 1 else []
        names = state.cases["benchmark"].unique(maintain_order=True).to_list()
        whole = counted(state.cases.height, "case")
        n = sum(int(piece.rows.sum()) for piece in self.pieces.values() if piece.subset is None)
        path = [
            Phrase(("prm-inspect", ""), rank=4),
            Phrase((", ".join(names) or "no benchmark", counted(len(names), "benchmark"), ""), rank=3),
        ]
        phrases = [
            Phrase((whole if n == state.cases.height else f"{n:,} of {whole}",)),
            Phrase((counted(scorers, "scorer"), ""), rank=1),
        ]
        if self.how.against:
            name = short_name(self.how.against, 40, state.results.chosen)
            phrases.append(Phrase((f"differences to {name}", f"less {name}", "differences")))
        if self.how.subsets and self.frame["subset"].is_not_null().any():
            phrases.append(Phrase((f"rows by {self.how.rows}", ""), rank=2))
        if len(kinds) == 1:
            phrases.append(Phrase((f"{metrics[0]}: {kinds[0]}", ""), rank=5))
        conditions = (*state.base, *search_words(state.base_search))
        if conditions:
            phrases.append(Phrase(("filter " + " AND ".join(conditions), "filtered"), rank=2))
        write_header(self, path, phrases)
        show_banner(self, state)

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
        self._describe()

    def _describe(self) -> None:
        line, about = self.line, []
        if line is not None:
            # The table may have shortened it.
            room, scorer = self.table.width_of("scorer"), line["scorer"]
            name = "" if short_name(scorer, room, self.kind.scorers) == scorer else f"{scorer}: "
            behind = self.opening.behind(line)
            if line["kind"] == NOBODY:
                score = self.context.keys.of("score")
                about.append(NOT_SCORED.format(cases=counted(line["cases"], "case"), score=score))
            elif behind is not None:
                about.append(
                    f"Enter lists {behind.n:,}: the {behind.words}" if isinstance(behind, CaseLink) else behind
                )
            if line["reason"]:
                about.append(f"No {line['metric']}: {line['reason']}")
            if line["small"]:
                about.append(f"Few: {counted(line['n'], unit_of(line['metric']).removesuffix('s'))}")
            if (line["runs"] or 1) > 1:
                about.append("Outcomes, bias, FP and FN: of the first run")
            if line["d_reason"]:
                about.append(f"No difference: {line['d_reason']}")
            about += [unseen] if (unseen := self._unseen(line)) else []
            own = [text if text.endswith(".") else f"{text}." for text in about]
            about = [name + " ".join([*own, *([line["about"]] if line["about"] else [])])]
        if key := self.table.cell_name:
            about.insert(0, f"{title_of(key, self.kind)}: {self.legend.column(key)}.")
        self.query_one("#about", Static).update(Content(clean(" ".join(about))))

    def _unseen(self, line: dict[str, Any]) -> str:
        """Threshold, coverage and bias of a row in words, where the table has no room for them."""
        table, words = self.table, []
        at = "" if line["threshold"] is None else f"{line['threshold']:.3f}"
        # Before the first size is known no column is shown; those that were left out on purpose are not told.
        if not table.columns_shown or line["kind"] in NOT_HERE:
            return ""
        wanted = {key for key in self.kind.keys if not table.width_of(key)}
        source = f"{at} {line['threshold_source']}".strip()
        if "threshold" in wanted or 0 < table.width_of("threshold") < cell_len(source):
            words.append(f"{f'threshold {at}, ' if at else ''}{line['threshold_source']}")
        if "coverage" in wanted:
            words.append(f"{line['scored']:,} of {counted(line['cases'], 'case')} scored")
        if "bias" in wanted and line["bias"] is not None:
            words.append(f"bias {signed(line['bias'], ascii_only=self.context.glyphs.ascii_only)}")
        sentence = "; ".join(words)
        return sentence[:1].upper() + sentence[1:]

    def on_frame_table_opened(self) -> None:
        self.opening.open()

    def on_sized_resized(self, event: Sized.Resized) -> None:
        """Say what the table has room for now."""
        if isinstance(event.view, FrameTable):
            self._highlight(self.state)
            self._describe()

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
