"""What several scorers give together: their consensus, whichever of them is right, and what each adds to the others."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.metrics.comparison_row import figure_row, none_of, plain_row, sides
from scoring.metrics.consensus import Consensus, consensus, have_a_say
from scoring.metrics.lineup import Lineup
from scoring.metrics.paired import METRICS, shared_scores
from scoring.verdicts import NO_VERDICT

CONSENSUS = (
    "each verdict weighs the log-odds of its scorer's accuracy on the common cases of other problems, with one right "
    "and one wrong case added, divided by the scorers of its declared family that have a say on the case; cases "
    "without a heaviest verdict count as wrong; intervals keep the weights as they are"
)


NO_BEST = "F1 is undefined for every scorer"


def ensemble_rows(lineup: Lineup, columns: tuple[int, ...], best: int | None, seed: int) -> Iterator[dict[str, Any]]:
    """Rows about what some scorers give together on the cases that all of them tried.

    `consensus_f1`, `consensus_error_acc` and `consensus_correct_acc` are those of their consensus as if it were a
    scorer (means over subsets; see CONSENSUS), `consensus_METRIC_difference` is it minus the best scorer (`other`),
    `consensus_decided` counts the cases on which it has a verdict, and `consensus_weight` of a scorer is what its
    verdict weighs, averaged over the cases on which it has one that names a step or none. `oracle_METRIC` is the same
    where a case counts as right as soon as any scorer has it right.
    Of the cascade, in the order of `columns`: `SIDE_cascade_right` counts the cases that this scorer or one before it
    has right, `SIDE_cascade_added` those that nobody before it has (`other` is the scorer just before it).

    Args:
        lineup: n cases.
        columns: the scorers' places in it, at least one.
        best: the place of the best of them; None where there is none.
        seed: of the resamples, which are those of all other rows about these cases.
    """
    common = lineup.common(columns)
    about = {"left_out": lineup.left_out(columns)}
    shared = lineup.only(common, columns)
    said = consensus(shared)
    yield from _figures(shared, said, about, None if best is None else columns.index(best), seed)
    yield from _weights(shared, said, about)
    yield from _cascade(shared, about)


def _figures(
    shared: Lineup, said: Consensus, about: dict[str, Any], best: int | None, seed: int
) -> Iterator[dict[str, Any]]:
    """Consensus and oracle as scorers beside the best one. All scorers of `shared` tried all of its cases."""
    n = shared.rows.size
    right = {"consensus": said.verdicts == shared.earliest, "oracle": shared.right.any(axis=1)}
    if best is not None:
        right["the best scorer"] = shared.right[:, best]
    made = shared.decided_as(tuple(right), np.column_stack(list(right.values())))
    scores = shared_scores(made, np.ones(n, dtype=np.bool_), tuple(range(len(right))), seed)
    for place, name in enumerate(("consensus", "oracle")):
        for metric in METRICS:
            yield figure_row(about, f"{name}_{metric}", scores.estimate(metric, place))
    for metric in METRICS:
        name = f"consensus_{metric}_difference"
        if best is None:
            yield {**plain_row(about, name, None, n, NO_BEST), "subset": "average"}
        else:
            yield figure_row({**about, "other": shared.names[best]}, name, scores.difference(metric, 0, 2))
    decided = int((said.verdicts != NO_VERDICT).sum())
    yield plain_row(about, "consensus_decided", decided if n else None, n, "no case in common")


def _weights(shared: Lineup, said: Consensus, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    weights, says = said.weights, have_a_say(shared)
    for place, name in enumerate(shared.names):
        n = int(says[:, place].sum())
        mean = weights[says[:, place], place].mean() if n else None
        why = "it names a step or none on no case in common"
        yield plain_row({**about, "scorer": name}, "consensus_weight", mean, n, why)


def _cascade(shared: Lineup, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    so_far = np.logical_or.accumulate(shared.right, axis=1)
    for side, members in sides(shared):
        n = int(members.sum())
        counts = so_far[members].sum(axis=0)
        before = None
        for name, count, added in zip(shared.names, counts, np.diff(counts, prepend=0), strict=True):
            told = {**about, "scorer": name, "other": before}
            yield plain_row(told, f"{side}_cascade_right", count if n else None, n, none_of(side))
            yield plain_row(told, f"{side}_cascade_added", added if n else None, n, none_of(side))
            before = name
