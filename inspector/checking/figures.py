"""The figures of a check: of one benchmark, everything that a new scorer and its baseline are compared by, by name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from inspector.comparability import counted_cases
from inspector.selection import Selection
from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.metrics.aligned import align_scorers, align_steps
from scoring.metrics.first_error import SIDES
from scoring.metrics.paired import CASE_NAMES, STEP_NAMES, case_comparison_rows, step_comparison_rows
from scoring.metrics.resampling import SMALL
from scoring.step_rewards import Bools
from scoring.verdicts import REFUSED, RIGHT, UNPARSED

_PARTS: dict[str, pl.DataType] = {
    name: pl.Float64()
    for metric in (*CASE_NAMES, *STEP_NAMES)
    for name in (
        *((metric, f"baseline_{metric}") if metric in {*CASE_NAMES, "prmscore"} else ()),
        f"{metric}_difference",
        f"{metric}_low",
        f"{metric}_high",
    )
}
_QUADRANTS = {
    "both_right": "both_right",
    "newly_right": "only_scorer_right",
    "newly_wrong": "only_other_right",
    "both_wrong": "neither_right",
}
FIGURES: dict[str, pl.DataType] = {
    "value": pl.Float64(),
    "baseline_value": pl.Float64(),
    "difference": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "left_out": pl.Int64(),
    "small": pl.Boolean(),
    **_PARTS,
    **{f"pooled_f1_{name}": pl.Float64() for name in ("difference", "low", "high")},
    "newly_wrong": pl.Int64(),
    "newly_right": pl.Int64(),
    **{f"{side}_{name}": pl.Int64() for side in SIDES for name in _QUADRANTS},
    **{f"{side}_{name}": pl.Float64() for side in SIDES for name in ("p", "p_holm")},
    "cases": pl.Int64(),
    "coverage": pl.Float64(),
    "baseline_coverage": pl.Float64(),
    "lacks": pl.Int64(),
    "baseline_lacks": pl.Int64(),
    "unparsed": pl.Int64(),
    "baseline_unparsed": pl.Int64(),
    "threshold": pl.Float64(),
    "baseline_threshold": pl.Float64(),
    "comparable": pl.Boolean(),
}
"""Names and dtypes of the figures that a condition may speak of; undefined is null.

| figure | what |
| --- | --- |
| `value`, `baseline_value` | the benchmark's official figure of the two on their common cases, fractions |
| `difference`, `low`, `high` | new less baseline, and its 95% interval (paired bootstrap) |
| `n`, `left_out`, `small` | common cases, those that only one has, whether a side has fewer than SMALL |
| `f1`, `error_acc`, `correct_acc`, `prmscore` | of the new one; `baseline_...`, `..._difference`, `_low`, `_high` |
| `positive_acc_...`, `negative_acc_...` | differences on right and on wrong steps, where PRMScore is official |
| `pooled_f1_...` | the difference with the cases of all subsets counted together |
| `newly_wrong`, `newly_right` | cases that only the baseline, or only the new one, has right; also by side |
| `erroneous_p`, `clean_p`, `..._p_holm` | McNemar's test on either side, and adjusted for there being two |
| `cases`, `coverage`, `baseline_coverage` | the shown cases, and the shares of them with a verdict |
| `lacks`, `baseline_lacks` | cases in the other's denominator that are not in this one's |
| `unparsed`, `baseline_unparsed` | cases that were tried and have no verdict |
| `threshold`, `baseline_threshold` | null where none decides |
| `comparable` | whether nothing makes the two incomparable |
"""
FRACTIONS = frozenset(
    {"value", "baseline_value", "difference", "low", "high", "coverage", "baseline_coverage", *_PARTS}
    | {f"pooled_f1_{name}" for name in ("difference", "low", "high")}
    | {f"{side}_{name}" for side in SIDES for name in ("p", "p_holm")}
)
"""Those that lie between -1 and 1."""


def figures_of(selection: Selection, new: str, old: str, benchmark: str) -> dict[str, Any]:
    """The figures of two scorers on the shown cases of a benchmark; with `metric`, `reason` and `note` beside them.

    Differences, intervals and tests are those of `compare` on the same cases with the same seed. `reason` says why the
    official difference is undefined, `note` what to keep in mind about its interval. `comparable` is left to others.
    """
    evaluations = (selection.evaluation(new), selection.evaluation(old))
    rows = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask
    aligned = align_scorers(evaluations, rows, selection.unparsed(benchmark))
    seed = selection.request.seed
    found = {_place(row): row for row in case_comparison_rows(aligned, seed)}
    facts = step_labelled(benchmark)
    metric, subset = ("f1", "average") if facts is None else ("prmscore", "all")
    if facts is not None:
        steps = align_steps(evaluations, rows, facts)
        found |= {_place(row): row for row in step_comparison_rows(steps, seed)}
    official = found[new, old, subset, f"{metric}_difference"]
    one, other = (found.get((name, None, subset, metric), {}) for name in (new, old))
    figures: dict[str, Any] = {
        "value": one.get("value"),
        "baseline_value": other.get("value"),
        **_with_interval("", official),
        "n": official["n"],
        "left_out": official["left_out"],
        "small": _small(found, new, old, metric),
        **_parts(found, new, old),
        **_sides(found, new, old),
        **_given(selection, evaluations, benchmark, rows),
    }
    return {**figures, "metric": metric, "reason": official["reason"], "note": official["note"]}


def newly_wrong_rows(selection: Selection, new: str, old: str, benchmark: str) -> Bools:
    """The common cases, shape (n,), whose first error the baseline has right and the new scorer has not."""
    one, other = selection.evaluation(new), selection.evaluation(old)
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask & one.gold.known
    tried = one.tried if selection.unparsed(benchmark) == "wrong" else one.answered
    return np.asarray(within & tried & np.isin(other.codes, RIGHT) & ~np.isin(one.codes, RIGHT))


def _place(row: Mapping[str, Any]) -> tuple[str | None, str | None, str, str]:
    """What a row of a comparison is found by; those that rank scorers have no other scorer in their place."""
    other = row["other"] if row["metric"].endswith(("_difference", "_right", "_mcnemar")) else None
    return row["scorer"], other, row["subset"], row["metric"]


def _with_interval(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    before = f"{name}_" if name else ""
    return {f"{before}difference": row["value"], f"{before}low": row["low"], f"{before}high": row["high"]}


def _parts(found: Mapping[tuple[Any, ...], Mapping[str, Any]], new: str, old: str) -> dict[str, Any]:
    """Every metric of the two with its difference, as far as there is one."""
    made: dict[str, Any] = {}
    for metric in (*CASE_NAMES, *STEP_NAMES):
        subset = "average" if metric in CASE_NAMES else "all"
        for before, name in (("", new), ("baseline_", old)):
            if f"{before}{metric}" in FIGURES:
                made[f"{before}{metric}"] = found.get((name, None, subset, metric), {}).get("value")
        if (row := found.get((new, old, subset, f"{metric}_difference"))) is not None:
            made |= _with_interval(metric, row)
    return {**made, **_with_interval("pooled_f1", found[new, old, "all", "f1_difference"])}


def _sides(found: Mapping[tuple[Any, ...], Mapping[str, Any]], new: str, old: str) -> dict[str, Any]:
    """Quadrants and tests of first errors, and how many cases changed sides in all."""
    made: dict[str, Any] = {}
    for side in SIDES:
        counts = {name: found[new, old, "all", f"{side}_{key}"]["value"] for name, key in _QUADRANTS.items()}
        made |= {f"{side}_{name}": None if count is None else int(count) for name, count in counts.items()}
        test = found[new, old, "all", f"{side}_mcnemar"]
        made |= {f"{side}_p": test["p"], f"{side}_p_holm": test["p_holm"]}
    for name in ("newly_wrong", "newly_right"):
        counted = [made[f"{side}_{name}"] for side in SIDES if made[f"{side}_{name}"] is not None]
        made[name] = sum(counted) if counted else None
    return made


def _small(found: Mapping[tuple[Any, ...], Mapping[str, Any]], new: str, old: str, metric: str) -> bool:
    """Whether few cases say it: of F1 on either side, of PRMScore in all."""
    if metric == "prmscore":
        return bool(found[new, old, "all", "prmscore_difference"]["n"] < SMALL)
    sizes = [found[new, old, "all", f"{side}_both_right"]["n"] for side in SIDES]
    return bool(min(sizes) < SMALL)


def _given(selection: Selection, evaluations: Sequence[Evaluation], benchmark: str, rows: Bools) -> dict[str, Any]:
    """What each of the two has given for the shown cases of the benchmark, and which of them the other lacks."""
    one, other = evaluations
    sets = counted_cases(selection, [one.scorer.name, other.scorer.name], benchmark)
    nothing = np.zeros(rows.size, dtype=np.bool_)
    mine, theirs = (sets.get(each.scorer.name, nothing) for each in evaluations)
    n = int(rows.sum())
    made: dict[str, Any] = {
        "cases": n,
        "lacks": int((theirs & ~mine).sum()),
        "baseline_lacks": int((mine & ~theirs).sum()),
    }
    for before, each in (("", one), ("baseline_", other)):
        made[f"{before}coverage"] = int((each.answered & rows).sum()) / n if n else None
        made[f"{before}unparsed"] = int((np.isin(each.codes, (UNPARSED, REFUSED)) & rows).sum())
        made[f"{before}threshold"] = each.rule.threshold
    return made
