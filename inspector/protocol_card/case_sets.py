"""Which cases a scorer's official figure is made of, and which condition leaves those that several have in common."""

from collections.abc import Mapping, Sequence

import numpy as np

from inspector.selection import Selection
from inspector.sentences import counted
from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.metrics.aligned import with_labelled_step
from scoring.metrics.outcome_conditions import tried
from scoring.sql_words import named, quoted
from scoring.step_rewards import Bools

NAMED = 3
"""Cases that a sentence names."""


def counts_unanswered(selection: Selection, benchmark: str) -> bool:
    """Whether a case that was tried and has no verdict is in the denominator of the official figure, as a wrong one.

    It never is in that of a figure of steps, since none of its steps was judged.
    """
    return step_labelled(benchmark) is None and selection.unparsed(benchmark) == "wrong"


def counted_cases(
    selection: Selection, names: Sequence[str], benchmark: str, shown: Bools | None = None
) -> dict[str, Bools]:
    """The cases, each (n,), that are in the denominator of a scorer's figure, by name; of those that have any.

    `shown` (n,) are the cases that figures are made of; None = those that the selection shows.
    """
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & (selection.mask if shown is None else shown)
    unanswered = counts_unanswered(selection, benchmark)
    found = {}
    for one in (selection.evaluation(name) for name in dict.fromkeys(names)):
        gold = one.gold.known if step_labelled(benchmark) is None else with_labelled_step(one)
        rows = within & gold & (one.tried if unanswered else one.answered)
        if rows.any():
            found[one.scorer.name] = rows
    return found


def common_condition(selection: Selection, scorer: str, benchmark: str) -> str:
    """The SQL condition that leaves the cases that are in the denominator of a scorer's figure on a benchmark.

    Where the selection holds others as well, it leaves theirs alone.
    """
    has_them = tried(scorer, "wrong" if counts_unanswered(selection, benchmark) else "drop")
    several = len(selection.benchmarks) > 1
    return f"benchmark <> {quoted(benchmark)} OR {has_them}" if several else has_them


def only_tried(condition: str, scorer: str) -> bool:
    """Whether a condition only asks that a scorer has tried the case, as that of `common_condition` does."""
    return condition.endswith(tuple(tried(scorer, unparsed) for unparsed in ("wrong", "drop"))) and (
        condition.startswith(("benchmark <> ", named(f"{scorer}.outcome")))
    )


def remedy_conditions(selection: Selection, sets: Mapping[str, Bools], benchmark: str) -> tuple[str, ...]:
    """A condition for every scorer that lacks a case which another one has; together they leave the common cases."""
    union = np.logical_or.reduce(list(sets.values())) if sets else np.zeros(0, dtype=np.bool_)
    return tuple(
        common_condition(selection, name, benchmark)
        for name, rows in sets.items()
        if int(rows.sum()) < int(union.sum())
    )


def lacking_words(selection: Selection, name: str, lacking: Bools, other: str) -> str:
    """`NAME lacks 3 cases that OTHER has (a, b, c)`; `lacking` (n,) are these."""
    cases = selection.cases["case"].gather(np.flatnonzero(lacking)[:NAMED]).to_list()
    more = ", ..." if int(lacking.sum()) > NAMED else ""
    return f"{name} lacks {counted(int(lacking.sum()), 'case')} that {other} has ({', '.join(cases)}{more})"


def on_threshold(one: Evaluation, rows: Bools) -> int:
    """How many compared numbers of these cases (n,) equal the threshold exactly."""
    if one.rule.threshold is None:
        return 0
    values = one.compared_values
    within = np.repeat(rows & one.given.by_threshold, np.diff(values.offsets))
    return int((values.values[within] == one.rule.threshold).sum())
