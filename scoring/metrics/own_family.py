"""A metric of the user's own, or of one benchmark, as a family by itself.

What a case contributes depends on its own steps alone, and changes only where the threshold passes one of the values
that are compared. So the cases are decided once below their lowest value, once between this and the next one, and so
on, each by its own thresholds: as many times as the longest has steps, whatever the metric is.
"""

from functools import cache
from typing import Literal

import numpy as np
from msgspec.structs import replace

from scoring.data.schema import Floats, Ints
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.metric_family import MetricFamily
from scoring.metrics.moves import Moves
from scoring.metrics.own import OwnMetric

_PARTS = IdentityCache(256)
"""What cases contribute, by metric and decided evaluation."""


class OwnMetricFamily(MetricFamily):
    """One metric."""

    def __init__(self, made: OwnMetric) -> None:
        self.made = self.leading = made
        self.metrics, self.counts, self.cases = (made,), made.counts, made.cases
        self.unit: Literal["cases", "steps"] = made.unit

    def contributions(self, decided: Decided) -> Floats:
        """Return what each case contributes, once for an evaluation.

        Raises:
            PluginError: the code of the metric raises, or gives something else.
        """
        key, owners = (self.made.name, decided.unparsed), (self.made, decided.evaluation)
        made: Floats = _PARTS.of(key, owners, lambda: self.made.contributions(decided))
        return made

    def moves(self, evaluation: Evaluation, rows: Ints, unparsed: Unparsed) -> Moves | None:
        """Decide cases at each of their own values."""
        rule = evaluation.rule.movable
        if rule is None:
            return None
        parts, starts, values, cases = _decided_at_each(self.made, evaluation, rows, unparsed)
        passed = np.delete(np.arange(len(parts)), starts)
        changes = parts[passed] - parts[passed - 1]
        moves = Moves(self.counts, parts[starts].T, values, cases, changes.T, rule.comparison == "<")
        if self.made.code is None:
            return moves
        present = self.contributions(Decided(evaluation, unparsed))[rows]
        return replace(moves, trouble=_trouble(moves, present, rule.threshold))


@cache
def family_of(made: OwnMetric) -> OwnMetricFamily:
    """Return the family of a metric."""
    return OwnMetricFamily(made)


def _decided_at_each(
    made: OwnMetric, evaluation: Evaluation, taken: Ints, unparsed: Unparsed
) -> tuple[Floats, Ints, Floats, Ints]:
    """What m cases contribute at each of their decisions.

    (v + m, k) case after case: passed by none of its values, by the lowest, ...; (m,) where each case's begin; (v,) the
    distinct finite values that are compared, case after case, each case's ascending; (v,) the place of each one's case.
    """
    rule = evaluation.rule
    assert rule.is_movable  # noqa: S101  # whoever asks has seen to it
    few = evaluation.of_cases(taken)
    above = rule.comparison == "<"
    compared = few.compared_values
    case = np.repeat(np.arange(taken.size), np.diff(compared.offsets))
    usable = np.isfinite(compared.values) & few.fixed_verdicts.by_threshold[case]
    cases, values = case[usable], compared.values[usable]
    order = np.lexsort((values, cases))
    cases, values = cases[order], values[order]
    another = np.append(True, (np.diff(cases) > 0) | (np.diff(values) > 0))[: values.size]
    cases, values = cases[another], values[another]
    sizes = np.bincount(cases, minlength=taken.size)
    starts = np.cumsum(sizes + 1) - (sizes + 1)
    firsts = np.cumsum(sizes) - sizes
    parts = np.zeros((values.size + taken.size, len(made.counts)))
    for number in range(int(sizes.max(initial=0)) + 1):
        # The cases with so many values: all of them first, decided below the lowest one.
        there = np.flatnonzero(sizes >= number)
        cuts = np.full(there.size, rule.threshold)
        some = np.flatnonzero(sizes[there])
        own, of_case = firsts[there[some]], sizes[there[some]]
        if above:
            # Under "<" a value decides as the values below it are passed; above the last one all are.
            last = of_case == number
            cuts[some] = values[own + np.minimum(number, of_case - 1)]
            cuts[some[last]] = np.nextafter(cuts[some[last]], np.inf)
        else:
            cuts[some] = values[own + max(number - 1, 0)]
            cuts[some] = np.nextafter(cuts[some], -np.inf) if not number else cuts[some]
        decided = few.of_cases(there).by_case(cuts, {}, rule.source)
        parts[starts[there] + number] = made.contributions(Decided(decided, unparsed))
    return parts, starts, values, cases


def _trouble(moves: Moves, present: Floats, threshold: float) -> str:
    """Why there is no curve, given what the cases contribute (m, k) at the present threshold."""
    here = np.column_stack([parts[:, 0] for parts in moves.by_case(np.array([threshold])).values()])
    if not np.allclose(here, present):
        return "what a case contributes depends on other cases"
    return "" if moves.changes.any() else "it does not depend on the threshold"
