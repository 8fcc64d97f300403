"""Paired comparison: by how much one scorer is better than another on the cases that both have, and is it chance?

The headline is the difference of the official figure with a percentile bootstrap interval (Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, chapter 13): F1 of first errors as the mean over subsets (ProcessBench, arXiv
2412.06559, section 3.3), PRMScore of all steps pooled (PRMBench, arXiv 2501.03124, section 4.2), or the leading figure
of the benchmark's own. Beside F1 stands McNemar's test in its exact form, for erroneous and for clean cases apart,
adjusted by Holm over a family that whoever tests has to state.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, RowDict
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import OF_STEPS, AlignedScorers, AlignedSums, pairs_alike
from scoring.metrics.closed_forms import holm, mcnemar
from scoring.metrics.first_error import CORRECT_ACC, ERROR_ACC, F1_SCORE, sides_of
from scoring.metrics.kernel import Metric, Tally, first_error_sums, with_draws
from scoring.metrics.resampling import RESAMPLES, SMALL, Figure, resample_marks, resample_problems, with_interval

Aligned = AlignedScorers | AlignedSums
OF_CASES: tuple[Metric, ...] = (F1_SCORE, ERROR_ACC, CORRECT_ACC)
"""What is compared of first errors."""
CASE_NAMES, STEP_NAMES = (tuple(metric.name for metric in metrics) for metrics in (OF_CASES, OF_STEPS))
CLUSTERED = "cases share problems and the test takes them as independent"


# -- figures on shared draws


class Shared(Struct, frozen=True, eq=False):
    """Figures of some scorers on cases that all of them have, and in resamples that they share.

    Attributes:
        names: Of k scorers.
        columns: Their places among all that are compared.
        tally: Sums in groups and k columns; a figure is the plain mean over the groups.
        n: How many cases there are.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    tally: Tally
    n: int

    def values(self, metric: Metric) -> Floats:
        """Return a figure of every scorer, shape (k,); NaN where undefined."""
        return self.tally.mean(metric)

    def best(self, metric: Metric) -> int | None:
        """Find the scorer with the highest figure, of equal ones the first, by its place among all; None: undefined."""
        values = self.values(metric)
        return None if np.isnan(values).all() else self.columns[int(np.nanargmax(values))]

    def estimate(self, metric: Metric, column: int) -> Figure:
        """Return the figure of one scorer (its place among all), with its interval where there are draws.

        It is the interval that the scorer has on these cases without the others, as on every other page.
        """
        return self._figure(self.alone, metric, (self.columns.index(column),), "value")

    def difference(self, metric: Metric, left: int, right: int) -> Figure:
        """Return the figure of one scorer minus that of another (their places among all), likewise with an interval."""
        return self._figure(self.tally, metric, (self.columns.index(left), self.columns.index(right)), "difference")

    @property
    def alone(self) -> Tally:
        """The same sums with the draws of each scorer by itself, which tell nothing of differences."""
        return self.tally

    def _figure(self, tally: Tally, metric: Metric, places: tuple[int, ...], what: str) -> Figure:
        n, value = self.size(metric), _less(self.values(metric), places)
        if not np.isfinite(value):
            return Figure(metric.name, None, None, None, n, self.why(metric, places))
        if tally.draws is None:
            return Figure(metric.name, float(value), None, None, n)
        draws = _less(tally.drawn_mean(metric), places)
        return with_interval(metric.name, float(value), draws, n, what, self.few(metric))

    def size(self, metric: Metric) -> int:  # noqa: ARG002
        """Count the cases behind a figure."""
        return self.n

    def few(self, metric: Metric) -> str | None:
        """Note that the cases are few; None where they are not."""
        raise NotImplementedError

    def why(self, metric: Metric, places: tuple[int, ...]) -> str:
        """Return why a figure is undefined of scorers, by their places among these."""
        raise NotImplementedError


def _less(values: Floats, places: tuple[int, ...]) -> Floats:
    """The values at one place along the last axis, less those at another."""
    differences: Floats = (
        values[..., places[0]] if len(places) == 1 else values[..., places[0]] - values[..., places[1]]
    )
    return differences


class SharedScores(Shared, frozen=True, eq=False, dict=True):
    """Figures of first errors; the groups are subsets.

    Attributes:
        seed: Of the draws; None = there are none.
        whole: Whether whole problems were drawn; else the cases of each side of a subset.
    """

    seed: int | None = None
    whole: bool = False

    @cached_property
    def alone(self) -> Tally:
        """The same sums with the draws of each scorer by itself, which tell nothing of differences."""
        # Whole problems are the same ones, whoever is scored on them.
        return self.tally if self.seed is None or self.whole else with_draws(self.tally, self.seed)

    @property
    def pooled(self) -> "SharedScores":
        """The same with the cases of all subsets counted together."""
        return replace(self, tally=self.tally.pooled())

    def size(self, metric: Metric) -> int:
        """Count the cases of the sides that a figure is of."""
        return int(sum(self.tally.sums[side].sum() for side in sides_of(metric)))

    def few(self, metric: Metric) -> str | None:
        """Note that a side is small."""
        sides = sides_of(metric)
        if min(self.tally.sums[side].sum() for side in sides) >= SMALL:
            return None
        return f"small n: fewer than {SMALL} {' or '.join(sides)} cases"

    def why(self, metric: Metric, places: tuple[int, ...]) -> str:
        """Return which side is empty, or whose accuracies are both 0, and in how many subsets."""
        if not self.n:
            return "no case in common"
        for side in sides_of(metric):
            empty = self.tally.sums[side][:, 0] == 0
            if empty.any():
                return f"no {side} case in common{_in_some(empty)}"
        hits = self.tally.sums["exact"] + self.tally.sums["clean_right"]
        place = next(place for place in places if (hits[:, place] == 0).any())
        return f"both accuracies of {self.names[place]} are 0{_in_some(hits[:, place] == 0)}"


def _in_some(empty: Bools) -> str:
    return "" if empty.all() else f" in {int(empty.sum())} of {empty.size} subsets"


class SharedSums(Shared, frozen=True, eq=False):
    """Official figures other than F1, of all subsets together."""

    def few(self, metric: Metric) -> str | None:  # noqa: ARG002
        """Note that the cases are few."""
        return f"small n: fewer than {SMALL} cases" if self.n < SMALL else None

    def why(self, metric: Metric, places: tuple[int, ...]) -> str:
        """Return for whom there is nothing that counts."""
        if not self.n:
            return f"no case in common{' whose steps are judged' if metric in OF_STEPS else ''}"
        place = next(place for place in places if np.isnan(self.values(metric)[place]))
        sums = {name: counted[0, place] for name, counted in self.tally.sums.items()}
        return f"{self.names[place]}: {metric.why(sums)}"


def shared_scores(aligned: AlignedScorers, columns: tuple[int, ...], seed: int | None = 0) -> SharedScores:
    """Score and resample some scorers (their places) together, on the cases that all of them tried.

    `seed` is that of the resamples; None = there are none.
    """
    rows = np.flatnonzero(aligned.common(columns))
    if aligned.order is not None:
        rows = rows[np.argsort(aligned.order[rows])]
    right = aligned.right[rows][:, list(columns)]
    subsets, subset = np.unique(aligned.subsets[rows], return_inverse=True)
    cells, shape = 2 * subset + ~aligned.erroneous[rows], (subsets.size, 2)
    totals = np.bincount(cells, minlength=2 * subsets.size).reshape(shape)
    hits = np.zeros((*shape, len(columns)), dtype=np.int64)
    for place, marks in enumerate(right.T):
        hits[..., place] = np.bincount(cells[marks], minlength=2 * subsets.size).reshape(shape)
    draws = None
    if seed is not None:
        drawn = resample_marks(right, cells, totals.size, aligned.problems[rows], seed)
        hit, of = drawn[0].reshape(RESAMPLES, *shape, len(columns)), drawn[1].reshape(RESAMPLES, *shape, 1)
        draws = first_error_sums(hit, of)
    names = tuple(aligned.names[column] for column in columns)
    tally = Tally(first_error_sums(hits, totals[..., None]), draws)
    whole = seed is not None and np.unique(aligned.problems[rows]).size < rows.size
    return SharedScores(names, columns, tally, int(totals.sum()), seed, whole)


def shared_sums(aligned: AlignedSums, columns: tuple[int, ...], seed: int | None = 0) -> SharedSums:
    """Score and resample some scorers (their places) together, on the cases that all of them have."""
    rows = aligned.common(columns)
    parts = aligned.parts[rows][:, list(columns)]
    n, shape = parts.shape[0], parts.shape[1:]
    # Subset by subset, and then together: fractions add up as in `metrics`, to the last digit; whole numbers always do.
    apart = aligned.subsets[rows] * bool((parts % 1).any())
    subsets, subset = np.unique(apart, return_inverse=True)
    sums = np.zeros((subsets.size, *shape))
    np.add.at(sums, subset, parts)
    draws = None
    if seed is not None:
        # Equal seeds draw the same problems for every scorer.
        drawn = np.zeros((RESAMPLES, 1, *shape))
        for place in range(shape[0]):
            by_subset = resample_problems(parts[:, place], subset, subsets.size, aligned.problems[rows], seed)
            drawn[:, 0, place] = by_subset.sum(axis=1)
        draws = _named(aligned, drawn)
    names = tuple(aligned.names[column] for column in columns)
    return SharedSums(names, columns, Tally(_named(aligned, sums.sum(axis=0, keepdims=True)), draws), n)


def _named(aligned: AlignedSums, parts: Floats) -> dict[str, Floats]:
    """Sums by the name of their count, which lie along the last axis."""
    return dict(zip(aligned.counts, np.moveaxis(parts, -1, 0), strict=True))


def shared(aligned: Aligned, columns: tuple[int, ...], seed: int | None = 0) -> Shared:
    """Score and resample some scorers together, by first errors or by the sums of their official figure."""
    if isinstance(aligned, AlignedSums):
        return shared_sums(aligned, columns, seed)
    return shared_scores(aligned, columns, seed)


def shared_by_pairs(aligned: Aligned, seed: int | None = 0) -> Iterator[tuple[tuple[int, int], Shared]]:
    """Score every two scorers (left before right); pairs with the same common cases share one set of resamples."""
    by_pair: dict[tuple[int, int], Shared] = {}
    for group, columns in pairs_alike(len(aligned.names), aligned.common):
        by_pair |= dict.fromkeys(group, shared(aligned, columns, seed))
    yield from sorted(by_pair.items(), key=lambda item: item[0])


def compared_metrics(aligned: Aligned) -> tuple[Metric, ...]:
    """Return what is compared of scorers side by side, their official figure first."""
    return aligned.metrics if isinstance(aligned, AlignedSums) else OF_CASES


def official_values(aligned: Aligned) -> dict[str, float]:
    """Return the official figure of the scorers that have any case, on those that all of them have; NaN: undefined."""
    columns = aligned.trying
    if not columns:
        return {}
    values = shared(aligned, columns, None).values(compared_metrics(aligned)[0]).tolist()
    return dict(zip((aligned.names[column] for column in columns), values, strict=True))


# -- rows


def comparison_row(
    about: RowDict, metric: str, figure: Figure | float | None, n: int = 0, reason: str = "", subset: str = "all"
) -> RowDict:
    """Make one row of a comparison, of a figure with its interval or of a bare value that `n` cases say.

    Args:
        about: `left_out` and, where there are any, `scorer` and `other`.
        metric: its name.
        figure: the figure, or the value.
        n: cases, of a bare value.
        reason: why there is none.
        subset: `average` for a mean over subsets, `all` where their cases or steps are counted together.
    """
    if not isinstance(figure, Figure):
        figure = Figure(metric, None if figure is None else float(figure), None, None, n, reason)
    return {
        "scorer": None,
        "other": None,
        **about,
        "subset": subset,
        "metric": metric,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "p": None,
        "p_holm": None,
        "reason": (reason or figure.reason or "") if figure.value is None else None,
        "note": figure.note,
    }


def case_comparison_rows(aligned: AlignedScorers, seed: int | None = 0) -> list[RowDict]:
    """Compare two or more scorers by their first errors on the cases of one benchmark.

    Gives dictionaries with `scorer, other, subset, metric, value, low, high, n, left_out, p, p_holm, reason, note`.
    Rows with both scorers are about the cases that both tried:
    `f1_difference`, `error_acc_difference`, `correct_acc_difference` (scorer minus other; as `subset` says the mean
    over subsets, `average`, or of the cases of all subsets counted together, `all`, as the counts below are);
    per side (erroneous, clean) `SIDE_both_right`, `SIDE_only_scorer_right`, `SIDE_only_other_right`,
    `SIDE_neither_right` (counts of cases) and `SIDE_mcnemar` (of the `n` discordant pairs the share that `scorer` has
    right, with `p` and `p_holm`); `outcome_agreement` and `verdict_agreement` (shares).
    The others are those of `standing_rows`. `left_out` counts the cases that not all of the scorers a row is about
    tried. Undefined is None, with a `reason`. Without a seed there are no intervals.
    """
    rows = [row for pair, scores in shared_by_pairs(aligned, seed) for row in _pair_rows(aligned, pair, scores)]
    adjusted = holm(np.array([np.nan if row["p"] is None else row["p"] for row in rows], dtype=np.float64))
    tested = [{**row, "p_holm": None if row["p"] is None else float(p)} for row, p in zip(rows, adjusted, strict=True)]
    return [*tested, *standing_rows(aligned, seed)]


def _pair_rows(aligned: AlignedScorers, pair: tuple[int, int], scores: Shared) -> Iterator[RowDict]:
    assert isinstance(scores, SharedScores)  # noqa: S101  # what scorers are aligned by cases give
    names = [aligned.names[column] for column in pair]
    about = {"scorer": names[0], "other": names[1], "left_out": aligned.left_out(pair)}
    nothing = aligned.why_nothing(pair) or ""
    for subset, counted in (("average", scores), ("all", scores.pooled)):
        for metric in OF_CASES:
            yield comparison_row(
                about, f"{metric.name}_difference", counted.difference(metric, *pair), 0, nothing, subset
            )
    for side, members in aligned.sides:
        counts = quadrants(aligned, *pair, members)
        none = nothing or f"no {side} case in common"
        for name, count in counts.items():
            n = sum(counts.values())
            yield comparison_row(about, f"{side}_{name}", count if n else None, n, none)
        related = aligned.related(members & aligned.common(pair))
        yield mcnemar_row(about, side, counts, none, related=related)
    agreements = {
        "outcome_agreement": agreement_of_outcomes(aligned, *pair),
        "verdict_agreement": agreement_of_verdicts(aligned, *pair),
    }
    for name, (hits, n) in agreements.items():
        yield comparison_row(about, name, hits / n if n else None, n, nothing or "no case in common")


def mcnemar_row(about: RowDict, side: str, counts: dict[str, int], none: str, *, related: bool) -> RowDict:
    """Make the row of McNemar's test on one side; without a discordant pair p is 1 and the share open.

    Args:
        about: see `comparison_row`.
        side: of which side the cases are.
        counts: those of `quadrants`.
        none: why there is no test where there is no case.
        related: whether some cases share a problem.
    """
    left, right, n = counts["only_scorer_right"], counts["only_other_right"], sum(counts.values())
    discordant = left + right
    value = left / discordant if discordant else None
    row = comparison_row(about, f"{side}_mcnemar", value, discordant, "no discordant pair" if n else none)
    p = float(mcnemar(np.array(left), np.array(right))) if n else None
    return {**row, "p": p, "note": CLUSTERED if n and related else None}


def official_comparison_rows(aligned: AlignedSums, seed: int | None = 0) -> list[RowDict]:
    """Compare two or more scorers by the official figure of one benchmark, where that is not of first errors.

    Gives the dictionaries of `case_comparison_rows`. For every pair, on the cases that count for both, a
    `METRIC_difference` (scorer minus other, of all subsets together) for each of the metrics: of single steps
    `prmscore`, `positive_acc` and `negative_acc`, else the leading figure of the benchmark's own. The others are those
    of `standing_rows`.
    """
    rows = []
    for pair, counted in shared_by_pairs(aligned, seed):
        names = [aligned.names[column] for column in pair]
        about = {"scorer": names[0], "other": names[1], "left_out": aligned.left_out(pair)}
        nothing = aligned.why_nothing(pair) or ""
        for metric in aligned.metrics:
            figure = counted.difference(metric, *pair)
            rows.append(comparison_row(about, f"{metric.name}_difference", figure, 0, nothing))
    return [*rows, *standing_rows(aligned, seed)]


def tied_name(official: str) -> str:
    """Name the metric that says who is tied with the best, by the name of the official figure."""
    return "tied_with_best" if official == "f1" else f"{official}_tied_with_best"


def standing_rows(aligned: Aligned, seed: int | None = 0) -> Iterator[RowDict]:
    """Rank scorers on the cases that all of them tried, those set aside that tried none, and tell who is tied.

    Yields `f1`, `error_acc` and `correct_acc` (means over subsets, with the intervals that `metrics` gives to these
    cases),
    `f1_behind_best` (scorer minus the best one, which is `other`) and `tied_with_best` (1 if that difference's interval
    contains 0, else 0), both undefined where no two scorers have an F1; or, where the official figure is another one,
    `METRIC`, `METRIC_behind_best` and `METRIC_tied_with_best` of it alone.
    """
    of_first_errors = isinstance(aligned, AlignedScorers)
    metrics = OF_CASES if of_first_errors else compared_metrics(aligned)[:1]
    official, subset = metrics[0], "average" if of_first_errors else "all"
    to_best = (f"{official.name}_behind_best", tied_name(official.name))
    columns = aligned.trying
    counted = shared(aligned, columns, seed)
    best = counted.best(official) if columns else None
    alone = int(np.isfinite(counted.values(official)).sum()) < 2
    left_out = aligned.left_out(columns)
    for column, name in enumerate(aligned.names):
        about = {"scorer": name, "left_out": left_out}
        if column not in columns:
            why = _why_aside(aligned, column)
            yield from (
                comparison_row(about, metric, None, 0, why) for metric in (*(m.name for m in metrics), *to_best)
            )
            continue
        own = {metric: counted.estimate(metric, column) for metric in metrics}
        yield from (comparison_row(about, metric.name, figure, subset=subset) for metric, figure in own.items())
        if best is None or alone:
            why = f"{official.title} is undefined for every scorer"
            if best is not None:
                article = "an" if of_first_errors else "a"
                other = f"nothing to compare with: no other scorer has {article} {official.title} here"
                why = own[official].reason or other
            yield from (comparison_row(about, metric, None, counted.n, why) for metric in to_best)
            continue
        behind = counted.difference(official, column, best)
        about = {**about, "other": aligned.names[best]}
        yield comparison_row(about, to_best[0], behind, subset=subset)
        yield comparison_row(about, to_best[1], behind.holds_zero, behind.n, behind.reason or behind.note or "")


def _why_aside(aligned: Aligned, column: int) -> str:
    name, nothing = aligned.names[column], aligned.nothing[column]
    if isinstance(aligned, AlignedScorers):
        return f"{name}: {nothing}" if nothing else f"{name} tried no case"
    return f"{name}: {nothing or 'no case with a labelled step was judged'}"


# -- who agrees with whom


def quadrants(aligned: AlignedScorers, left: int, right: int, rows: Bools) -> dict[str, int]:
    """Count the cases of `rows` (n,) that two scorers (their places) tried, by who is right."""
    taken = rows & aligned.common((left, right))
    left_hits, right_hits = aligned.right[:, left] & taken, aligned.right[:, right] & taken
    both = int(np.count_nonzero(left_hits & right_hits))
    only_one, only_other = int(np.count_nonzero(left_hits)) - both, int(np.count_nonzero(right_hits)) - both
    return {
        "both_right": both,
        "only_scorer_right": only_one,
        "only_other_right": only_other,
        "neither_right": int(np.count_nonzero(taken)) - both - only_one - only_other,
    }


def agreement_of_outcomes(aligned: AlignedScorers, left: int, right: int) -> tuple[int, int]:
    """Count the cases on which both are right or both are wrong, and those that both tried."""
    taken = aligned.common((left, right))
    alike = aligned.right[:, left] == aligned.right[:, right]
    return int(np.count_nonzero(alike & taken)), int(np.count_nonzero(taken))


def agreement_of_verdicts(aligned: AlignedScorers, left: int, right: int) -> tuple[int, int]:
    """Count the cases on which the two verdicts are equal, right or wrong, and those with a verdict of both."""
    left_verdicts, right_verdicts = aligned.verdicts[:, left], aligned.verdicts[:, right]
    taken = (left_verdicts != NO_VERDICT) & (right_verdicts != NO_VERDICT)
    return int(np.count_nonzero((left_verdicts == right_verdicts) & taken)), int(np.count_nonzero(taken))
