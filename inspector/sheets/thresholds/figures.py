"""What the sheets of thresholds show that takes longer: computed in a thread, none of it moves with the threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inspector.inspection import Inspection
from inspector.subject import subject
from inspector.threshold_curve import bands_of
from inspector.threshold_rows import thresholds_document
from inspector.threshold_span import threshold_span
from scoring.evaluation import Evaluation
from scoring.metrics.reliability import case_reliability, step_reliability
from scoring.metrics.reward_bins import reward_bins
from scoring.metrics.reward_histograms import case_histogram, step_histogram
from scoring.score_curves import Curve, score_curve
from scoring.step_rewards import Floats
from scoring.verdicts import AsGiven

CURVES, TRANSFER, REWARDS, RELIABILITY = "curves", "transfer", "rewards", "reliability"
"""The pages."""
FigureRow = Mapping[str, Any]
"""A row of a document or of a metric."""
GRIDS = ((5_000, 81), (20_000, 33), (10**9, 16))
"""Up to how many cases a curve has its interval at how many thresholds: they are what takes longest."""


@dataclass(frozen=True, eq=False)
class Band:
    """The 95% interval of a curve at the thresholds of a grid, shapes (t,); NaN where there is none."""

    thresholds: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Figures:
    """What one page shows; of other pages it is empty.

    `ways` are rows of `thresholds` for the scorer in focus at its default, `curves` by name those of all scorers that
    are drawn. `cases` and `steps` are rows of `scoring.metrics.reward_histograms`, `case_shares` and `step_shares` of
    `scoring.metrics.reliability`, all of the scorer in focus.
    """

    ways: Sequence[FigureRow] = ()
    curves: Mapping[str, Curve] = field(default_factory=dict)
    bands: Mapping[str, Band] = field(default_factory=dict)
    cases: Sequence[FigureRow] = ()
    steps: Sequence[FigureRow] = ()
    case_shares: Sequence[FigureRow] = ()
    step_shares: Sequence[FigureRow] = ()


def depends_on(inspection: Inspection, names: Sequence[str]) -> tuple[object, ...]:
    """What the figures of these scorers, the one in focus first, are made of: everything but thresholds."""
    found: list[object] = [inspection.slice, inspection.benchmark, inspection.unparsed, tuple(names)]
    for one in (inspection.selection.evaluation(name) for name in names):
        rule = one.rule
        kind = None if isinstance(rule, AsGiven) else (rule.on, rule.comparison)
        found += [one.rewards, one.votes, one.given, kind, one.scorer.redundancy_threshold]
    return tuple(found)


def banded(names: Sequence[str]) -> Sequence[str]:
    """The scorers whose curves have bands: the one in focus, and another beside it; more are not told apart."""
    return names[: 2 if len(names) == 2 else 1]


def threshold_figures(inspection: Inspection, names: Sequence[str], page: str) -> Figures:
    """Compute what a page shows; the scorer in focus is the first of the names."""
    focus, rows = inspection.selection.evaluation(names[0]), inspection.slice
    if page == REWARDS:
        bins = reward_bins(focus)
        return Figures(cases=tuple(case_histogram(focus, rows, bins)), steps=tuple(step_histogram(focus, rows, bins)))
    if page == RELIABILITY:
        shares = tuple(case_reliability(focus, rows)), tuple(step_reliability(focus, rows))
        return Figures(case_shares=shares[0], step_shares=shares[1])
    if page == TRANSFER:
        return Figures(ways=_ways(inspection, {names[0]: focus.at_default()}))
    defaults = {name: inspection.selection.evaluation(name).at_default() for name in names}
    curves, bands = {}, {}
    for name, one in defaults.items():
        curve = score_curve(one, rows, inspection.unparsed, inspection.benchmark)
        if curve is not None and curve.thresholds.size:
            curves[name] = curve
            if name in banded(names) and (band := _band(inspection, one)) is not None:
                bands[name] = band
    return Figures(ways=_ways(inspection, defaults), curves=curves, bands=bands)


def _ways(inspection: Inspection, defaults: Mapping[str, Evaluation]) -> tuple[FigureRow, ...]:
    """The rows of the scorer in focus at its default, so that they do not depend on where its threshold is."""
    loaded = subject(inspection, (next(iter(defaults)),))
    evaluations = tuple(defaults.get(one.scorer.name, one) for one in loaded.evaluations)
    return tuple(thresholds_document(replace(loaded, evaluations=evaluations)).rows.to_dicts())


def _band(inspection: Inspection, evaluation: Evaluation) -> Band | None:
    n = int(inspection.slice.sum())
    grid = np.linspace(*threshold_span(evaluation), next(size for most, size in GRIDS if n <= most))
    found = bands_of(evaluation, inspection.slice, grid, inspection.benchmark, inspection.selection)
    if found is None:
        return None
    place = next(at for at, metric in enumerate(found.metrics) if metric in {"f1", "prmscore"})
    return Band(grid, found.low[place], found.high[place])
