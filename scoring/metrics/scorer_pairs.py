"""Pairs of scorers: how far they agree, what one covers of another, and what an oracle over them gives.

An oracle takes whichever scorer is right, so that no way to combine verdicts by choosing one can do better.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from scoring.data.schema import Bools, RowDict
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import AlignedScorers, pairs_alike
from scoring.metrics.aligned_conditions import EVERY, OF_SIDE, common_of, conjunction, outcome_of, right_of, wrong_of
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.resampling import Figure
from scoring.metrics.shared_draws import OF_CASES, SharedScores, shared_scores
from scoring.workspace.filtering.sql_words import named


def agreement_rows(aligned: AlignedScorers) -> Iterator[RowDict]:
    """Yield for every two scorers and each side (`all`, `erroneous`, `clean`) the shares of AGREEMENTS.

    `both_right_or_wrong` and `same_outcome` (the same word: exact, early, ...) are of the cases that both tried,
    `same_verdict` of those on which both have a verdict. Yields dictionaries with `scorer, other, side, metric, value,
    low, high, n, count, reason, where`: a fraction with Wilson's 95% interval; `where` selects the `count` of the `n`
    cases on which they agree. Null with a reason where there is no such case.
    """
    for left, right in combinations(range(len(aligned.names)), 2):
        pair = (left, right)
        tried = aligned.common(pair)
        with_verdicts = (aligned.verdicts[:, [left, right]] != NO_VERDICT).all(axis=1)
        agreeing = {
            "both_right_or_wrong": (aligned.right[:, left] == aligned.right[:, right], tried, "no {}case in common"),
            "same_outcome": (aligned.codes[:, left] == aligned.codes[:, right], tried, "no {}case in common"),
            "same_verdict": (
                aligned.verdicts[:, left] == aligned.verdicts[:, right],
                with_verdicts,
                "no {}case with a verdict of both",
            ),
        }
        for side, members in _all_sides(aligned):
            for metric, (same, among, none) in agreeing.items():
                reason = aligned.why_nothing(pair) or none.format("" if side == EVERY else f"{side} ")
                hits, n = int((same & among & members).sum()), int((among & members).sum())
                where = _agreeing(aligned, pair, side, metric)
                yield {**_about(aligned, pair, side), **_share_row(metric, hits, n, reason), "where": where}


def _agreeing(aligned: AlignedScorers, pair: tuple[int, int], side: str, metric: str) -> str:
    if metric == "same_verdict":
        verdicts = (named(f"{aligned.names[column]}.verdict") for column in pair)
        return conjunction((OF_SIDE[side], " = ".join(verdicts)))
    if metric == "same_outcome":
        same = " = ".join(outcome_of(aligned, column) for column in pair)
        return conjunction((common_of(aligned, pair, side), same))
    both = [conjunction(selects(aligned, column, side) for column in pair) for selects in (right_of, wrong_of)]
    return conjunction((OF_SIDE[side], f"({both[0]} OR {both[1]})"))


def covered_rows(aligned: AlignedScorers) -> Iterator[RowDict]:
    """Yield what each scorer lacks that another has: of the cases that `scorer` has wrong the share `other` has right.

    For every ordered pair and side, `metric` is `covered`; otherwise rows as those of `agreement_rows`.
    """
    for left in range(len(aligned.names)):
        for right in range(len(aligned.names)):
            if left == right:
                continue
            pair = (left, right)
            lacking = aligned.common(pair) & ~aligned.right[:, left]
            for side, members in _all_sides(aligned):
                there = bool((aligned.common(pair) & members).any())
                none = "{0} has no {1}case in common wrong" if there else "no {1}case in common"
                reason = none.format(aligned.names[left], "" if side == EVERY else f"{side} ")
                hits, n = int((lacking & members & aligned.right[:, right]).sum()), int((lacking & members).sum())
                where = (OF_SIDE[side], wrong_of(aligned, left, side), right_of(aligned, right, side))
                row = _share_row("covered", hits, n, aligned.why_nothing(pair) or reason)
                yield {**_about(aligned, pair, side), **row, "where": conjunction(where)}


def oracle_rows(aligned: AlignedScorers, seed: int | None = 0) -> Iterator[RowDict]:
    """Yield for every two scorers `oracle_METRIC`, where a case is right as soon as one of them has it right.

    `oracle_METRIC_gain` is that minus the same figure of the better of the two by F1 (`better`). Figures are means over
    the subsets, on the cases that both tried, with percentile bootstrap intervals; pairs with the same common cases
    share their resamples. `n` counts the cases in the denominator, and `where` selects them.

    Yields dictionaries with `scorer, other, side, metric, value, low, high, n, count, reason, note, better, where`.
    """
    rows_of: dict[tuple[int, int], list[RowDict]] = {}
    for group, columns in pairs_alike(len(aligned.names), aligned.common):
        common = aligned.only(aligned.common(columns), columns)
        places = [(columns.index(left), columns.index(right)) for left, right in group]
        unions = [common.right[:, list(pair)].any(axis=1) for pair in places]
        names = (*common.names, *(" or ".join(common.names[place] for place in pair) for pair in places))
        made = common.decided_as(names, np.column_stack([common.right, *unions]))
        scores = shared_scores(made, tuple(range(len(names))), seed)
        for number, pair in enumerate(group):
            rows_of[pair] = list(_oracle(aligned, pair, scores, (*places[number], len(columns) + number)))
    for pair in sorted(rows_of):
        yield from rows_of[pair]


def _oracle(
    aligned: AlignedScorers, pair: tuple[int, int], scores: SharedScores, places: tuple[int, int, int]
) -> Iterator[RowDict]:
    """The rows of one pair; `places` are those of the two scorers and of their union in `scores`."""
    f1 = scores.values(F1_SCORE)[list(places[:2])]
    better = None if np.isnan(f1).any() else int(f1[1] > f1[0])
    nothing = aligned.why_nothing(pair)
    for metric, side in zip(OF_CASES, (EVERY, "erroneous", "clean"), strict=True):
        about = _about(aligned, pair, side)
        where = common_of(aligned, pair, side)
        own = scores.estimate(metric, places[2])
        yield {**about, **_figure_row(f"oracle_{metric.name}", own, nothing), "better": None, "where": where}
        name, gain = None, Figure("", None, None, None, own.n, own.reason or "F1 of one of the two is undefined")
        if better is not None:
            name, gain = aligned.names[pair[better]], scores.difference(metric, places[2], places[better])
        yield {**about, **_figure_row(f"oracle_{metric.name}_gain", gain, nothing), "better": name, "where": where}


def _all_sides(aligned: AlignedScorers) -> Iterator[tuple[str, Bools]]:
    yield EVERY, np.ones(aligned.rows.size, dtype=np.bool_)
    yield from aligned.sides


def _about(aligned: AlignedScorers, pair: tuple[int, int], side: str) -> RowDict:
    return {"scorer": aligned.names[pair[0]], "other": aligned.names[pair[1]], "side": side}


def _share_row(metric: str, hits: int, n: int, reason: str) -> RowDict:
    """A share with its interval; of nothing there is none."""
    if not n:
        empty = {"value": None, "low": None, "high": None}
        return {"metric": metric, **empty, "n": 0, "count": 0, "reason": reason}
    low, high = (float(end[0]) for end in wilson_interval(np.array([hits]), np.array([n])))
    return {"metric": metric, "value": hits / n, "low": low, "high": high, "n": n, "count": hits, "reason": None}


def _figure_row(metric: str, figure: Figure, nothing: str | None) -> RowDict:
    ends = {"value": figure.value, "low": figure.low, "high": figure.high}
    reason = None if figure.value is not None else nothing or figure.reason
    return {"metric": metric, **ends, "n": figure.n, "count": figure.n, "reason": reason, "note": figure.note}
