"""How likely is each gold label, by all scorers' step rewards together, and which other label is likelier?

The earliest error is met while walking along the steps, so that it is modelled as in survival analysis: the chance that
a step is wrong where none before it was. A position has such a chance by itself. Each scorer changes it by what its
reward was worth on the cases of other problems (never less where it is lower: isotonic regression on bins), and by what
the place that its verdict names was worth beside that. The log-odds of all these changes are added with weights from a
ridge logistic regression, in which scorers that say the same share one weight. Tables and weights that judge a label
come from folds without any solution of its problem.

Beside it stands confident learning (Northcutt, Jiang and Chuang, JAIR 70, 2021) on steps by themselves, with the worst
step as the score of a case, as Wang and Mueller (arXiv 2210.03920) have it for tokens.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.step_rewards import flat_rows
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.consensus import have_a_say
from scoring.metrics.contested import LEAST
from scoring.metrics.resampling import SMALL

FOLDS = 5
"""Parts of the problems; each is judged by what was learnt from the others."""
BINS = 10
"""Equally full bins of what a scorer's threshold is compared with."""
POSITIONS = 8
"""Steps whose chance of being the earliest error is told apart; later ones share that of the last."""
BEFOREHAND = 4.0
"""Steps of the expected kind that every row of a table is given beforehand, so that few cases say little."""
RIDGE = 1.0
"""How strongly the weights are drawn to one voice for all scorers together."""
EVIDENCE = ("reward", "verdict")
"""What of a scorer has a weight of its own."""
_NONE, _BEFORE, _AT, _AFTER, _UNCLEAR = range(5)
"""The verdict names no step, one before the step, this one, a later one, or one that is not there."""
_RELATIONS = 5
_CELLS = 1 + (BINS + 1) * _RELATIONS
"""Cell 0 is of a scorer that has nothing on the case; bin 0 of one that has a verdict and no reward."""
_ITERATIONS, _CLOSE, _FARTHEST = 50, 1e-5, 2.0
"""Newton's steps: how many, below what size the last one (what is left is its square), and the largest."""
_PRODUCTS = 1 << 18
"""Multiplications made at a time: a product this small is not shared out to threads, which take longer than it."""
_DIGITS = 9
"""Log-odds of the same cells, added in another order, differ beyond these digits after the point."""


# -- what labels are held against


class AuditGround(Struct, frozen=True, eq=False, dict=True):
    """What s scorers say of the N steps of n cases; nothing in it depends on a gold label.

    Case i's steps are those from `offsets[i]` to `offsets[i + 1]`; each case has one at least. `cells` (N, s, uint8)
    say which of the kinds of step this is to a scorer, by the bin of its reward and by where its verdict points; 0 =
    it has nothing on the case. `folds` (n,) number the part of the problems that the case is in, 0 to FOLDS - 1.
    """

    offsets: Ints
    cells: npt.NDArray[np.uint8]
    folds: Ints

    @cached_property
    def cases(self) -> Ints:
        """The place of each step's case. Shape (N,)."""
        return np.repeat(np.arange(self.folds.size), np.diff(self.offsets))

    @cached_property
    def steps(self) -> Ints:
        """The 0-based index of each step in its case. Shape (N,)."""
        return np.arange(self.cases.size) - self.offsets[self.cases]

    @cached_property
    def positions(self) -> Ints:
        """Which of POSITIONS each step has. Shape (N,)."""
        return np.minimum(self.steps, POSITIONS - 1)

    @cached_property
    def step_folds(self) -> Ints:
        """The fold of each step's case. Shape (N,)."""
        return self.folds[self.cases]

    @cached_property
    def fold_cells(self) -> npt.NDArray[np.int32]:
        """The fold and the cell of each step in one number, by scorer. Shape (s, N)."""
        folds = self.step_folds.astype(np.int32) * _CELLS
        return np.ascontiguousarray(folds + self.cells.T)

    def labels(self, earliest: Ints) -> tuple[Bools, Bools]:
        """Return which steps are the earliest error, and which are labelled at all: none after it. Shapes (N,)."""
        gold = earliest[self.cases]
        return self.steps == gold, (gold < 0) | (self.steps <= gold)


def auditable(aligned: AlignedScorers) -> Bools:
    """Return which cases have two scorers with a say, a step, and a label that names one of the steps or none. (n,)."""
    inside = (aligned.n_steps > 0) & (aligned.earliest < aligned.n_steps)
    mask: Bools = inside & (have_a_say(aligned).sum(axis=1) >= LEAST)
    return mask


def why_no_audit(aligned: AlignedScorers) -> str | None:
    """Return why the labels of these cases, all of them auditable, cannot be audited; None where they can."""
    erroneous = int(aligned.erroneous.sum())
    if not aligned.rows.size:
        return f"no case has a gold label and verdicts of {LEAST} scorers: one scorer cannot tell whose mistake it is"
    if not erroneous:
        return "no case is labelled with an error, so that nothing says what rewards are worth where there is one"
    if erroneous < SMALL:
        return f"only {erroneous} of the cases are labelled with an error, and fewer than {SMALL} calibrate nothing"
    if np.unique(aligned.problems).size < 2 * FOLDS:
        return f"the cases are of fewer than {2 * FOLDS} problems, and no label may be judged by its own"
    return None


def audit_ground(aligned: AlignedScorers, evaluations: Sequence[Evaluation], seed: int = 0) -> AuditGround:
    """Lay the steps of all cases side by side.

    Args:
        aligned: n cases, all `auditable`.
        evaluations: the s scorers that are aligned. What a scorer's threshold is compared with is read, where it has
            rewards for every step; and its verdict, under its rule and threshold.
        seed: of the folds.
    """
    offsets = np.concatenate([[0], np.cumsum(aligned.n_steps)]).astype(np.int64)
    steps = np.arange(offsets[-1]) - np.repeat(offsets[:-1], aligned.n_steps)
    cells = np.zeros((steps.size, len(evaluations)), dtype=np.uint8)
    for column, evaluation in enumerate(evaluations):
        verdicts = aligned.verdicts[:, column]
        values = _values(evaluation, aligned.rows, verdicts != NO_VERDICT, offsets)
        relations = _relations(np.repeat(verdicts, aligned.n_steps), steps, np.repeat(aligned.n_steps, aligned.n_steps))
        there = np.repeat(verdicts != NO_VERDICT, aligned.n_steps)
        cells[:, column] = np.where(there, 1 + _bins(values) * _RELATIONS + relations, 0)
    # Numbered by their names: neither the order of the rows nor another benchmark moves a problem to another fold.
    names, number = np.unique(evaluations[0].gold.problems[aligned.rows], return_inverse=True)
    parts = np.arange(names.size) % FOLDS
    np.random.default_rng(seed).shuffle(parts)
    return AuditGround(offsets, cells, parts[number])


def _values(evaluation: Evaluation, rows: Ints, answered: Bools, offsets: Ints) -> Floats:
    """What is compared with the threshold at each step of these cases; NaN where there is nothing. Shape (N,)."""
    compared = evaluation.compared_values
    own = np.flatnonzero(compared.scored[rows] & answered)
    values = np.full(offsets[-1], np.nan)
    inside = np.zeros(rows.size, dtype=np.bool_)
    inside[own] = True
    values[np.repeat(inside, np.diff(offsets))] = flat_rows(compared.values, compared.offsets, rows[own])[0]
    return values


def _relations(verdicts: Ints, steps: Ints, n_steps: Ints) -> Ints:
    unclear = (verdicts < -1) | (verdicts >= n_steps)
    kinds = [unclear, verdicts == -1, verdicts < steps, verdicts == steps]
    return np.select(kinds, [_UNCLEAR, _NONE, _BEFORE, _AT], _AFTER)


def _bins(values: Floats) -> Ints:
    """1 to BINS, by how many of all values are lower; 0 where there is none."""
    there = np.isfinite(values)
    bins = np.zeros(values.size, dtype=np.int64)
    if there.any():
        edges = np.unique(np.quantile(values[there], np.arange(1, BINS) / BINS))
        bins[there] = 1 + np.searchsorted(edges, values[there], side="right")
    return bins


# -- how often a step of a kind is the earliest error


class _Counts(Struct, frozen=True, eq=False):
    """Labelled steps by scorer, fold, cell and position, right ones and earliest errors: (s, FOLDS, cells, positions,
    2).
    """

    steps: Ints

    @classmethod
    def of(cls, ground: AuditGround, earliest: Ints) -> "_Counts":
        wrong, labelled = ground.labels(earliest)
        rest = 2 * ground.positions[labelled] + wrong[labelled]
        shape = (FOLDS, _CELLS, POSITIONS, 2)
        size = int(np.prod(shape))
        counts = [
            np.bincount(cells[labelled].astype(np.int64) * (2 * POSITIONS) + rest, minlength=size)
            for cells in ground.fold_cells
        ]
        return cls(np.stack(counts).reshape(-1, *shape))

    def elsewhere(self) -> Ints:
        """Leave out the fold that is judged and the one that is learnt for: (s, FOLDS, FOLDS, cells, positions, 2)."""
        total, own = self.steps.sum(axis=1)[:, None, None], self.steps
        others = (1 - np.eye(FOLDS, dtype=np.int64))[None, :, :, None, None, None]
        rest: Ints = total - own[:, :, None] - own[:, None] * others
        return rest


def _logit(shares: Floats) -> Floats:
    clipped = np.clip(shares, 1e-4, 1 - 1e-4)
    odds: Floats = np.log(clipped) - np.log1p(-clipped)
    return odds


def _log_odds(counts: _Counts) -> tuple[Floats, Floats]:
    """The log-odds of positions, (FOLDS, FOLDS, positions), and what cells change them by, (2, s, FOLDS, FOLDS, cells).

    The first changes are of rewards, the second, beside these, of verdicts. Where [i, k] stands, neither the labels of
    fold i nor those of fold k were used.
    """
    elsewhere = counts.elsewhere()
    wrong, steps = elsewhere[..., 1], elsewhere.sum(axis=-1)
    # Summed over its cells every scorer has all steps.
    wrong_at, steps_at = wrong[0].sum(axis=2), steps[0].sum(axis=2)
    usual = (wrong_at.sum(axis=-1) + 0.5) / (steps_at.sum(axis=-1) + 1)
    at = _logit((wrong_at + BEFOREHAND * usual[..., None]) / (steps_at + BEFOREHAND))
    # By scorer, fold, fold, bin, relation and position; who has nothing on a case changes nothing.
    shape = (*wrong.shape[:3], BINS + 1, _RELATIONS, POSITIONS)
    wrong, steps = wrong[:, :, :, 1:].reshape(shape), steps[:, :, :, 1:].reshape(shape)
    base = at[None, :, :, None, None, :]
    by_bin = _changes(wrong, steps, base, (4, 5), usual, falling=True)
    by_relation = _changes(wrong, steps, base + by_bin[..., None, None], (3, 5), usual)
    changes = np.zeros((2, *wrong.shape[:3], _CELLS))
    cells = (*wrong.shape[:3], BINS + 1, _RELATIONS)
    changes[0, ..., 1:] = np.broadcast_to(by_bin[..., :, None], cells).reshape(*cells[:3], -1)
    changes[1, ..., 1:] = np.broadcast_to(by_relation[..., None, :], cells).reshape(*cells[:3], -1)
    return at, changes


def _changes(
    wrong: Ints, steps: Ints, log_odds: Floats, axes: tuple[int, int], usual: Floats, *, falling: bool = False
) -> Floats:
    """What log-odds have to change by for as many steps to be wrong as are; by the axis that is not summed over."""
    chance = 1 / (1 + np.exp(-log_odds))
    n = steps.sum(axis=axes)
    where = np.broadcast_to(usual[None, :, :, None], n.shape).copy()
    expected = np.divide((steps * chance).sum(axis=axes), n, out=where, where=n > 0)
    rate = (wrong.sum(axis=axes) + BEFOREHAND * expected) / (n + BEFOREHAND)
    if falling:
        # Bin 0 is of steps without a reward.
        rate[..., 1:] = _falling(rate[..., 1:], n[..., 1:] + BEFOREHAND)
    return _logit(rate) - _logit(expected)


def _falling(rates: Floats, weights: Floats) -> Floats:
    """The nearest rates that do not rise along the last axis, by weighted least squares: its min-max formula."""
    zero = np.zeros((*rates.shape[:-1], 1))
    sums, totals = (
        np.concatenate([zero, np.cumsum(values, axis=-1)], axis=-1) for values in (rates * weights, weights)
    )
    fitted = np.empty_like(rates)
    for place in range(rates.shape[-1]):
        # Means of all runs that begin at this place or before it, and end here or behind it.
        ends, begins = slice(place + 1, None), slice(0, place + 1)
        above = sums[..., None, ends] - sums[..., begins, None]
        below = totals[..., None, ends] - totals[..., begins, None]
        fitted[..., place] = (above / below).max(axis=-1).min(axis=-1)
    return fitted


# -- scorers together


class LabelAudit(Struct, frozen=True, eq=False, dict=True):
    """How likely the labels of n cases are, by s scorers.

    `log_gold` (n,) is the log-probability of the gold label, `log_other` (n,) that of the likeliest other one, which is
    `suggested` (n,): 0-based, -1 no error. `weights` (FOLDS, 2, s) are those of the log-odds by EVIDENCE and scorer, by
    the fold that they judge.
    """

    log_gold: Floats
    log_other: Floats
    suggested: Ints
    weights: Floats

    @cached_property
    def suspicions(self) -> Floats:
        """The share of the other label in the probability of both: above 0.5 where it is likelier than gold. (n,)."""
        return np.exp(-np.logaddexp(0.0, self.log_gold - self.log_other))

    @cached_property
    def flagged(self) -> Bools:
        """Where the other label is likelier than gold. Shape (n,)."""
        return np.round(self.log_other - self.log_gold, _DIGITS) > 0

    @cached_property
    def order(self) -> Ints:
        """The places of the cases, the most suspicious first, equal ones in their own order. Shape (n,)."""
        return np.argsort(-np.round(self.log_other - self.log_gold, _DIGITS), kind="stable")


def audit_labels(ground: AuditGround, earliest: Ints, start: Floats | None = None) -> LabelAudit:
    """Judge each label by what scorers were worth on other problems.

    Args:
        ground: what the scorers say.
        earliest: (n,) the labels, each of which names a step of its case (0-based) or none (-1).
        start: weights (FOLDS, 2, s) to begin with, which spare time where the labels differ little from others.
    """
    at, changes = _log_odds(_Counts.of(ground, earliest))
    wrong, labelled = ground.labels(earliest)
    positions, folds, scorers = ground.positions, ground.step_folds, ground.cells.shape[1]
    log_odds, weights = np.empty(folds.size), np.empty((FOLDS, len(EVIDENCE) * scorers))
    for fold in range(FOLDS):
        base = at[:, fold][folds, positions]
        tables = changes[:, :, :, fold].reshape(-1, FOLDS * _CELLS)
        evidence = np.stack([table[ground.fold_cells[row % scorers]] for row, table in enumerate(tables)])
        learnt, judged = labelled & (folds != fold), folds == fold
        begin = np.full(weights.shape[1], 1 / scorers) if start is None else start[fold].ravel()
        weights[fold] = _ridge(evidence[:, learnt], base[learnt], wrong[learnt], begin, 1 / scorers)
        log_odds[judged] = base[judged] + weights[fold] @ evidence[:, judged]
    weights = weights.reshape(FOLDS, len(EVIDENCE), scorers)
    return _judged(ground, earliest, log_odds, weights)


def _ridge(evidence: Floats, base: Floats, wrong: Bools, start: Floats, centre: float) -> Floats:
    """Weights (p,) of evidence (p, m) beside given log-odds (m,), by Newton's method; drawn to the centre."""
    weights = start
    for _ in range(_ITERATIONS):
        chance = 1 / (1 + np.exp(-(base + weights @ evidence)))
        slope = evidence @ (wrong - chance) - RIDGE * (weights - centre)
        bend = _gram(evidence, chance * (1 - chance)) + RIDGE * np.eye(start.size)
        change = np.linalg.solve(bend, slope)
        size = float(np.abs(change).max())
        weights = weights + change * min(1.0, _FARTHEST / size) if size else weights
        if size < _CLOSE:
            break
    return weights


def _gram(evidence: Floats, weights: Floats) -> Floats:
    """The weighted products of every two rows of evidence (p, m), summed over m. Shape (p, p)."""
    total = np.zeros((evidence.shape[0], evidence.shape[0]))
    size = max(1, _PRODUCTS // total.size)
    for start in range(0, weights.size, size):
        part = evidence[:, start : start + size]
        total += (part * weights[start : start + size]) @ part.T
    return total


def _judged(ground: AuditGround, earliest: Ints, log_odds: Floats, weights: Floats) -> LabelAudit:
    """What the log-odds (N,) of each step, where none before it is wrong, come to for whole cases."""
    starts, ends = ground.offsets[:-1], ground.offsets[1:]
    right = -np.logaddexp(0.0, log_odds)
    until = np.concatenate([[0.0], np.cumsum(right)])
    steps = until[:-1] - until[starts][ground.cases] - np.logaddexp(0.0, -log_odds)
    clean = until[ends] - until[starts]
    named = np.flatnonzero(earliest >= 0)
    places = starts[named] + earliest[named]
    gold, other_clean = clean.copy(), np.full(clean.size, -np.inf)
    gold[named], other_clean[named] = steps[places], clean[named]
    others = steps.copy()
    others[places] = -np.inf
    highest = np.maximum.reduceat(others, starts)
    hits = np.flatnonzero(others == highest[ground.cases])
    first = hits[np.searchsorted(hits, starts)] - starts
    return LabelAudit(
        log_gold=gold,
        log_other=np.maximum(highest, other_clean),
        suggested=np.where(other_clean >= highest, -1, first),
        weights=weights,
    )


# -- the flat baseline: each step an example of its own, each scorer one of a plain mean


class ConfidentLearning(Struct, frozen=True, eq=False, dict=True):
    """What confident learning says of the labelled steps of n cases.

    `joint` (2, 2, int64) counts steps that are labelled right or wrong (rows) and are confidently right or wrong
    (columns): the class whose probability reaches its mean over the steps of that label, of two the likelier one.
    `off_diagonal` (n,) are the cases with a step that is confidently of the other class, and `confidences` (n,) the
    lowest probability that any such step (any labelled step where there is none) has of its own label.
    """

    joint: Ints
    off_diagonal: Bools
    confidences: Floats

    @cached_property
    def order(self) -> Ints:
        """The places of the cases: first those off the diagonal, then the others, the least confident first. (n,)."""
        return np.lexsort((np.round(self.confidences, _DIGITS), ~self.off_diagonal))


def confident_learning(ground: AuditGround, earliest: Ints) -> ConfidentLearning:
    """Judge each step's label by the mean, over scorers, of how often such a step is wrong in other folds.

    A scorer's step is of a kind by the bin of its reward and by whether its verdict names it; neither positions nor
    other steps nor how scorers hang together have a part in it.

    Args:
        ground: what the scorers say.
        earliest: (n,) the labels, each of which names a step of its case (0-based) or none (-1); the steps after an
            earliest error have none.
    """
    wrong, labelled = ground.labels(earliest)
    counts = _Counts.of(ground, earliest).steps.sum(axis=3)
    grouped = np.einsum("sfcy,cg->sfgy", counts, _GROUPED)
    elsewhere = grouped.sum(axis=1, keepdims=True) - grouped
    all_steps = elsewhere.sum(axis=-1)
    every = all_steps.sum(axis=-1, keepdims=True)
    usual = (elsewhere[..., 1].sum(axis=-1, keepdims=True) + 0.5) / (every + 1)
    rates = ((elsewhere[..., 1] + BEFOREHAND * usual) / (all_steps + BEFOREHAND))[..., _GROUPS]
    total, scorers = np.zeros(wrong.size), np.zeros(wrong.size)
    for table, fold_cells, cells in zip(rates, ground.fold_cells, ground.cells.T, strict=True):
        there = cells > 0
        total += np.where(there, table.ravel()[fold_cells], 0.0)
        scorers += there
    chance = total / scorers
    return _confident(ground, wrong, labelled, chance)


_CELL = np.arange(_CELLS) - 1
_GROUPS = np.where(_CELL < 0, 0, 1 + 2 * (_CELL // _RELATIONS) + (_CELL % _RELATIONS == _AT))
"""Of each cell the bin, and whether the verdict names the step."""
_GROUPED = (_GROUPS[:, None] == np.arange(_GROUPS.max() + 1)).astype(np.int64)


def _confident(ground: AuditGround, wrong: Bools, labelled: Bools, chance: Floats) -> ConfidentLearning:
    thresholds = [_mean(1 - chance[labelled & ~wrong]), _mean(chance[labelled & wrong])]
    is_right, is_wrong = 1 - chance >= thresholds[0], chance >= thresholds[1]
    is_right, is_wrong = is_right & ~(is_wrong & (chance > 0.5)), is_wrong & ~(is_right & (chance <= 0.5))
    sides, classes = (labelled & ~wrong, labelled & wrong), (is_right, is_wrong)
    joint = np.array([[np.count_nonzero(side & kind) for kind in classes] for side in sides])
    off = labelled & ((is_wrong & ~wrong) | (is_right & wrong))
    own = np.where(wrong, chance, 1 - chance)
    starts = ground.offsets[:-1]
    off_diagonal: Bools = np.logical_or.reduceat(off, starts)
    counted = np.where(off_diagonal[ground.cases], off, labelled)
    return ConfidentLearning(joint, off_diagonal, np.minimum.reduceat(np.where(counted, own, np.inf), starts))


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else 1.0
