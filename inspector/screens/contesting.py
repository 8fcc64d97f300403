"""Why the gold label of the case on screen is contested, in one line."""

from functools import partial
from typing import TYPE_CHECKING

from inspector.contested_gold import BETWEEN, Ranking, because_phrases, ranking_of
from inspector.phrases import Phrase
from inspector.screens.base import SHORT
from inspector.screens.controller import Controller
from inspector.screens.sheet import FEW
from inspector.subject import covering
from inspector.text import clean
from inspector.widgets.phrase_line import PhraseLine
from scoring.errors import InspectError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.inspection import Inspection
    from inspector.screens.triage import TriageScreen
    from inspector.selection import Selection

LINE = "contested"
"""The name of the line, for `one_line`."""


class Contesting(Controller):
    """A line that says why the scorers together, or a rule of construction, contest the gold label of the case.

    What the scorers say together is computed once for the scorers as they decide: among many cases in a thread, so that
    no key waits for it. The line is there for as long as any case of the benchmark is contested, so that nothing moves
    between a case that is and one that is not.
    """

    screen: "TriageScreen"

    _ranked: "tuple[Sequence[object], Ranking | InspectError] | None" = None
    _ranking_for: "Sequence[object] | None" = None

    def show(self, row: int, *, hidden: bool) -> None:
        """Tell it of the case with this row id; with `hidden`, of none."""
        inspection = self.inspection
        if inspection is None:
            return
        found = self._ranking(inspection)
        contested = isinstance(found, InspectError) or (found is not None and bool(found.contested))
        line = self.screen.query_one(f"#{LINE}", PhraseLine)
        line.display = contested and self.screen.size.height >= SHORT
        phrases = []
        if isinstance(found, InspectError):
            phrases = [Phrase((clean(str(found)),))]
        elif found is not None and not hidden and row in found.contested:
            phrases = because_phrases(found, row)
        line.tell(phrases, BETWEEN, "dim")

    def _ranking(self, inspection: "Inspection") -> Ranking | InspectError | None:
        """What the scorers say together; None while it is being computed, and while a threshold moves."""
        owners = _owners(inspection)
        if self._ranked is not None and _same(self._ranked[0], owners):
            return self._ranked[1]
        if self.screen.rail_open or (self._ranking_for is not None and _same(self._ranking_for, owners)):
            return None
        make = partial(_ranking_or_error, inspection.selection, inspection.benchmark, covering(inspection))
        if self._ranked is None and inspection.selection.height <= FEW:
            self._ranked = owners, make()
            return self._ranked[1]
        self._ranking_for = owners

        def rank() -> None:
            self.screen.call_later(self._told, owners, make())

        # The case comes first: the thread would take turns with it.
        self.screen.call_after_refresh(self.screen.run_worker, rank, thread=True, exclusive=True, group=LINE)
        return None

    def _told(self, owners: "Sequence[object]", made: Ranking | InspectError) -> None:
        """It is there; unless another is wanted by now, it is told."""
        if owners is self._ranking_for:
            self._ranked, self._ranking_for = (owners, made), None
            self.screen.show_title()


def _owners(inspection: "Inspection") -> "Sequence[object]":
    """What it depends on. Other tags, another order and another filter change nothing of it."""
    benchmark = inspection.benchmark
    judging = (one for one in inspection.selection.evaluations if one.covers(benchmark))
    return (inspection.cases, benchmark, inspection.unparsed, *judging)


def _same(one: "Sequence[object]", other: "Sequence[object]") -> bool:
    """Names by their values, all else by identity."""
    return len(one) == len(other) and all(
        a == b if isinstance(a, str) else a is b for a, b in zip(one, other, strict=True)
    )


def _ranking_or_error(selection: "Selection", benchmark: str, scorers: "Sequence[str]") -> Ranking | InspectError:
    try:
        return ranking_of(selection, benchmark, scorers)
    except InspectError as error:
        return error
