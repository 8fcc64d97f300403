"""A comparison of scorers as rows in long form: differences, quadrants, tests, ties and agreement."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.metrics import agreement
from scoring.metrics.agreement import Quadrants, Shares, quadrants
from scoring.metrics.comparison_row import figure_row, none_of, nothing_of, plain_row, sides
from scoring.metrics.ensemble import NO_BEST, ensemble_rows
from scoring.metrics.figure import Figure
from scoring.metrics.lineup import Lineup
from scoring.metrics.paired import (
    METRICS,
    SharedScores,
    best_of,
    holm,
    mcnemar,
    scores_of_pairs,
    shared_scores,
    shared_values,
)
from scoring.step_rewards import Bools

CLUSTERED = "cases share problems and the test takes them as independent"
TO_BEST = ("f1_behind_best", "tied_with_best")
NO_OTHER = "nothing to compare with: no other scorer has an F1 here"


def comparison_rows(lineup: Lineup, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Everything that is to say about two or more scorers on the cases of one benchmark.

    Yields dictionaries with `scorer, other, subset, metric, value, low, high, n, left_out, p, p_holm, reason, note`.
    Rows with both scorers are about the cases that both tried:
    `f1_difference`, `error_acc_difference`, `correct_acc_difference` (scorer minus other; as `subset` says the mean
    over subsets, `average`, or of the cases of all subsets counted together, `all`, as the counts below are);
    per side (erroneous, clean) `SIDE_both_right`, `SIDE_only_scorer_right`, `SIDE_only_other_right`,
    `SIDE_neither_right` (counts of cases) and `SIDE_mcnemar` (of the `n` discordant pairs the share that `scorer` has
    right, with `p` and `p_holm`); `outcome_agreement` and `verdict_agreement` (shares).
    The others are about the cases that all scorers tried, those set aside that tried none: `f1`, `error_acc` and
    `correct_acc` (means over subsets, with intervals from the comparison's own draws), `f1_behind_best` (scorer minus
    the best one, which is `other`) and `tied_with_best` (1 if that difference's interval contains 0, else 0), both
    undefined where no two scorers have an F1, and, of three or more scorers, counts of cases: `SIDE_lone_right` of a
    scorer, `SIDE_unanimous_right` and `SIDE_unanimous_wrong`, and the rows of `scoring.metrics.ensemble`.
    `left_out` counts the cases that not all of the scorers a row is about tried. Undefined is None, with a `reason`.
    """
    rows = [row for pair in _pairs(lineup, seed) for row in pair]
    for row, adjusted in zip(rows, holm(np.array([_or_nan(row["p"]) for row in rows])), strict=True):
        yield {**row, "p_holm": None if row["p"] is None else float(adjusted)}
    yield from _standings(lineup, seed)


def n_tests(rows: list[dict[str, Any]]) -> int:
    """How many tests Holm's family holds."""
    return sum(row["p"] is not None for row in rows)


def _pairs(lineup: Lineup, seed: int) -> Iterator[Iterator[dict[str, Any]]]:
    for (left, right), scores in scores_of_pairs(lineup, seed).items():
        yield _pair(lineup, left, right, {"average": scores, "all": scores.pooled})


def _pair(lineup: Lineup, left: int, right: int, scores: dict[str, SharedScores]) -> Iterator[dict[str, Any]]:
    """The rows of two scorers."""
    about = {"scorer": lineup.names[left], "other": lineup.names[right], "left_out": lineup.left_out((left, right))}
    nothing = nothing_of(lineup, (left, right))
    for subset, shared in scores.items():
        for metric in METRICS:
            yield figure_row(about, f"{metric}_difference", shared.difference(metric, left, right), nothing, subset)
    for side, members in sides(lineup):
        counts = quadrants(lineup, left, right, members)
        named = {
            "both_right": counts.both,
            "only_scorer_right": counts.only_left,
            "only_other_right": counts.only_right,
            "neither_right": counts.neither,
        }
        for name, count in named.items():
            yield plain_row(about, f"{side}_{name}", count if counts.n else None, counts.n, nothing or none_of(side))
        related = lineup.related(members & lineup.common((left, right)))
        yield _test(about, side, counts, nothing or none_of(side), CLUSTERED if related else None)
    shares = {
        "outcome_agreement": agreement.agreement_of_outcomes(lineup, left, right),
        "verdict_agreement": agreement.agreement_of_verdicts(lineup, left, right),
    }
    for name, share in shares.items():
        yield _share(about, name, share, nothing)


def standing_rows(lineup: Lineup, seed: int = 0) -> Iterator[dict[str, Any]]:
    """How good every scorer is on the cases that all tried, and how far behind the best: see `comparison_rows`.

    Yields the rows of `f1`, `error_acc`, `correct_acc`, `f1_behind_best` and `tied_with_best` alone.
    """
    columns, left_out, scores, best = _shared(lineup, seed)
    alone = int(np.isfinite(scores.values[0]).sum()) < 2
    for column, name in enumerate(lineup.names):
        about = {"scorer": name, "left_out": left_out}
        if column not in columns:
            why = nothing_of(lineup, (column,)) or f"{name} tried no case"
            yield from (plain_row(about, metric, None, 0, why) for metric in (*METRICS, *TO_BEST))
            continue
        own = {metric: scores.estimate(metric, column) for metric in METRICS}
        yield from (figure_row(about, metric, figure) for metric, figure in own.items())
        if best is None or alone:
            why = NO_BEST if best is None else own["f1"].reason or NO_OTHER
            yield from (plain_row(about, metric, None, scores.n, why) for metric in TO_BEST)
            continue
        yield from _to_best({**about, "other": lineup.names[best]}, scores.difference("f1", column, best))


def _shared(lineup: Lineup, seed: int) -> tuple[tuple[int, ...], int, SharedScores, int | None]:
    """Who tried any case, how many cases not all of them tried, their scores on the others, and the best of them."""
    columns = tuple(np.flatnonzero(lineup.tried.any(axis=0)).tolist())
    common = lineup.common(columns) if columns else np.zeros(lineup.rows.size, dtype=np.bool_)
    scores = shared_scores(lineup, common, columns, seed)
    return columns, lineup.left_out(columns), scores, best_of(scores) if columns else None


def _standings(lineup: Lineup, seed: int) -> Iterator[dict[str, Any]]:
    """The rows about the cases that all scorers tried."""
    yield from standing_rows(lineup, seed)
    columns = tuple(np.flatnonzero(lineup.tried.any(axis=0)).tolist())
    if len(columns) > 2:
        yield from _voices(lineup, columns, lineup.common(columns), lineup.left_out(columns))
        yield from ensemble_rows(lineup, columns, _best(lineup, columns), seed)


def _best(lineup: Lineup, columns: tuple[int, ...]) -> int | None:
    """The place of the scorer with the highest F1 on the cases that all of these tried, of equal ones the first."""
    f1 = shared_values(lineup, columns)[0]
    return None if np.isnan(f1).all() else columns[int(np.nanargmax(f1))]


def _to_best(about: dict[str, Any], behind: Figure) -> Iterator[dict[str, Any]]:
    """How far a scorer is behind the best one, and whether the interval lets them be equal."""
    yield figure_row(about, TO_BEST[0], behind)
    yield plain_row(about, TO_BEST[1], behind.holds_zero, behind.n, behind.reason or behind.note or "")


def _voices(lineup: Lineup, columns: tuple[int, ...], common: Bools, left_out: int) -> Iterator[dict[str, Any]]:
    """Who is right alone, and where all are right or all wrong."""
    who = agreement.lone_right(lineup, columns)
    wrong = agreement.unanimous_wrong(lineup, columns)
    right = common & lineup.right[:, columns].all(axis=1)
    for side, members in sides(lineup):
        n = int((members & common).sum())
        counted = {f"{side}_unanimous_right": right, f"{side}_unanimous_wrong": wrong}
        alone = [(lineup.names[column], f"{side}_lone_right", who == column) for column in columns]
        for name, metric, marks in [*alone, *((None, metric, marks) for metric, marks in counted.items())]:
            count = int((marks & members).sum()) if n else None
            yield plain_row({"scorer": name, "left_out": left_out}, metric, count, n, none_of(side))


def _share(about: dict[str, Any], metric: str, share: Shares, nothing: str | None) -> dict[str, Any]:
    return plain_row(about, metric, share.share, share.n, nothing or "no case in common")


def _test(about: dict[str, Any], side: str, counts: Quadrants, none: str, note: str | None) -> dict[str, Any]:
    """McNemar's test on one side; without a case there is none, without a discordant pair p is 1 and the share open."""
    discordant = counts.only_left + counts.only_right
    share = counts.only_left / discordant if discordant else None
    row = plain_row(about, f"{side}_mcnemar", share, discordant, "no discordant pair" if counts.n else none)
    p = float(mcnemar(np.array(counts.only_left), np.array(counts.only_right))) if counts.n else None
    return {**row, "p": p, "note": note if counts.n else None}


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
