"""What every way to choose a threshold gives: the rows of `thresholds`.

Every way is reported by the figure it is tuned for, the official one of its benchmark: F1 of first errors, or PRMScore
of steps. The ways `from:SUBSET` are the transfer matrix: tuned on the row's subset, reported on the column's.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from inspector.documents import provenance
from inspector.official_rows import resampled_words, step_benchmarks, without_errors
from inspector.selection import Selection, surroundings
from inspector.threshold_ways import PER_SUBSET, Way, ways
from scoring.benchmarks.registry import step_labelled
from scoring.dev_sets import EACH, listed
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.metrics.intervals import RESAMPLES
from scoring.official_rows import METRICS, figures_of
from scoring.parts import parts
from scoring.step_rewards import Bools
from scoring.verdicts import DEV, AsGiven, RuleByCase, spelled

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


def thresholds_document(selection: Selection, form: str = "") -> Document:
    """A row for every chosen scorer, way to choose its threshold, and subset of every benchmark it has verdicts on.

    `subset` is as in `metrics`; `excluded` counts dev cases left out of the value, `threshold` is null where it differs
    by subset. A way that is undefined has one row, for `all`, with its reason.
    """
    rows: list[dict[str, Any]] = []
    for evaluation in selection.chosen_evaluations:
        for benchmark, within in parts(selection.cases, ("benchmark",)):
            if (evaluation.at_default().tried & within).any():
                scope = replace(selection, shown=selection.shown[within[selection.shown]])
                about = {"scorer": evaluation.scorer.name, **benchmark}
                rows += ({**about, **row} for row in _rows(evaluation, within, scope, benchmark["benchmark"]))
    frame = pl.DataFrame(rows, schema=THRESHOLDS, orient="row")
    command = selection.request.command("thresholds", form=form)
    return Document(frame, provenance(selection, command, tuple(_notes(selection, frame))))


def _notes(selection: Selection, rows: pl.DataFrame) -> Iterator[str]:
    """What the rows mean, benchmark by benchmark."""
    of_steps = step_benchmarks(selection)
    first_errors = len(of_steps) < selection.cases["benchmark"].n_unique()
    yield _OPTIMISTIC
    yield f"{_TUNED}; {_DEV}" if first_errors else _TUNED
    others = [name for name in selection.cases["benchmark"].unique(maintain_order=True) if name not in dict(of_steps)]
    for name in others:
        yield f"{name}: {_BOOTSTRAP}, {resampled_words(selection, name)}"
    for name, facts in of_steps:
        yield f"{name}: tuned for prmscore of all steps pooled; {_BOOTSTRAP} of whole problems; n counts steps"
        yield from without_errors(name, facts)
    if rows["kind"].str.starts_with("redundancy:").any():
        yield _REDUNDANCY


def _rows(evaluation: Evaluation, within: Bools, scope: Selection, benchmark: str) -> Iterator[dict[str, Any]]:
    shown, metric = scope.mask, "f1" if step_labelled(benchmark) is None else "prmscore"
    for way in ways(evaluation, within, shown, surroundings(scope)):
        if way.evaluation is None:
            yield {"subset": "all", "kind": way.kind, "metric": metric, "excluded": 0, "reason": way.reason}
            continue
        for row in figures_of(way.evaluation, benchmark, shown, scope.counting):
            if row["metric"] == metric:
                yield {**row, **_about(way, way.evaluation, row, shown, benchmark)}


def _about(way: Way, decided: Evaluation, row: dict[str, Any], shown: Bools, benchmark: str) -> dict[str, Any]:
    """What is to be said of one value of a way besides the value."""
    member = _member(decided, row["subset"], shown, benchmark)
    tuned_on = np.zeros_like(shown) if way.tuned_on is None else way.tuned_on
    counted = decided.tried if step_labelled(benchmark) is None else decided.judged_steps.rows
    threshold, comparison = _rule(way, decided, member)
    return {
        "kind": way.kind,
        "threshold": threshold,
        "comparison": comparison,
        "excluded": int(((decided.codes == DEV) & member).sum()),
        "optimistic": bool((tuned_on & member & counted).any()),
        "reason": row["reason"] or way.note or _at_default(way, decided, row["subset"], member),
    }


def _at_default(way: Way, decided: Evaluation, subset: str, member: Bools) -> str | None:
    """Which of the subsets that a row is about are at the default threshold, and why; None = none of them."""
    if why := way.at_default.get(subset):
        return f"at the default: {why}"
    names, groups = decided.gold.subsets
    here = {names[number] for number in np.unique(groups[member])}
    lacking = {name: why for name, why in way.at_default.items() if name in here}
    if not lacking:
        return None
    bound = "no upper bound, " if way.kind == PER_SUBSET else ""
    return f"{bound}at the default: {listed(lacking)}"


def _member(decided: Evaluation, subset: str, shown: Bools, benchmark: str) -> Bools:
    """The shown cases (n) that a row is about: of a subset, of a group of classes, or all."""
    if subset in {"all", "average"}:
        return shown
    facts, (names, groups) = step_labelled(benchmark), decided.gold.subsets
    if subset in names or facts is None:
        # A row of cases without a subset has the same name as one of a subset without a name.
        same = [number for number, name in enumerate(names) if (name or "") == subset]
        own: Bools = np.isin(groups, same)
    else:
        own = (decided.gold.cases[facts.group] == subset).fill_null(value=False).to_numpy()
    member: Bools = shown & own
    return member


def _rule(way: Way, decided: Evaluation, member: Bools) -> tuple[float | None, str | None]:
    """The one threshold of the cases of `member` (n), None where there is none or several, and what wrong steps are."""
    rule = decided.rule
    if way.of_redundancy:
        cut = decided.scorer.redundancy_threshold
        return cut, None if cut is None else ">"
    if isinstance(rule, AsGiven):
        return None, None
    if not isinstance(rule, RuleByCase):
        return rule.threshold, spelled(rule)
    cuts = np.unique(rule.thresholds[member])
    return float(cuts[0]) if cuts.size == 1 else None, spelled(rule)
