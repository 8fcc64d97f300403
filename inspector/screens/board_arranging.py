"""How the board is arranged: its rows, order and columns, a reference, baselines and printed figures."""

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.board import subsets_of
from inspector.board_arrangement import BEST_FIRST, ROWS, Arrangement, as_kept
from inspector.board_cells import BASELINE, NOBODY, NOT_HERE, PUBLISHED
from inspector.board_columns import entries
from inspector.catalogue import Entry
from inspector.inspection import Inspection
from inspector.ordering import DIRECTIONS
from inspector.screens.column_menu import ColumnMenu
from inspector.screens.controller import Controller
from inspector.screens.sort_menu import SortMenu, sort_of
from inspector.selection import with_baselines
from scoring.metrics.baselines import baselines, is_baseline

if TYPE_CHECKING:
    from inspector.screens.board import BoardScreen
    from inspector.widgets.columns import Column
    from scoring.evaluation import Evaluation
    from scoring.gold import Gold


class BoardArranging(Controller):
    """Arranges the board (`how` of the screen), and keeps it for the next time."""

    screen: "BoardScreen"

    def recall(self) -> None:
        """Arrange the board as it was left."""
        left = self.screen.remembered.left
        self.screen.how = as_kept(left.board_rows, left.board_sort, left.board_columns)
        self.screen.table.widths = left.board_widths

    def arrange_as(self, how: Arrangement) -> None:
        """Show the board in another way, and keep it for the next time."""
        self.screen.how = how
        self.screen.remembered.keep(board_rows=how.rows, board_sort=how.sort, board_columns=how.columns)
        if self.inspection is not None:
            self.screen.show_inspection(self.inspection)

    # -- rows

    def action_rows(self) -> None:
        """Group the rows by the next thing."""
        if self.inspection is None:
            return
        self.screen.close_rail()
        benchmarks = self.inspection.cases["benchmark"].unique(maintain_order=True).to_list()
        divided = any(subsets_of(self.inspection.selection, name) for name in benchmarks)
        offered = ROWS if divided else ROWS[:2] if len(benchmarks) > 1 else ROWS[:1]
        if len(offered) == 1:
            self.screen.say("There is one benchmark without subsets: rows can be grouped by nothing else.")
            return
        at = offered.index(self.screen.how.rows) if self.screen.how.rows in offered else -1
        self.arrange_as(replace(self.screen.how, rows=offered[(at + 1) % len(offered)]))

    # -- order

    def sort_mark(self) -> tuple[str, str]:
        """The name of the column that rows are sorted by, and its mark."""
        key, _, direction = self.screen.how.sort.rpartition(":")
        up, down = "^v" if self.screen.brush.ascii_only else "↑↓"
        return key, up if direction == DIRECTIONS[0] else down

    def action_sort(self) -> None:
        """Choose a column to sort by."""
        self.screen.close_rail()
        self.screen.app.push_screen(SortMenu(entries(self.screen.kind), self.screen.how.sort), self._sort)

    def _sort(self, sort: str | None) -> None:
        if sort is not None:
            self.arrange_as(replace(self.screen.how, sort=sort or BEST_FIRST))
            self.screen.table.action_first()

    def sort_by(self, column: "Column") -> None:
        """Sort by the column, then the other way."""
        entry = next(one for one in entries(self.screen.kind) if one.key == column.name)
        if not entry.sortable:
            self.screen.notify(f"{entry.title[0].upper()}{entry.title[1:]} has no order to sort by.", markup=False)
            return
        self.screen.close_rail()
        self._sort(sort_of(entry, self.screen.how.sort))

    # -- columns

    def action_columns(self) -> None:
        """Choose the columns."""
        self.screen.close_rail()
        kind = self.screen.kind
        empty = () if kind.chosen else kind.empty
        menu = ColumnMenu(self.screen.table, entries(kind), kind.keys, kind.filled, empty, "the board")
        self.screen.app.push_screen(menu, self._choose)

    def _choose(self, columns: tuple[str, ...] | None) -> None:
        if columns is not None:
            self.keep_widths()
            self.arrange_as(replace(self.screen.how, columns=columns))

    def columns_offered(self) -> tuple[Entry, ...]:
        return entries(self.screen.kind)

    def to_column(self, key: str) -> None:
        self.screen.close_rail()
        table = self.screen.table
        if key not in {column.name for column in table.columns_shown}:
            self._choose((*(name for name in self.screen.kind.keys if name != key), key))
        table.focus()
        table.cell_name = key

    def keep_widths(self) -> None:
        """Keep the widths that a person gave."""
        self.screen.remembered.keep(board_widths=dict(self.screen.table.widths))

    # -- a reference

    def action_differences(self) -> None:
        """Tell scores as differences to the scorer under the cursor, or as they are again."""
        self.screen.close_rail()
        row = self.screen.table.row_id
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
        if self.inspection is None:
            return
        selection = self.inspection.selection
        if selection.request.baselines:
            self._with_baselines(self.inspection, ())
        elif selection.evaluations:
            work = partial(self._make_baselines, selection.evaluations[0].gold, selection.request.seed)
            self.screen.run_worker(work, thread=True, exclusive=True, group="baselines", description="baselines")
        else:
            self.screen.say(
                "Without a scorer there is nothing to hold baselines against; prm-inspect --baselines shows them."
            )

    def _make_baselines(self, gold: "Gold", seed: int) -> None:
        """In a thread."""
        self.screen.call_later(self._put_baselines, gold, baselines(gold, seed))

    def _put_baselines(self, gold: "Gold", made: "tuple[Evaluation, ...]") -> None:
        """Show them, unless the cases were read again meanwhile."""
        now = self.inspection
        if now is not None and not self.screen.held and gold in [one.gold for one in now.selection.evaluations]:
            self._with_baselines(now, made)

    def _with_baselines(self, inspection: Inspection, made: "tuple[Evaluation, ...]") -> None:
        selection = with_baselines(inspection.selection, made)
        if self.screen.how.against not in selection.chosen:
            self.screen.how = replace(self.screen.how, against="")
        self.screen.put(inspection.renewed(selection))
        names = [one.scorer.name for one in selection.evaluations if is_baseline(one.scorer)]
        if made and len(names) < len(made):
            self.screen.say("A scorer has the name of a baseline, which is left out.")
        elif made and BASELINE not in set(self.screen.frame["kind"]):
            self.screen.say("There is no case here that a baseline could be held against.")
