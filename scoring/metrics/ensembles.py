"""Ensembles: what three or more scorers give together, as one verdict or asked one after the other.

An oracle takes whichever scorer is right, so that no way to combine verdicts by choosing one can do better.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from scoring.data.schema import Bools, Ints, RowDict
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.consensus import Consensus, consensus, have_a_say
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.paired import comparison_row
from scoring.metrics.shared_draws import OF_CASES, shared_scores

NOBODY = -1
"""Stands for no scorer in arrays of places."""
AGREEMENTS = ("both_right_or_wrong", "same_outcome", "same_verdict")
OVER_BETTER = "the better of the two on these same cases, so that its lead is a little too low"
CONSENSUS = (
    "each verdict weighs the log-odds of its scorer's accuracy on the common cases of other problems, with one right "
    "and one wrong case added, divided by the scorers of its declared family that have a say on the case; cases "
    "without a heaviest verdict count as wrong; intervals keep the weights as they are"
)
NO_BEST = "F1 is undefined for every scorer"


def unanimous_wrong(aligned: AlignedScorers, columns: Sequence[int]) -> Bools:
    """Find the cases that all of these scorers tried and none has right. Shape (n,)."""
    mask: Bools = aligned.common(columns) & ~aligned.right[:, list(columns)].any(axis=1)
    return mask


def lone_right(aligned: AlignedScorers, columns: Sequence[int]) -> Ints:
    """Find who alone is right, of the cases that all of these tried: its place, else NOBODY. Shape (n,)."""
    right = aligned.right[:, list(columns)]
    alone = aligned.common(columns) & (right.sum(axis=1) == 1)
    return np.where(alone, np.array(columns)[right.argmax(axis=1)], NOBODY)


def together_rows(aligned: AlignedScorers, seed: int | None = 0) -> Iterator[RowDict]:
    """Yield what three or more scorers give together on the cases that all of them tried; nothing of fewer.

    Yields rows as those of `scoring.metrics.paired.case_comparison_rows`: counts of cases, `SIDE_lone_right` of a
    scorer, `SIDE_unanimous_right` and `SIDE_unanimous_wrong`; `consensus_METRIC` as if the consensus were a scorer (see
    CONSENSUS), `consensus_METRIC_difference` to the best scorer (`other`), `consensus_decided` (the cases on which it
    has a verdict), `consensus_weight` of a scorer (what its verdict weighs, averaged over the cases on which it has one
    that names a step or none), `oracle_METRIC`; and in the order of the scorers `SIDE_cascade_right`, the cases that
    this one or one before it has right, and `SIDE_cascade_added`, those that nobody before it has (`other` is the
    scorer just before it).
    """
    columns = aligned.trying
    if len(columns) < 3:
        return
    about = {"left_out": aligned.left_out(columns)}
    yield from _voices(aligned, columns, about)
    best = shared_scores(aligned, columns, None).best(F1_SCORE)
    everything = aligned.only(aligned.common(columns), columns)
    decided = consensus(everything)
    yield from _as_one(everything, decided, about, None if best is None else columns.index(best), seed)
    says = have_a_say(everything)
    for place, name in enumerate(everything.names):
        n = int(says[:, place].sum())
        mean = decided.weights[says[:, place], place].mean() if n else None
        why = "it names a step or none on no case in common"
        yield comparison_row({**about, "scorer": name}, "consensus_weight", mean, n, why)
    yield from _one_after_the_other(everything, about)


def _voices(aligned: AlignedScorers, columns: tuple[int, ...], about: RowDict) -> Iterator[RowDict]:
    """Who is right alone, and where all are right or all wrong."""
    common, who = aligned.common(columns), lone_right(aligned, columns)
    wrong = unanimous_wrong(aligned, columns)
    right = common & aligned.right[:, list(columns)].all(axis=1)
    for side, members in aligned.sides:
        n = int((members & common).sum())
        alone = [(aligned.names[column], f"{side}_lone_right", who == column) for column in columns]
        of_all = [(None, f"{side}_unanimous_right", right), (None, f"{side}_unanimous_wrong", wrong)]
        for name, metric, marks in (*alone, *of_all):
            count = int((marks & members).sum()) if n else None
            yield comparison_row({"scorer": name, **about}, metric, count, n, f"no {side} case in common")


def _as_one(
    everything: AlignedScorers, decided: Consensus, about: RowDict, best: int | None, seed: int | None
) -> Iterator[RowDict]:
    """Consensus and oracle as scorers beside the best one. All scorers tried all cases."""
    n = everything.rows.size
    right = {"consensus": decided.verdicts == everything.earliest, "oracle": everything.right.any(axis=1)}
    if best is not None:
        right["the best scorer"] = everything.right[:, best]
    made = everything.decided_as(tuple(right), np.column_stack(list(right.values())))
    scores = shared_scores(made, tuple(range(len(right))), seed)
    for place, name in enumerate(("consensus", "oracle")):
        for metric in OF_CASES:
            figure = scores.estimate(metric, place)
            yield comparison_row(about, f"{name}_{metric.name}", figure, subset="average")
    for metric in OF_CASES:
        name = f"consensus_{metric.name}_difference"
        if best is None:
            yield comparison_row(about, name, None, n, NO_BEST, "average")
        else:
            figure = scores.difference(metric, 0, 2)
            yield comparison_row({**about, "other": everything.names[best]}, name, figure, subset="average")
    with_verdict = int((decided.verdicts != NO_VERDICT).sum())
    yield comparison_row(about, "consensus_decided", with_verdict if n else None, n, "no case in common")


def _one_after_the_other(everything: AlignedScorers, about: RowDict) -> Iterator[RowDict]:
    so_far = np.logical_or.accumulate(everything.right, axis=1)
    for side, members in everything.sides:
        n = int(members.sum())
        counts = so_far[members].sum(axis=0)
        before = None
        for name, count, added in zip(everything.names, counts, np.diff(counts, prepend=0), strict=True):
            of_scorer, none = {**about, "scorer": name, "other": before}, f"no {side} case in common"
            yield comparison_row(of_scorer, f"{side}_cascade_right", count if n else None, n, none)
            yield comparison_row(of_scorer, f"{side}_cascade_added", added if n else None, n, none)
            before = name
