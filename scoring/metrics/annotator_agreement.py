"""How well raters agree: shares, Cohen's kappa of two, Krippendorff's alpha of all, with bootstrap intervals.

Raters are people, or scorers that judge the same cases. A coefficient is a formula over sums of parts that each case
has, so that its value and those of all resamples are one computation.
"""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.metrics.resampling import RESAMPLES, SMALL, Figure, with_interval

MISSING = -1
"""Stands in `codes` for a person who says nothing."""
NOTHING_SHARED = "there is nothing of which two people say something"
ONE_VALUE = "one and the same thing is said everywhere, so chance would agree as well"
_PRODUCTS = 1 << 18
NO_WIDTH = "no interval: all resamples of this are alike"

Formula = Callable[[Floats], Floats]
"""Sums of parts (k, q) -> values (k,), NaN where one is undefined."""


class AnnotatorAnswers(Struct, frozen=True, eq=False):
    """What people say of units, which are cases, or steps of cases.

    `codes` (u, p): of every unit and person the number (0-based) of one of `values` values, or MISSING. `cases` (u,):
    a number of the case that each unit is of; whole cases are resampled, since steps of one are judged together.
    `ordinal` says that the values are in order, so that alpha counts neighbours as nearer.
    """

    codes: Ints
    cases: Ints
    values: int
    ordinal: bool = False

    def of(self, people: Sequence[int]) -> "AnnotatorAnswers":
        """Return the answers of some people, by place, where two of them at least say something."""
        codes = self.codes[:, list(people)]
        return replace(self, codes=codes).only((codes != MISSING).sum(axis=1) > 1)

    def only(self, units: Bools) -> "AnnotatorAnswers":
        """Keep those of some units (u,)."""
        return AnnotatorAnswers(self.codes[units], self.cases[units], self.values, self.ordinal)

    @property
    def n_cases(self) -> int:
        """How many cases the units are of."""
        return int(np.unique(self.cases).size)


def agreement_of_two(answers: AnnotatorAnswers, left: int, right: int, seed: int | None) -> tuple[Figure, Figure]:
    """`observed`, the share of units of which two people say the same, and `kappa`; places are columns of `codes`.

    Cohen's kappa (Educational and Psychological Measurement 20, 1960): (observed - expected) / (1 - expected), where
    `expected` is the agreement of two people who say each thing as often as these two do, but at random. All
    disagreements weigh the same. It is undefined where both say one and the same thing everywhere. Without a seed
    nothing is resampled, and there are no intervals.
    """

    def parts(codes: Ints) -> Floats:
        """Return whether both say the same, and what each of them says."""
        each = [_marks(codes[:, [side]], answers.values) for side in (0, 1)]
        return np.column_stack([codes[:, 0] == codes[:, 1], *each])

    return _figures(answers.of((left, right)), parts, ("kappa", kappas), seed)


def agreement_of_all(answers: AnnotatorAnswers, seed: int | None) -> tuple[Figure, Figure]:
    """`observed`, the share of pairs of people who say the same of a unit, and `alpha`, of all people.

    Krippendorff's alpha (Content Analysis, 4th edition, chapter 12): 1 - observed / expected disagreement over pairs of
    what is said of one unit, each weighted by 1 / (people of the unit - 1), and over pairs of all that is said. Units
    of which one person alone says something do not count. Disagreements are all alike, or, of ordinal values, the
    square of how many answers lie between. It is undefined where one value alone is given. `observed` is weighted so.
    """

    def parts(codes: Ints) -> Floats:
        """Weighted pairs that agree, how often each value is given, and where these are in order all pairs."""
        counts = _marks(codes, answers.values)
        others = counts.sum(axis=1) - 1
        columns = [(counts * (counts - 1)).sum(axis=1) / others, counts]
        if answers.ordinal:
            pairs = counts[:, :, None] * counts[:, None, :] / others[:, None, None]
            columns.append(pairs.reshape(len(counts), answers.values**2))
        return np.column_stack(columns)

    formula = ordinal_alphas if answers.ordinal else alphas
    return _figures(answers.of(range(answers.codes.shape[1])), parts, ("alpha", formula), seed)


def confusion_of(answers: AnnotatorAnswers, left: int, right: int) -> Ints:
    """Count how often one person says i and another j of the same unit, shape (values, values)."""
    first, second = answers.of((left, right)).codes.T
    v = answers.values
    return np.bincount(first * v + second, minlength=v * v).reshape(v, v)


def kappas(sums: Floats) -> Floats:
    """Cohen's kappa of sums (k, 1 + 2v): how often two agree, how often the one says each value, and the other."""
    agreed, (left, other) = sums[:, 0], np.split(sums[:, 1:], 2, axis=1)
    n, by_chance = left.sum(axis=1), (left * other).sum(axis=1)
    return _ratio(n * agreed - by_chance, n**2 - by_chance)


def alphas(sums: Floats) -> Floats:
    """Krippendorff's nominal alpha of sums (k, 1 + v): weighted pairs that agree, and how often each value is given."""
    counts = sums[:, 1:]
    n = counts.sum(axis=1)
    return 1 - _ratio((n - 1) * (n - sums[:, 0]), n**2 - (counts**2).sum(axis=1))


def ordinal_alphas(sums: Floats) -> Floats:
    """Compute the ordinal alpha of sums (k, 1 + v + v * v): the same, and the weighted pairs of any two different
    values.
    """
    v = round((np.sqrt(4 * sums.shape[1] - 3) - 1) / 2)
    counts, pairs = sums[:, 1 : 1 + v], sums[:, 1 + v :].reshape(-1, v, v)
    distances = ordinal_distances(counts)
    expected = np.einsum("ki,kj,kij->k", counts, counts, distances)
    disagreements = (counts.sum(axis=1) - 1) * (pairs * distances).sum(axis=(1, 2))
    # What is not 0 may come to be it: middles of values that nobody gives are ends of others.
    return 1 - _ratio(disagreements, np.where((counts > 0).sum(axis=1) > 1, expected, 0))


def ordinal_distances(counts: Floats) -> Floats:
    """Squared distances of values in order, by how often each is given: (k, v) -> (k, v, v).

    Of two values: all answers between them, and half of those that are one of them.
    """
    middles = np.cumsum(counts, axis=1) - counts / 2
    distances: Floats = (middles[:, :, None] - middles[:, None, :]) ** 2
    return distances


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where there is nothing below."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)


def _figures(
    shared: AnnotatorAnswers, parts_of: Callable[[Ints], Floats], coefficient: tuple[str, Formula], seed: int | None
) -> tuple[Figure, Figure]:
    """The observed share and a coefficient, of which the name and the formula are given.

    `parts_of` makes of codes (k, p) the parts (k, q) of each unit, of which all figures are sums.
    """
    (metric, formula), n = coefficient, len(shared.codes)
    if not n:
        nothing = (None, None, None, 0, NOTHING_SHARED)
        return Figure("observed", *nothing), Figure(metric, *nothing)

    def share(sums: Floats) -> Floats:
        shares: Floats = sums[:, 0] / sums[:, 1 : 1 + shared.values].sum(axis=1)
        return shares

    parts, counts = _by_case(shared, parts_of)
    whole = (counts @ parts)[None]
    sums = None if seed is None else _resampled(parts, counts, seed)
    observed = _figure("observed", float(share(whole)[0]), None if sums is None else share(sums), n)
    if np.unique(shared.codes[shared.codes != MISSING]).size < 2:
        return observed, Figure(metric, None, None, None, n, ONE_VALUE)
    return observed, _figure(metric, float(formula(whole)[0]), None if sums is None else formula(sums), n)


def _figure(metric: str, value: float, draws: Floats | None, n: int) -> Figure:
    """With its interval; without one where every resample gives the same, which says nothing of other cases."""
    if draws is None:
        return Figure(metric, value, None, None, n)
    defined = draws[np.isfinite(draws)]
    if defined.size and np.ptp(defined) < 1e-9:
        return Figure(metric, value, None, None, n, None, NO_WIDTH)
    return with_interval(metric, value, draws, n, "value", f"fewer than {SMALL}" if n < SMALL else None)


def _marks(codes: Ints, values: int) -> Floats:
    """How many of the people (u, p) give each value, shape (u, values)."""
    counts: Floats = (codes[:, :, None] == np.arange(values)).sum(axis=1).astype(np.float64)
    return counts


def _by_case(shared: AnnotatorAnswers, parts_of: Callable[[Ints], Floats]) -> tuple[Floats, Ints]:
    """The parts (k, q) of kinds of cases, and how many cases (k,) are of each kind.

    Where each case has one unit there are few kinds; else every case is its own, with the sums over its units.
    """
    names, places = np.unique(shared.cases, return_inverse=True)
    if names.size == len(shared.codes):
        kinds, counts = np.unique(shared.codes, axis=0, return_counts=True)
        return parts_of(kinds), counts
    sums: Floats = np.column_stack([np.bincount(places, column) for column in parts_of(shared.codes).T])
    return sums, np.ones(names.size, dtype=np.int64)


def _resampled(parts: Floats, counts: Ints, seed: int) -> Floats:
    """Sums over as many cases as there are, drawn with replacement, RESAMPLES times: (RESAMPLES, q).

    How often each kind of parts is drawn is multinomial; kinds are sorted, so that the order of cases changes nothing.
    """
    kinds, places = np.unique(parts, axis=0, return_inverse=True)
    n, cases = np.bincount(places.ravel(), counts), int(counts.sum())
    rng, step = np.random.default_rng(seed), max(1, 4 * _PRODUCTS // len(kinds))
    sizes = [min(step, RESAMPLES - start) for start in range(0, RESAMPLES, step)]
    return np.concatenate([rng.multinomial(cases, n / cases, size=size) @ kinds for size in sizes])
