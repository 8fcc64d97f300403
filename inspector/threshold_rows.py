"""What every way to choose a threshold gives: the rows of `thresholds`.

Kinds of thresholds: `default` is the scorer's own, `chosen` the present one where it was given as a number, `best` the
one with the best average F1 on the shown cases, `best-per-subset` that of each subset (ProcessBench, Tables 6 and 8),
`dev` and `dev:kept` GR-Ben's (`scoring.dev_sets`), `from:SUBSET` the best on one whole subset, used on all
(ProcessBench's rule with gsm8k). The last are the transfer matrix: tuned on the row's subset, reported on the column's.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from inspector.documents import METRICS, provenance
from inspector.parts import parts
from inspector.selection import Selection, surroundings
from inspector.wishes import CHOSEN, OPTIMISTIC, Surroundings, best_on, not_circular
from scoring.dev_sets import EACH, dev_thresholds, dev_tuned, listed
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.metrics.first_error import metric_rows
from scoring.metrics.intervals import RESAMPLES
from scoring.step_rewards import Bools
from scoring.verdicts import DEV, AsGiven, Rule, RuleByCase

METRIC = "f1"
"""What thresholds are tuned for and reported by."""
THRESHOLDS = {
    "scorer": METRICS["scorer"],
    "benchmark": METRICS["benchmark"],
    "subset": METRICS["subset"],
    "kind": pl.String(),
    "threshold": pl.Float64(),
    "comparison": pl.String(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "excluded": pl.Int64(),
    "optimistic": pl.Boolean(),
    "reason": pl.String(),
}
_TUNED = "from:SUBSET is tuned on the whole subset, best and best-per-subset on the shown cases"
_DEV = f"dev is tuned on {EACH} clean and {EACH} erroneous cases a subset and reported without them, dev:kept with them"
_NOTES = (
    "optimistic: cases that the threshold was tuned on are among those that the value is of",
    f"{_TUNED}; {_DEV}",
    f"low and high: 95% bootstrap at the threshold as it is, {RESAMPLES} resamples",
)


class Way(NamedTuple):
    """One way to choose a threshold, and what it came to.

    `tuned_on` (n) are the cases it was tuned on, None = on none; `reason` says why there is no evaluation, and
    `at_default`, by subset, why a subset is at the scorer's default.
    """

    kind: str
    evaluation: Evaluation | None
    tuned_on: Bools | None = None
    reason: str | None = None
    at_default: Mapping[str, str] = MappingProxyType({})


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
                rows += ({**about, **row} for row in _rows(evaluation, within, scope))
    frame = pl.DataFrame(rows, schema=THRESHOLDS, orient="row")
    command = selection.request.command("thresholds", form=form)
    return Document(frame, provenance(selection, command, _NOTES))


def _rows(evaluation: Evaluation, within: Bools, scope: Selection) -> Iterator[dict[str, Any]]:
    shown = scope.mask
    for way in ways(evaluation, within, shown, surroundings(scope)):
        if way.evaluation is None:
            yield {"subset": "all", "kind": way.kind, "metric": METRIC, "excluded": 0, "reason": way.reason}
        else:
            yield from _values(way, way.evaluation, shown, scope)


def _values(way: Way, decided: Evaluation, shown: Bools, scope: Selection) -> Iterator[dict[str, Any]]:
    names, groups = decided.gold.subsets
    for row in metric_rows(decided, shown, scope.request.unparsed, scope.request.seed):
        if row["metric"] != METRIC:
            continue
        own = row["subset"] not in {"all", "average"}
        member = shown & (groups == names.index(row["subset"] or None)) if own else shown
        tuned_on = np.zeros_like(shown) if way.tuned_on is None else way.tuned_on
        why = way.at_default.get(row["subset"])
        yield {
            **row,
            "kind": way.kind,
            "threshold": _threshold(decided, member),
            "comparison": None if isinstance(decided.rule, AsGiven) else decided.rule.comparison,
            "excluded": int(((decided.codes == DEV) & member).sum()),
            "optimistic": bool((tuned_on & member & decided.tried).any()),
            "reason": row["reason"] or (why and f"at the default: {why}"),
        }


def _threshold(decided: Evaluation, member: Bools) -> float | None:
    """The one threshold of the cases of `member` (n); None where there is none or several."""
    if not isinstance(decided.rule, RuleByCase):
        return decided.rule.threshold
    cuts = np.unique(decided.rule.thresholds[member])
    return float(cuts[0]) if cuts.size == 1 else None


def ways(evaluation: Evaluation, within: Bools, shown: Bools, around: Surroundings) -> Iterator[Way]:
    """Every way to choose the threshold of one scorer on one benchmark.

    Args:
        evaluation: as it is at present.
        within: (n,) the cases of the benchmark.
        shown: (n,) those of them that are shown.
        around: how what is tuned is counted.
    """
    default = evaluation.at_default()
    yield Way("default", default)
    if not default.movable:
        return
    if isinstance(evaluation.rule, Rule) and evaluation.rule.source in {CHOSEN, OPTIMISTIC}:
        yield Way("chosen", evaluation, shown if evaluation.rule.source == OPTIMISTIC else None)
    try:
        not_circular(default.scorer.name, around.conditions)
    except UsageError as error:
        yield Way("best", None, reason=str(error))
    else:
        yield _best("best", default, shown, around)
        yield from _best_per_subset(default, shown, around)
    yield from _dev(default, within, around)
    for name, rows in _subsets(default, within):
        yield _best(f"from:{name}", default, rows, around)


def _best(kind: str, default: Evaluation, rows: Bools, around: Surroundings) -> Way:
    try:
        return Way(kind, best_on(default, rows, kind, around.unparsed), rows)
    except UsageError:
        return Way(kind, None, reason="F1 is undefined on the cases it would be tuned on")


def _subsets(evaluation: Evaluation, within: Bools) -> list[tuple[str, Bools]]:
    """The named subsets that some of the cases are in, if they are several, and these cases (n)."""
    names, groups = evaluation.gold.subsets
    found = [(names[number], within & (groups == number)) for number in np.unique(groups[within])]
    return [(name, rows) for name, rows in found if name] if len(found) > 1 else []


def _best_per_subset(default: Evaluation, shown: Bools, around: Surroundings) -> Iterator[Way]:
    subsets = _subsets(default, shown)
    thresholds = np.full(shown.size, default.scorer.threshold)
    told, lacking = {}, {}
    tuned_on = np.zeros_like(shown)
    for name, rows in subsets:
        best = _best(name, default, rows, around)
        if best.evaluation is None:
            lacking[name] = best.reason or ""
            continue
        thresholds[rows] = told[name] = float(best.evaluation.rule.threshold or 0.0)
        tuned_on |= rows
    if told:
        yield Way("best-per-subset", default.by_case(thresholds, told, "best"), tuned_on, at_default=lacking)


def _dev(default: Evaluation, within: Bools, around: Surroundings) -> Iterator[Way]:
    found = dev_thresholds(default, around.seed, around.unparsed)
    sets = found.sets
    here = {sets.names[number] for number in np.unique(sets.numbers[within])}
    lacking = {name: why for name, why in found.lacking.items() if name in here}
    if not here & found.told.keys():
        yield Way("dev", None, reason=f"no subset has a dev set: {listed(lacking)}")
        return
    # Where there are several benchmarks, the names of dev sets begin with theirs.
    benchmark = default.gold.cases["benchmark"][int(np.argmax(within))]
    bare = {name.removeprefix(f"{benchmark}/"): why for name, why in lacking.items()}
    for kind, keep in (("dev", False), ("dev:kept", True)):
        tuned = dev_tuned(default, around.seed, around.unparsed, keep=keep)
        yield Way(kind, tuned, sets.rows & within, at_default=bare)
