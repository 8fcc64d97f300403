"""SQL conditions on what scorers side by side made of a case."""

from collections.abc import Iterable, Sequence

from scoring.evaluation.verdicts import ON_CLEAN, ON_ERRONEOUS, OUTCOMES
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.first_error import FAILURES
from scoring.metrics.outcome_conditions import RIGHT_OUTCOMES
from scoring.metrics.outcome_conditions import SIDES as SIDE_CONDITIONS
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import named

EVERY = "all"
"""Both sides together."""
OF_SIDE = {**SIDE_CONDITIONS, EVERY: "earliest_error IS NOT NULL"}
"""The condition of each side."""
_OTHER_SIDE = {
    "erroneous": frozenset(OUTCOMES[code] for code in ON_CLEAN),
    "clean": frozenset(OUTCOMES[code] for code in ON_ERRONEOUS),
    EVERY: frozenset[str](),
}


def outcome_of(aligned: AlignedScorers, column: int) -> str:
    """Name the outcome column of a scorer, as it stands in SQL."""
    return named(f"{aligned.names[column]}.outcome")


def right_of(aligned: AlignedScorers, column: int, side: str) -> str:
    """Select where a scorer is right, on a side (one of OF_SIDE)."""
    return _among(aligned, column, side, RIGHT_OUTCOMES)


def wrong_of(aligned: AlignedScorers, column: int, side: str) -> str:
    """Select where a scorer tried a case and is not right."""
    return _among(aligned, column, side, _failures(aligned, column))


def tried_of(aligned: AlignedScorers, column: int, side: str) -> str:
    """Select where a scorer has the case in its denominator."""
    return _among(aligned, column, side, (*RIGHT_OUTCOMES, *_failures(aligned, column)))


def common_of(aligned: AlignedScorers, columns: Sequence[int], side: str) -> str:
    """Select where every one of these scorers tried a case of a side."""
    return conjunction((OF_SIDE[side], *(tried_of(aligned, column, side) for column in columns)))


def conjunction(conditions: Iterable[str]) -> str:
    """Select where all of the conditions hold, none of which holds an OR outside of brackets."""
    return " AND ".join(conditions)


def _failures(aligned: AlignedScorers, column: int) -> tuple[str, ...]:
    """The outcomes that count as wrong; a scorer that never gives a verdict fails on nothing."""
    return FAILURES["drop" if aligned.nothing[column] else aligned.unparsed]


def _among(aligned: AlignedScorers, column: int, side: str, outcomes: Iterable[str]) -> str:
    there = tuple(name for name in outcomes if name not in _OTHER_SIDE[side])
    return Facet(f"{aligned.names[column]}.outcome", there).sql
