"""What of a board takes a moment: who is tied with the best, and differences. Computed behind, then filled in."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.message import Message
from textual.worker import get_current_worker

from inspector.board_standings import Standings, own_figures, standings, waiting
from inspector.screens.base import InspectionScreen
from inspector.text import clean
from scoring.metrics.own import own_metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from inspector.board import Piece
    from inspector.selection import Selection

REST = 0.15
"""Seconds without a change after which it is computed: a held threshold key is not slowed down by it."""


@dataclass
class Ranked(Message):
    """What was computed, and what it was asked of."""

    asked: tuple[object, ...]
    standings: Standings


class BoardRanking(InspectionScreen):
    """A screen whose rows stand to the best one and to a reference."""

    _asked: tuple[object, ...] = ()
    """The evaluations and cases that the rows on screen are of, and the reference."""
    _known: tuple[tuple[object, ...], Standings] = ((), Standings())
    """What is known, and what of."""
    _rest: "Timer | None" = None

    def ranked(self, selection: "Selection", pieces: "Sequence[Piece]", against: str) -> Standings:
        """What is known of these rows; where nothing is yet, it is computed soon, and `show_ranks` called."""
        asked = (against, selection.request.seed, *selection.evaluations, *(piece.rows for piece in pieces))
        self._asked = asked
        if _same(asked, self._known[0]):
            return self._known[1]
        if self._rest is not None:
            self._rest.stop()
        # What is shown first need not wait for a key to rest.
        delay = REST if self._known[0] else 0.001
        self._rest = self.set_timer(delay, partial(self._begin, selection, pieces, against, asked))
        return waiting(against)

    def _begin(
        self, selection: "Selection", pieces: "Sequence[Piece]", against: str, asked: tuple[object, ...]
    ) -> None:
        work = partial(self._rank, selection, pieces, against, asked)
        self.run_worker(work, thread=True, exclusive=True, group="ranking", description="ranking")

    def _rank(self, selection: "Selection", pieces: "Sequence[Piece]", against: str, asked: tuple[object, ...]) -> None:
        """In a thread."""
        worker = get_current_worker()

        def stopped() -> bool:
            return worker.is_cancelled

        found = standings(selection, pieces, against, stopped)
        if not stopped():
            self.post_message(Ranked(asked, found))
        if own_metrics() and not stopped():
            # They may take minutes, and nothing else waits for them.
            found = replace(found, own=own_figures(selection, pieces, stopped))
            if not stopped():
                self.post_message(Ranked(asked, found))

    def on_ranked(self, message: Ranked) -> None:
        """Show it, unless something else is on screen meanwhile."""
        if _same(message.asked, self._asked):
            self._known = message.asked, message.standings
            own = message.standings.own
            for fault in {} if own is None else own.faults.values():
                self.notify(clean(str(fault)), severity="error", markup=False)
            self.show_ranks()

    def show_ranks(self) -> None:
        """Put what is known on screen."""
        raise NotImplementedError


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(
        a is b or (isinstance(a, (str, int)) and a == b) for a, b in zip(one, other, strict=True)
    )
