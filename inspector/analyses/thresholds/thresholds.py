"""What every way to choose a threshold gives, and what it turns over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, Page, Params, analysis
from inspector.analyses.thresholds.curve_page import curve_chart, curves_view, of_curves, own_curves
from inspector.analyses.thresholds.flip_page import flips_view
from inspector.analyses.thresholds.reward_pages import reliability_view, rewards_view
from inspector.render.blocks import Block, Note
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Table, count, figure, forest_column, number, table, text
from inspector.render.view import View
from inspector.state.case_links import OF_SIDE, figure_link, group_facets, wrong_at_link, wrong_link
from inspector.state.provenance import provenance
from inspector.state.thresholds.curve_rows import POINTS
from inspector.state.thresholds.ways import (
    NOTHING,
    PER_SUBSET,
    THRESHOLDS,
    figure_title,
    is_present,
    scorers_there,
    threshold_sections,
    way_notes,
    way_rows,
)
from scoring.data.schema import NO_SUBSET, WHOLE, Bools, Row
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.benchmark_metrics import BenchmarkMetrics, every_metrics_of, metrics_of
from scoring.selection.result_set import ResultSet, by_benchmark

WAYS, CURVES, TRANSFER, FLIPPED, REWARDS, RELIABILITY = "ways", "curve", "transfer", "flips", "rewards", "reliability"
PAGES = (
    Page(WAYS, "ways and curves", "beside", also=CURVES),
    Page(CURVES, "curves in numbers", "beside", help="its points", takes="curve"),
    Page(TRANSFER, "from subset to subset", "focus", help="tuned on one subset, reported on another"),
    Page(FLIPPED, "two thresholds", "focus", help="two thresholds", takes="flips"),
    Page(
        REWARDS, "rewards by gold", "focus", help="how rewards lie by gold class (and how well they tell these apart)"
    ),
    Page(RELIABILITY, "reliability", "focus", help="whether rewards are the probabilities that they look like"),
)
OPTIONS = (
    Option(
        "flips",
        "cases that differ between two thresholds (their outcome or steps; none given: default and present)",
        metavar="X",
        words="*",
        pages=(FLIPPED,),
    ),
    Option(
        "curve",
        f"the official figure over a grid of N thresholds (default {POINTS}), with bands and ticks",
        metavar="N",
        type=int,
        words="?",
        bare=POINTS,
        pages=(CURVES,),
    ),
)
_WAYS = IdentityCache(64)
"""The rows of ways that do not depend on where the threshold is."""


@analysis(
    "Thresholds",
    PAGES,
    options=OPTIONS,
    needs="A threshold is held against step rewards, and no scorer has any on {benchmark}.",
    help="What every threshold would give, the ways to choose one, and the rewards behind it. The key that moves the "
    "threshold works here as well, and the marks move with it.",
)
def thresholds(results: ResultSet, params: Params, intervals: bool) -> View:
    """Return what ways to choose a threshold come to, the figure at every one, or what two of them turn over."""
    return _PAGES[params.page or WAYS](results, params, intervals)


# -- ways


def _ways(results: ResultSet, params: Params, intervals: bool) -> View:
    rows: list[Row] = []
    for evaluation in results.chosen_evaluations:
        for benchmark, inside in by_benchmark(replace(results, shown=np.arange(results.evaluated.height))):
            if (evaluation.at_default().coverage.tried & inside).any():
                rows += _way_rows(results, evaluation, benchmark, inside, intervals)
    frame = pl.DataFrame(rows, schema=THRESHOLDS, orient="row")
    command = results.query.command("thresholds", *params.words, form=params.form)
    facts = provenance(results, command, tuple(way_notes(results, frame)))

    def blocks(name: str, scope: ResultSet) -> Iterator[Block]:
        own = frame.filter(pl.col("benchmark") == name)
        if params.page == TRANSFER:
            yield from _transfer_blocks(scope, own.filter(metric=metrics_of(name).name), name)
        else:
            yield from _way_blocks(scope, own, name, intervals)

    empty = "" if rows else NOTHING
    return View(frame, facts, title="Thresholds", lay_out=lambda: threshold_sections(results, blocks), empty=empty)


def _way_rows(
    results: ResultSet, evaluation: Evaluation, benchmark: str, inside: Bools, intervals: bool
) -> Iterator[Row]:
    """The rows of one scorer; what does not depend on the present threshold is remembered while that moves."""
    scope = replace(results, shown=results.shown[inside[results.shown]])
    about = {"scorer": evaluation.scorer.name, "benchmark": benchmark}

    for reported in every_metrics_of(benchmark):
        make = partial(way_rows, within=inside, scope=scope, reported=reported, intervals=intervals)
        rule, by_redundancy = evaluation.rule, reported.steps is not None
        if not evaluation.at_default().rule.is_movable or by_redundancy or not rule.by_threshold:
            yield from ({**about, **row} for row in make(evaluation))
            continue
        default, query = evaluation.at_default(), replace(results.query, thresholds=())
        key = (benchmark, reported.name, evaluation.scorer.name, rule.spelled, scope.mask.tobytes(), query, intervals)
        owners = (evaluation.rewards, evaluation.votes, evaluation.fixed_verdicts, results.cases, *reported.own)
        rows = _WAYS.of(key, owners, partial(_listed, make, default))
        yield from ({**about, **row} for row in rows if row["kind"] == "default")
        yield from ({**about, **row} for row in make(evaluation, only="chosen"))
        yield from ({**about, **row} for row in rows if row["kind"] != "default")


def _listed(make: Callable[..., Iterator[Row]], evaluation: Evaluation) -> list[Row]:
    return list(make(evaluation))


def _way_blocks(scope: ResultSet, rows: pl.DataFrame, benchmark: str, intervals: bool) -> Iterator[Block]:
    there = scorers_there(scope, benchmark)
    if not there:
        yield Note(NOTHING)
        return
    chart = curve_chart(scope, there, benchmark, dev=True, intervals=intervals)
    if chart is not None:
        yield chart
    yield from of_curves(scope, there, benchmark, chart)
    yield from own_curves(scope, there, benchmark, intervals=intervals)
    for reported in every_metrics_of(benchmark):
        yield way_table(scope, rows.filter(metric=reported.name), reported)
    if rows["excluded"].sum():
        seed = scope.query.seed
        yield Note(
            f"dev: tuned on a few cases of every subset (seed {seed}), which are excluded from what is reported.",
            "quiet",
        )


def way_table(scope: ResultSet, rows: pl.DataFrame, reported: BenchmarkMetrics) -> Table:
    """Lay out the ways of some scorers on one benchmark: a line a way, a column a subset where there are several."""
    subsets = [name for name in rows["subset"].unique(maintain_order=True) if name not in WHOLE]
    subsets = subsets if len(subsets) > 1 else []
    names = rows["scorer"].unique(maintain_order=True).to_list()
    several = len(names) > 1
    columns: list[str | Column] = [*(["scorer"] if several else []), "way", Column("threshold", right=True)]
    columns += [forest_column(figure_title(reported.name)), *(Column(name or NO_SUBSET, 2) for name in subsets)]
    columns += ["n (steps)" if reported.unit == "steps" else "n", "excluded", "wrong"]
    lines = []
    for part in rows.partition_by("scorer", "kind", maintain_order=True):
        cells = {row["subset"]: row for row in part.iter_rows(named=True)}
        evaluation = scope.evaluation(part["scorer"][0])
        line = _way_line(scope, evaluation, reported, cells, subsets)
        lines.append(line if several else line[1:])
    title = "Ways to choose the threshold" + ("" if several else f" of {names[0]}")
    title += "" if reported is metrics_of(reported.benchmark) else f" for {reported.title}"
    return table(title, columns, lines, labels=2 if several else 1, counted="cases")


def _way_line(
    scope: ResultSet,
    evaluation: Evaluation,
    reported: BenchmarkMetrics,
    cells: Mapping[str, Row],
    subsets: Sequence[str],
) -> list[Cell]:
    benchmark, whole = reported.benchmark, cells["all"]
    is_official = reported is metrics_of(benchmark)
    head = reported.name if is_official or reported.own[0].cases else None
    official = cells.get(reported.whole, whole)
    kind, cut = whole["kind"], whole["threshold"]
    cuts = {row["threshold"] for row in cells.values()} - {None}
    present = is_present(evaluation, kind, scope)
    movable = evaluation.rule.by_threshold
    threshold = number(cut) if cut is not None or len(cuts) < 2 else text("by subset")
    link = _way_link(scope, evaluation, benchmark, head, whole)
    wrong: CaseLink | None = None
    if is_official and reported.steps is None and not whole["excluded"] and whole["value"] is not None:
        wrong = wrong_at_link(scope, evaluation, benchmark, cut) if evaluation.rule.is_movable else None
        wrong = wrong_link(scope, evaluation, benchmark) if wrong is None and present else wrong
    name = way_words(kind, scope.query.seed)
    own = {name: cells.get(name) for name in subsets}
    return [
        text(evaluation.scorer.name),
        text(name, "strong" if present else ""),
        replace(threshold, note="(present)" if present and movable else ""),
        replace(figure(official, link=link, style="strong"), reason=""),
        *(_of_subset(scope, evaluation, benchmark, head, subset, row, cut) for subset, row in own.items()),
        # Steps are counted where the official figure is of steps: the link, which is to cases, is on the figure.
        count(whole["n"] or None, None if reported.unit == "steps" else link),
        count(whole["excluded"] or None),
        replace(count(wrong.n, wrong) if wrong else count(None), remark=official["reason"] or whole["reason"] or ""),
    ]


def _of_subset(
    scope: ResultSet,
    evaluation: Evaluation,
    benchmark: str,
    head: str | None,
    subset: str,
    row: Row | None,
    cut: float | None,
) -> Cell:
    """The figure of a subset, with its threshold where that is not the one of all."""
    if row is None:
        return text("")
    link = _way_link(scope, evaluation, benchmark, head, row, subset)
    own = row["threshold"] if cut is None else None
    return replace(figure(row, link=link), reason="", note="" if own is None else f"at {own:.4g}")


def _way_link(
    scope: ResultSet, evaluation: Evaluation, benchmark: str, head: str | None, row: Row, subset: str | None = None
) -> CaseLink | None:
    """The cases that a figure is of; which those are depends on no threshold, but for dev cases.

    Whoever wrote a metric may not have said which cases it is of: then `head` is None.
    """
    if head is None or row["excluded"] or row["value"] is None:
        return None
    groups = () if subset is None else group_facets(scope, benchmark, subset)
    link = None if groups is None else figure_link(scope, evaluation, benchmark, head, groups)
    # Beside a threshold that leaves dev cases out no condition tells them.
    return link if link is not None and (head not in OF_SIDE or link.n == row["n"]) else None


def way_words(kind: str, seed: int) -> str:
    """Write a way in words."""
    titles = {"best": "best on these", PER_SUBSET: "best of each subset", "dev": f"dev-tuned, seed {seed}"}
    titles |= {"dev:kept": "dev-tuned, dev cases kept"}
    return titles.get(kind, kind.replace("from:", "tuned on ").replace("redundancy:", "redundancy, "))


# -- transfer


def _transfer_blocks(scope: ResultSet, rows: pl.DataFrame, benchmark: str) -> Iterator[Block]:
    there = scorers_there(scope, benchmark)
    if not there:
        yield Note(NOTHING)
    for evaluation in there:
        own = rows.filter(pl.col("scorer") == evaluation.scorer.name)
        yield from _transfer(scope, evaluation, own, benchmark, named=len(there) > 1)


def _transfer(
    scope: ResultSet, evaluation: Evaluation, rows: pl.DataFrame, benchmark: str, *, named: bool
) -> Iterator[Block]:
    cells = {(row["kind"], row["subset"]): row for row in rows.iter_rows(named=True)}
    names = list(dict.fromkeys(kind.removeprefix("from:") for kind in rows["kind"] if kind.startswith("from:")))
    head = metrics_of(benchmark).name
    title = "Tuned on the row, reported on the column"
    title = f"{evaluation.scorer.name}: {title[0].lower()}{title[1:]}" if named else title
    if len(names) < 2:
        yield Note(
            f"{evaluation.scorer.name}: {_why_no_transfer(scope, evaluation)}"
            if named
            else _why_no_transfer(scope, evaluation)
        )
        return
    kinds = ["default", *(f"from:{name}" for name in names), PER_SUBSET, "dev"]
    columns = [*names, metrics_of(benchmark).whole]
    lines = []
    for kind in kinds:
        whole = cells.get((kind, metrics_of(benchmark).whole))
        if whole is None or whole["value"] is None:
            continue
        line = [text(way_words(kind, scope.query.seed))]
        for name in columns:
            row = cells.get((kind, name))
            subset = None if name == metrics_of(benchmark).whole else name
            link = None if row is None else _way_link(scope, evaluation, benchmark, head, row, subset)
            made = text("") if row is None else figure(row, link=link)
            line.append(replace(made, n=None if row is None else row["n"], shade=None if row is None else row["value"]))
        lines.append(line)
    counted = metrics_of(benchmark).unit
    yield table(title, ["", *columns], lines, heat=True, counted=counted)


def _why_no_transfer(scope: ResultSet, evaluation: Evaluation) -> str:
    if not evaluation.rule.by_threshold:
        return f"No threshold decides for {evaluation.scorer.name}, so that there is none to carry over."
    there = sorted({name for name in scope.cases["subset"].gather(scope.shown).to_list() if name})
    if len(there) < 2:
        only = f"only {there[0]}" if there else "none that has a name"
        return (
            f"There is one subset to tune and report on ({only}). Transfer needs two: cases with a field `subset`, or "
            "a filter that leaves more of them."
        )
    return "No subset has a best threshold: the figure is undefined on each of them."


_PAGES: Mapping[str, Callable[[ResultSet, Params, bool], View]] = {
    WAYS: _ways,
    TRANSFER: _ways,
    CURVES: curves_view,
    FLIPPED: flips_view,
    REWARDS: lambda results, params, _: rewards_view(results, params),
    RELIABILITY: lambda results, params, _: reliability_view(results, params),
}
