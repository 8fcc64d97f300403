"""SQL conditions on what a scorer made of a case: right, wrong, tried; and on which side a case is."""

from scoring.filters import Facet
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import Unparsed
from scoring.sql_words import named
from scoring.verdicts import OUTCOMES, RIGHT

RIGHT_OUTCOMES = tuple(OUTCOMES[code] for code in RIGHT)
SIDES = {"erroneous": "earliest_error >= 0", "clean": "earliest_error = -1"}
"""By the name of a side the condition that selects its cases."""


def right(scorer: str) -> str:
    """The cases that it has right: `exact` or `clean`."""
    return _outcome(scorer, RIGHT_OUTCOMES)


def wrong(scorer: str, unparsed: Unparsed = "wrong") -> str:
    """The cases that count as wrong, refused and unparsed ones among them where they count."""
    return _outcome(scorer, FAILURES[unparsed])


def tried(scorer: str, unparsed: Unparsed = "wrong") -> str:
    """The cases in its denominators."""
    return _outcome(scorer, (*RIGHT_OUTCOMES, *FAILURES[unparsed]))


def answered(scorer: str) -> str:
    """The cases with a verdict."""
    return f"{named(f'{scorer}.verdict')} IS NOT NULL"


def _outcome(scorer: str, outcomes: tuple[str, ...]) -> str:
    return Facet(f"{scorer}.outcome", outcomes).sql
