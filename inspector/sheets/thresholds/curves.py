"""The official figure against the threshold: a curve a scorer, and where the thresholds stand that one may choose."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inspector.case_view.open_case import letters_of
from inspector.charts.axes import Tick
from inspector.charts.curve import Series, curve
from inspector.charts.raster import ACROSS
from inspector.headline import PRMSCORE
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.sentences import counted, threshold_name
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Row
from inspector.sheets.thresholds.figures import Band, Figures
from inspector.threshold_span import threshold_span
from scoring.evaluation import Evaluation
from scoring.score_curves import Curve, places_on, score_curve, tuned
from scoring.verdicts import AsGiven, RuleByCase

LEAST, MOST = 6, 16
"""Rows of the chart at least and at most."""


@dataclass(frozen=True)
class Span:
    """The range of one scorer's thresholds, laid over that of the scorer in focus."""

    own: tuple[float, float]
    axis: tuple[float, float]

    @property
    def same(self) -> bool:
        """Whether both are one."""
        return self.own == self.axis

    def on_axis(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Thresholds of the scorer as places on the axis."""
        if self.same:
            return values
        share = (values - self.own[0]) / ((self.own[1] - self.own[0]) or 1.0)
        return self.axis[0] + share * (self.axis[1] - self.axis[0])


def curve_of(inspection: Inspection) -> Curve | None:
    """The curve of the scorer in focus; None where no threshold decides."""
    evaluation = inspection.evaluation
    if evaluation is None or isinstance(evaluation.rule, AsGiven):
        return None
    if isinstance(evaluation.rule, RuleByCase):
        # Thresholds that differ by subset are points of the same curve.
        return score_curve(evaluation.at_default(), inspection.slice, inspection.unparsed, inspection.benchmark)
    return inspection.sweep


def curve_lines(
    inspection: Inspection, names: Sequence[str], figures: Figures | None, brush: Brush, width: int, height: int
) -> Iterator[Row]:
    """The section: `names` are drawn, the scorer in focus first, whose curve is there before the others'."""
    evaluation, found = inspection.evaluation, curve_of(inspection)
    assert evaluation is not None  # noqa: S101  # the caller has looked
    metric = "F1" if found is None else found.metric
    yield heading(f"{metric} against the {threshold_name(evaluation.rule)}")
    best = None if found is None else found.best()
    if found is None or best is None:
        why = tuned(found).reason or "undefined"
        yield from paragraph(f"There is no curve: {why}.", width)
        return
    axis = threshold_span(evaluation)
    curves = {**(figures.curves if figures else {}), names[0]: found}
    bands = {} if figures is None else figures.bands
    series = []
    drawn = [inspection.selection.evaluation(name) for name in names]
    # Those that the same scorers have beside each other in a case.
    letters = letters_of(inspection, drawn)
    for one in drawn:
        name = one.scorer.name
        if name in curves:
            span = Span(threshold_span(one), axis)
            series.append(_series(one, curves[name], letters[name], span, bands.get(name), width))
    rows = min(MOST, max(LEAST, height - 18))
    yield from curve(series, width, rows, brush, ticks=list(ticks(inspection, found, figures, brush)), across=axis)
    yield from _notes(inspection, names, curves, figures, metric, width)


def _series(evaluation: Evaluation, found: Curve, letter: str, span: Span, band: Band | None, width: int) -> Series:
    rule, name = evaluation.rule, evaluation.scorer.name
    assert not isinstance(rule, AsGiven)  # noqa: S101  # it has a curve
    xs = np.linspace(*span.own, width * ACROSS)
    ys = found.score[places_on(found, xs, rule.comparison)]
    low = high = None
    if band is not None:
        low, high = (np.interp(xs, band.thresholds, ends) for ends in (band.low, band.high))
    told = name if span.same else f"{name} (its own range, {span.own[0]:.4g} to {span.own[1]:.4g})"
    return Series(told, letter, f"scorer-{letter.lower()}", span.on_axis(xs), ys, low, high)


def ticks(inspection: Inspection, found: Curve, figures: Figures | None, brush: Brush) -> Iterator[Tick]:
    """Where the present threshold stands, the default, the best one and those of dev sets."""
    evaluation = inspection.evaluation
    assert evaluation is not None  # noqa: S101  # the caller has looked
    default, source = evaluation.default
    present = inspection.threshold
    if present is not None:
        told = "present, the default" if (present, evaluation.rule.source) == (default, source) else "present"
        told = f"{told}: {evaluation.rule.source}" if told == "present" else told
        yield Tick(present, "^" if brush.ascii_only else "▲", told)
    elif isinstance(evaluation.rule, RuleByCase):
        for name, cut in evaluation.rule.told.items():
            yield Tick(cut, "^" if brush.ascii_only else "▲", f"present, {name} (by subset)")
    yield Tick(default, "d", f"default: {source}", "gold")
    best = found.best()
    if best is not None:
        yield Tick(best[0], "*", f"best on these: {100 * best[1]:.1f}, optimistic", "gold")
    seed = inspection.selection.request.seed
    # Of one subset the whole is as the subset is.
    dev = [row for row in (figures.ways if figures else ()) if row["kind"] == "dev" and row["threshold"] is not None]
    cuts: dict[float, list[str]] = {}
    # Where the present thresholds are those of dev sets, they stand there already.
    there = set(evaluation.rule.told.values()) if isinstance(evaluation.rule, RuleByCase) else set()
    for row in dev:
        if row["threshold"] in there:
            continue
        cuts.setdefault(row["threshold"], []).append(row["subset"])
    for cut, subsets in cuts.items():
        names = [name for name in subsets if name not in {"all", "average", ""}]
        named = f", {', '.join(names)}" if names else ""
        yield Tick(cut, "v", f"dev-tuned, seed {seed}{named}", "dim")


def _notes(
    inspection: Inspection,
    names: Sequence[str],
    curves: dict[str, Curve],
    figures: Figures | None,
    metric: str,
    width: int,
) -> Iterator[Row]:
    """What is to be known of the curves that are drawn and of those that are not."""
    selection = inspection.selection
    runs = [name for name in names if selection.evaluation(name).further]
    if runs:
        told = ", ".join(f"{name} ({counted(len(selection.evaluation(name).runs), 'run')})" for name in runs)
        yield from paragraph(f"Curves are of the first run, figures of the mean of all: {told}.", width)
    ons = {name: getattr(selection.evaluation(name).rule, "on", None) for name in curves}
    if len(set(ons.values())) > 1:
        others = [name for name, on in ons.items() if on != ons[names[0]]]
        yield from paragraph(f"Their threshold is on something else: {', '.join(others)}.", width)
    lacking = [name for name in names if isinstance(selection.evaluation(name).rule, AsGiven)]
    if lacking:
        yield from paragraph(f"No threshold decides, so that there is no curve: {', '.join(lacking)}.", width)
    if figures is not None and (band := figures.bands.get(names[0])) is not None:
        yield from paragraph(f"Intervals are computed at {band.thresholds.size} thresholds.", width)
    if metric == PRMSCORE:
        yield from paragraph("PRMScore of all steps pooled; bands resample whole problems.", width)
