"""One scorer at two thresholds: which outcomes a move turns into which, and whether it helps."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inspector.inspection import Inspection
from inspector.paint import OUTCOME_STYLES, Brush
from inspector.sentences import GLYPHS, WORDS
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.words import count, difference, p_value, percent
from scoring.evaluation import Evaluation
from scoring.metrics.agreement import quadrants
from scoring.metrics.comparison_row import sides
from scoring.metrics.first_error import Unparsed
from scoring.metrics.lineup import line_up
from scoring.metrics.paired import METRICS, holm, mcnemar, shared_scores
from scoring.metrics.threshold_conditions import AtThreshold, flip_conditions
from scoring.step_rewards import Bools
from scoring.verdicts import ON_CLEAN, ON_ERRONEOUS, OUTCOMES, AsGiven, Rule
from scoring.wishes import OPTIMISTIC

TITLES = {"f1": "F1", "error_acc": "on erroneous cases", "correct_acc": "on clean cases"}
_TURNED = {"right": "become right", "wrong": "become wrong", "other": "stay wrong in another way"}


@dataclass(frozen=True, eq=False)
class Moved:
    """A scorer at the threshold of `before` and at that of `after`, the present one where nothing else is said."""

    before: Evaluation
    after: Evaluation

    @classmethod
    def of(cls, inspection: Inspection) -> "Moved | None":
        """The present threshold against the default; at the default, the default against the best on these cases.

        None where no threshold decides, or there is no other one.
        """
        now = inspection.evaluation
        if now is None or not isinstance(now.rule, Rule) or not now.movable:
            return None
        default = now.at_default()
        if default.rule.threshold != now.rule.threshold:
            return cls(default, now)
        best = None if inspection.sweep is None else inspection.sweep.best()
        if best is None or best[0] == now.rule.threshold:
            return None
        return cls(now, now.at(best[0], OPTIMISTIC))


@dataclass(frozen=True, eq=False)
class MovedFigures:
    """METRICS before and after, and their differences (after less before), as rows of a document; p-values by side."""

    rows: Mapping[tuple[str, str], Mapping[str, Any]]
    p: Mapping[str, tuple[float | None, float | None]]


def moved_figures(moved: Moved, rows: Bools, unparsed: Unparsed, seed: int) -> MovedFigures:
    """The paired bootstrap and McNemar's test between a scorer and itself at another threshold."""
    lineup = line_up((moved.before, moved.after), rows, unparsed)
    common = lineup.common((0, 1))
    scores = shared_scores(lineup, common, (0, 1), seed)
    found = {}
    for metric in METRICS:
        figures = {"before": scores.estimate(metric, 0), "after": scores.estimate(metric, 1)}
        figures["difference"] = scores.difference(metric, 1, 0)
        for name, one in figures.items():
            found[metric, name] = {"value": one.value, "low": one.low, "high": one.high, "reason": one.reason}
    tests = {}
    for side, members in sides(lineup):
        four = quadrants(lineup, 0, 1, members)
        tests[side] = float(mcnemar(np.array(four.only_left), np.array(four.only_right))) if four.n else None
    values = np.array([np.nan if p is None else p for p in tests.values()])
    adjusted = [None if np.isnan(p) else float(p) for p in holm(values)]
    return MovedFigures(found, {side: (p, q) for (side, p), q in zip(tests.items(), adjusted, strict=True)})


def flip_lines(
    inspection: Inspection, moved: Moved | None, figures: MovedFigures | None, brush: Brush, width: int
) -> Iterator[Row]:
    """The page; `figures` is None while they are computed."""
    yield heading("One scorer at two thresholds")
    if moved is None:
        yield from paragraph(_why_not(inspection), width)
        return
    rows, (before, after) = inspection.slice, (moved.before, moved.after)
    yield (Piece("before  ", "dim"), Piece(_threshold(before)))
    yield (Piece("after   ", "dim"), Piece(_threshold(after)))
    yield ()
    yield from _turned(moved, rows, width)
    yield ()
    yield from _figures(figures, brush)
    for codes, title in ((ON_ERRONEOUS, "Erroneous cases"), (ON_CLEAN, "Clean cases")):
        yield ()
        yield heading(f"{title}: outcomes before (down) and after (across)")
        yield from _matrix(moved, rows, codes)


def _why_not(inspection: Inspection) -> str:
    now = inspection.evaluation
    if now is None or isinstance(now.rule, AsGiven) or not now.movable:
        name = inspection.scorer or "there is no scorer, and it"
        return f"{name} has no threshold to move, so that no outcome can flip. Look through another scorer."
    return (
        "The threshold is the default, which is the best on these cases as well. Move it, and what flips stands here."
    )


def _threshold(one: Evaluation) -> str:
    return f"threshold {one.rule.threshold:.4g} ({one.rule.source})"


def _turned(moved: Moved, rows: Bools, width: int) -> Iterator[Row]:
    """How many cases turn right, wrong, or wrong in another way."""
    before, after = moved.before, moved.after
    right = np.isin(np.arange(len(OUTCOMES)), (OUTCOMES.index("exact"), OUTCOMES.index("clean")))
    was, now, changed = right[before.codes], right[after.codes], before.codes != after.codes
    conditions = flip_conditions(before, after) or {}
    pieces: list[Piece] = []
    for name, marks in (("right", ~was & now), ("wrong", was & ~now), ("other", changed & (was == now))):
        n = int((marks & rows).sum())
        drill = Drill((conditions[name],), n, _TURNED[name], before.scorer.name) if name in conditions else None
        pieces += [count(n, drill, "strong"), Piece(f" {_TURNED[name]}   ")]
    yield tuple(pieces)
    if not conditions:
        yield from paragraph("Dev cases are left out at one of them, so that no list can be made of these.", width)


def _figures(figures: MovedFigures | None, brush: Brush) -> Iterator[Row]:
    rows: list[list[Cell]] = []
    sides_of = {"error_acc": "erroneous", "correct_acc": "clean"}
    for metric, title in TITLES.items():
        cells = (
            {} if figures is None else {name: figures.rows[metric, name] for name in ("before", "after", "difference")}
        )
        p = figures.p[sides_of[metric]][0] if figures is not None and metric in sides_of else None
        rows.append(
            [
                Piece(title),
                percent(cells.get("before"), brush),
                percent(cells.get("after"), brush, style="strong"),
                difference(cells.get("difference"), brush),
                p_value(p, waiting=figures is None and metric in sides_of),
            ]
        )
    yield from table([Piece(word) for word in ("", "before", "after", "difference", "p McNemar")], rows)


def _matrix(moved: Moved, rows: Bools, codes: tuple[int, ...]) -> Iterator[Row]:
    """Counts of outcomes before by outcomes after."""
    before, after = moved.before, moved.after
    name = before.scorer.name
    lines: list[list[Cell]] = []
    able = flip_conditions(before, after) is not None
    for old in codes:
        line: list[Cell] = [_outcome(old)]
        for new in codes:
            n = int((rows & (before.codes == old) & (after.codes == new)).sum())
            where = (_condition(before, old), _condition(after, new))
            words = f"{WORDS[OUTCOMES[old]]} before, {WORDS[OUTCOMES[new]]} after"
            line.append(count(n, Drill(where, n, words, name) if able else None, "" if old == new else "strong"))
        lines.append(line)
    yield from table([Piece(""), *(_outcome(code) for code in codes)], lines, [False, *[True] * len(codes)])


def _outcome(code: int) -> Piece:
    name = OUTCOMES[code]
    return Piece(f"{GLYPHS[name]} {WORDS[name]}", OUTCOME_STYLES.get(name, "dim"))


def _condition(one: Evaluation, code: int) -> str:
    rule = one.rule
    assert isinstance(rule, Rule)  # noqa: S101  # Moved holds no others
    found: str = getattr(AtThreshold(one.scorer.name, rule.threshold, rule.comparison), OUTCOMES[code])
    return found
