"""What every way to choose a threshold gives, and what it turns over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, Page, Params, analysis
from inspector.analyses.thresholds.threshold_pages import flips_view, reliability_view, rewards_view
from inspector.render.blocks import (
    Block,
    Cell,
    Column,
    Curve,
    Note,
    Series,
    Table,
    Tick,
    count,
    figure,
    number,
    table,
    text,
)
from inspector.render.cells import share
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import threshold_name
from inspector.render.view import View
from inspector.state.case_links import OF_SIDE, figure_link, group_facets, wrong_at_link, wrong_link
from inspector.state.provenance import provenance
from inspector.state.summary import threshold_span
from inspector.state.thresholds.ways import (
    CURVE,
    MOST,
    NOTHING,
    PER_SUBSET,
    POINTS,
    THRESHOLDS,
    all_of,
    bands_of,
    curve_notes,
    curve_rows,
    dev_cuts,
    figure_title,
    is_present,
    scorers_there,
    threshold_sections,
    way_notes,
    way_rows,
    whole_of,
)
from scoring.data.errors import UsageError
from scoring.data.schema import NO_SUBSET, WHOLE, Bools, Row
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import ProvidedVerdicts, Rule, RuleByCase, spelled
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.metrics.benchmark_figures import leading_figure, leading_figures, official_metric
from scoring.metrics.deciding import rule_among
from scoring.metrics.threshold_curves import official_curve, tuned
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
LINES = 20
"""Points of a grid that people see, about."""
DRAWN = 400
"""Points that a curve is drawn through."""
GRIDS = ((5_000, 81), (20_000, 33), (10**9, 16))
"""Up to how many cases a curve has its interval at how many thresholds: they are what takes longest."""
BANDED = 2
"""Curves up to which all have bands; of more only the first has: they could not be told apart."""
LETTERS = "ABCDEFGH"
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
            yield from _transfer_blocks(scope, own, name)
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

    def made(at_threshold: Evaluation) -> list[Row]:
        return [{**about, **row} for row in way_rows(at_threshold, inside, scope, benchmark, intervals=intervals)]

    rule, by_redundancy = evaluation.rule, step_labelled(benchmark) is not None
    if not evaluation.at_default().rule.is_movable or by_redundancy or isinstance(rule, ProvidedVerdicts):
        yield from made(evaluation)
        return
    default, query = evaluation.at_default(), replace(results.query, thresholds=())
    key = (benchmark, evaluation.scorer.name, spelled(rule), scope.mask.tobytes(), query, intervals)
    owners = (evaluation.rewards, evaluation.votes, evaluation.fixed_verdicts, results.cases)
    rows = _WAYS.of(key, owners, lambda: made(default))
    chosen = way_rows(evaluation, inside, scope, benchmark, intervals=intervals, only="chosen")
    yield from (row for row in rows if row["kind"] == "default")
    yield from ({**about, **row} for row in chosen)
    yield from (row for row in rows if row["kind"] != "default")


def _way_blocks(scope: ResultSet, rows: pl.DataFrame, benchmark: str, intervals: bool) -> Iterator[Block]:
    there = scorers_there(scope, benchmark)
    if not there:
        yield Note(NOTHING)
        return
    chart = curve_chart(scope, there, benchmark, dev=True, intervals=intervals)
    if chart is not None:
        yield chart
    yield from _of_curves(scope, there, benchmark, chart)
    yield way_table(scope, rows, benchmark)
    if rows["excluded"].sum():
        seed = scope.query.seed
        yield Note(
            f"dev: tuned on a few cases of every subset (seed {seed}), which are excluded from what is reported.",
            "quiet",
        )


def way_table(scope: ResultSet, rows: pl.DataFrame, benchmark: str) -> Table:
    """Lay out the ways of some scorers on one benchmark: a line a way, a column a subset where there are several."""
    head = official_metric(benchmark)
    subsets = [name for name in rows["subset"].unique(maintain_order=True) if name not in WHOLE]
    subsets = subsets if len(subsets) > 1 else []
    names = rows["scorer"].unique(maintain_order=True).to_list()
    several = len(names) > 1
    columns: list[str | Column] = [*(["scorer"] if several else []), "way", Column("threshold", right=True)]
    columns += [figure_title(head), *(Column(name or NO_SUBSET, 2) for name in subsets)]
    columns += ["n (steps)" if _of_steps(head) else "n", "excluded", "wrong"]
    lines = []
    for part in rows.partition_by("scorer", "kind", maintain_order=True):
        cells = {row["subset"]: row for row in part.iter_rows(named=True)}
        evaluation = scope.evaluation(part["scorer"][0])
        line = _way_line(scope, evaluation, benchmark, cells, head, subsets)
        lines.append(line if several else line[1:])
    title = "Ways to choose the threshold" + ("" if several else f" of {names[0]}")
    return table(title, columns, lines, labels=2 if several else 1, counted="cases")


def _of_steps(metric: str) -> bool:
    """Whether an official figure counts steps."""
    return metric == "prmscore" or any(
        made.name == metric and made.unit == "steps" for made in leading_figures().values()
    )


def _way_line(
    scope: ResultSet,
    evaluation: Evaluation,
    benchmark: str,
    cells: Mapping[str, Row],
    head: str,
    subsets: Sequence[str],
) -> list[Cell]:
    whole = cells["all"]
    official = cells.get(whole_of(head), whole)
    kind, cut = whole["kind"], whole["threshold"]
    cuts = {row["threshold"] for row in cells.values()} - {None}
    present = is_present(evaluation, kind, scope)
    movable = not isinstance(evaluation.rule, ProvidedVerdicts)
    threshold = number(cut) if cut is not None or len(cuts) < 2 else text("by subset")
    link = _way_link(scope, evaluation, benchmark, head, whole)
    wrong: CaseLink | None = None
    if head != "prmscore" and not whole["excluded"] and whole["value"] is not None:
        rule_moves = movable and not isinstance(evaluation.rule, RuleByCase)
        wrong = wrong_at_link(scope, evaluation, benchmark, cut) if rule_moves else None
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
        count(whole["n"] or None, None if _of_steps(head) else link),
        count(whole["excluded"] or None),
        replace(count(wrong.n, wrong) if wrong else count(None), remark=official["reason"] or whole["reason"] or ""),
    ]


def _of_subset(
    scope: ResultSet,
    evaluation: Evaluation,
    benchmark: str,
    head: str,
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
    scope: ResultSet, evaluation: Evaluation, benchmark: str, head: str, row: Row, subset: str | None = None
) -> CaseLink | None:
    """The cases that a figure is of; which those are depends on no threshold, but for dev cases."""
    if row["excluded"] or row["value"] is None:
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


# -- curves


def curve_chart(
    scope: ResultSet,
    there: Sequence[Evaluation],
    benchmark: str,
    *,
    dev: bool = False,
    intervals: bool = False,
) -> Curve | None:
    """Draw the official figure of scorers on the shown cases of a benchmark against the threshold.

    The axis is that of the first scorer; with `dev`, the thresholds tuned on its dev sets are ticks. None where no
    scorer has a curve.
    """
    drawn = [evaluation for evaluation in there if not isinstance(evaluation.at_default().rule, ProvidedVerdicts)][
        : len(LETTERS)
    ]
    unparsed = scope.unparsed(benchmark)
    # The letters that scorers have beside each other in a case as well: those of their order in the workspace.
    drawn_names = {evaluation.scorer.name for evaluation in drawn}
    names = {evaluation.scorer.name for evaluation in there[: len(LETTERS)]} | drawn_names
    names = names if len(names) <= len(LETTERS) else drawn_names
    ordered = [evaluation.scorer.name for evaluation in scope.evaluations if evaluation.scorer.name in names]
    letters = dict(zip(ordered, LETTERS, strict=False))
    series: list[Series] = []
    first: tuple[Evaluation, Any] | None = None
    for evaluation in drawn:
        at = evaluation.at_default() if isinstance(evaluation.rule, RuleByCase) else evaluation
        score_curve = official_curve(at, scope.mask, unparsed, benchmark)
        if (
            score_curve is None
            or not score_curve.thresholds.size
            or score_curve.best is None
            or not isinstance(at.rule, Rule)
        ):
            continue
        first = first or (evaluation, score_curve)
        span, axis = threshold_span(evaluation), threshold_span(first[0])
        xs = np.linspace(*span, DRAWN)
        low = high = None
        if intervals and (not series or len(drawn) <= BANDED):
            grid = np.linspace(*span, next(size for most, size in GRIDS if scope.shown.size <= most))
            band = bands_of(at.at_default(), scope.mask, grid, benchmark, scope)
            if band is not None:
                low, high = (np.interp(xs, grid, ends) for ends in band.interval(band.metrics[0]))
        same = span == axis
        letter = letters[evaluation.scorer.name]
        name = (
            evaluation.scorer.name
            if same
            else f"{evaluation.scorer.name} (its own range, {span[0]:.4g} to {span[1]:.4g})"
        )
        placed = xs if same else axis[0] + (xs - span[0]) / ((span[1] - span[0]) or 1.0) * (axis[1] - axis[0])
        ys = score_curve.score[score_curve.places(xs, at.rule.comparison)]
        series.append(Series(name, letter, f"scorer-{letter.lower()}", placed, ys, low, high))
    if first is None:
        return None
    evaluation, score_curve = first
    title = f"{score_curve.metric.title} against the {threshold_name(evaluation.rule)}"
    ticks = tuple(_ticks(evaluation, score_curve, scope, benchmark, dev))
    return Curve(
        title,
        threshold_name(evaluation.rule),
        score_curve.metric.title,
        tuple(series),
        ticks,
        threshold_span(evaluation),
    )


def _ticks(evaluation: Evaluation, score_curve: Any, scope: ResultSet, benchmark: str, dev: bool) -> Iterator[Tick]:
    """Where the present threshold stands, the default, the best one and, with `dev`, those of dev sets."""
    default, source = evaluation.default
    at_default = evaluation.at_default()
    comparison = at_default.rule.comparison if isinstance(at_default.rule, Rule) else "<"

    def score(threshold: float) -> float | None:
        value = float(score_curve.score[score_curve.places(threshold, comparison)])
        return value if np.isfinite(value) else None

    here = scope.mask & (scope.cases["benchmark"] == benchmark).to_numpy()
    rule = rule_among(evaluation, here, scope.query.seed)
    present = rule.threshold
    by_subset = rule.by_subset if isinstance(rule, RuleByCase) else {}
    if present is not None:
        words = "present, the default" if (present, rule.source) == (default, source) else f"present: {rule.source}"
        yield Tick(present, "^", words, score=score(present))
    for name, cut in by_subset.items():
        yield Tick(cut, "^", f"present, {name} (by subset)")
    yield Tick(default, "d", f"default: {source}", "gold")
    if score_curve.best is not None:
        best, value = score_curve.best
        yield Tick(best, "*", f"best on these: {share(value)}, optimistic", "gold", score=value)
    cuts: dict[float, list[str]] = {}
    for subset, cut in (dev_cuts(evaluation, scope, benchmark) if dev else {}).items():
        if cut not in by_subset.values():
            cuts.setdefault(cut, []).append(subset)
    for cut, subsets in cuts.items():
        names = [name for name in subsets if name not in WHOLE]
        yield Tick(cut, "v", ", ".join([f"dev-tuned, seed {scope.query.seed}", *names]), "dim")


def _of_curves(scope: ResultSet, there: Sequence[Evaluation], benchmark: str, chart: Curve | None) -> Iterator[Note]:
    """What is to be known of the curves that are drawn and of those that are not."""
    runs = [f"{evaluation.scorer.name} ({len(evaluation.runs)} runs)" for evaluation in there if evaluation.further]
    if runs:
        yield Note(f"Curves are of the first run, figures of the mean of all: {', '.join(runs)}.", "quiet")
    ons = {
        evaluation.scorer.name: getattr(evaluation.rule, "on", None)
        for evaluation in there
        if not isinstance(evaluation.rule, ProvidedVerdicts)
    }
    others = [name for name, on in ons.items() if on != next(iter(ons.values()))]
    if others:
        yield Note(f"Their threshold is on something else: {', '.join(others)}.", "quiet")
    lacking = [evaluation.scorer.name for evaluation in there if isinstance(evaluation.rule, ProvidedVerdicts)]
    if lacking:
        yield Note(f"No threshold decides, so that there is no curve: {', '.join(lacking)}.", "quiet")
    movable = [evaluation for evaluation in there if not isinstance(evaluation.rule, ProvidedVerdicts)]
    for evaluation in movable if chart is None else ():
        reason = tuned(official_curve(evaluation.at_default(), scope.mask, scope.unparsed(benchmark), benchmark)).reason
        yield Note(f"{evaluation.scorer.name}: there is no curve: {reason or 'undefined'}.")
    if chart is not None and chart.y == "PRMScore":
        yield Note("PRMScore of all steps pooled; bands resample whole problems.", "quiet")
    made = leading_figure(benchmark)
    if chart is not None and made is not None:
        yield Note(f"{made.title} of {all_of(made)}; bands resample whole problems.", "quiet")


def _curves(results: ResultSet, params: Params, intervals: bool) -> View:
    wanted = params.get("curve")
    n_points = POINTS if wanted is None else wanted
    if not isinstance(n_points, int) or not 2 <= n_points <= MOST:
        raise UsageError(f"a curve has 2 to {MOST} points, not {n_points!r}.", "Give another number, or none.")
    movable = [evaluation for evaluation in results.chosen_evaluations if evaluation.at_default().rule.is_movable]
    if not movable:
        raise UsageError("no scorer here has a threshold, so there is no curve.", "Choose another with --scorer.")
    rows: list[Row] = []
    for evaluation in movable:
        for benchmark, inside in by_benchmark(replace(results, shown=np.arange(results.evaluated.height))):
            if (evaluation.at_default().coverage.tried & inside).any():
                rows += curve_rows(evaluation, inside, results, benchmark, n_points, intervals=intervals)
    words = ("--curve", *([] if n_points == POINTS else [str(n_points)]))
    frame = pl.DataFrame(rows, schema=CURVE, orient="row")
    facts = provenance(
        results, results.query.command("thresholds", *words, form=params.form), tuple(curve_notes(results))
    )

    def blocks(name: str, scope: ResultSet) -> Iterator[Block]:
        there = scorers_there(scope, name)
        own = frame.filter(pl.col("benchmark") == name)
        chart = curve_chart(scope, there, name, dev=True, intervals=intervals)
        if chart is not None:
            yield chart
        yield from _of_curves(scope, there, name, chart)
        if own.height:
            yield _curve_table(scope, own, name)
            yield Note("All points of the grid, and conditions, are in --csv and --json.", "quiet")
        elif not there:
            yield Note(NOTHING)

    empty = "" if rows else NOTHING
    return View(frame, facts, title="Curves", lay_out=lambda: threshold_sections(results, blocks), empty=empty)


def _curve_table(scope: ResultSet, rows: pl.DataFrame, benchmark: str) -> Table:
    """A line a threshold, ascending: what it is called, and each metric with its band; LINES or so of a grid."""
    several = rows["scorer"].n_unique() > 1
    place = pl.int_range(pl.len()).over("scorer", "metric")
    grid = pl.col("tick").is_null()
    step = pl.when(grid).then(place).max().over("scorer") // LINES + 1
    listed = rows.filter(~grid | (place % step == 0))
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    columns: list[str | Column] = [*(["scorer"] if several else []), "called", Column("threshold", right=True)]
    columns += [Column(figure_title(name), int(name != official_metric(benchmark))) for name in metrics]
    lines = []
    for scorer in rows["scorer"].unique(maintain_order=True):
        own = listed.filter(pl.col("scorer") == scorer).sort("threshold", maintain_order=True)
        evaluation = scope.evaluation(scorer)
        links = {name: figure_link(scope, evaluation, benchmark, name) for name in metrics}
        for part in own.partition_by("threshold", "tick", maintain_order=True):
            cells = {row["metric"]: row for row in part.iter_rows(named=True)}
            first = next(iter(cells.values()))
            line = [text(scorer)] if several else []
            line += [text(first["tick"] or ""), number(first["threshold"])]
            line += [
                figure(cells.get(name), link=links[name] if _linked(cells.get(name)) else None) for name in metrics
            ]
            lines.append(line)
    return table("At some thresholds", columns, lines, labels=2 if several else 1)


def _linked(row: Row | None) -> bool:
    return row is not None and row["value"] is not None


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
    head = official_metric(benchmark)
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
    columns = [*names, whole_of(head)]
    lines = []
    for kind in kinds:
        whole = cells.get((kind, whole_of(head)))
        if whole is None or whole["value"] is None:
            continue
        line = [text(way_words(kind, scope.query.seed))]
        for name in columns:
            row = cells.get((kind, name))
            subset = None if name == whole_of(head) else name
            link = None if row is None else _way_link(scope, evaluation, benchmark, head, row, subset)
            made = text("") if row is None else figure(row, link=link)
            line.append(replace(made, n=None if row is None else row["n"], shade=None if row is None else row["value"]))
        lines.append(line)
    counted = "steps" if _of_steps(head) else "cases"
    yield table(title, ["", *columns], lines, heat=True, counted=counted)


def _why_no_transfer(scope: ResultSet, evaluation: Evaluation) -> str:
    if isinstance(evaluation.rule, ProvidedVerdicts):
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
    CURVES: _curves,
    FLIPPED: flips_view,
    REWARDS: lambda results, params, _: rewards_view(results, params),
    RELIABILITY: lambda results, params, _: reliability_view(results, params),
}
