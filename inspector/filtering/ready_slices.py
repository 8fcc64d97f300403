"""Slices that need not be saved: what people look at first."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from inspector.inspection import Inspection
from scoring.filters import Facet, Filter, Span
from scoring.metrics.first_error import FAILURES
from scoring.sql_words import named
from scoring.verdicts import OUTCOMES, RIGHT, WRONG

LONGEST = 0.1
"""The share of the cases that count as long."""
CLOSE = 0.05
"""The share of a scorer's range within which a threshold is close."""
ERRONEOUS = "earliest_error >= 0"
"""The condition on a case that one of its steps is wrong."""


class ReadySlice(Struct, frozen=True):
    """A slice with the key that chooses it, its words, and how many cases it holds, among those given at the start."""

    key: str
    title: str
    filter: Filter
    sort: str
    cases: int


def ready_slices(inspection: Inspection) -> list[ReadySlice]:
    """The slices that make sense for a benchmark seen through its scorer; those without a case are among them."""
    within = inspection.benchmark_rows & inspection.selection.passing(inspection.base)
    found = []
    for key, title, chosen, sort in offered(inspection):
        rows = within & inspection.selection.passing(chosen.conditions)
        found.append(ReadySlice(key, title, chosen, sort, int(np.count_nonzero(rows))))
    return found


def condition_titles(inspection: Inspection) -> dict[str, str]:
    """What the conditions of ready-made slices say, by their SQL."""
    offers = [*(_close_calls(inspection)), *_of_scorers(inspection)]
    return {ERRONEOUS: "the process is wrong", **{chosen.where[0]: title for _, title, chosen, _ in offers}}


Offer = tuple[str, str, Filter, str]


def offered(inspection: Inspection) -> Iterator[Offer]:
    """Give key, title, filter and order of each slice that makes sense; their cases are not counted."""
    if inspection.scorer is not None:
        yield from _of_outcomes(inspection)
    answers = inspection.selection.categories("final_answer_correct")
    if answers is not None and answers.among((True, False))[inspection.benchmark_rows].any():
        right = Facet("final_answer_correct", (True,))
        yield "w", "right answer, wrong process", Filter((right,), (ERRONEOUS,)), ""
    yield from _of_scorers(inspection)
    lengths = inspection.cases["n_steps"].to_numpy()[inspection.benchmark_rows]
    if lengths.size and lengths.min() < lengths.max():
        least = max(int(np.quantile(lengths, 1 - LONGEST, method="higher")), int(lengths.min()) + 1)
        title = f"long cases: {least} steps or more"
        yield "l", title, Filter((Facet("n_steps", (Span(least, None),)),)), "n_steps:desc"
    if "tags" in inspection.selection.columns:
        yield "t", "cases with a tag", Filter((Facet("tags", (None,), keep=False, listed=True),)), ""


def _of_outcomes(inspection: Inspection) -> Iterator[Offer]:
    """Slices of what the scorer in focus made of the cases."""

    def outcomes(*names: str) -> Filter:
        return Filter((Facet(inspection.outcome_column, names),))

    yield "f", "all failures", outcomes(*FAILURES[inspection.unparsed]), "instructive"
    yield "e", "exact: the error found at its step", outcomes("exact"), ""
    yield "m", "missed errors", outcomes("missed"), "instructive"
    yield "a", "false alarms", outcomes("false_alarm"), "instructive"
    yield "p", "unparsed or refused", outcomes("unparsed", "refused"), ""
    yield from _close_calls(inspection)


def _close_calls(inspection: Inspection) -> Iterator[Offer]:
    """The cases whose outcome another threshold nearby would change."""
    if inspection.evaluation is None or not inspection.evaluation.movable:
        return
    low, high = inspection.span
    near = round(CLOSE * (high - low), 6)
    margin = named(f"{inspection.scorer}.margin")
    close = Filter(where=(f"{margin} BETWEEN {-near!r} AND {near!r}",))
    yield "c", f"close calls: within {near:g} of the threshold", close, ""


def _of_scorers(inspection: Inspection) -> Iterator[Offer]:
    """Slices of what several scorers made of the cases; one without a verdict on any is neither right nor wrong."""
    judging = [one.scorer.name for one in inspection.selection.evaluations if one.judges(inspection.benchmark)]
    if len(judging) < 2:
        return
    right, wrong = ([OUTCOMES[code] for code in codes] for codes in (RIGHT, WRONG))
    is_right = [Facet(f"{name}.outcome", tuple(right)).sql for name in judging]
    is_wrong = [Facet(f"{name}.outcome", tuple(wrong)).sql for name in judging]
    disagree = Filter(where=(f"({' OR '.join(is_right)}) AND ({' OR '.join(is_wrong)})",))
    yield "d", "some scorers right, some wrong", disagree, ""
    yield "x", "every scorer wrong", Filter(where=(" AND ".join(is_wrong),)), ""
