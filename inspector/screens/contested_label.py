"""Why the gold label of the case on screen is contested, in one line."""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from inspector.render.texts.phrases import Phrase
from inspector.render.texts.text import clean
from inspector.screens.base import SHORT
from inspector.screens.controller import ControlledScreen, Controller, same_owners
from inspector.screens.sheet import FEW
from inspector.state.contested_gold import BETWEEN, Ranking, because_phrases, ranking_of
from inspector.state.focusing import covering
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import PhraseLine
from scoring.data.errors import InspectError
from scoring.selection.result_set import ResultSet

if TYPE_CHECKING:
    from collections.abc import Sequence


CONTESTED = "contested"
"""The name of the line, for `one_line`."""


class ContestedScreen(ControlledScreen, Protocol):
    """What the line uses of the triage screen."""

    @property
    def rail_open(self) -> bool: ...
    def show_title(self) -> None: ...


class Contesting(Controller[ContestedScreen]):
    """A line that says why the scorers together, or a rule of construction, contest the gold label of the case.

    What the scorers say together is computed once for the scorers as they decide: among many cases in a thread, so that
    no key waits for it. The line is there for as long as any case of the benchmark is contested, so that nothing moves
    between a case that is and one that is not.
    """

    _ranked: "tuple[Sequence[object], Ranking | InspectError] | None" = None
    _ranking_for: "Sequence[object] | None" = None

    def show(self, row: int, *, hidden: bool) -> None:
        """Show why the case with this row id is contested; with `hidden`, nothing."""
        ranking = self._ranking(self.state)
        contested = isinstance(ranking, InspectError) or (ranking is not None and bool(ranking.contested))
        line = self.screen.query_one(f"#{CONTESTED}", PhraseLine)
        line.display = contested and self.screen.size.height >= SHORT
        phrases = []
        if isinstance(ranking, InspectError):
            phrases = [Phrase((clean(str(ranking)),))]
        elif ranking is not None and not hidden and row in ranking.contested:
            phrases = because_phrases(ranking, row)
        line.tell(phrases, BETWEEN, "dim")

    def _ranking(self, state: "ScreenState") -> Ranking | InspectError | None:
        """What the scorers say together; None while it is being computed, and while a threshold moves."""
        owners = _owners(state)
        if self._ranked is not None and same_owners(self._ranked[0], owners):
            return self._ranked[1]
        if self.screen.rail_open or (self._ranking_for is not None and same_owners(self._ranking_for, owners)):
            return None
        make = partial(_ranking_or_error, state.results, state.focus.benchmark, covering(state))
        if self._ranked is None and state.results.evaluated.height <= FEW:
            self._ranked = owners, make()
            return self._ranked[1]
        self._ranking_for = owners

        def rank() -> None:
            self.screen.call_later(self._told, owners, make())

        # The case comes first: the thread would take turns with it.
        self.screen.call_after_refresh(
            partial(self.screen.run_worker, rank, thread=True, exclusive=True, group=CONTESTED, description=CONTESTED)
        )
        return None

    def _told(self, owners: "Sequence[object]", made: Ranking | InspectError) -> None:
        """It is there; unless another is wanted by now, it is told."""
        if owners is self._ranking_for:
            self._ranked, self._ranking_for = (owners, made), None
            self.screen.show_title()


def _owners(state: ScreenState) -> "Sequence[object]":
    """What it depends on. Other tags, another order and another filter change nothing of it."""
    benchmark = state.focus.benchmark
    judging = (evaluation for evaluation in state.results.evaluations if evaluation.coverage.covers(benchmark))
    return (state.cases, benchmark, state.unparsed, *judging)


def _ranking_or_error(results: ResultSet, benchmark: str, scorers: "Sequence[str]") -> Ranking | InspectError:
    try:
        return ranking_of(results, benchmark, scorers)
    except InspectError as error:
        return error
