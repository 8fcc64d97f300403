"""The threshold rail as lines: the metric, its curve over all thresholds, and what changed."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from inspector.render.cells import dash, interval, share, signed, with_minus
from inspector.render.charts.glyphs import OUTCOME_STYLES, Glyphs
from inspector.render.texts.phrases import Phrase, parts
from inspector.render.texts.sentences import F1, GLYPHS, WORDS, counted, threshold_name
from inspector.render.texts.text import TextPart
from inspector.state.screen_state import ScreenState
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.widgets.line_view import Line
from scoring.data.scorer import Comparison
from scoring.evaluation.verdicts import ON_CLEAN, ON_ERRONEOUS, OUTCOMES, RIGHT
from scoring.metrics.headline import Headline
from scoring.metrics.threshold_curves import ThresholdCurve, tuned

LEAST_DIGITS, MOST_DIGITS = 3, 16
"""Digits after the point of a threshold that is written."""
WIDE = 130
"""Cells from which all outcomes fit on one line."""


def rail_lines(now: ScreenState, before: ScreenState, width: int, glyphs: Glyphs) -> list[Line]:
    """Lay out six lines about the threshold of the scorer in focus; `before` is the value when the rail was opened."""
    evaluation, sweep = now.evaluation, now.summary.sweep
    threshold = None if evaluation is None else evaluation.rule.threshold
    if evaluation is None or sweep is None or threshold is None:
        return [Line([(why_unmovable(now), "dim")])]
    marks = {"now": threshold, "default": evaluation.default[0]}
    best = sweep.best
    if best is not None:
        marks["best"] = best[0]
    wide = width >= WIDE
    first = [*ON_ERRONEOUS, *ON_CLEAN] if wide else ON_ERRONEOUS
    second = () if wide else ON_CLEAN
    return [
        Line(parts(list(_metric(now, before, glyphs)), width)),
        *_picture(now, sweep, marks, width, glyphs),
        Line(parts(list(_outcomes(now, before, tuple(first))), width)),
        Line(parts([*_outcomes(now, before, second), _changed(now, before, wide=wide)], width)),
        Line(parts(list(_legend(now, best)), width)),
    ]


def _metric(now: ScreenState, before: ScreenState, glyphs: Glyphs) -> Iterator[Phrase]:
    assert now.evaluation is not None and before.evaluation is not None  # noqa: S101, PT018  # the caller has looked
    rule, old = now.evaluation.rule, before.evaluation.rule
    line, was = now.summary.headline, before.summary.headline
    yield Phrase((f"{threshold_name(rule)} {_written(rule.threshold, now)}",), style="strong")
    decides = now.rule_of(now.evaluation.scorer.name)
    source = f" (was {_written(old.threshold, now)})   " if rule != old else f" ({decides.source})   "
    yield Phrase((source, "   "), rank=3, style="dim")
    yield Phrase((score_words(line, ascii_only=glyphs.ascii_only),), style="strong")
    if line and was and rule != old and line.score is not None and was.score is not None:
        change = signed(line.score - was.score, ascii_only=glyphs.ascii_only)
        # Beside the score nothing has a sign too, so that it is seen to be a change.
        yield Phrase((f" {change if change[0] in '+-−' else f'+{change}'}", ""), rank=1, style="strong")
    if line and line.low is not None and line.high is not None:
        yield Phrase((f" {interval(line.low, line.high)}", ""), rank=2, style="dim")
    if line:
        size = counted(line.n, line.unit.removesuffix("s"))
        reason = f": {line.reason}" if line.reason else ""
        forms = (f"  {line.over}, {size}{reason}", f"  {size}{reason}", f"  {line.reason or size}", "")
        yield Phrase(forms, rank=4, style="dim")
        yield Phrase((f"   {now.evaluation.scorer.name}", ""), rank=5, style="dim")


def _written(threshold: float | None, now: ScreenState) -> str:
    """Write a threshold with three digits, or with enough that typing them gives the same figures."""
    rule = None if now.evaluation is None else now.evaluation.rule.movable
    if threshold is None or now.summary.sweep is None or rule is None:
        return "-"
    for digits in range(LEAST_DIGITS, MOST_DIGITS):
        text = f"{threshold:.{digits}f}"
        first, second = now.summary.sweep.places(np.array([threshold, float(text)]), rule.comparison)
        if first == second:
            return text
    return repr(threshold)


def why_unmovable(now: ScreenState) -> str:
    """Explain why there is no threshold to move."""
    if now.evaluation is None:
        return "There is no scorer, so there is no threshold to move."
    name, rule = now.evaluation.scorer.name, now.evaluation.rule
    if rule.by_threshold:
        return f"{name} has a threshold for each subset ({now.rule_of(name).source}): none of them is moved alone."
    return f"{name} has no threshold to move: {rule.source}."


def percent(line: Headline | None, *, ascii_only: bool = False) -> str:
    """Write the score of a headline in percent, or a dash."""
    return share(line.score) if line and line.score is not None else dash(ascii_only=ascii_only)


def score_words(line: Headline | None, *, ascii_only: bool = False) -> str:
    """Write the score of a headline in percent, by name."""
    return f"{line.metric if line else F1} {percent(line, ascii_only=ascii_only)}"


def _picture(
    now: ScreenState, sweep: ThresholdCurve, marks: dict[str, float], width: int, glyphs: Glyphs
) -> list[Line]:
    """Curve and axis; where the metric is undefined at every threshold, why there is no curve, and the axis."""
    axis = Line(_axis(marks, threshold_span(now.evaluation), width, glyphs))
    rule = None if now.evaluation is None else now.evaluation.rule.movable
    if "best" in marks and rule is not None:
        return [Line([(_curve(sweep, rule.comparison, threshold_span(now.evaluation), width, glyphs), "")]), axis]
    reason = (now.summary.headline.reason if now.summary.headline else None) or tuned(sweep).reason or "undefined here"
    forms = (
        f"no curve: {sweep.metric.title} is undefined at every threshold: {reason}",
        f"no curve: {reason}",
        "no curve",
        "",
    )
    return [Line(parts([Phrase(forms, style="dim")], width)), axis]


@lru_cache(maxsize=8)
def _curve(sweep: ThresholdCurve, comparison: Comparison, span: tuple[float, float], width: int, glyphs: Glyphs) -> str:
    """The score over the range, one character a column: the best decision that falls into the column.

    A blank where every decision in a column leaves the score undefined.
    """
    score = np.where(np.isnan(sweep.score), -np.inf, sweep.score)
    edges = np.linspace(*span, width + 1)
    # A column holds the thresholds in (low, high].
    first = sweep.places(np.nextafter(edges[:-1], np.inf), comparison)
    last = sweep.places(edges[1:], comparison)
    bests = [float(score[a : b + 1].max(initial=-np.inf)) for a, b in zip(first, last, strict=True)]
    return glyphs.curve([best if np.isfinite(best) else None for best in bests], float(score.max(initial=0.0)))


def _axis(marks: dict[str, float], span: tuple[float, float], width: int, glyphs: Glyphs) -> list[TextPart]:
    """Where the present, the default and the best threshold lie under the curve."""
    low, high = span
    line = ["-" if glyphs.ascii_only else "─"] * width
    styles = ["dim"] * width
    pointers = {"default": "d", "best": "*", "now": "^" if glyphs.ascii_only else "▲"}
    edges = np.linspace(low, high, width + 1)
    for name in ("default", "best", "now"):
        if name in marks and low <= marks[name] <= high:
            # A column of the curve ends with its upper edge.
            at = max(0, int(np.searchsorted(edges, marks[name])) - 1)
            line[at], styles[at] = pointers[name], "strong" if name == "now" else "gold"
    parts: list[TextPart] = [(character, style) for character, style in zip(line, styles, strict=True)]
    return parts


def _outcomes(now: ScreenState, before: ScreenState, codes: tuple[int, ...]) -> Iterator[Phrase]:
    for name in (OUTCOMES[code] for code in codes):
        count = now.summary.outcome_counts[name]
        change = count - before.summary.outcome_counts[name]
        style = OUTCOME_STYLES.get(name, "dim")
        yield Phrase((f"{GLYPHS[name]} {WORDS[name]} {count:,}", f"{GLYPHS[name]} {count:,}"), rank=1, style=style)
        yield Phrase((f" ({with_minus(f'{change:+,}')})  " if change else "  ",), style="dim")


def _changed(now: ScreenState, before: ScreenState, *, wide: bool) -> Phrase:
    """What became of all the cases that changed or, where there is no room for it, only how many they are."""
    right, wrong, other = ThresholdChanges.between(before, now)
    changed = f"{right + wrong + other:,} changed"
    if changed == "0 changed":
        return Phrase(("nothing changed", ""), rank=2)
    became = " now" if wide else ""
    return Phrase((f"{changed}: {right:,}{became} right, {wrong:,}{became} wrong, {other:,} still wrong", changed))


def _legend(now: ScreenState, best: tuple[float, float] | None) -> Iterator[Phrase]:
    default = now.evaluation.default[0] if now.evaluation else 0.0
    yield Phrase((f"d default {_written(default, now)}", ""), rank=2, style="dim")
    if best is not None:
        metric = now.summary.headline.metric if now.summary.headline else F1
        yield Phrase((f"   * best {best[0]:.{LEAST_DIGITS}f}: {metric} {share(best[1])}",), style="dim")
        yield Phrase((", tuned on these cases, optimistic", ", optimistic"), rank=1, style="dim")


# -- what a moved threshold turned

_IS_RIGHT = np.isin(np.arange(len(OUTCOMES)), RIGHT)
"""By outcome code whether it is right."""


class ThresholdChanges(NamedTuple):
    """How many cases a moved threshold turned right, turned wrong, and left wrong in another way."""

    right: int = 0
    wrong: int = 0
    other: int = 0

    @classmethod
    def between(cls, before: ScreenState, now: ScreenState) -> "ThresholdChanges":
        """Count the changes among the cases of the slice of `now`; none where either has no scorer in focus."""
        if now.evaluation is None or before.evaluation is None:
            return cls()
        codes, old = now.evaluation.codes, before.evaluation.codes
        # A step changes few of a million cases, and what follows is of these alone.
        changed = np.flatnonzero(codes != old)
        changed = changed[now.slice[changed]]
        codes, old = codes[changed], old[changed]
        is_right, was_right = _IS_RIGHT.take(codes), _IS_RIGHT.take(old)
        right, wrong = int((is_right & ~was_right).sum()), int((was_right & ~is_right).sum())
        return cls(right, wrong, changed.size - right - wrong)
