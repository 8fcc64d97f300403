"""Paired comparison: by how much one scorer is better than another on the cases that both have, and is it chance?

The headline is the difference of the official figure with a percentile bootstrap interval (Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, chapter 13): F1 of first errors as the mean over subsets (ProcessBench, arXiv
2412.06559, section 3.3), PRMScore of all steps pooled (PRMBench, arXiv 2501.03124, section 4.2), or the leading figure
of the benchmark's own. Beside F1 stands McNemar's test in its exact form, for erroneous and for clean cases apart,
adjusted by Holm over a family that whoever tests has to state.
"""

from collections.abc import Iterator

import numpy as np

from scoring.data.schema import Bools, RowDict
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import OF_STEPS, AlignedScorers, AlignedSums
from scoring.metrics.closed_forms import holm, mcnemar
from scoring.metrics.resampling import Figure
from scoring.metrics.shared_draws import (
    OF_CASES,
    Aligned,
    Shared,
    SharedScores,
    compared_metrics,
    shared,
    shared_by_pairs,
)

CASE_NAMES, STEP_NAMES = (tuple(metric.name for metric in metrics) for metrics in (OF_CASES, OF_STEPS))
CLUSTERED = "cases share problems and the test takes them as independent"


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
