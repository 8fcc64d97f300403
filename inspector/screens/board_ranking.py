"""What of a board takes a moment: who is tied with the best, and differences. Computed behind, then filled in."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace
from textual.worker import get_current_worker

from inspector.analyses.board.board_rows import BoardSlice
from inspector.analyses.board.standings import Standings, own_figures, standings, waiting
from inspector.render.texts.text import clean
from inspector.screens.controller import ControlledScreen, Controller, same_owners
from scoring.metrics.own import own_metrics
from scoring.selection.result_set import ResultSet

if TYPE_CHECKING:
    from textual.timer import Timer


REST = 0.15
"""Seconds without a change after which it is computed: a held threshold key is not slowed down by it."""


class RankedBoard(ControlledScreen, Protocol):
    """What the ranking uses of the board."""

    def show_ranks(self) -> None: ...


class BoardRanking(Controller[RankedBoard]):
    """How the rows of the board stand to the best one and to a reference."""

    _asked: tuple[object, ...] = ()
    """The evaluations and cases that the rows on screen are of, and the reference."""
    known = Standings()
    """What is known."""
    _known_of: tuple[object, ...] = ()
    _rest: "Timer | None" = None

    def ranked(self, results: ResultSet, pieces: Sequence[BoardSlice], against: str) -> Standings:
        """Return what is known of these rows; where nothing is yet, it is computed soon, once, and the screen told."""
        owners = (against, results.query.seed, *results.evaluations, *(piece.rows for piece in pieces))
        before, self._asked = self._asked, owners
        if same_owners(owners, self._known_of):
            return self.known
        if same_owners(owners, before):
            return waiting(against)
        if self._rest is not None:
            self._rest.stop()
        # What is shown first need not wait for a key to rest.
        delay = REST if self._known_of else 0.001
        self._rest = self.screen.set_timer(delay, partial(self._begin, results, pieces, against, owners))
        return waiting(against)

    def _begin(
        self, results: ResultSet, pieces: Sequence[BoardSlice], against: str, owners: tuple[object, ...]
    ) -> None:
        work = partial(self._rank, results, pieces, against, owners)
        self.screen.run_worker(work, thread=True, exclusive=True, group="ranking", description="ranking")

    def _rank(
        self, selected: ResultSet, pieces: Sequence[BoardSlice], against: str, owners: tuple[object, ...]
    ) -> None:
        """In a thread."""
        worker = get_current_worker()

        def stopped() -> bool:
            return worker.is_cancelled

        ranking = standings(selected, pieces, against, stopped)
        self.screen.show_if_open(self._take, owners, ranking)
        if own_metrics() and not stopped():
            # They may take minutes, and nothing else waits for them.
            ranking = replace(ranking, own=own_figures(selected, pieces, stopped))
            self.screen.show_if_open(self._take, owners, ranking)

    def _take(self, owners: tuple[object, ...], ranking: Standings) -> None:
        """Show it, unless something else is on screen meanwhile."""
        if same_owners(owners, self._asked):
            self.known = ranking
            self._known_of = owners
            for fault in {} if ranking.own is None else ranking.own.faults.values():
                self.screen.notify(clean(str(fault)), severity="error", markup=False)
            self.screen.show_ranks()
