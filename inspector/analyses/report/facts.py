"""What the parts of a report are made from: one benchmark of a result set, with its scorers, the best first."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses.compare.compare import compare
from inspector.analyses.metrics.metrics import metrics
from inspector.render.blocks import (
    Block,
    Bullets,
    Cell,
    Facts,
    Fold,
    Kind,
    Note,
    Picture,
    Table,
    count,
    figure,
    table,
    text,
)
from inspector.render.cells import DASH, interval, share
from inspector.render.documents.row_documents import Document
from inspector.render.elements import ROW, WIDTH, Element, box, element, line, name_label, picture, width_of, words
from inspector.render.texts.sentences import GLYPHS, WORDS, official_title, unit_of
from inspector.render.view import View
from inspector.state.common_cases import best_first, with_all_cases
from inspector.state.comparability import counted_cases
from inspector.state.notes import first_run_notes
from inspector.state.result_set import ResultSet
from scoring.data.reward_transforms import REWARDS, transform
from scoring.data.schema import NO_SUBSET, WHOLE, Bools, Ints, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES, Decision, ProvidedVerdicts, RuleByCase
from scoring.metrics.aligned import align_official, align_scorers
from scoring.metrics.benchmark_figures import official_metric
from scoring.metrics.deciding import rule_among
from scoring.metrics.own import OwnMetric, own_metrics

SIDES = {"prmscore": ("negative_acc", "positive_acc")}
"""The accuracies beside them, on what is wrong and on what is right, where they are not those of first errors."""
_OF_CASES = ("error_acc", "correct_acc")
UNKNOWN: Row = {"value": None, "low": None, "high": None, "reason": None}
"""Stands for a figure that there is not."""


class OfBenchmark(Struct, frozen=True, eq=False, dict=True):
    """One benchmark's shown cases (`rows` (n,), a mask over all) and the `metrics` of all benchmarks."""

    results: ResultSet
    name: str
    number: int
    rows: Bools
    metrics: Document

    @property
    def n(self) -> int:
        """How many cases are shown."""
        return int(self.rows.sum())

    def rule(self, evaluation: Evaluation) -> Decision:
        """Return what decides these cases for a scorer."""
        return rule_among(evaluation, self.rows, self.results.query.seed)

    @property
    def head(self) -> str:
        """The official figure, by its name in the column `metric`."""
        return official_metric(self.name)

    @property
    def sides(self) -> tuple[str, str]:
        """The accuracies beside it, on what is wrong and on what is right."""
        return SIDES.get(self.head, _OF_CASES)

    @property
    def title(self) -> str:
        """The official figure as it is written."""
        return official_title(self.name)

    @cached_property
    def figures(self) -> dict[tuple[str, str, str], Row]:
        """Rows of `metrics` by scorer, subset and metric."""
        own = self.metrics.rows.filter(pl.col("benchmark") == self.name)
        return {(row["scorer"], row["subset"], row["metric"]): row for row in own.iter_rows(named=True)}

    @cached_property
    def subsets(self) -> tuple[str, ...]:
        """The subsets that figures are told of, in order; not `all` and `average`."""
        named = dict.fromkeys(subset for _, subset, metric in self.figures if metric == self.head)
        return tuple(name for name in named if name not in WHOLE)

    @property
    def whole(self) -> str:
        """The subset that stands for the benchmark: the average where it is over several, else all."""
        return "average" if self.head == "f1" and len(self.subsets) > 1 else "all"

    def figure(self, scorer: str, metric: str = "", subset: str = "") -> Row | None:
        """Return a row of `metrics`; by default the official figure of the whole benchmark."""
        return self.figures.get((scorer, subset or self.whole, metric or self.head))

    @cached_property
    def scorers(self) -> tuple[Evaluation, ...]:
        """The chosen scorers that gave anything for these cases, the highest official figure first.

        Where it is undefined, as F1 is without clean cases, the accuracies behind it tell.
        """
        there = [
            evaluation
            for evaluation in self.results.chosen_evaluations
            if (evaluation.coverage.present & self.rows).any()
        ]

        def place(evaluation: Evaluation) -> tuple[bool, float, bool, float, str]:
            name = evaluation.scorer.name
            value, *sides = (self._value(name, metric) for metric in (self.head, *self.sides))
            known = [side for side in sides if side is not None]
            return value is None, -(value or 0.0), not known, -sum(known), name

        return tuple(sorted(there, key=place))

    @cached_property
    def ranked_scorers(self) -> tuple[list[Evaluation], str]:
        """Return the scorers whose official figure is of all cases that any scorer tried, and why others are not."""
        if not self.scorers:
            return [], ""
        unparsed = self.results.unparsed(self.name)
        official = align_official(self.scorers, self.rows, self.name, unparsed)
        whole, others = with_all_cases(self.scorers, official or align_scorers(self.scorers, self.rows, unparsed))
        ranked = [evaluation for evaluation in whole if self._value(evaluation.scorer.name, self.head) is not None]
        return ranked, others

    @property
    def best(self) -> Evaluation | None:
        """The first of `ranked_scorers`; None where none has a figure."""
        return next(iter(self.ranked_scorers[0]), None)

    @property
    def first(self) -> Evaluation | None:
        """The best scorer, or else the first of the scorers that has a verdict on any of the cases."""
        scorers = self.scorers if self.best is None else (self.best, *self.scorers)
        return next((evaluation for evaluation in scorers if (evaluation.coverage.answered & self.rows).any()), None)

    def _value(self, scorer: str, metric: str) -> float | None:
        row = self.figure(scorer, metric)
        return None if row is None else row["value"]

    def outcomes(self, evaluation: Evaluation) -> dict[str, int]:
        """Count how many of the cases have each outcome."""
        counts = np.bincount(evaluation.codes[self.rows], minlength=len(OUTCOMES)).tolist()
        return dict(zip(OUTCOMES, counts, strict=True))

    @property
    def shown(self) -> Ints:
        """The row ids of the cases, in the order that was asked for."""
        listed = self.results.shown
        return listed[self.rows[listed]]

    @property
    def alone(self) -> ResultSet:
        """The result set with none but these cases shown, as a command gets it that names the benchmark."""
        query = self.results.query
        if len(self.results.benchmarks) > 1:
            query = replace(query, benchmarks=(self.name,))
        return replace(self.results, shown=self.shown, query=query)

    @property
    def ranked(self) -> ResultSet:
        """These cases, with the scorers that gave anything for them: the best first unless some were named."""
        results = self.alone
        if results.query.scorers or not self.scorers:
            return results
        return replace(results, chosen=tuple(evaluation.scorer.name for evaluation in self.scorers))

    @cached_property
    def comparison(self) -> View | str:
        """The scorers that have a verdict, compared, the best first unless some were named; or why there is nothing."""
        able = tuple(
            evaluation.scorer.name
            for evaluation in self.results.chosen_evaluations
            if (evaluation.coverage.answered & self.rows).any()
        )
        if len(able) < 2:
            why = f"{able[0]} is the only scorer with a verdict here" if able else "no scorer has a verdict here"
            return f"No comparison: it needs two scorers, and {why}."
        chosen = replace(self.alone, chosen=able)
        named = chosen if chosen.query.scorers else best_first(chosen)
        # Named, so that no order is looked for again.
        query = replace(named.query, scorers=named.chosen)
        return compare.view(replace(named, query=query))

    def anchor(self, part: str) -> str:
        """Write an anchor for a part of the report that is about this benchmark."""
        return f"{part}-{self.number}"


def benchmarks_of(results: ResultSet) -> tuple[OfBenchmark, ...]:
    """Return the benchmarks of which a case is shown, in the order of the cases."""
    figures, mask = metrics.view(results), results.mask
    benchmarks: list[OfBenchmark] = []
    for name in results.benchmarks:
        rows = (results.cases["benchmark"] == name).to_numpy() & mask
        if rows.any():
            benchmarks.append(OfBenchmark(results, name, len(benchmarks) + 1, rows, figures))
    return tuple(benchmarks)


def percent(row: Row | None) -> str:
    """Write a figure in percent with its 95% interval; a dash where it is undefined."""
    if row is None or row["value"] is None:
        return "–"
    return f"{share(row['value'])} {interval(row['low'], row['high'])}".rstrip()


# -- the board: scorers on one benchmark, with the official figure, what lies behind it, and the outcomes


# -- charts of the board of a report, a line a scorer: what happened to the cases, and figures with their intervals


LEFT = 270
"""Units at the left for names."""
TOP = 34
GAP = 5


def outcome_chart(title: str, counts: Sequence[tuple[str, Mapping[str, int]]]) -> Picture:
    """Draw a bar a scorer, of its name and the number of cases of each outcome; all bars have the same cases."""
    seen = [name for name in OUTCOMES if any(of_one[name] for _, of_one in counts)]
    shapes = _legend(seen)
    names = [name for name, _ in counts]
    for number, (name, of_one) in enumerate(counts):
        shapes += _bar(name, {outcome: of_one[outcome] for outcome in seen}, TOP + ROW * number, names)
    counted_outcomes = "; ".join(f"{name}: {_told(of_one, seen)}" for name, of_one in counts)
    described = f"Bars are all the cases, parted by outcome in the order of the legend. {counted_outcomes}."
    height = TOP + ROW * len(counts) + 4
    return Picture(title, described, picture(height, title, described, *shapes), _table(title, counts, seen))


def _told(of_one: Mapping[str, int], seen: Sequence[str]) -> str:
    return ", ".join(f"{WORDS[outcome]} {of_one[outcome]}" for outcome in seen if of_one[outcome])


def _legend(seen: Sequence[str]) -> list[Element]:
    """A little box an outcome with its glyph, and its word behind it."""
    shapes, x = [], float(LEFT)
    for outcome in seen:
        shapes.append(box(x, 6, 16, 16, f"o-{outcome.replace('_', '-')}"))
        shapes.append(words(GLYPHS[outcome], x + 8, 18, "inside", "middle"))
        shapes.append(words(WORDS[outcome], x + 21, 18))
        x += 21 + width_of(WORDS[outcome]) + 14
    return shapes


def _bar(name: str, of_one: Mapping[str, int], y: float, names: Sequence[str]) -> list[Element]:
    total = sum(of_one.values())
    shapes, x = [name_label(name, LEFT - 12, y + 16, names)], float(LEFT)
    for outcome, n in of_one.items():
        width = (WIDTH - LEFT) * n / total if total else 0.0
        if not n:
            continue
        shapes.append(box(x, y + 2, width, ROW - GAP, f"o-{outcome.replace('_', '-')}", f"{WORDS[outcome]}: {n}"))
        label = f"{GLYPHS[outcome]} {n}".strip()
        label = label if width_of(label) + 4 <= width else GLYPHS[outcome]
        if width_of(label) + 4 <= width:
            shapes.append(words(label, x + width / 2, y + 16, "inside", "middle"))
        x += width
    return shapes


def _table(title: str, counts: Sequence[tuple[str, Mapping[str, int]]], seen: Sequence[str]) -> Table:
    heads = ("scorer", *(f"{GLYPHS[outcome]} {WORDS[outcome]}".strip() for outcome in seen))
    rows = [[Cell(name), *(count(of_one[outcome]) for outcome in seen)] for name, of_one in counts]
    return table(f"{title}: numbers of cases", heads, rows)


# -- figures with their intervals

RIGHT = 200
"""Units at the right for figures in words."""
AXIS = 26
"""Units above the lines, for the axis."""
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class ReportFigure(Struct, frozen=True):
    """A figure of a scorer as a fraction; None where it is undefined. `text` is how it is told."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    text: str


def interval_chart(title: str, measured: Sequence[ReportFigure]) -> Picture:
    """Draw a dot a scorer on an axis from 0 to 100, with a line over its 95% interval and its numbers beside it."""
    bottom = AXIS + ROW * len(measured)
    shapes = [line(_x(tick), AXIS, _x(tick), bottom, "grid") for tick in TICKS]
    shapes += [words(share(tick, 0), _x(tick), AXIS - 8, "quiet", "middle") for tick in TICKS]
    for number, score in enumerate(measured):
        shapes += _row(score, AXIS + ROW * number + ROW / 2, [other.name for other in measured])
    defined = [score for score in measured if score.value is not None]
    figures = "; ".join(f"{score.name}: {score.text}" for score in defined) or "no figure is defined"
    described = f"Dots are figures in percent, lines their 95% intervals. {figures}."
    return Picture(title, described, picture(bottom + 6, title, described, *shapes), None)


def _row(score: ReportFigure, y: float, names: Sequence[str]) -> list[Element]:
    shapes = [name_label(score.name, LEFT - 12, y + 4, names)]
    if score.value is None:
        return [*shapes, words(DASH, _x(0), y + 4, "quiet")]
    if score.low is not None and score.high is not None:
        shapes.append(line(_x(score.low), y, _x(score.high), y, "whisker"))
        shapes += [line(_x(end), y - 4, _x(end), y + 4, "whisker") for end in (score.low, score.high)]
    shapes.append(element("circle", cx=_x(score.value), cy=y, r=4.5, class_="dot"))
    return [*shapes, words(score.text, WIDTH - RIGHT + 16, y + 4)]


def _x(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, max(0.0, share))


SIDE_HEADS = {"f1": ("on erroneous", "on clean"), "prmscore": ("on wrong steps", "on right steps")}


def board_blocks(of: OfBenchmark) -> Iterator[Block]:
    """Lay out the table, two charts, and every subset."""
    if not of.scorers:
        yield Note("No scorer has anything for these cases yet, so there is no figure.")
        return
    yield from map(_warning, unlike(of))
    yield board_table(of)
    if about := tuple(
        (evaluation.scorer.name, evaluation.scorer.about) for evaluation in of.scorers if evaluation.scorer.about
    ):
        yield Fold("About the scorers", (Facts(about),))
    measured = [_measured(of, evaluation) for evaluation in of.scorers]
    if any(evaluation.value is not None for evaluation in measured):
        yield interval_chart(f"{of.title} with 95% intervals, {of.name}", measured)
    if notes := tuple(first_run_notes(of.results)):
        yield Bullets(notes)
    counts = [(evaluation.scorer.name, of.outcomes(evaluation)) for evaluation in of.scorers]
    yield outcome_chart(f"Outcomes of {of.n:,} cases, {of.name}", counts)
    if len(of.subsets) > 1:
        yield Fold(f"{of.title} of every subset", (subset_table(of),))


def _warning(text: str) -> Note:
    return Note(text, "warning")


def unlike(of: OfBenchmark) -> Iterator[str]:
    """Explain why figures of this board are not to be compared as they stand."""
    sets = counted_cases(of.results, [evaluation.scorer.name for evaluation in of.scorers], of.name, of.rows)
    if len({rows.tobytes() for rows in sets.values()}) > 1:
        sizes = ", ".join(f"{name} {int(rows.sum())}" for name, rows in sets.items())
        yield (
            f"Not the same cases: {sizes}. These figures are not to be compared as they stand; the comparisons are on"
            " common cases."
        )
    sources = {evaluation.scorer.name: of.rule(evaluation).source for evaluation in of.scorers}
    optimistic = [name for name, source in sources.items() if "optimistic" in source]
    if optimistic:
        names = ", ".join(optimistic)
        yield f"Optimistic: the threshold of {names} was tuned on cases that the figures are of."


def _measured(of: OfBenchmark, evaluation: Evaluation) -> ReportFigure:
    row = of.figure(evaluation.scorer.name)
    value, low, high = (None, None, None) if row is None else (row["value"], row["low"], row["high"])
    return ReportFigure(evaluation.scorer.name, value, low, high, percent(row))


def board_table(of: OfBenchmark) -> Table:
    """Lay out the board, a line a scorer."""
    over = f"mean of {len(of.subsets)} subsets" if of.whole == "average" else "all cases"
    over = "all steps pooled" if unit_of(of.title) == "steps" else over
    heads = (
        "scorer",
        f"{of.title} (95%)",
        *SIDE_HEADS.get(of.head, SIDE_HEADS["f1"]),
        "n",
        "with a verdict",
        *(made.title for made in own_metrics()),
        "wrong if reward",
        "its source",
    )
    caption = f"{of.name}: {of.title} in percent, {over}; n counts {unit_of(of.title)}"
    return table(caption, heads, [_line(of, evaluation, first=evaluation is of.best) for evaluation in of.scorers])


def _line(of: OfBenchmark, evaluation: Evaluation, *, first: bool) -> tuple[Cell, ...]:
    name = evaluation.scorer.name
    row = of.figure(name)
    sides = (of.figure(name, metric) for metric in of.sides)
    answered = int((evaluation.coverage.answered & of.rows).sum())
    return (
        text(name, "strong" if first else ""),
        _figure(row, why=True, strong=first),
        *(_figure(side) for side in sides),
        count(None if row is None else row["n"]),
        text(f"{answered:,} of {of.n:,}"),
        *(_own(of, name, made) for made in own_metrics()),
        _threshold(rule := of.rule(evaluation)),
        text(rule.source, "strong" if "optimistic" in rule.source else ""),
    )


def _figure(row: Row | None, *, why: bool = False, strong: bool = False) -> Cell:
    """A figure in percent over its interval; why there is none, where asked for.

    One that is a protocol's own number for what is undefined has its reason as well.
    """
    made = figure(row or UNKNOWN, style="strong" if strong else "")
    made = replace(made, note="" if made.sd is None else f"mean of {made.runs} runs")
    return made if why or made.value is not None else replace(made, reason="")


def _own(of: OfBenchmark, scorer: str, made: OwnMetric) -> Cell:
    row = of.figure(scorer, made.name) or UNKNOWN
    return replace(figure(row, Kind.SHARE if made.kind == "share" else Kind.NUMBER), reason="")


def _threshold(rule: Decision) -> Cell:
    """The threshold and what is compared with it; by subset where it differs."""
    if isinstance(rule, ProvidedVerdicts):
        return Cell(None, Kind.NUMBER)
    on = "" if rule.on == REWARDS else f"its {transform(rule.on).noun}"
    on = f"{on} of the lowest step".strip() if rule.step == "lowest" else on
    if isinstance(rule, RuleByCase):
        cuts = ", ".join(f"{name} {value:.4g}" for name, value in rule.by_subset.items())
        return Cell(f"{rule.comparison} by subset", note=f"{on} {cuts}".strip())
    return Cell(f"{rule.comparison} {rule.threshold:.4g}", note=on)


def subset_table(of: OfBenchmark) -> Table:
    """Lay out the official figure by subset: a line a scorer, a column a subset."""
    rows = []
    for evaluation in of.scorers:
        cells = [of.figure(evaluation.scorer.name, of.head, subset) for subset in of.subsets]
        rows.append([Cell(evaluation.scorer.name), *(_subset(row) for row in cells)])
    heads = ["scorer", *(subset or NO_SUBSET for subset in of.subsets)]
    return table(f"{of.name}: {of.title} by subset, in percent", heads, rows, heat=True)


def _subset(row: Row | None) -> Cell:
    made = figure(row or UNKNOWN)
    return made if row is None or row["value"] is None else replace(made, n=row["n"], shade=row["value"])
