"""How the board is arranged: its rows, order and columns, a reference, baselines and printed figures."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.message import Message

from inspector.board import subsets_of
from inspector.board_arrangement import BEST_FIRST, ROWS, Arrangement, BoardKind, as_kept
from inspector.board_cells import BASELINE, NOBODY, NOT_HERE, PUBLISHED
from inspector.board_columns import entries
from inspector.catalogue import Entry
from inspector.inspection import Inspection
from inspector.ordering import DIRECTIONS
from inspector.screens.board_ranking import BoardRanking
from inspector.screens.column_menu import ColumnMenu
from inspector.screens.sort_menu import SortMenu, sort_of
from inspector.selection import with_baselines
from inspector.widgets.frame_table import FrameTable
from scoring.metrics.baselines import baselines, is_baseline

if TYPE_CHECKING:
    import polars as pl

    from scoring.evaluation import Evaluation
    from scoring.gold import Gold


@dataclass
class BaselinesMade(Message):
    """The baselines of these gold labels."""

    gold: "Gold"
    evaluations: "tuple[Evaluation, ...]"


class BoardArranging(BoardRanking):
    """A board that a person arranges.

    `how` is its arrangement, as it was left; `kind` says which columns it has; `frame` are its rows, in their order.
    """

    how = Arrangement()
    kind = BoardKind()
    frame: "pl.DataFrame"

    def recall(self) -> None:
        """Arrange the board as it was left."""
        left = self.remembered.left
        self.how = as_kept(left.board_rows, left.board_sort, left.board_columns)
        self.query_one(FrameTable).widths = left.board_widths

    def arrange_as(self, how: Arrangement) -> None:
        """Show the board in another way, and keep it for the next time."""
        self.how = how
        self.remembered.keep(board_rows=how.rows, board_sort=how.sort, board_columns=how.columns)
        if self.inspection is not None:
            self.show_inspection(self.inspection)

    # -- rows

    def action_rows(self) -> None:
        """Group the rows by the next thing."""
        if self.inspection is None:
            return
        self.close_rail()
        benchmarks = self.inspection.cases["benchmark"].unique(maintain_order=True).to_list()
        divided = any(subsets_of(self.inspection.selection, name) for name in benchmarks)
        offered = ROWS if divided else ROWS[:2] if len(benchmarks) > 1 else ROWS[:1]
        if len(offered) == 1:
            self.say("There is one benchmark without subsets: rows can be grouped by nothing else.")
            return
        at = offered.index(self.how.rows) if self.how.rows in offered else -1
        self.arrange_as(replace(self.how, rows=offered[(at + 1) % len(offered)]))

    # -- order

    def sort_mark(self) -> tuple[str, str]:
        """The name of the column that rows are sorted by, and its mark."""
        key, _, direction = self.how.sort.rpartition(":")
        up, down = "^v" if self.brush.ascii_only else "↑↓"
        return key, up if direction == DIRECTIONS[0] else down

    def action_sort(self) -> None:
        """Choose a column to sort by."""
        self.close_rail()
        self.app.push_screen(SortMenu(entries(self.kind), self.how.sort), self._sort)

    def _sort(self, sort: str | None) -> None:
        if sort is not None:
            self.arrange_as(replace(self.how, sort=sort or BEST_FIRST))
            self.query_one(FrameTable).action_first()

    def on_frame_table_header_clicked(self, event: FrameTable.HeaderClicked) -> None:
        """Sort by the column, then the other way."""
        entry = next(one for one in entries(self.kind) if one.key == event.column.name)
        if not entry.sortable:
            self.notify(f"{entry.title[0].upper()}{entry.title[1:]} has no order to sort by.", markup=False)
            return
        self.close_rail()
        self._sort(sort_of(entry, self.how.sort))

    # -- columns

    def action_columns(self) -> None:
        """Choose the columns."""
        self.close_rail()
        kind = self.kind
        empty = () if kind.chosen else kind.empty
        menu = ColumnMenu(self.query_one(FrameTable), entries(kind), kind.keys, kind.filled, empty, "the board")
        self.app.push_screen(menu, self._choose)

    def _choose(self, columns: tuple[str, ...] | None) -> None:
        if columns is not None:
            self._keep_widths()
            self.arrange_as(replace(self.how, columns=columns))

    def columns_offered(self) -> tuple[Entry, ...]:
        return entries(self.kind)

    def to_column(self, key: str) -> None:
        self.close_rail()
        table = self.query_one(FrameTable)
        if key not in {column.name for column in table.columns_shown}:
            self._choose((*(name for name in self.kind.keys if name != key), key))
        table.focus()
        table.cell_name = key

    def on_frame_table_widths_changed(self) -> None:
        """Keep the widths that a person gave."""
        self._keep_widths()

    def _keep_widths(self) -> None:
        self.remembered.keep(board_widths=dict(self.query_one(FrameTable).widths))

    # -- a reference

    def action_differences(self) -> None:
        """Tell scores as differences to the scorer under the cursor, or as they are again."""
        self.close_rail()
        row = self.query_one(FrameTable).row_id
        if row is None:
            self.say("There is no scorer to compare with.")
        elif self.frame["kind"][row] == PUBLISHED:
            self.say("Nothing can be paired with a printed figure: none of its cases is here.")
        elif self.frame["kind"][row] == NOBODY:
            self.say("Nobody has scored this benchmark yet: there is nothing to compare with.")
        elif self.how.against == self.frame["scorer"][row]:
            self.arrange_as(replace(self.how, against=""))
        elif self.frame.filter(~self.frame["kind"].is_in(NOT_HERE))["scorer"].n_unique() < 2:
            self.say("There is no other scorer to compare with; baselines are scorers as well.")
        else:
            self.arrange_as(replace(self.how, against=self.frame["scorer"][row]))

    # -- what stands beside

    def action_published(self) -> None:
        """Show or hide printed figures."""
        self.close_rail()
        self.arrange_as(replace(self.how, published=not self.how.published))
        if self.how.published and PUBLISHED not in set(self.frame["kind"]):
            self.how = replace(self.how, published=False)
            self.say("No published figures are known for these benchmarks.")

    def action_baselines(self) -> None:
        """Add the baselines to the scorers, or take them away."""
        self.close_rail()
        if self.inspection is None:
            return
        selection = self.inspection.selection
        if selection.request.baselines:
            self._with_baselines(self.inspection, ())
        elif selection.evaluations:
            work = partial(self._make_baselines, selection.evaluations[0].gold, selection.request.seed)
            self.run_worker(work, thread=True, exclusive=True, group="baselines", description="baselines")
        else:
            self.say("Without a scorer there is nothing to hold baselines against; prm-inspect --baselines shows them.")

    def _make_baselines(self, gold: "Gold", seed: int) -> None:
        """In a thread."""
        self.post_message(BaselinesMade(gold, baselines(gold, seed)))

    def on_baselines_made(self, message: BaselinesMade) -> None:
        """Show them, unless the cases were read again meanwhile."""
        now = self.inspection
        if now is not None and not self.held and message.gold in [one.gold for one in now.selection.evaluations]:
            self._with_baselines(now, message.evaluations)

    def _with_baselines(self, inspection: Inspection, made: "tuple[Evaluation, ...]") -> None:
        selection = with_baselines(inspection.selection, made)
        if self.how.against not in selection.chosen:
            self.how = replace(self.how, against="")
        self.put(inspection.renewed(selection))
        names = [one.scorer.name for one in selection.evaluations if is_baseline(one.scorer)]
        if made and len(names) < len(made):
            self.say("A scorer has the name of a baseline, which is left out.")
        elif made and BASELINE not in set(self.frame["kind"]):
            self.say("There is no case here that a baseline could be held against.")
