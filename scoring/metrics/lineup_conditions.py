"""SQL conditions that select exactly the cases that a lineup counts: who tried a case, and who is right about it.

They speak of `earliest_error` and of outcomes, and say what `scoring.metrics.lineup` says: a refused or unparsed case
is tried and wrong, or not tried, as the policy has it; unscored and dev cases are not tried; cases without gold take no
part.
"""

from collections.abc import Iterable, Sequence

from scoring.filters import Facet
from scoring.metrics.first_error import FAILURES
from scoring.metrics.lineup import Lineup
from scoring.metrics.outcome_conditions import RIGHT_OUTCOMES, SIDES
from scoring.sql_words import named
from scoring.verdicts import ON_CLEAN, ON_ERRONEOUS, OUTCOMES

EVERY = "all"
"""Both sides together."""
OF_SIDE = {**SIDES, EVERY: "earliest_error IS NOT NULL"}
"""The condition of each side."""
_OTHER_SIDE = {
    "erroneous": frozenset(OUTCOMES[code] for code in ON_CLEAN),
    "clean": frozenset(OUTCOMES[code] for code in ON_ERRONEOUS),
    EVERY: frozenset[str](),
}


def outcome_of(lineup: Lineup, column: int) -> str:
    """The outcome column of a scorer, as it stands in SQL."""
    return named(f"{lineup.names[column]}.outcome")


def right_of(lineup: Lineup, column: int, side: str) -> str:
    """That a scorer is right, on a side (one of OF_SIDE)."""
    return _among(lineup, column, side, RIGHT_OUTCOMES)


def wrong_of(lineup: Lineup, column: int, side: str) -> str:
    """That a scorer tried a case and is not right."""
    return _among(lineup, column, side, _failures(lineup, column))


def tried_of(lineup: Lineup, column: int, side: str) -> str:
    """That a scorer has the case in its denominator."""
    return _among(lineup, column, side, (*RIGHT_OUTCOMES, *_failures(lineup, column)))


def common_of(lineup: Lineup, columns: Sequence[int], side: str) -> str:
    """That every one of these scorers tried a case of a side."""
    return conjunction((OF_SIDE[side], *(tried_of(lineup, column, side) for column in columns)))


def conjunction(conditions: Iterable[str]) -> str:
    """That all of the conditions hold, none of which holds an OR outside of brackets."""
    return " AND ".join(conditions)


def _failures(lineup: Lineup, column: int) -> tuple[str, ...]:
    """The outcomes that count as wrong; a scorer that never gives a verdict fails on nothing."""
    return FAILURES["drop" if lineup.nothing[column] else lineup.unparsed]


def _among(lineup: Lineup, column: int, side: str, outcomes: Iterable[str]) -> str:
    there = tuple(name for name in outcomes if name not in _OTHER_SIDE[side])
    return Facet(f"{lineup.names[column]}.outcome", there).sql
