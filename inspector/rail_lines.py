"""The threshold rail as lines: the metric, its curve over all thresholds, and what changed."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from inspector.headline import F1, Headline
from inspector.inspection import Inspection
from inspector.paint import OUTCOME_STYLES, Brush
from inspector.sentences import GLYPHS, WORDS, threshold_name
from inspector.widgets.line_scroll import Part
from inspector.widgets.line_view import Line
from scoring.score_curves import Curve
from scoring.verdicts import ON_CLEAN, ON_ERRONEOUS, OUTCOMES, RuleByCase

WIDE = 130
"""Cells from which all outcomes fit on one line."""


def rail_lines(now: Inspection, before: Inspection, width: int, brush: Brush) -> list[Line]:
    """Six lines about the threshold of the scorer in focus; `before` is the value when the rail was opened."""
    evaluation, sweep = now.evaluation, now.sweep
    threshold = None if evaluation is None else evaluation.rule.threshold
    if evaluation is None or sweep is None or threshold is None:
        return [Line([(why_unmovable(now), "dim")])]
    marks = {"now": threshold, "default": evaluation.default[0]}
    best = sweep.best()
    if best is not None:
        marks["best"] = best[0]
    wide = width >= WIDE
    return [
        Line(list(_metric(now, before, brush))),
        Line([(_curve(sweep, now.span, width, brush), "")]),
        Line(_axis(marks, now.span, width, brush)),
        Line(list(_outcomes(now, before, (*ON_ERRONEOUS, *ON_CLEAN) if wide else ON_ERRONEOUS))),
        _changed(now, before, [] if wide else [*_outcomes(now, before, ON_CLEAN)], width),
        Line(list(_legend(now, best))),
    ]


def _metric(now: Inspection, before: Inspection, brush: Brush) -> Iterator[Part]:
    assert now.evaluation is not None and before.evaluation is not None  # noqa: S101, PT018  # the caller has looked
    rule, old = now.evaluation.rule, before.evaluation.rule
    line, was = now.headline, before.headline
    yield f"{threshold_name(rule)} {rule.threshold:.4f}", "strong"
    yield f" (was {old.threshold:.4f})   " if rule != old else f" ({rule.source})   ", "dim"
    yield score_words(line), "strong"
    if line and was and rule != old and line.score is not None and was.score is not None:
        yield f" {100 * (line.score - was.score):+.1f}", "strong"
    if line and line.low is not None and line.high is not None:
        dash = "-" if brush.ascii_only else "–"
        yield f" [{100 * line.low:.1f}{dash}{100 * line.high:.1f}]", "dim"
    if line:
        reason = f": {line.reason}" if line.reason else ""
        yield f"  {line.over}, {line.n:,} {line.unit}{reason}   {now.evaluation.scorer.name}", "dim"


def why_unmovable(now: Inspection) -> str:
    """Why there is no threshold to move."""
    if now.evaluation is None:
        return "There is no scorer, so there is no threshold to move."
    name, rule = now.evaluation.scorer.name, now.evaluation.rule
    if isinstance(rule, RuleByCase):
        return f"{name} has a threshold for each subset ({rule.source}): none of them is moved alone."
    return f"{name} has no threshold to move: {rule.source}."


def percent(line: Headline | None) -> str:
    """The score of a headline in percent, or a dash."""
    return f"{100 * line.score:.1f}" if line and line.score is not None else "-"


def score_words(line: Headline | None) -> str:
    """The score of a headline in percent, by name."""
    return f"{line.metric if line else F1} {percent(line)}"


@lru_cache(maxsize=8)
def _curve(sweep: Curve, span: tuple[float, float], width: int, brush: Brush) -> str:
    """The score over the range, one character a column: the best decision that falls into the column."""
    score = np.nan_to_num(sweep.score)
    top = float(score.max()) if score.size else 0.0
    edges = np.linspace(*span, width + 1)
    # A threshold in (low, high] decides as the candidates from the first one above low to the first at or above high.
    first = np.searchsorted(sweep.thresholds, edges[:-1], side="right")
    last = np.searchsorted(sweep.thresholds, edges[1:], side="left")
    return brush.curve([float(score[a : b + 1].max(initial=0.0)) for a, b in zip(first, last, strict=True)], top)


def _axis(marks: dict[str, float], span: tuple[float, float], width: int, brush: Brush) -> list[Part]:
    """Where the present, the default and the best threshold lie under the curve."""
    low, high = span
    line = ["-" if brush.ascii_only else "─"] * width
    styles = ["dim"] * width
    glyphs = {"default": "d", "best": "*", "now": "^" if brush.ascii_only else "▲"}
    edges = np.linspace(low, high, width + 1)
    for name in ("default", "best", "now"):
        if name in marks and low <= marks[name] <= high:
            # A column of the curve ends with its upper edge.
            at = max(0, int(np.searchsorted(edges, marks[name])) - 1)
            line[at], styles[at] = glyphs[name], "strong" if name == "now" else "gold"
    parts: list[Part] = [(character, style) for character, style in zip(line, styles, strict=True)]
    return parts


def _outcomes(now: Inspection, before: Inspection, codes: tuple[int, ...]) -> Iterator[Part]:
    for name in (OUTCOMES[code] for code in codes):
        count = now.outcome_counts[name]
        change = count - before.outcome_counts[name]
        yield f"{GLYPHS[name]} {WORDS[name]} {count:,}", OUTCOME_STYLES.get(name, "dim")
        yield f" ({change:+,})  " if change else "  ", "dim"


def _changed(now: Inspection, before: Inspection, ahead: list[Part], width: int) -> Line:
    """What became of cases; in as many words as there is room for after `ahead`."""
    right, wrong, other = now.changes(before)
    changed = f"changed {right + wrong + other:,}"
    forms = (
        f"{changed}: {right:,} became right, {wrong:,} wrong, {other:,} another mistake",
        f"{changed}: {right:,} right, {wrong:,} wrong, {other:,} other",
        f"{changed}: {right:,} right, {wrong:,} wrong",
    )
    room = width - sum(len(text) for text, _ in ahead)
    return Line([*ahead, (next((form for form in forms if len(form) <= room), forms[-1]), "")])


def _legend(now: Inspection, best: tuple[float, float] | None) -> Iterator[Part]:
    default = now.evaluation.default[0] if now.evaluation else 0.0
    yield f"d default {default:.4g}", "dim"
    if best is not None:
        metric = now.headline.metric if now.headline else F1
        yield f"   * best {best[0]:.4f}: {metric} {100 * best[1]:.1f}, tuned on these cases, optimistic", "dim"
