"""The ways to choose the threshold of one scorer on one benchmark, and the figures that each comes to.

Every way is reported by the figure it is tuned for, the official one of its benchmark: F1 of first errors, PRMScore
of steps, or the leading one of the benchmark's own. Each metric of the user's own has the same ways. The ways
`from:SUBSET` are the transfer matrix: tuned on the row's subset, reported on the column's.

`default` is the scorer's own threshold, `chosen` the present one where it was given as a number, `best` the one with
the best official figure of the shown cases, `best-per-subset` that of each subset (ProcessBench, Tables 6 and 8),
`dev` and `dev:kept` GR-Ben's (`scoring.metrics.deciding`), `from:SUBSET` the best on one whole subset, used on all
(ProcessBench's rule with gsm8k).

`redundancy:default` and `redundancy:best` are about the second threshold of a scorer that gives redundancy numbers, in
the classes where these decide: there a step is wrong iff its number is above it. The other steps stay as they are.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.render.blocks import Block, Section
from inspector.state.figure_notes import resampled_words, step_benchmarks, without_errors
from scoring.data.errors import UsageError
from scoring.data.schema import NO_SUBSET, WHOLE, Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import DEV
from scoring.metrics.benchmark_metrics import BenchmarkMetrics, leading_metrics, metrics_of
from scoring.metrics.deciding import (
    CHOSEN,
    EACH,
    OPTIMISTIC,
    TuningContext,
    best_threshold,
    dev_thresholds,
    dev_tuned,
    listed,
    not_circular,
    not_of_steps,
    rule_among,
)
from scoring.metrics.official_rows import METRICS, figures_of
from scoring.metrics.own import own_metrics
from scoring.metrics.resampling import RESAMPLES
from scoring.metrics.step_contributions import asked_by_redundancy, redundancy_rows
from scoring.metrics.step_family import step_family
from scoring.metrics.threshold_curves import Tuned, metric_curve, tuned
from scoring.selection.result_set import ResultSet, by_benchmark, surroundings

THRESHOLDS = {
    "scorer": METRICS["scorer"],
    "benchmark": METRICS["benchmark"],
    "subset": METRICS["subset"],
    "kind": pl.String(),
    "threshold": pl.Float64(),
    "comparison": pl.String(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n", "small", "sd", "runs")},
    "excluded": pl.Int64(),
    "optimistic": pl.Boolean(),
    "reason": pl.String(),
}
_OPTIMISTIC = "optimistic: cases that the threshold was tuned on are among those that the value is of"
_TUNED = "from:SUBSET is tuned on the whole subset, best and best-per-subset on the shown cases"
_DEV = f"dev is tuned on {EACH} clean and {EACH} erroneous cases a subset and reported without them, dev:kept with them"
_BOOTSTRAP = f"low and high: 95% bootstrap at the threshold as it is, {RESAMPLES} resamples"
_REDUNDANCY = "redundancy:default and :best: `threshold` is on redundancy numbers, validity is as decided at present"
PER_SUBSET = "best-per-subset"
UNTOLD = "no threshold is known for its redundancy numbers, so that validity decides"


class ThresholdWay(NamedTuple):
    """One way to choose a threshold, and what it came to.

    `tuned_on` (n) are the cases it was tuned on, None = on none; `reason` says why there is no evaluation, `note` what
    is to be said of it, and `at_default`, by subset, why a subset is at the scorer's default. `of_redundancy` marks
    ways to choose the threshold on redundancy numbers: that of the evaluation's scorer.
    """

    kind: str
    evaluation: Evaluation | None
    tuned_on: Bools | None = None
    reason: str | None = None
    note: str | None = None
    at_default: Mapping[str, str] = MappingProxyType({})
    of_redundancy: bool = False


def ways(
    evaluation: Evaluation,
    within: Bools,
    mask: Bools,
    around: TuningContext,
    reported: BenchmarkMetrics | None = None,
) -> Iterator[ThresholdWay]:
    """Yield every way to choose the threshold of one scorer on one benchmark.

    Args:
        evaluation: as it is at present; so is what redundancy does not decide where that is tuned.
        within: (n,) the cases of the benchmark, at least one.
        mask: (n,) those of them that are shown.
        around: how what is tuned is counted.
        reported: what is tuned for; None = what the benchmark reports.
    """
    default = evaluation.at_default()
    benchmark: str = default.gold.cases["benchmark"][int(np.argmax(within))]
    official = metrics_of(benchmark)
    best = _Best(default, around, reported or official)
    yield ThresholdWay("default", default)
    if default.rule.is_movable:
        rule = rule_among(evaluation, within, around.seed)
        if rule.is_movable and rule.source in {CHOSEN, OPTIMISTIC}:
            yield ThresholdWay("chosen", evaluation, mask if rule.source == OPTIMISTIC else None)
        yield from _best_here(best, mask)
        yield from _dev(best, within, benchmark)
        for name, rows in _subsets(default, within):
            if name:
                yield best.way(f"from:{name}", rows)
    if reported in {None, official}:
        yield from _redundancy(evaluation, mask, benchmark)


class _Best:
    """Finds the best threshold of one scorer on some cases (n,); on the same cases once."""

    def __init__(self, default: Evaluation, around: TuningContext, reported: BenchmarkMetrics) -> None:
        self.default, self.around, self.reported = default, around, reported
        self._found: dict[bytes, Tuned] = {}

    def on(self, rows: Bools) -> Tuned:
        key = rows.tobytes()
        if key not in self._found:
            self._found[key] = best_threshold(self.default, rows, self.around, self.reported)
        return self._found[key]

    def way(self, kind: str, rows: Bools) -> ThresholdWay:
        threshold, reason = self.on(rows)
        return (
            ThresholdWay(kind, None, reason=reason)
            if threshold is None
            else ThresholdWay(kind, self.default.at(threshold, kind), rows)
        )


def _best_here(best: _Best, mask: Bools) -> Iterator[ThresholdWay]:
    try:
        not_circular(best.default.scorer.name, best.around.conditions)
    except UsageError as error:
        yield ThresholdWay("best", None, reason=error.sentence)
        return
    yield best.way("best", mask)
    yield from _best_per_subset(best, mask)


def _subsets(evaluation: Evaluation, within: Bools) -> list[tuple[str, Bools]]:
    """The subsets that some of the cases are in, if they are several, and these cases (n); "" = those without one."""
    names, groups = evaluation.gold.subsets
    subsets = [(names[number] or "", within & (groups == number)) for number in np.unique(groups[within])]
    return subsets if len(subsets) > 1 else []


def _best_per_subset(best: _Best, mask: Bools) -> Iterator[ThresholdWay]:
    default, subsets = best.default, _subsets(best.default, mask)
    thresholds = np.full(mask.size, default.default[0])
    by_subset, lacking = {}, {}
    tuned_on = np.zeros_like(mask)
    for name, rows in subsets:
        threshold, reason = best.on(rows)
        if threshold is None:
            lacking[name or NO_SUBSET] = reason or ""
            continue
        thresholds[rows] = by_subset[name or NO_SUBSET] = threshold
        tuned_on |= rows
    if by_subset:
        yield ThresholdWay(PER_SUBSET, default.by_case(thresholds, by_subset, "best"), tuned_on, at_default=lacking)


def _dev(best: _Best, within: Bools, benchmark: str) -> Iterator[ThresholdWay]:
    default, around = best.default, best.around
    try:
        not_of_steps("dev", [benchmark])
    except UsageError as error:
        yield ThresholdWay("dev", None, reason=error.sentence)
        return
    dev = dev_thresholds(default, around.seed, around.unparsed, within, best.reported)
    bare = {name.removeprefix(f"{benchmark}/"): why for name, why in dev.lacking.items()}
    if not dev.by_subset:
        yield ThresholdWay("dev", None, reason=f"no subset has a dev set: {listed(bare)}")
        return
    for kind, keep in (("dev", False), ("dev:kept", True)):
        decided = dev_tuned(default, around.seed, around.unparsed, keep=keep, thresholds=dev)
        yield ThresholdWay(kind, decided, dev.sets.rows & within, at_default=bare)


def dev_cuts(evaluation: Evaluation, scope: ResultSet, benchmark: str) -> dict[str, float]:
    """Return the threshold that is tuned on the dev set of each shown subset of a benchmark, by subset.

    They are called as in `dev_sets`, but without their benchmark; a subset without a dev set is not there.
    """
    dev = dev_thresholds(evaluation.at_default(), scope.query.seed, scope.unparsed, scope.mask)
    # Where there are several benchmarks, the names of dev sets begin with theirs.
    cuts = {name.removeprefix(f"{benchmark}/"): cut for name, cut in dev.by_subset.items()}
    names = [name or NO_SUBSET for name in evaluation.gold.subsets[0]]
    return {name: cuts[name] for name in (*names, "all") if name in cuts}


def _redundancy(evaluation: Evaluation, mask: Bools, benchmark: str) -> Iterator[ThresholdWay]:
    """Both ways where there are redundancy numbers to cut. A condition never depends on them, so none is circular."""
    facts = metrics_of(benchmark).steps
    if facts is None:
        return
    numbered = mask & redundancy_rows(evaluation, asked_by_redundancy(evaluation, facts), 0.0).numbers
    if not numbered.any():
        return
    note = UNTOLD if evaluation.scorer.redundancy_threshold is None else None
    yield ThresholdWay("redundancy:default", evaluation, note=note, of_redundancy=True)
    best, reason = tuned(metric_curve(step_family(facts, "redundancy"), evaluation, mask, whole="all"))
    if best is None:
        yield ThresholdWay("redundancy:best", None, reason=reason)
        return
    scorer = replace(evaluation.scorer, redundancy_threshold=best, redundancy_threshold_source="best")
    yield ThresholdWay("redundancy:best", replace(evaluation, scorer=scorer), numbered, of_redundancy=True)


def way_notes(results: ResultSet, rows: pl.DataFrame) -> Iterator[str]:
    """Explain what the rows mean, benchmark by benchmark."""
    of_steps = step_benchmarks(results)
    first_errors = len(of_steps) < len(results.benchmarks)
    yield _OPTIMISTIC
    yield f"{_TUNED}; {_DEV}" if first_errors else _TUNED
    others = [name for name in results.benchmarks if name not in dict(of_steps)]
    for name in others:
        reported = metrics_of(name)
        if reported.own:
            tuned_for = f"{reported.name} of {reported.taken_over}"
            yield f"{name}: tuned for {tuned_for}; {_BOOTSTRAP} of whole problems; n counts {reported.unit}"
            continue
        yield f"{name}: {_BOOTSTRAP}, {resampled_words(results, name)}"
    for name, facts in of_steps:
        yield f"{name}: tuned for prmscore of all steps pooled; {_BOOTSTRAP} of whole problems; n counts steps"
        yield from without_errors(name, facts)
    if rows["kind"].str.starts_with("redundancy:").any():
        yield _REDUNDANCY


def way_rows(
    evaluation: Evaluation,
    within: Bools,
    scope: ResultSet,
    reported: BenchmarkMetrics,
    *,
    intervals: bool = True,
    only: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield a row for every way and subset of one scorer on one benchmark, columns of THRESHOLDS.

    `subset` is as in `metrics`; `excluded` counts dev cases left out of the value, `threshold` is null where it differs
    by subset. A way that is undefined has one row, for `all`, with its reason.

    Args:
        evaluation: as it is at present.
        within: (n,) the cases of the benchmark, at least one.
        scope: shows those of them that are reported on.
        reported: what is tuned for and told.
        intervals: with them; they are resampled.
        only: one of the first two ways alone, `default` or `chosen`; None = all.
    """
    mask, metric, benchmark = scope.mask, reported.name, reported.benchmark
    counting = scope.counting if intervals else replace(scope.counting, seed=None)
    for way in ways(evaluation, within, mask, surroundings(scope), reported):
        if only is not None and way.kind not in {"default", "chosen"}:
            return
        if only is not None and way.kind != only:
            continue
        if way.evaluation is None:
            yield {"subset": "all", "kind": way.kind, "metric": metric, "excluded": 0, "reason": way.reason}
            continue
        if reported is metrics_of(benchmark):
            rows = figures_of(way.evaluation, benchmark, mask, counting, only=metric)
        else:
            # A metric of the user's own may count whatever is there.
            there = mask & (way.evaluation.codes != DEV)
            rows = reported.leading_rows(
                way.evaluation, there, scope.unparsed(benchmark), counting.seed, None, None, None
            )
        for row in rows:
            yield {**row, **_about(way, way.evaluation, row, mask, benchmark)}


def _about(way: ThresholdWay, decided: Evaluation, row: dict[str, Any], mask: Bools, benchmark: str) -> dict[str, Any]:
    """What is to be said of one value of a way besides the value."""
    member = _member(decided, row["subset"], mask, benchmark)
    tuned_on = np.zeros_like(mask) if way.tuned_on is None else way.tuned_on
    counted = decided.coverage.tried if metrics_of(benchmark).steps is None else decided.judged_steps.rows
    threshold, comparison = _rule(way, decided, member)
    return {
        "kind": way.kind,
        "threshold": threshold,
        "comparison": comparison,
        "excluded": int(((decided.codes == DEV) & member).sum()),
        "optimistic": bool((tuned_on & member & counted).any()),
        "reason": row["reason"] or way.note or _at_default(way, decided, row["subset"], member),
    }


def _at_default(way: ThresholdWay, decided: Evaluation, subset: str, member: Bools) -> str | None:
    """Which of the subsets that a row is about are at the default threshold, and why; None = none of them."""
    if why := way.at_default.get(subset or NO_SUBSET):
        return f"at the default: {why}"
    names, groups = decided.gold.subsets
    here = {names[number] or NO_SUBSET for number in np.unique(groups[member])}
    lacking = {name: why for name, why in way.at_default.items() if name in here}
    if not lacking:
        return None
    bound = "no upper bound, " if way.kind == PER_SUBSET else ""
    return f"{bound}at the default: {listed(lacking)}"


def _member(decided: Evaluation, subset: str, mask: Bools, benchmark: str) -> Bools:
    """The shown cases (n) that a row is about: of a subset, of a group of classes, or all."""
    if subset in WHOLE:
        return mask
    facts, (names, groups) = metrics_of(benchmark).steps, decided.gold.subsets
    if subset in names or facts is None:
        # A row of cases without a subset has the same name as one of a subset without a name.
        same = [number for number, name in enumerate(names) if (name or "") == subset]
        own: Bools = np.isin(groups, same)
    else:
        own = (decided.gold.cases[facts.group] == subset).fill_null(value=False).to_numpy()
    member: Bools = mask & own
    return member


def _rule(way: ThresholdWay, decided: Evaluation, member: Bools) -> tuple[float | None, str | None]:
    """The one threshold of the cases of `member` (n), None where there is none or several, and what wrong steps are."""
    rule = decided.rule
    if way.of_redundancy:
        cut = decided.scorer.redundancy_threshold
        return cut, None if cut is None else ">"
    if rule.is_movable or not rule.by_threshold:
        return rule.threshold, rule.spelled
    cuts = np.unique(np.broadcast_to(rule.cut, member.shape)[member])
    return float(cuts[0]) if cuts.size == 1 else None, rule.spelled


# -- what the pages of thresholds share

TITLES = {"f1": "F1", "prmscore": "PRMScore", "error_acc": "on erroneous cases", "correct_acc": "on clean cases"}
"""Of metrics that are no benchmark's own."""


def figure_title(metric: str) -> str:
    """Write the title of an official figure, by its name in the column `metric`."""
    own = {made.name: made.title for made in own_metrics()}
    own |= {reported.name: title for title, reported in leading_metrics().items()}
    return TITLES.get(metric) or own.get(metric, metric)


def threshold_sections(results: ResultSet, blocks: Callable[[str, ResultSet], Iterator[Block]]) -> tuple[Section, ...]:
    """Make a section of the blocks of each benchmark of which a case is shown."""
    sections: list[Section] = []
    for name, rows in by_benchmark(results):
        if rows.any():
            scope = replace(results, shown=results.shown[rows[results.shown]])
            sections.append(Section(name, f"thresholds-{len(sections)}", tuple(blocks(name, scope))))
    return tuple(sections)


def scorers_there(results: ResultSet, benchmark: str) -> list[Evaluation]:
    """Find the chosen scorers that tried a shown case of a benchmark, at their own thresholds or any other."""
    rows = dict(by_benchmark(results))[benchmark]
    return [
        evaluation for evaluation in results.chosen_evaluations if (evaluation.at_default().coverage.tried & rows).any()
    ]


NOTHING = "No scorer has a verdict on these cases. Import results, or score with a PRM."


def is_present(evaluation: Evaluation, kind: str, scope: ResultSet) -> bool:
    """Return whether the shown cases, all of one benchmark, are decided now as a way decides them."""
    rule = rule_among(evaluation, scope.mask, scope.query.seed)
    if not rule.by_threshold or evaluation.default == (rule.threshold, rule.source):
        return kind == "default"
    if not rule.is_movable:
        return kind == ("dev:kept" if "kept" in rule.source else "dev")
    if rule.untuned:
        return kind == "default"
    if rule.source in {CHOSEN, OPTIMISTIC}:
        return kind == "chosen"
    return kind.startswith("from:") and rule.source.startswith(f"best on subset {kind.removeprefix('from:')} ")
