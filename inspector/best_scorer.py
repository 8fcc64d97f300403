"""Which scorer is looked through where a person named none."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.headline import official_score

if TYPE_CHECKING:
    from inspector.inspection import Inspection


def best_scorer(start: "Inspection", names: Sequence[str]) -> str | None:
    """The scorer with the highest score, of equally good ones the first by name; those without one come last."""

    def place(name: str) -> tuple[bool, float, str]:
        score = official_score(start.selection.evaluation(name), start.slice, start.unparsed, start.benchmark)
        return score is None, -(score or 0.0), name

    return min(names, key=place, default=None)
