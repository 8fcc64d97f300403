"""The board of a report: scorers on one benchmark, with the official figure, what lies behind it, and the outcomes."""

from collections.abc import Iterator

from msgspec.structs import replace

from inspector.analyses.report.benchmark_report import BenchmarkReport
from inspector.analyses.report.report_charts import ReportFigure, interval_chart, outcome_chart
from inspector.render.blocks import Block, Bullets, Facts, Fold, Note
from inspector.render.cells import interval, share
from inspector.render.table_blocks import Cell, Kind, Table, count, figure, table, text
from inspector.state.counted_cases import counted_cases
from inspector.state.figure_notes import first_run_notes
from scoring.data.reward_transforms import REWARDS, transform
from scoring.data.schema import NO_SUBSET, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import Decision
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.own import OwnMetric, own_metrics

UNKNOWN: Row = {"value": None, "low": None, "high": None, "reason": None}
"""Stands for a figure that there is not."""


def percent(row: Row | None) -> str:
    """Write a figure in percent with its 95% interval; a dash where it is undefined."""
    if row is None or row["value"] is None:
        return "–"
    return f"{share(row['value'])} {interval(row['low'], row['high'])}".rstrip()


SIDE_HEADS = {"f1": ("on erroneous", "on clean"), "prmscore": ("on wrong steps", "on right steps")}


def board_blocks(of: BenchmarkReport) -> Iterator[Block]:
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


def unlike(of: BenchmarkReport) -> Iterator[str]:
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


def _measured(of: BenchmarkReport, evaluation: Evaluation) -> ReportFigure:
    row = of.figure(evaluation.scorer.name)
    value, low, high = (None, None, None) if row is None else (row["value"], row["low"], row["high"])
    return ReportFigure(evaluation.scorer.name, value, low, high, percent(row))


def board_table(of: BenchmarkReport) -> Table:
    """Lay out the board, a line a scorer."""
    over = f"mean of {len(of.subsets)} subsets" if of.whole == "average" else "all cases"
    unit = metrics_of(of.name).unit
    over = "all steps pooled" if unit == "steps" else over
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
    caption = f"{of.name}: {of.title} in percent, {over}; n counts {unit}"
    return table(caption, heads, [_line(of, evaluation, first=evaluation is of.best) for evaluation in of.scorers])


def _line(of: BenchmarkReport, evaluation: Evaluation, *, first: bool) -> tuple[Cell, ...]:
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


def _own(of: BenchmarkReport, scorer: str, made: OwnMetric) -> Cell:
    row = of.figure(scorer, made.name) or UNKNOWN
    return replace(figure(row, Kind.SHARE if made.kind == "share" else Kind.NUMBER), reason="")


def _threshold(rule: Decision) -> Cell:
    """The threshold and what is compared with it; by subset where it differs."""
    if not rule.by_threshold:
        return Cell(None, Kind.NUMBER)
    on = "" if rule.on == REWARDS else f"its {transform(rule.on).noun}"
    on = f"{on} of the lowest step".strip() if rule.step == "lowest" else on
    if rule.threshold is None:
        cuts = ", ".join(f"{name} {value:.4g}" for name, value in rule.by_subset.items())
        return Cell(f"{rule.comparison} by subset", note=f"{on} {cuts}".strip())
    return Cell(f"{rule.comparison} {rule.threshold:.4g}", note=on)


def subset_table(of: BenchmarkReport) -> Table:
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
