"""Two scorers together: on what they agree, what one has right that the other lacks, and both with an oracle's choice.

The oracle takes whichever of the two is right, so that no way to combine their verdicts by choosing one can do better.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from scoring.metrics.comparison_row import nothing_of, sides
from scoring.metrics.figure import Figure
from scoring.metrics.lineup import Lineup
from scoring.metrics.lineup_conditions import (
    EVERY,
    OF_SIDE,
    common_of,
    conjunction,
    outcome_of,
    right_of,
    wrong_of,
)
from scoring.metrics.paired import METRICS, SharedScores, pairs_alike, shared_scores
from scoring.metrics.wilson import wilson_interval
from scoring.sql_words import named
from scoring.verdicts import NO_VERDICT

Row = dict[str, Any]
AGREEMENTS = ("both_right_or_wrong", "same_outcome", "same_verdict")
OVER_BETTER = "the better of the two on these same cases, so that its lead is a little too low"


def agreement_rows(lineup: Lineup) -> Iterator[Row]:
    """For every two scorers and each side (`all`, `erroneous`, `clean`) the shares of AGREEMENTS.

    `both_right_or_wrong` and `same_outcome` (the same word: exact, early, ...) are of the cases that both tried,
    `same_verdict` of those on which both have a verdict. Yields dictionaries with `scorer, other, side, metric, value,
    low, high, n, count, reason, where`: a fraction with Wilson's 95% interval; `where` selects the `count` of the `n`
    cases on which they agree. Null with a reason where there is no such case.
    """
    for left, right in combinations(range(len(lineup.names)), 2):
        tried = lineup.common((left, right))
        said = (lineup.verdicts[:, [left, right]] != NO_VERDICT).all(axis=1)
        agreeing = {
            "both_right_or_wrong": (lineup.right[:, left] == lineup.right[:, right], tried, "no {}case in common"),
            "same_outcome": (lineup.codes[:, left] == lineup.codes[:, right], tried, "no {}case in common"),
            "same_verdict": (
                lineup.verdicts[:, left] == lineup.verdicts[:, right],
                said,
                "no {}case with a verdict of both",
            ),
        }
        for side, members in ((EVERY, np.ones_like(tried)), *sides(lineup)):
            for metric, (same, among, none) in agreeing.items():
                reason = nothing_of(lineup, (left, right)) or none.format("" if side == EVERY else f"{side} ")
                yield {
                    **_about(lineup, left, right, side),
                    **_share(metric, int((same & among & members).sum()), int((among & members).sum()), reason),
                    "where": _agreeing(lineup, left, right, side, metric),
                }


def _agreeing(lineup: Lineup, left: int, right: int, side: str, metric: str) -> str:
    pair = (left, right)
    if metric == "same_verdict":
        verdicts = (named(f"{lineup.names[column]}.verdict") for column in pair)
        return conjunction((OF_SIDE[side], " = ".join(verdicts)))
    if metric == "same_outcome":
        same = " = ".join(outcome_of(lineup, column) for column in pair)
        return conjunction((common_of(lineup, pair, side), same))
    both = [conjunction(one(lineup, column, side) for column in pair) for one in (right_of, wrong_of)]
    return conjunction((OF_SIDE[side], f"({both[0]} OR {both[1]})"))


def covered_rows(lineup: Lineup) -> Iterator[Row]:
    """What each scorer lacks that another has: of the cases that `scorer` has wrong the share that `other` has right.

    For every ordered pair and side, `metric` is `covered`; otherwise rows as those of `agreement_rows`.
    """
    for left in range(len(lineup.names)):
        for right in range(len(lineup.names)):
            if left == right:
                continue
            lacking = lineup.common((left, right)) & ~lineup.right[:, left]
            for side, members in ((EVERY, np.ones_like(lacking)), *sides(lineup)):
                n = int((lacking & members).sum())
                there = bool((lineup.common((left, right)) & members).any())
                none = "{0} has no {1}case in common wrong" if there else "no {1}case in common"
                reason = none.format(lineup.names[left], "" if side == EVERY else f"{side} ")
                where = (OF_SIDE[side], wrong_of(lineup, left, side), right_of(lineup, right, side))
                yield {
                    **_about(lineup, left, right, side),
                    **_share(
                        "covered",
                        int((lacking & members & lineup.right[:, right]).sum()),
                        n,
                        nothing_of(lineup, (left, right)) or reason,
                    ),
                    "where": conjunction(where),
                }


def oracle_rows(lineup: Lineup, seed: int = 0) -> Iterator[Row]:
    """For every two scorers `oracle_METRIC`, where a case is right as soon as one of them has it right.

    `oracle_METRIC_gain` is that minus the same figure of the better of the two by F1 (`better`). Figures are means over
    the subsets, on the cases that both tried, with percentile bootstrap intervals; pairs with the same common cases
    share their resamples. `n` counts the cases in the denominator, and `where` selects them.

    Yields dictionaries with `scorer, other, side, metric, value, low, high, n, count, reason, note, better, where`.
    """
    found: dict[tuple[int, int], list[Row]] = {}
    for group, columns in pairs_alike(len(lineup.names), lineup.common):
        common = lineup.common(group[0])
        shared = lineup.only(common, columns)
        places = [tuple(columns.index(column) for column in pair) for pair in group]
        unions = [shared.right[:, list(pair)].any(axis=1) for pair in places]
        names = (*shared.names, *(" or ".join(shared.names[place] for place in pair) for pair in places))
        made = shared.decided_as(names, np.column_stack([shared.right, *unions]))
        scores = shared_scores(made, np.ones(shared.rows.size, dtype=np.bool_), tuple(range(len(names))), seed)
        for number, pair in enumerate(group):
            found[pair] = list(_oracle(lineup, pair, scores, (*places[number], len(columns) + number)))
    for pair in sorted(found):
        yield from found[pair]


def _oracle(lineup: Lineup, pair: tuple[int, int], scores: SharedScores, places: tuple[int, ...]) -> Iterator[Row]:
    """The rows of one pair; `places` are those of the two scorers and of their union in `scores`."""
    f1 = scores.values[0, list(places[:2])]
    better = None if np.isnan(f1).any() else int(f1[1] > f1[0])
    for at, metric in enumerate(METRICS):
        side = (EVERY, "erroneous", "clean")[at]
        about = _about(lineup, *pair, side)
        where = common_of(lineup, pair, side)
        own = scores.estimate(metric, places[2])
        nothing = nothing_of(lineup, pair)
        yield {**about, **_figure(f"oracle_{metric}", own, nothing), "better": None, "where": where}
        if better is None:
            gain = Figure("", None, None, None, own.n, own.reason or "F1 of one of the two is undefined")
            yield {**about, **_figure(f"oracle_{metric}_gain", gain, nothing), "better": None, "where": where}
            continue
        gain = scores.difference(metric, places[2], places[better])
        name = lineup.names[pair[better]]
        yield {**about, **_figure(f"oracle_{metric}_gain", gain, nothing), "better": name, "where": where}


def _about(lineup: Lineup, left: int, right: int, side: str) -> Row:
    return {"scorer": lineup.names[left], "other": lineup.names[right], "side": side}


def _share(metric: str, hits: int, n: int, reason: str) -> Row:
    """A share with its interval; of nothing there is none."""
    if not n:
        empty = {"value": None, "low": None, "high": None}
        return {"metric": metric, **empty, "n": 0, "count": 0, "reason": reason}
    low, high = (float(end[0]) for end in wilson_interval(np.array([hits]), np.array([n])))
    return {"metric": metric, "value": hits / n, "low": low, "high": high, "n": n, "count": hits, "reason": None}


def _figure(metric: str, figure: Figure, nothing: str | None) -> Row:
    ends = {"value": figure.value, "low": figure.low, "high": figure.high}
    reason = None if figure.value is not None else nothing or figure.reason
    return {"metric": metric, **ends, "n": figure.n, "count": figure.n, "reason": reason, "note": figure.note}
