"""A benchmark's own figure at every threshold: what each case contributes at each of its own decisions.

What a case contributes depends on its own steps alone, and changes only where the threshold passes one of the values
that are compared. So the cases are decided once below their lowest value, once between this and the next one, and so
on, each by its own thresholds: as many times as the longest has steps, whatever the figure is.
"""

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import Rule
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.own import OwnMetric

_DIGITS = 11
"""Digits after the point of sums of fractions: what is equal must not differ by the order in which it was added."""


class OwnSweep(Struct, frozen=True, eq=False):
    """What m cases contribute to a metric of k counts at each of their decisions.

    Attributes:
        values: (v,) the distinct finite values that are compared, case after case, each case's ascending.
        cases: (v,) the place of each one's case, 0-based.
        parts: (v + m, k) what the cases contribute, case after case: passed by none of its values, by the lowest, ...
        starts: (m,) where each case's begin.
        above: Whether a value is passed by thresholds above it, else by its own as well.
        trouble: Why a metric of the user's own has no curve; "" if it has one.
    """

    values: Floats
    cases: Ints
    parts: Floats
    starts: Ints
    above: bool
    trouble: str = ""

    @property
    def thresholds(self) -> Floats:
        """One threshold for every distinct decision, ascending: the values, and one beyond the last or the first."""
        thresholds = np.unique(self.values)
        if not thresholds.size:
            return thresholds
        if self.above:
            return np.append(thresholds, np.nextafter(thresholds[-1], np.inf))
        return np.insert(thresholds, 0, np.nextafter(thresholds[0], -np.inf))

    def sums(self) -> Floats:
        """Add up what all cases contribute at each of `thresholds`, shape (t, k)."""
        thresholds = self.thresholds
        changes = np.zeros((thresholds.size, self.parts.shape[1]), dtype=np.longdouble)
        passed = np.delete(np.arange(len(self.parts)), self.starts)
        # The first of `thresholds` that has passed a value.
        place = np.searchsorted(thresholds, self.values) + self.above
        np.add.at(changes, place, self.parts[passed] - self.parts[passed - 1])
        summed = self.parts[self.starts].sum(axis=0) + np.cumsum(changes, axis=0)
        return np.asarray(summed.round(_DIGITS), dtype=np.float64)

    def at(self, thresholds: Floats) -> Floats:
        """Return what each case contributes at thresholds (t,), in any order, shape (m, t, k)."""
        places = np.empty((self.starts.size, thresholds.size), dtype=np.int64)
        for column, threshold in enumerate(thresholds):
            passed = self.values < threshold if self.above else self.values <= threshold
            places[:, column] = self.starts + np.bincount(self.cases[passed], minlength=self.starts.size)
        return self.parts[places]


def own_sweep(made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> OwnSweep | None:
    """Decide cases at each of their own values; None where no one threshold decides.

    Args:
        made: a metric that makes what a case contributes of that case alone.
        evaluation: gives rewards, gold and the comparison; its threshold does not matter.
        rows: (n,) which cases take part.
        unparsed: how cases without a verdict count.
    """
    rule = evaluation.rule
    if not isinstance(rule, Rule):
        return None
    taken = np.flatnonzero(rows)
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
        parts[starts[there] + number] = made.fresh_parts(Decided(decided, unparsed))
    sweep = OwnSweep(values, cases, parts, starts, above)
    if made.code is None:
        return sweep
    return replace(sweep, trouble=_trouble(sweep, made.parts(Decided(evaluation, unparsed))[taken], rule.threshold))


def _trouble(sweep: OwnSweep, present: Floats, threshold: float) -> str:
    """Return why there is no curve, given what the cases contribute (m, k) at the present threshold."""
    if not np.allclose(sweep.at(np.array([threshold]))[:, 0], present):
        return "what a case contributes depends on other cases"
    passed = np.delete(np.arange(len(sweep.parts)), sweep.starts)
    changes = bool(passed.size) and bool((sweep.parts[passed] != sweep.parts[passed - 1]).any())
    return "" if changes else "it does not depend on the threshold"
