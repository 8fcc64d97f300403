"""The figures by which a scorer is held against its baseline, and conditions over them: SQL over their names."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.state.counted_cases import counted_cases
from scoring.data.errors import UsageError
from scoring.data.names import near_names
from scoring.data.schema import Row
from scoring.evaluation.verdicts import REFUSED, UNPARSED
from scoring.metrics.aligned import AlignedScorers, AlignedSums
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.deciding import rule_among
from scoring.metrics.first_error import SIDES
from scoring.metrics.own import own_metrics
from scoring.metrics.paired import CASE_NAMES, STEP_NAMES, case_comparison_rows, official_comparison_rows
from scoring.metrics.resampling import SMALL
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.coded_columns import Categories
from scoring.workspace.filtering.condition_expressions import columns_read
from scoring.workspace.filtering.condition_masks import ConditionMasks
from scoring.workspace.filtering.filters import needed_columns
from scoring.workspace.filtering.sql_words import Word, words_of

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
"""What a check calls the cases by who is right, and what `compare` does."""
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
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "=", "<>", "!="})
_ARITHMETIC = frozenset("+-*/%")
_EXAMPLE = "Example: --fail-if 'difference < -0.02'"


def figure_types() -> dict[str, pl.DataType]:
    """Name all figures with their dtypes: FIGURES, then the differences of the metrics of the user's own."""
    own = (f"{made.name}_{end}" for made in own_metrics() for end in ("difference", "low", "high"))
    return FIGURES | {name: pl.Float64() for name in own if name not in FIGURES}


def pair_rows(cases: AlignedScorers, sums: Sequence[AlignedSums], seed: int) -> list[Row]:
    """Return the rows of `compare` about a scorer and its baseline: of first errors, and of what others add up."""
    by_sums = (row for aligned in sums for row in official_comparison_rows(aligned, seed))
    return [*case_comparison_rows(cases, seed), *by_sums]


def figures_of(results: ResultSet, names: tuple[str, str], benchmark: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Name the figures of a scorer and its baseline; with `metric`, `reason` and `note` beside them.

    `reason` says why the official difference is undefined, `note` what to keep in mind about its interval. `comparable`
    is left to others.

    Args:
        results: shows the cases that the rows are of, and others.
        names: of the scorer and of its baseline.
        benchmark: whose cases the rows are of.
        rows: as `pair_rows` gives them.
    """
    new, old = names
    by_place = {_place(row): row for row in rows}
    metric, subset = metrics_of(benchmark).name, metrics_of(benchmark).whole
    official = by_place[new, old, subset, f"{metric}_difference"]
    first, second = (by_place.get((name, None, subset, metric), {}) for name in names)
    figures: dict[str, Any] = {
        "value": first.get("value"),
        "baseline_value": second.get("value"),
        **_with_interval("", official),
        "n": official["n"],
        "left_out": official["left_out"],
        "small": _small(by_place, new, old, metric),
        **_parts(by_place, new, old),
        **_sides(by_place, new, old),
        **_given(results, names, benchmark),
    }
    return {**figures, "metric": metric, "reason": official["reason"], "note": official["note"]}


def _place(row: Row) -> tuple[str | None, str | None, str, str]:
    """What a row of a comparison is found by; those that rank scorers have no other scorer in their place."""
    other = row["other"] if row["metric"].endswith(("_difference", "_right", "_mcnemar")) else None
    return row["scorer"], other, row["subset"], row["metric"]


def _with_interval(name: str, row: Row) -> dict[str, Any]:
    before = f"{name}_" if name else ""
    return {f"{before}difference": row["value"], f"{before}low": row["low"], f"{before}high": row["high"]}


def _parts(by_place: Mapping[tuple[Any, ...], Row], new: str, old: str) -> dict[str, Any]:
    """Every metric of the two with its difference, as far as there is one."""
    made: dict[str, Any] = {}
    for metric in (*CASE_NAMES, *STEP_NAMES):
        subset = "average" if metric in CASE_NAMES else "all"
        for before, name in (("", new), ("baseline_", old)):
            if f"{before}{metric}" in FIGURES:
                made[f"{before}{metric}"] = by_place.get((name, None, subset, metric), {}).get("value")
        if (row := by_place.get((new, old, subset, f"{metric}_difference"))) is not None:
            made |= _with_interval(metric, row)
    for own in own_metrics():
        made |= _with_interval(own.name, by_place[new, old, "all", f"{own.name}_difference"])
    return {**made, **_with_interval("pooled_f1", by_place[new, old, "all", "f1_difference"])}


def _sides(by_place: Mapping[tuple[Any, ...], Row], new: str, old: str) -> dict[str, Any]:
    """Quadrants and tests of first errors, and how many cases changed sides in all."""
    made: dict[str, Any] = {}
    for side in SIDES:
        counts = {name: by_place[new, old, "all", f"{side}_{key}"]["value"] for name, key in _QUADRANTS.items()}
        made |= {f"{side}_{name}": None if number is None else int(number) for name, number in counts.items()}
        test = by_place[new, old, "all", f"{side}_mcnemar"]
        made |= {f"{side}_p": test["p"], f"{side}_p_holm": test["p_holm"]}
    for name in ("newly_wrong", "newly_right"):
        known = [made[f"{side}_{name}"] for side in SIDES if made[f"{side}_{name}"] is not None]
        made[name] = sum(known) if known else None
    return made


def _small(by_place: Mapping[tuple[Any, ...], Row], new: str, old: str, metric: str) -> bool:
    """Whether few cases say it: of F1 on either side, of another figure in all."""
    if metric != "f1":
        return bool(by_place[new, old, "all", f"{metric}_difference"]["n"] < SMALL)
    sizes = [by_place[new, old, "all", f"{side}_both_right"]["n"] for side in SIDES]
    return bool(min(sizes) < SMALL)


def _given(results: ResultSet, names: tuple[str, str], benchmark: str) -> dict[str, Any]:
    """What each of the two has given for the shown cases of the benchmark, and which of them the other lacks."""
    rows = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    sets = counted_cases(results, names, benchmark)
    mine, theirs = (sets.get(name, np.zeros(rows.size, dtype=np.bool_)) for name in names)
    n = int(rows.sum())
    made: dict[str, Any] = {
        "cases": n,
        "lacks": int((theirs & ~mine).sum()),
        "baseline_lacks": int((mine & ~theirs).sum()),
    }
    for before, name in zip(("", "baseline_"), names, strict=True):
        evaluation = results.evaluation(name)
        made[f"{before}coverage"] = int((evaluation.coverage.answered & rows).sum()) / n if n else None
        made[f"{before}unparsed"] = int((np.isin(evaluation.codes, (UNPARSED, REFUSED)) & rows).sum())
        made[f"{before}threshold"] = rule_among(evaluation, rows, results.query.seed).threshold
    return made


class FigureRows(Struct, frozen=True, eq=False):
    """The figures of some benchmarks as columns that a condition may name, a row a benchmark."""

    table: pl.DataFrame

    @property
    def columns(self) -> tuple[str, ...]:
        """Give the names of the figures."""
        return tuple(self.table.columns)

    @property
    def height(self) -> int:
        """Count the benchmarks."""
        return self.table.height

    def column(self, name: str) -> pl.Series:
        """Return one figure of every benchmark. Raises polars' ColumnNotFoundError."""
        return self.table.get_column(name)

    def owner(self, _name: str) -> object:
        """Return what a figure was made from."""
        return self.table

    def coded(self, _name: str) -> Categories | None:
        """Return None: no figure is kept as numbers of a list."""
        return None


def fulfilled(condition: str, figures: pl.DataFrame) -> list[bool | None]:
    """Return whether each row of figures fulfils the condition; None where a figure that it needs is undefined.

    Args:
        condition: SQL over the names of `figure_types`.
        figures: these columns, a row a benchmark.

    Raises:
        FilterError: it cannot be read, or gives no truth.
        UsageError: it names something that is no figure, or none, or compares a fraction with what it never is.
    """
    check_condition(condition)
    rows, masks = FigureRows(figures.select(list(figure_types()))), ConditionMasks()
    yes = masks.passing(rows, [condition])
    # In SQL what is neither so nor not so is unknown. On lines of its own, so that a comment ends before the bracket.
    no = masks.passing(rows, [f"NOT (\n{condition}\n)"])
    known = np.logical_or(yes, no)
    return [bool(holds) if sure else None for holds, sure in zip(yes, known, strict=True)]


def check_condition(condition: str) -> None:
    """Make sure that a condition names figures, before anything is computed.

    Raises:
        FilterError, UsageError: as for `fulfilled`.
    """
    # What cannot be read is said without figures in mind: their names are plain words, and columns of cases are not.
    needed_columns(condition, ())
    names, types = columns_read(condition), figure_types()
    known = f"There are: {', '.join(types)}."
    unknown = sorted(name for name in names if name not in types)
    if unknown:
        name = unknown[0]
        message = f"in --fail-if {condition!r}: there is no figure {name!r}{_near(name, types)}."
        raise UsageError(message, known, instead=near_names(name, types, "figure"))
    empty = FigureRows(pl.DataFrame(schema=types))
    ConditionMasks().passing(empty, [condition])
    if not names:
        raise UsageError(f"--fail-if {condition!r} names no figure.", f"{_EXAMPLE}. {known}")
    for name, number in _compared(condition):
        if name in FRACTIONS and abs(number) > 1:
            beyond = f"{name} is a fraction between -1 and 1, and {number:g} is beyond"
            raise UsageError(f"in --fail-if {condition!r}: {beyond}.", f"Two percentage points are 0.02. {_EXAMPLE}.")


def undefined_figures(condition: str, figures: pl.DataFrame, row: int) -> list[str]:
    """List the figures that a condition names and that are undefined in a row, 0-based."""
    return sorted(name for name in columns_read(condition) if figures[name][row] is None)


def _compared(condition: str) -> Iterator[tuple[str, float]]:
    """Names that are compared, by themselves, with a plain number."""
    words = [Word("sign", "", 0, 0), *words_of(condition), Word("sign", "", 0, 0)]
    for before, name, sign, number, after in zip(words, words[1:], words[2:], words[3:], words[4:], strict=False):
        alone = {before.text, after.text}.isdisjoint(_ARITHMETIC)
        if name.kind in {"name", "quoted"} and sign.text in _COMPARISONS and number.kind == "number" and alone:
            yield name.value, float(number.text)


def _near(name: str, figures: Collection[str]) -> str:
    alike = [figure for figure in figures if name.lower() in figure]
    alike = alike or get_close_matches(name, list(figures), n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(alike[:3])}" if alike else ""
