"""What of a board takes a moment: who is tied with the best, and differences. Computed behind, then filled in."""

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.worker import get_current_worker

from inspector.board_standings import Standings, own_figures, standings, waiting
from inspector.screens.controller import Controller
from inspector.text import clean
from scoring.metrics.own import own_metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from inspector.board import Piece
    from inspector.screens.board import BoardScreen
    from inspector.selection import Selection

REST = 0.15
"""Seconds without a change after which it is computed: a held threshold key is not slowed down by it."""


class BoardRanking(Controller):
    """How the rows of the board stand to the best one and to a reference."""

    screen: "BoardScreen"

    _asked: tuple[object, ...] = ()
    """The evaluations and cases that the rows on screen are of, and the reference."""
    known = Standings()
    """What is known."""
    _known_of: tuple[object, ...] = ()
    _rest: "Timer | None" = None

    def ranked(self, selection: "Selection", pieces: "Sequence[Piece]", against: str) -> Standings:
        """What is known of these rows; where nothing is yet, it is computed soon, once, and the screen told."""
        asked = (against, selection.request.seed, *selection.evaluations, *(piece.rows for piece in pieces))
        before, self._asked = self._asked, asked
        if _same(asked, self._known_of):
            return self.known
        if _same(asked, before):
            return waiting(against)
        if self._rest is not None:
            self._rest.stop()
        # What is shown first need not wait for a key to rest.
        delay = REST if self._known_of else 0.001
        self._rest = self.screen.set_timer(delay, partial(self._begin, selection, pieces, against, asked))
        return waiting(against)

    def _begin(
        self, selection: "Selection", pieces: "Sequence[Piece]", against: str, asked: tuple[object, ...]
    ) -> None:
        work = partial(self._rank, selection, pieces, against, asked)
        self.screen.run_worker(work, thread=True, exclusive=True, group="ranking", description="ranking")

    def _rank(self, selection: "Selection", pieces: "Sequence[Piece]", against: str, asked: tuple[object, ...]) -> None:
        """In a thread."""
        worker = get_current_worker()

        def stopped() -> bool:
            return worker.is_cancelled

        found = standings(selection, pieces, against, stopped)
        if not stopped():
            self.screen.call_later(self._take, asked, found)
        if own_metrics() and not stopped():
            # They may take minutes, and nothing else waits for them.
            found = replace(found, own=own_figures(selection, pieces, stopped))
            if not stopped():
                self.screen.call_later(self._take, asked, found)

    def _take(self, asked: tuple[object, ...], found: Standings) -> None:
        """Show it, unless something else is on screen meanwhile."""
        if _same(asked, self._asked):
            self.known = found
            self._known_of = asked
            for fault in {} if found.own is None else found.own.faults.values():
                self.screen.notify(clean(str(fault)), severity="error", markup=False)
            self.screen.show_ranks()


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(
        a is b or (isinstance(a, (str, int)) and a == b) for a, b in zip(one, other, strict=True)
    )
