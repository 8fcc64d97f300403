"""How the board is arranged: its rows, order and columns, a reference, baselines and printed figures."""

from functools import partial
from typing import Protocol

import polars as pl
from msgspec.structs import replace

from inspector.analyses.board.arrangement import BEST_FIRST, ROWS, Arrangement, BoardKind, as_kept, title_of
from inspector.analyses.board.board_rows import subsets_of
from inspector.analyses.board.cells import BASELINE, NOBODY, NOT_HERE, PUBLISHED
from inspector.screens.arranging import Arranging
from inspector.screens.board_columns import Legend, entries
from inspector.screens.controller import TableScreen
from inspector.state.case_list.catalogue import Entry
from inspector.state.renewing import renewed
from inspector.state.screen_state import ScreenState
from inspector.widgets.frame_table import FrameTable
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import Gold
from scoring.metrics.baselines import baselines, is_baseline
from scoring.metrics.deciding import speaks_of
from scoring.selection.result_set import with_baselines


class ArrangedBoard(TableScreen, Protocol):
    """What arranging uses of the board."""

    how: Arrangement
    kind: BoardKind
    frame: pl.DataFrame

    @property
    def legend(self) -> Legend: ...
    def show_state(self, state: ScreenState) -> None: ...


class BoardArranging(Arranging[ArrangedBoard]):
    """Arranges the board (`how` of the screen), and keeps it for the next time."""

    OF = "the board"

    def recall(self) -> None:
        """Arrange the board as it was left."""
        left = self.context.remembered.left
        self.screen.how = as_kept(left.board_rows, left.board_sort, left.board_columns)
        self.table.widths = left.board_widths

    def arrange_as(self, how: Arrangement) -> None:
        """Show the board in another way, and keep it for the next time."""
        self.screen.how = how
        self.context.remembered.keep(board_rows=how.rows, board_sort=how.sort, board_columns=how.columns)
        self.screen.show_state(self.state)

    # -- rows

    def action_rows(self) -> None:
        """Group the rows by the next thing."""
        self.screen.close_rail()
        benchmarks = self.state.cases["benchmark"].unique(maintain_order=True).to_list()
        divided = any(subsets_of(self.state.results, name) for name in benchmarks)
        offered = ROWS if divided else ROWS[:2] if len(benchmarks) > 1 else ROWS[:1]
        if len(offered) == 1:
            self.screen.say("There is one benchmark without subsets: rows can be grouped by nothing else.")
            return
        at = offered.index(self.screen.how.rows) if self.screen.how.rows in offered else -1
        self.arrange_as(replace(self.screen.how, rows=offered[(at + 1) % len(offered)]))

    # -- order and columns

    @property
    def table(self) -> FrameTable:
        return self.screen.table

    @property
    def order(self) -> str:
        return self.screen.how.sort

    def entries(self) -> tuple[Entry, ...]:
        return entries(self.screen.kind)

    def sort(self, sort: str) -> None:
        self.arrange_as(replace(self.screen.how, sort=sort or BEST_FIRST))

    def columns_here(self) -> list[tuple[str, str]]:
        kind = self.screen.kind
        return [(title_of(key, kind), self.screen.legend.column(key)) for key in kind.keys]

    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        kind = self.screen.kind
        return kind.keys, kind.filled, () if kind.chosen else kind.empty

    def arrange(self, columns: tuple[str, ...]) -> None:
        self.keep_widths()
        self.arrange_as(replace(self.screen.how, columns=columns))

    def keep_widths(self) -> None:
        self.context.remembered.keep(board_widths=dict(self.table.widths))

    # -- a reference

    def action_differences(self) -> None:
        """Show scores as differences to the scorer under the cursor, or as they are again."""
        self.screen.close_rail()
        row = self.table.row_id
        if row is None:
            self.screen.say("There is no scorer to compare with.")
        elif self.screen.frame["kind"][row] == PUBLISHED:
            self.screen.say("Nothing can be paired with a printed figure: none of its cases is here.")
        elif self.screen.frame["kind"][row] == NOBODY:
            self.screen.say("Nobody has scored this benchmark yet: there is nothing to compare with.")
        elif self.screen.how.against == self.screen.frame["scorer"][row]:
            self.arrange_as(replace(self.screen.how, against=""))
        elif self.screen.frame.filter(~self.screen.frame["kind"].is_in(NOT_HERE))["scorer"].n_unique() < 2:
            self.screen.say("There is no other scorer to compare with; baselines are scorers as well.")
        else:
            self.arrange_as(replace(self.screen.how, against=self.screen.frame["scorer"][row]))

    # -- what stands beside

    def action_published(self) -> None:
        """Show or hide printed figures."""
        self.screen.close_rail()
        self.arrange_as(replace(self.screen.how, published=not self.screen.how.published))
        if self.screen.how.published and PUBLISHED not in set(self.screen.frame["kind"]):
            self.screen.how = replace(self.screen.how, published=False)
            self.screen.say("No published figures are known for these benchmarks.")

    def action_baselines(self) -> None:
        """Add the baselines to the scorers, or take them away."""
        self.screen.close_rail()
        results = self.state.results
        there = [evaluation.scorer.name for evaluation in results.evaluations if is_baseline(evaluation.scorer)]
        if any(speaks_of(name, self.state.base) for name in there):
            self.screen.say("The app was opened on cases that a condition on a baseline chooses: they stay.")
        elif results.query.baselines:
            self._with_baselines(self.state, ())
        elif results.evaluations:
            work = partial(self._make_baselines, results.evaluations[0].gold, results.query.seed)
            self.screen.run_worker(work, thread=True, exclusive=True, group="baselines", description="baselines")
        else:
            self.screen.say(
                "Without a scorer there is nothing to hold baselines against; prm-inspect --baselines shows them."
            )

    def _make_baselines(self, gold: Gold, seed: int) -> None:
        """In a thread."""
        self.screen.call_later(self._put_baselines, gold, baselines(gold, seed))

    def _put_baselines(self, gold: Gold, made: tuple[Evaluation, ...]) -> None:
        """Show them, unless the cases were read again meanwhile."""
        now = self.state
        if not self.screen.held and gold in [of.gold for of in now.results.evaluations]:
            self._with_baselines(now, made)

    def _with_baselines(self, state: ScreenState, made: tuple[Evaluation, ...]) -> None:
        results = with_baselines(state.results, made)
        if self.screen.how.against not in results.chosen:
            self.screen.how = replace(self.screen.how, against="")
        self.screen.put(renewed(state, results))
        names = [evaluation.scorer.name for evaluation in results.evaluations if is_baseline(evaluation.scorer)]
        if made and len(names) < len(made):
            self.screen.say("A scorer has the name of a baseline, which is left out.")
        elif made and BASELINE not in set(self.screen.frame["kind"]):
            self.screen.say("There is no case here that a baseline could be held against.")
