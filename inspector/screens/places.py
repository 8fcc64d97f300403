"""What the palette finds beside commands: benchmarks, scorers, and cases by a part of their names."""

from functools import partial

from textual.command import Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher

from inspector.inspection import Inspection
from inspector.messages import Go
from inspector.screens.base import InspectionScreen
from inspector.screens.case import CaseScreen
from inspector.sentences import counted
from inspector.text import clean

MOST = 12
"""Cases that are offered."""
_HELD, _WHOLE = 10.0, 20.0
"""What names score that hold what was typed, and that are it: more than titles that only have its letters."""
_LEAST = 0.2
"""The score of a case that holds it: there may be many."""


class Places(Provider):
    """Goes to what is chosen. Names are data: nothing in them acts."""

    async def search(self, query: str) -> Hits:
        """Give what has these letters."""
        screen = self.screen
        inspection = screen.inspection if isinstance(screen, InspectionScreen) else None
        if not isinstance(screen, InspectionScreen) or inspection is None:
            return
        matcher = self.matcher(query)
        for name, count in inspection.cases["benchmark"].value_counts().iter_rows():
            if score := _score(matcher, name, query):
                told = f"Benchmark, {counted(count, 'case')}"
                command = partial(screen.put, inspection.on_benchmark(name))
                yield Hit(score, matcher.highlight(clean(name)), command, help=told)
        for evaluation in inspection.selection.evaluations:
            name = evaluation.scorer.name
            if score := _score(matcher, name, query):
                benchmark = inspection.benchmark if evaluation.covers(inspection.benchmark) else min(evaluation.covered)
                command = partial(screen.put, inspection.focused(name, benchmark))
                yield Hit(score, matcher.highlight(clean(name)), command, help="Scorer: look through it")
        names = inspection.cases["case"]
        holding = names.str.to_lowercase().str.contains(query.strip().lower(), literal=True)
        for row in holding.arg_true().head(MOST):
            score = _WHOLE if names[row].partition("/")[2] == query.strip() else _LEAST
            yield Hit(score, Content(clean(names[row])), partial(_open, screen, inspection, row), help="Case: open it")


def _score(matcher: Matcher, name: str, query: str) -> float:
    low, typed = name.lower(), query.strip().lower()
    return _WHOLE if low == typed else _HELD if typed in low else matcher.match(name)


def _open(screen: InspectionScreen, inspection: Inspection, row: int) -> None:
    """Open a case, where the filter leaves it out among all of its benchmark."""
    if row not in inspection.shown:
        benchmark = inspection.cases["benchmark"][row]
        inspection = inspection.cleared() if benchmark == inspection.benchmark else inspection.on_benchmark(benchmark)
        screen.put(inspection)
    if isinstance(screen, CaseScreen):
        screen.turn_to(row)
    else:
        screen.post_message(Go("case", row))
