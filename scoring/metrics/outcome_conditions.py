"""SQL conditions on what a scorer made of a case, and on the cases behind a figure of a breakdown."""

from scoring.data.schema import Bools
from scoring.evaluation.verdicts import OUTCOMES, RIGHT
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import CasesOf, Decided, Unparsed
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import named

BY_TYPE = {
    "fp": ("early",),
    "fn": ("late", "missed"),
    "late": ("late",),
    "missed": ("missed",),
    "exact": ("exact",),
    "unanswered": ("unparsed", "refused"),
}
"""Metric of erroneous cases by type of error -> the outcomes it counts, as GR-Ben does (its table by error type).

FP is a verdict before the earliest error, FN none or one after it; the official table leaves it there. Here FN is also
told apart into late (after it) and missed (no step at all). fp, fn, exact and unanswered add up to 1.
"""


RIGHT_OUTCOMES = tuple(OUTCOMES[code] for code in RIGHT)
SIDES = {"erroneous": "earliest_error >= 0", "clean": "earliest_error = -1"}
"""By the name of a side the condition that selects its cases."""


def right(scorer: str) -> str:
    """Return the condition for the cases that it has right: `exact` or `clean`."""
    return _outcome(scorer, RIGHT_OUTCOMES)


def wrong(scorer: str, unparsed: Unparsed = "wrong") -> str:
    """Return the condition for the cases that count as wrong, refused and unparsed ones among them where they count."""
    return _outcome(scorer, FAILURES[unparsed])


def tried(scorer: str, unparsed: Unparsed = "wrong") -> str:
    """Return the condition for the cases in its denominators."""
    return _outcome(scorer, (*RIGHT_OUTCOMES, *FAILURES[unparsed]))


def labelled_and_tried(scorer: str, unparsed: Unparsed) -> tuple[str, ...]:
    """Return the conditions for the cases in the denominators of first errors: `Decided.members`."""
    return LABELLED, tried(scorer, unparsed)


def _tried_on(side: str) -> CasesOf:
    def rows(decided: Decided) -> Bools:
        of_side: Bools = (decided.earliest >= 0) == (side == "erroneous")
        return decided.members & of_side

    return CasesOf(rows, lambda scorer, unparsed: (SIDES[side], tried(scorer, unparsed)))


MEMBERS = CasesOf(lambda decided: decided.members, labelled_and_tried)
"""The cases in the denominators of first errors."""
TRIED_CASES = {"tried": MEMBERS, **{side: _tried_on(side) for side in SIDES}}
"""Names for the cases of a metric: those that the scorer tried, of both sides or of one."""


def answered(scorer: str) -> str:
    """Return the condition for the cases with a verdict."""
    return f"{named(f'{scorer}.verdict')} IS NOT NULL"


def _outcome(scorer: str, outcomes: tuple[str, ...]) -> str:
    return Facet(f"{scorer}.outcome", outcomes).sql


LABELLED = "earliest_error >= -1"
"""The cases whose earliest error is known, `none` being known as well."""
ENDS_RIGHT = "final_answer_correct"
COUNTS = ("cases", *(f"count_{outcome}" for outcome in OUTCOMES))
"""The metrics that are counts of cases."""
OF_ERRONEOUS = ("error_acc", *BY_TYPE)
"""Those that are shares of the erroneous cases tried."""
OF_CLEAN = ("correct_acc",)


def behind(metric: str, scorer: str, unparsed: Unparsed = "wrong") -> tuple[str, ...]:
    """Return the conditions for the cases of a cell that a metric of `scoring.metrics.breakdown` counts: its `n`, and
    of a count its value.

    Raises:
        KeyError: there is no such metric.
    """
    if metric == "cases":
        return ()
    if metric in COUNTS:
        return (Facet(f"{scorer}.outcome", (metric.removeprefix("count_"),)).sql,)
    if metric == "process_error_rate":
        return (ENDS_RIGHT, LABELLED)
    if metric == "step_accuracy":
        return (f"{named(f'{scorer}.step_accuracy')} IS NOT NULL",)
    return (*_OF[_kind(metric)], tried(scorer, unparsed))


_OF = {
    "all": (LABELLED,),
    "erroneous": (SIDES["erroneous"],),
    "clean": (SIDES["clean"],),
    "process_error_exact": (ENDS_RIGHT, SIDES["erroneous"]),
}


def _kind(metric: str) -> str:
    if metric in OF_ERRONEOUS:
        return "erroneous"
    if metric in OF_CLEAN:
        return "clean"
    return "all" if metric == "f1" or metric.startswith("share_") else metric
