"""Cases as ProcessBench has them, with the labels that they have after triage: 0-based, -1 = no error.

A case that nobody rules wrong keeps its own label; one of "gold wrong" has the label that the ratings of those who rule
so give it (`scoring.triage.adjudicated`), and is left out where they give none, differ, or another rules otherwise, and
where they ruled on another text of the case.
"""

from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows import processbench
from scoring.foreign_rows.judged import Judged
from scoring.foreign_rows.line import Line, left_out
from scoring.triage.adjudicated import CHANGED, CONFIRMED, OUTDATED, UNFINISHED, UNRATED, WITHOUT_GOLD

_WHY = {
    WITHOUT_GOLD: "ruled an import problem",
    UNRATED: "ruled gold wrong and no step is rated",
    UNFINISHED: "ruled gold wrong and not every step is rated",
}
_OPEN = ("both defensible", "unsure")
"""Rulings that leave a case its label and yet do not uphold it."""


def line(case: Mapping[str, Any], of: Judged) -> Line:
    """The row of one case (a row of `scoring.schema.CASES`)."""
    if not of.rulings:
        return left_out(OUTDATED if of.outdated else "nobody rules on them")
    if of.adjudication in {CHANGED, CONFIRMED}:
        changed = case["earliest_error"] != of.earliest_error
        notes = (("labels that people changed", 1),) if changed else ()
        return _with(processbench.line({**case, "earliest_error": of.earliest_error}), notes)
    if of.adjudication is not None:
        return left_out(_WHY.get(of.adjudication, of.adjudication))
    undecided = of.rulings.issubset(_OPEN)
    words = f"cases with their own label, ruled {' or '.join(_OPEN)}"
    return _with(processbench.line(case), ((words, 1),) if undecided else ())


def _with(made: Line, notes: tuple[tuple[str, int], ...]) -> Line:
    """The line with more to say; nothing more where there is none."""
    return made if made.value is None else Line(made.value, (*made.notes, *notes))
