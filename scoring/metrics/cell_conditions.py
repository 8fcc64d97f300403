"""Which cases stand behind a figure of a breakdown, as SQL conditions beside those of its cell."""

from scoring.filters import Facet
from scoring.metrics.kernel import Unparsed
from scoring.metrics.outcome_conditions import SIDES, tried
from scoring.metrics.shares import BY_TYPE
from scoring.sql_words import named
from scoring.verdicts import OUTCOMES

LABELLED = "earliest_error >= -1"
"""The cases whose earliest error is known, `none` being known as well."""
ENDS_RIGHT = "final_answer_correct"
COUNTS = ("cases", *(f"count_{outcome}" for outcome in OUTCOMES))
"""The metrics that are counts of cases."""
OF_ERRONEOUS = ("error_acc", *BY_TYPE)
"""Those that are shares of the erroneous cases tried."""
OF_CLEAN = ("correct_acc",)


def behind(metric: str, scorer: str, unparsed: Unparsed = "wrong") -> tuple[str, ...]:
    """The cases of a cell that a metric of `scoring.metrics.breakdown` counts: its `n`, and of a count its value.

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
