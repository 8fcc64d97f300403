"""Which cases a figure is made of."""

from collections.abc import Mapping, Sequence

import numpy as np

from inspector.render.texts.sentences import counted
from scoring.data.schema import Bools
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.deciding import speaks_of
from scoring.metrics.kernel import Decided
from scoring.metrics.outcome_conditions import tried
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.sql_words import named, quoted

_NAMED = 3
"""Cases that a sentence names."""


def counts_unanswered(results: ResultSet, benchmark: str) -> bool:
    """Return whether a case that was tried and has no verdict is in the official figure's denominator, as a wrong one.

    It never is in that of a figure of steps, since none of its steps was judged.
    """
    return metrics_of(benchmark).steps is None and results.unparsed(benchmark) == "wrong"


def counted_cases(
    results: ResultSet, names: Sequence[str], benchmark: str, mask: Bools | None = None
) -> dict[str, Bools]:
    """Find the cases, each (n,), that are in the denominator of a scorer's figure, by name; of those that have any.

    `mask` (n,) are the cases that figures are made of; None = those that the result set shows.
    """
    within = (results.cases["benchmark"] == benchmark).to_numpy() & (results.mask if mask is None else mask)
    counted_by = metrics_of(benchmark).cases.rows
    by_name = {}
    for evaluation in (results.evaluation(name) for name in dict.fromkeys(names)):
        rows = within & counted_by(Decided(evaluation, results.unparsed(benchmark)))
        if rows.any():
            by_name[evaluation.scorer.name] = rows
    return by_name


def common_condition(results: ResultSet, scorer: str, benchmark: str) -> str:
    """Write the SQL condition that leaves the cases that are in the denominator of a scorer's figure on a benchmark.

    Where the result set holds others as well, it leaves theirs alone.
    """
    has_them = tried(scorer, "wrong" if counts_unanswered(results, benchmark) else "drop")
    several = len(results.benchmarks) > 1
    return f"benchmark <> {quoted(benchmark)} OR {has_them}" if several else has_them


def only_tried(condition: str, scorer: str) -> bool:
    """Return whether a condition only asks that a scorer has tried the case, as that of `common_condition` does."""
    return condition.endswith(tuple(tried(scorer, unparsed) for unparsed in ("wrong", "drop"))) and (
        condition.startswith(("benchmark <> ", named(f"{scorer}.outcome")))
    )


def choosing_conditions(results: ResultSet, scorer: str) -> list[str]:
    """Return the conditions on what a scorer made of the cases, less those that only ask whether it tried them."""
    return [condition for condition in speaks_of(scorer, results.query.where) if not only_tried(condition, scorer)]


def remedy_conditions(results: ResultSet, sets: Mapping[str, Bools], benchmark: str) -> tuple[str, ...]:
    """Write a condition for every scorer that lacks a case of another one; together they leave the common cases."""
    union = np.logical_or.reduce(list(sets.values())) if sets else np.zeros(0, dtype=np.bool_)
    return tuple(
        common_condition(results, name, benchmark) for name, rows in sets.items() if int(rows.sum()) < int(union.sum())
    )


def lacking_words(results: ResultSet, name: str, lacking: Bools, other: str) -> str:
    """Write `NAME lacks 3 cases that OTHER has (a, b, c)`; `lacking` (n,) are these."""
    cases = results.cases["case"].gather(np.flatnonzero(lacking)[:_NAMED]).to_list()
    more = ", ..." if int(lacking.sum()) > _NAMED else ""
    return f"{name} lacks {counted(int(lacking.sum()), 'case')} that {other} has ({', '.join(cases)}{more})"
