"""From figures to the cases that they are of, and to those that a threshold has wrong."""

import numpy as np
from msgspec.structs import replace

from inspector.render.lines import CaseLink
from inspector.state.screen_state import ScreenState
from scoring.data.schema import WHOLE, Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES, under
from scoring.metrics.benchmark_metrics import metrics_of, own_cases
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.outcome_conditions import LABELLED, RIGHT_OUTCOMES, SIDES, tried, wrong
from scoring.metrics.threshold_flips import AtThreshold
from scoring.selection.result_set import ResultSet, with_search, within
from scoring.workspace.filtering.filters import Facet, Filter
from scoring.workspace.filtering.sql_words import named

OF_SIDE = {"f1": "", "error_acc": "erroneous", "correct_acc": "clean"}
"""By figure of first errors the side that it is of; "" is both."""


def group_facets(results: ResultSet, benchmark: str, group: str) -> tuple[Facet, ...] | None:
    """Select by facets the cases that a row of metrics is of: of all, of a subset, or of a group of subsets.

    None where no column tells them.
    """
    if group in WHOLE:
        return ()
    facts = metrics_of(benchmark).steps
    facets = [Facet("subset", (group,) if group else ("", None)), *([Facet(facts.group, (group,))] if facts else [])]
    own = Facet("benchmark", (benchmark,)).sql
    return next(((facet,) for facet in facets if results.evaluated.passing((own, facet.sql)).any()), None)


def figure_link(
    results: ResultSet, evaluation: Evaluation, benchmark: str, metric: str, groups: tuple[Facet, ...] = ()
) -> CaseLink | None:
    """Link to the shown cases of a benchmark, and of groups, that an official figure of a scorer is of.

    None where no condition tells them: under thresholds of dev sets some cases are left out, and of a scorer that
    judges steps of some cases and gives a verdict of others, figures of steps are of the former. A figure of the
    benchmark's own says itself which cases it is of.
    """
    if evaluation.coverage.left_out:
        return None
    name, unparsed = evaluation.scorer.name, results.unparsed(benchmark)
    rows = results.mask & results.evaluated.passing(
        (Facet("benchmark", (benchmark,)).sql, *(facet.sql for facet in groups))
    )
    where = (*within(results, benchmark), *(facet.sql for facet in groups))
    group_words = ", ".join(str(facet.values[0] or f"no {facet.column}") for facet in groups)
    own, side = own_cases(benchmark, metric), OF_SIDE.get(metric)
    if own is not None:
        counted = own.rows(Decided(evaluation, unparsed)) & rows
        where = (*where, *own.where(name, unparsed))
        if not np.array_equal(rows & results.evaluated.passing(where), counted):
            return None
        n, words = int(counted.sum()), own.words or f"tried by {name}"
    elif side is None:
        counted = np.isfinite(evaluation.step_accuracies)
        n = int((counted & rows).sum())
        where = (*where, f"{named(f'{name}.step_accuracy')} IS NOT NULL")
        words = "cases whose steps the figure counts"
    else:
        earliest = evaluation.gold.earliest
        of_side = {
            "": evaluation.gold.known,
            "erroneous": earliest >= 0,
            "clean": evaluation.gold.known & (earliest < 0),
        }
        counted = _among(evaluation, (*RIGHT_OUTCOMES, *FAILURES[unparsed]))
        n = int((rows & of_side[side] & counted).sum())
        where = (*where, SIDES[side] if side else LABELLED, tried(name, unparsed))
        words = f"tried by {name}{f', {side}' if side else ''}"
    return CaseLink(where, n, f"{words}, {group_words}" if group_words else words, name, benchmark=benchmark)


def wrong_link(results: ResultSet, evaluation: Evaluation, benchmark: str) -> CaseLink:
    """Link to the shown cases that a scorer has wrong at its present threshold."""
    name, unparsed = evaluation.scorer.name, results.unparsed(benchmark)
    rows = results.mask & results.evaluated.passing((Facet("benchmark", (benchmark,)).sql,))
    n = int((_among(evaluation, FAILURES[unparsed]) & rows).sum())
    where = (*within(results, benchmark), wrong(name, unparsed))
    return CaseLink(where, n, f"{name} is wrong, at the present threshold", name, benchmark=benchmark)


def wrong_at_link(
    results: ResultSet, evaluation: Evaluation, benchmark: str, threshold: float | None
) -> CaseLink | None:
    """Link to those that it would have wrong at another; None where none decides, or cases are left out."""
    if threshold is None or evaluation.coverage.left_out or not evaluation.rule.is_movable:
        return None
    unparsed, name = results.unparsed(benchmark), evaluation.scorer.name
    rows = results.mask & results.evaluated.passing((Facet("benchmark", (benchmark,)).sql,))
    n = int((wrong_rows(evaluation, threshold, unparsed) & rows).sum())
    where = (*within(results, benchmark), wrong_condition(evaluation, threshold, unparsed))
    return CaseLink(where, n, f"{name} is wrong at the threshold {threshold:.4g}", name, benchmark=benchmark)


def wrong_rows(evaluation: Evaluation, threshold: float, unparsed: Unparsed) -> Bools:
    """Find the cases (n,) that count as wrong at a threshold, whatever the present one is."""
    rule, gold, floats = evaluation.rule.movable, evaluation.gold, evaluation.floats
    assert rule is not None  # noqa: S101  # the caller has looked
    before, at, lowest = (under(side, threshold, rule.comparison) for side in (floats.before, floats.at, floats.all))
    right = np.where(gold.earliest >= 0, at & ~before, ~lowest)
    moving = gold.known & np.isfinite(floats.all)
    still = _among(evaluation, FAILURES[unparsed])
    rows: Bools = np.where(moving, ~right, still)
    return rows


def wrong_condition(evaluation: Evaluation, threshold: float, unparsed: Unparsed) -> str:
    """Return the condition that selects the cases which a scorer has wrong."""
    rule, name = evaluation.rule.movable, evaluation.scorer.name
    assert rule is not None  # noqa: S101  # the caller has looked
    decided = AtThreshold(name, threshold, rule.comparison).wrong
    # What no threshold decides is wrong at each of them, or at none.
    return f"{decided} OR ({named(f'{name}.lowest_compared')} IS NULL AND ({wrong(name, unparsed)}))"


def _among(evaluation: Evaluation, outcomes: tuple[str, ...]) -> Bools:
    """Tell of which cases (n,) the outcome is one of these."""
    chosen = np.array([outcome in outcomes for outcome in OUTCOMES])
    among: Bools = chosen[evaluation.codes]
    return among


# -- from a number to the cases behind it, and back


def drilled(state: ScreenState, drill: CaseLink) -> ScreenState:
    """List the cases behind a number: those of the slice that fulfil its conditions, most instructive first.

    The slice is what sheets speak of: conditions on what scorers made of the cases are not part of it, so that they are
    dropped here as well.

    Raises:
        FilterError: a condition of it cannot be read.
    """
    benchmark = drill.benchmark or state.focus.benchmark
    scorer = drill.scorer or state.focus.scorer
    condition = joined(drill.where)
    kept = state.data_filter
    chosen = Filter(kept.facets, (*kept.where, condition)) if condition else kept
    bare = replace(state, titles={**state.titles, condition: drill.words}).selected(chosen=Filter())
    beside = drill.others if scorer in drill.others or not drill.others else (str(scorer), *drill.others)
    there = bare.focused(scorer, benchmark) if scorer else bare
    there = replace(there, focus=replace(there.focus, beside=beside, rewriting=drill.rewriting))
    return there.selected(chosen=chosen).selected(sort="instructive" if there.focus.scorer else "")


def joined(where: tuple[str, ...]) -> str:
    """Join conditions into one."""
    return where[0] if len(where) == 1 else " AND ".join(f"({condition})" for condition in where)


def returned(now: ScreenState, before: ScreenState) -> ScreenState:
    """Return to what a sheet showed `before` its cases were listed, with new thresholds, rewards and tags."""
    same = now.cases is before.cases
    search = before.results.matches if same else now.results.matches
    query = replace(now.results.query, sort=before.results.query.sort, columns=before.results.query.columns)
    results = with_search(replace(now.results, query=query), search)
    names = [evaluation.scorer.name for evaluation in now.results.evaluations]
    scorer = before.focus.scorer if before.focus.scorer in names else now.focus.scorer
    bare = replace(now, results=results, focus=replace(before.focus, scorer=scorer), filter=before.filter)
    return bare.selected(chosen=before.filter)
