"""What other thresholds would give: the official figure at every one, the present one marked."""

from collections.abc import Iterator

import numpy as np

from inspector.report.blocks import Block, Bullets, Chart, Command, Fold, Sentence
from inspector.report.curve_chart import Mark, curve_chart, figures_at
from inspector.report.facts import OfBenchmark
from inspector.run_notes import first_run_notes
from inspector.sentences import counted, threshold_name
from scoring.evaluation import Evaluation
from scoring.score_curves import Curve, score_curve
from scoring.verdicts import Rule


def threshold_blocks(of: OfBenchmark) -> Iterator[Block]:
    """A curve a scorer whose threshold can be moved."""
    charts = [chart for chart in (_chart(of, one) for one in of.scorers) if chart is not None]
    still = [one.scorer.name for one in of.scorers if not isinstance(one.rule, Rule)]
    if still:
        yield Sentence(f"No one threshold decides for {', '.join(still)}.", "quiet")
    if not charts:
        if not still:
            yield Sentence("There is no threshold to move.")
        return
    yield Sentence(
        f"{of.title} at every threshold. The best one is optimistic: it was found on the cases that the figure is of."
    )
    if notes := tuple(first_run_notes(of.selection)):
        yield Bullets(notes)
    yield charts[0]
    if charts[1:]:
        yield Fold(f"The same of {counted(len(charts) - 1, 'other scorer')}", tuple(charts[1:]))
    yield Command(of.selection.request.command("thresholds"))


def _chart(of: OfBenchmark, one: Evaluation) -> Chart | None:
    rule = one.rule
    curve = score_curve(one, of.rows, of.selection.unparsed(of.name), of.name)
    if curve is None or not isinstance(rule, Rule) or not curve.thresholds.size or curve.best() is None:
        return None
    ends = (min(float(curve.thresholds[0]), rule.threshold), max(float(curve.thresholds[-1]), rule.threshold))
    title = f"{of.title} by threshold, {one.scorer.name}"
    return curve_chart(title, (threshold_name(rule), of.title), curve, rule.comparison, ends, list(_marks(curve, rule)))


def _marks(curve: Curve, rule: Rule) -> Iterator[Mark]:
    present = float(figures_at(curve, np.array([rule.threshold]), rule.comparison)[0])
    if np.isfinite(present):
        yield Mark("present", rule.threshold, present)
    if (best := curve.best()) is not None:
        yield Mark("best (optimistic)", *best)
