"""Scorers together: which are right on the same cases, what one has that another lacks, and what all give as one.

An oracle takes whichever scorer is right, so that no way to combine verdicts by choosing one can do better. Sets of
scorers are those of an UpSet plot (Lex et al., IEEE TVCG 20, 2014): every case is in one of them, so that the counts of
a side add up to the cases that all scorers tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints, RowDict
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import (
    EVERY,
    OF_SIDE,
    AlignedScorers,
    common_of,
    conjunction,
    outcome_of,
    pairs_alike,
    right_of,
    wrong_of,
)
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.contested import Consensus, consensus, have_a_say
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.kernel import Tally
from scoring.metrics.paired import OF_CASES, SharedScores, comparison_row, shared_scores
from scoring.metrics.resampling import Figure
from scoring.workspace.filtering.sql_words import literal, named

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


# -- all of them


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


# -- sets

CaseSetKind = Literal["unanimous_wrong", "unanimous_right", "lone_right", "some_right"]


@dataclass(frozen=True)
class CorrectSet:
    """The cases of one side that some scorers have right and all others wrong.

    `right` are the places of these scorers, ascending. `count` cases are selected by `where`, of the `n` cases of the
    side that all scorers tried; these are the ones of `aligned` at the places `columns`.
    """

    side: str
    kind: CaseSetKind
    right: tuple[int, ...]
    count: int
    n: int
    aligned: AlignedScorers = field(compare=False, repr=False)
    columns: tuple[int, ...] = field(compare=False, repr=False)

    @property
    def where(self) -> str:
        """The SQL condition that selects the cases; made when it is asked for, since few of many sets are opened."""
        each = (
            (right_of if column in self.right else wrong_of)(self.aligned, column, self.side) for column in self.columns
        )
        return conjunction((OF_SIDE[self.side], *each))

    @property
    def share(self) -> float | None:
        """`count` of `n`; None where there is no case."""
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Low and high end of the share (95%, Wilson's); None where there is no case."""
        if not self.n:
            return None, None
        low, high = wilson_interval(np.array([self.count]), np.array([self.n]))
        return float(low[0]), float(high[0])


def correct_sets(aligned: AlignedScorers, columns: Sequence[int]) -> Iterator[CorrectSet]:
    """Yield the sets that occur, erroneous cases first, the largest first; of equal ones the one with fewer scorers.

    The sets of nobody, of everybody and of each scorer alone are there even without a case.

    Args:
        aligned: n cases.
        columns: the scorers' places, at least one, in the order in which they are named.
    """
    taken = tuple(columns)
    common = aligned.common(taken)
    always = [(), *((column,) for column in taken), tuple(sorted(taken))]
    for side, members in aligned.sides:
        rows = members & common
        counts = dict.fromkeys(always, 0) | _set_counts(aligned.right[rows][:, list(taken)], taken)
        ordered = sorted(
            counts.items(), key=lambda item: (-item[1], len(item[0]), [taken.index(place) for place in item[0]])
        )
        for right, count in ordered:
            yield CorrectSet(side, _kind(right, taken), right, count, int(rows.sum()), aligned, taken)


def _set_counts(right: Bools, columns: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """How many of m cases each set of scorers has right, of (m, k) marks."""
    if not right.shape[0]:
        return {}
    sets: npt.NDArray[np.uint8 | np.uint64] = np.packbits(right, axis=1)
    if len(columns) <= 64:
        # Sets as whole numbers are sorted many times faster than as rows of bytes.
        padded = np.pad(sets, ((0, 0), (0, 8 - sets.shape[1])))
        sets = np.ascontiguousarray(padded).view(np.uint64)[:, 0]
    _, first, counts = np.unique(sets, axis=0, return_index=True, return_counts=True)
    places: Ints = np.array(columns)
    return {tuple(sorted(places[right[row]].tolist())): int(count) for row, count in zip(first, counts, strict=True)}


def _kind(right: tuple[int, ...], columns: tuple[int, ...]) -> CaseSetKind:
    if not right:
        return "unanimous_wrong"
    if len(right) == len(columns):
        return "unanimous_right"
    return "lone_right" if len(right) == 1 else "some_right"


# -- pairs


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


# -- a scorer that is asked first, and another one where the first is not sure: what that costs, and what it gives.
#
# The first scorer's verdict is kept where its decision distance (`scoring.evaluation.verdicts.decision_distances`,
# which never looks at gold labels) is at least m; the second one is asked about all other cases. So it is about the
# cases for which the first has no distance: it has no verdict on them, or none that a threshold decides. Where the
# second was asked and gives no verdict, the first's answer stays, which needs no gold label either; the question is
# paid for all the same.


RULE = (
    "the first scorer's verdict is kept where its decision distance (lowest of what is compared against the threshold, "
    "no gold label) is at least m, else the second is asked; cases without a distance are always sent on, and where "
    "the second gives no verdict the first's answer stays"
)


class Cascade(Struct, frozen=True, eq=False, dict=True):
    """Two scorers on the n cases that both tried, at every m that makes a difference.

    `shared` holds these cases and the two scorers, the first one first. `distances` (n,) are the first one's, NaN where
    it has none. `cuts` (k,) are the values of m, ascending: at the lowest of them the second is asked about cases
    without a distance alone, at the highest about all. `sent` (k,) counts the cases sent on, `tally` holds the
    counts of first errors by subset and cut.
    """

    shared: AlignedScorers
    distances: Floats
    cuts: Floats
    sent: Ints
    tally: Tally

    @property
    def n(self) -> int:
        """The number of cases."""
        return int(self.shared.rows.size)

    @cached_property
    def shares(self) -> Floats:
        """The share of the cases sent on at each cut, shape (k,); NaN without a case."""
        shares: Floats = self.sent / self.n if self.n else np.full(self.sent.size, np.nan)
        return shares

    @cached_property
    def f1(self) -> Floats:
        """The mean over subsets of F1 at each cut, shape (k,); NaN where undefined."""
        return self.tally.mean(F1_SCORE)

    @property
    def best(self) -> int | None:
        """The cut (0-based) with the highest F1, of equal ones the one with the fewest cases sent; None: undefined.

        It is found on the cases that it is told of, so its F1 is optimistic.
        """
        f1 = self.f1
        return None if np.isnan(f1).all() else int(np.nanargmax(f1))

    def spread(self, points: int = 21) -> Ints:
        """Return some cuts (0-based, ascending): for as many even shares of cases the lowest cut that sends at least
        these.
        """
        wanted = np.linspace(self.sent[0], self.sent[-1], points)
        return np.unique(np.searchsorted(self.sent, wanted))

    def asks(self, cut: int) -> Bools:
        """Return the cases (n,) sent on at a cut (0-based)."""
        uncertain: Bools = np.isnan(self.distances) | (self.distances < self.cuts[cut])
        return uncertain

    def right(self, cut: int) -> Bools:
        """Return the cases (n,) that the cascade has right."""
        right: Bools = np.where(self.asks(cut), self._second, self.shared.right[:, 0])
        return right

    def where(self, cut: int) -> str:
        """Return the SQL condition that selects the cases sent on."""
        distance = named(f"{self.shared.names[0]}.decision_distance")
        unsure = f"({distance} < {literal(float(self.cuts[cut]))} OR {distance} IS NULL)"
        return conjunction((common_of(self.shared, (0, 1), EVERY), unsure))

    def spent(self, costs: Floats) -> Floats:
        """Return what the second scorer costs at each cut, shape (k,), of its costs a case (n,); NaN with an unknown
        one.
        """
        spent: Floats = _cumulated(self.distances, self.cuts, np.zeros(self.n, dtype=np.int64), 1, costs)[0]
        return spent

    def scores(self, cuts: Sequence[int], seed: int | None = 0) -> SharedScores:
        """Score the first scorer alone, the second alone, and the cascade at cuts (0-based), on shared resamples."""
        names = (*self.shared.names, *(f"cascade below {self.cuts[cut]:.4g}" for cut in cuts))
        right = np.column_stack([self.shared.right, *(self.right(cut) for cut in cuts)])
        return shared_scores(self.shared.decided_as(names, right), tuple(range(len(names))), seed)

    @property
    def _second(self) -> Bools:
        """Whether a case that is sent on ends up right."""
        return _once_asked(self.shared)


def cascade(aligned: AlignedScorers, first: int, second: int, distances: Floats) -> Cascade:
    """Simulate the cascade of two scorers.

    Args:
        aligned: n cases.
        first: the place in it of the scorer that is asked first.
        second: the place of the other one.
        distances: (n,) the first one's decision distances, in the order of these cases; NaN where it has none.
    """
    common = aligned.common((first, second))
    shared, known = aligned.only(common, (first, second)), distances[common]
    there = np.unique(known[np.isfinite(known)])
    cuts = np.append(there, np.nextafter(there[-1], np.inf)) if there.size else np.zeros(1)
    sent = _cumulated(known, cuts, np.zeros(known.size, dtype=np.int64), 1, np.ones(known.size))[0].astype(np.int64)
    numbers, subset = np.unique(shared.subsets, return_inverse=True)
    cells, shape = 2 * subset + ~shared.erroneous, (numbers.size, 2)
    alone = np.bincount(cells[shared.right[:, 0]], minlength=2 * numbers.size)
    turned = _once_asked(shared).astype(np.float64) - shared.right[:, 0]
    hits = alone[:, None] + _cumulated(known, cuts, cells, 2 * numbers.size, turned)
    totals = np.bincount(cells, minlength=2 * numbers.size).reshape(shape)
    hits = hits.reshape(*shape, cuts.size)
    sums = {
        "exact": hits[:, 0],
        "erroneous": totals[:, 0, None],
        "clean_right": hits[:, 1],
        "clean": totals[:, 1, None],
    }
    return Cascade(shared, known, cuts, sent, Tally(sums))


def _once_asked(shared: AlignedScorers) -> Bools:
    answered = shared.verdicts[:, 1] != NO_VERDICT
    return np.where(answered, shared.right[:, 1], shared.right[:, 0])


def _cumulated(distances: Floats, cuts: Floats, cells: Ints, n_cells: int, weights: Floats) -> Floats:
    """Sums of weights (n,) over the cases sent on at each cut, by cell, shape (n_cells, k)."""
    # A case is sent on at every cut above its distance; one without a distance is at all of them.
    place = np.where(np.isnan(distances), 0, np.searchsorted(cuts, distances, side="right"))
    inside = place < cuts.size
    flat = (cells * cuts.size + place)[inside]
    sums = np.bincount(flat, weights[inside], minlength=n_cells * cuts.size).reshape(n_cells, cuts.size)
    return np.cumsum(sums, axis=1)
