"""How well a ranking of suspected labels finds errors that are known, because they were planted in a copy of the gold.

Labels are changed in memory and by a seed; files never are. Errors that the gold has of its own count as none, so that
figures are too low where it has some.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.progress import tell
from scoring.data.schema import Bools, Floats, Ints
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.audit import AuditGround, LabelAudit, audit_labels, confident_learning
from scoring.metrics.contested import contested
from scoring.metrics.resampling import RESAMPLES, percentile_interval

SHARE = 0.05
"""Of all cases, whose label is made wrong."""
PLANTINGS, FEW_PLANTINGS, SLOW = 20, 5, 2_000_000
"""How often labels are planted, and how often where there are more steps times scorers than SLOW."""
TOP = 50
MOVED_BY_ONE, MOVED, CALLED_CLEAN, CALLED_WRONG = "moved by one step", "moved", "error to clean", "clean to error"
PLANTED_KINDS = (MOVED_BY_ONE, MOVED, CALLED_CLEAN, CALLED_WRONG)
AUDIT, CONSENSUS, FLAT, CHANCE = "audit", "consensus", "confident learning", "chance"
RANKED_BY = (AUDIT, CONSENSUS, FLAT)
PRECISION, RECALL, AVERAGE_PRECISION = f"precision_at_{TOP}", "recall_at_planted", "average_precision"
FLAGGED, FALSE_FLAGS = "planted_flagged", "others_flagged"


class PlantedLabels(NamedTuple):
    """Labels (n,) of which some are made wrong, and how: `kinds` (n,) index PLANTED_KINDS, -1 where they are as
    before.
    """

    earliest: Ints
    kinds: npt.NDArray[np.int8]


def plant_labels(earliest: Ints, n_steps: Ints, generator: np.random.Generator, share: float = SHARE) -> PlantedLabels:
    """Make a share of the labels wrong, one at least, in a copy.

    A clean case gets an error at any step. An erroneous one is called clean, or its error is moved by one step or to
    any other, each as likely; where it has one step alone it is called clean.

    Args:
        earliest: (n,) 0-based, -1 no error, each within its case.
        n_steps: (n,) at least 1.
        generator: draws the cases and what becomes of them.
        share: of the cases.
    """
    labels, kinds = earliest.copy(), np.full(earliest.size, -1, dtype=np.int8)
    chosen = generator.choice(earliest.size, planted_count(earliest.size, share), replace=False)
    for case in chosen.tolist():
        gold, steps = int(earliest[case]), int(n_steps[case])
        if gold < 0:
            labels[case], kind = generator.integers(steps), CALLED_WRONG
        else:
            kind = PLANTED_KINDS[generator.integers(3)] if steps > 1 else CALLED_CLEAN
            labels[case] = -1 if kind == CALLED_CLEAN else _moved(gold, steps, generator, by_one=kind == MOVED_BY_ONE)
        kinds[case] = PLANTED_KINDS.index(kind)
    return PlantedLabels(labels, kinds)


def planted_count(n: int, share: float = SHARE) -> int:
    """Return how many of n labels are made wrong."""
    return max(1, round(share * n))


def _moved(gold: int, steps: int, generator: np.random.Generator, *, by_one: bool) -> int:
    if by_one:
        beside = [step for step in (gold - 1, gold + 1) if 0 <= step < steps]
        return beside[generator.integers(len(beside))]
    step = int(generator.integers(steps - 1))
    return step + (step >= gold)


# -- what rankings are worth


class PlantedFigures(Struct, frozen=True, eq=False):
    """What rankings of n cases found in r plantings of `planted` labels each.

    By the name of a ranking, of RANKED_BY, `hits` (r, m) and `totals` (r, m) give each of the m `metrics`, as the sum
    of the one over plantings by the sum of the other. A metric is a name and a kind of error, "" = of any kind.
    """

    cases: int
    planted: int
    metrics: tuple[tuple[str, str], ...]
    hits: Mapping[str, Floats]
    totals: Mapping[str, Floats]

    @property
    def plantings(self) -> int:
        """How often labels were planted: r."""
        return int(self.hits[AUDIT].shape[0])

    def values(self, name: str) -> Floats:
        """Return the metrics of a ranking; NaN where nothing was planted. Shape (m,)."""
        with np.errstate(invalid="ignore"):
            shares: Floats = self.hits[name].sum(axis=0) / self.totals[name].sum(axis=0)
        return shares

    def draws(self, name: str, seed: int) -> Floats:
        """Return the same where plantings are drawn again, alike for all rankings. Shape (RESAMPLES, m)."""
        rows = np.random.default_rng(seed).integers(self.plantings, size=(RESAMPLES, self.plantings))
        with np.errstate(invalid="ignore"):
            shares: Floats = self.hits[name][rows].sum(axis=1) / self.totals[name][rows].sum(axis=1)
        return shares

    def rows(self, seed: int) -> Iterator[dict[str, Any]]:
        """Yield each metric of each ranking, what the audit has over the others, and what chance has.

        Rows have `ranking`, `other` (None; else the value is the ranking's less that of the other), `metric`, `kind`
        (of error, None = any), `value`, `low`, `high`, `at_best` (None of differences) and `reason`.
        """
        best = [self.at_best(metric) for metric, _ in self.metrics]
        draws = {name: self.draws(name, seed) for name in RANKED_BY}
        for name in RANKED_BY:
            yield from self._rows({"ranking": name, "other": None}, self.values(name), draws[name], best)
        for other in RANKED_BY[1:]:
            differs = {"ranking": AUDIT, "other": other}
            value, drawn = self.values(AUDIT) - self.values(other), draws[AUDIT] - draws[other]
            yield from self._rows(differs, value, drawn, [None] * len(best))
        chance = np.array([self.chance(metric) for metric, _ in self.metrics])
        yield from self._rows({"ranking": CHANCE, "other": None}, chance, None, best)

    def _rows(
        self, about: Mapping[str, Any], values: Floats, draws: Floats | None, best: list[float | None]
    ) -> Iterator[dict[str, Any]]:
        for place, (metric, kind) in enumerate(self.metrics):
            value = float(values[place])
            low = high = None
            defined = np.isfinite(value)
            if draws is not None and defined:
                own = draws[:, place]
                low, high = percentile_interval(own[np.isfinite(own)])
            reason = None if defined else self._why(metric)
            figures = {"value": value if defined else None, "low": low, "high": high, "at_best": best[place]}
            yield {**about, "metric": metric, "kind": kind or None, **figures, "reason": reason}

    def _why(self, metric: str) -> str:
        if metric in {FLAGGED, FALSE_FLAGS}:
            return "an order flags nothing"
        return f"fewer than {TOP} cases" if metric == PRECISION else "no label was made wrong in this way"

    def at_best(self, metric: str) -> float | None:
        """Return what a ranking comes to that has all planted labels first."""
        return min(1.0, self.planted / TOP) if metric == PRECISION else 0.0 if metric == FALSE_FLAGS else 1.0

    def chance(self, metric: str) -> float:
        """Return what cases in any order come to on average, exactly; NaN where the metric is undefined."""
        if metric in {FLAGGED, FALSE_FLAGS} or (metric == PRECISION and self.cases < TOP):
            return float("nan")
        if metric != AVERAGE_PRECISION:
            return self.planted / self.cases
        others = (self.planted - 1) / (self.cases - 1) if self.cases > 1 else 0.0
        harmonic = float((1 / np.arange(1, self.cases + 1)).sum())
        return (harmonic + others * (self.cases - harmonic)) / self.cases


METRICS_OF_PLANTED = (
    (PRECISION, ""),
    (RECALL, ""),
    *((RECALL, kind) for kind in PLANTED_KINDS),
    (AVERAGE_PRECISION, ""),
    (FLAGGED, ""),
    (FALSE_FLAGS, ""),
)


def planted_hits(order: Ints, flagged: Bools, kinds: npt.NDArray[np.int8]) -> tuple[Floats, Floats]:
    """Return what a ranking found of the labels that were made wrong, for each of METRICS_OF_PLANTED, and of how many.

    Args:
        order: (n,) the places of all cases, the most suspicious first.
        flagged: (n,) the cases that are called wrong.
        kinds: (n,) of the planted labels, -1 of the others.
    """
    ranked = kinds[order]
    marks = ranked >= 0
    planted = int(marks.sum())
    places = np.flatnonzero(marks)
    precision = float(np.mean(np.arange(1, planted + 1) / (places + 1)))
    top = TOP if marks.size >= TOP else 0
    each = range(len(PLANTED_KINDS))
    made_wrong = kinds >= 0
    counts = [
        (int(marks[:top].sum()), top),
        (int(marks[:planted].sum()), planted),
        *((int((ranked[:planted] == kind).sum()), int((kinds == kind).sum())) for kind in each),
        (precision, 1),
        (int((flagged & made_wrong).sum()), planted),
        (int((flagged & ~made_wrong).sum()), marks.size - planted),
    ]
    hits, totals = np.array(counts, dtype=np.float64).T
    return hits, totals


def planted_figures(aligned: AlignedScorers, ground: AuditGround, audit: LabelAudit, seed: int = 0) -> PlantedFigures:
    """Plant wrong labels again and again, rank, and count what the rankings find.

    Args:
        aligned: the n cases, with their own labels; all are `auditable`.
        ground: what the scorers say of their steps.
        audit: of their own labels: its weights are where the search for others begins.
        seed: of what is planted.
    """
    rounds = PLANTINGS if ground.cells.size <= SLOW else FEW_PLANTINGS
    hits: dict[str, list[Floats]] = {name: [] for name in RANKED_BY}
    totals: dict[str, list[Floats]] = {name: [] for name in RANKED_BY}
    for number in range(rounds):
        tell(number, rounds, "planted errors", "plantings")
        planted = plant_labels(aligned.earliest, aligned.n_steps, np.random.default_rng([seed, number]))
        audited = audit_labels(ground, planted.earliest, audit.weights)
        flat = confident_learning(ground, planted.earliest)
        consensus = _consensus(aligned, planted.earliest)
        rankings = ((audited.order, audited.flagged), consensus, (flat.order, flat.off_diagonal))
        for name, (order, flagged) in zip(RANKED_BY, rankings, strict=True):
            hit, total = planted_hits(order, flagged, planted.kinds)
            hits[name].append(hit)
            totals[name].append(total)
    return PlantedFigures(
        aligned.rows.size,
        planted_count(aligned.rows.size),
        METRICS_OF_PLANTED,
        {name: np.stack(each) for name, each in hits.items()},
        {name: np.stack(each) for name, each in totals.items()},
    )


def _consensus(aligned: AlignedScorers, earliest: Ints) -> tuple[Ints, Bools]:
    """The order of all cases and what is flagged as `contested` has it, were these their labels: those that it lists
    come first.
    """
    right: Bools = aligned.verdicts == earliest[:, None]
    result = contested(replace(aligned, earliest=earliest, right=right & aligned.tried))
    return np.concatenate([result.order, np.flatnonzero(~result.against)]), result.against
