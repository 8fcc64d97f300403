"""Did a new scorer get worse than its baseline? Exit code 1 if so (for CI)."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Option, Params, analysis
from inspector.analyses._pair import (
    TEST,
    ScorerPair,
    difference_table,
    quadrant_table,
    resampling_words,
    setting_blocks,
    test_note,
)
from inspector.render.blocks import (
    Block,
    Cell,
    CommandLine,
    Facts,
    Kind,
    Note,
    Section,
    Table,
    count,
    quiet_notes,
    table,
    text,
)
from inspector.render.cells import interval, share, signed
from inspector.render.texts.sentences import counted, official_title
from inspector.render.view import View
from inspector.state.common_cases import aligned_cases, aligned_official, without_gold
from inspector.state.comparability import Incomparable, counted_cases, incomparable
from inspector.state.notes import first_run_notes
from inspector.state.provenance import provenance, repeated_solutions
from inspector.state.query import Query, as_words
from inspector.state.result_set import ResultSet, load
from scoring.data.errors import UsageError
from scoring.data.names import match_name, near_names
from scoring.data.schema import Row
from scoring.data.scorer import settings_that_differ
from scoring.evaluation.instructive import instructive
from scoring.evaluation.verdicts import REFUSED, UNPARSED
from scoring.metrics.aligned import AlignedScorers, AlignedSums
from scoring.metrics.aligned_conditions import EVERY
from scoring.metrics.benchmark_figures import official_metric
from scoring.metrics.deciding import rule_among
from scoring.metrics.first_error import SIDES
from scoring.metrics.outcome_conditions import right, wrong
from scoring.metrics.paired import CASE_NAMES, STEP_NAMES, case_comparison_rows, official_comparison_rows
from scoring.metrics.resampling import LEVEL, RESAMPLES, SMALL
from scoring.workspace.filtering.coded_columns import Categories
from scoring.workspace.filtering.condition_masks import ConditionMasks
from scoring.workspace.filtering.filters import columns_read, needed_columns
from scoring.workspace.filtering.sql_words import Word, words_of

# -- the figures by which a scorer is held against its baseline, and conditions over them: SQL over their names


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
_KNOWN = f"There are: {', '.join(FIGURES)}."


def pair_rows(cases: AlignedScorers, official: AlignedSums | None, seed: int) -> list[Row]:
    """Return the rows of `compare` about a scorer and its baseline, on the cases of one benchmark."""
    return [*case_comparison_rows(cases, seed), *(official_comparison_rows(official, seed) if official else ())]


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
    metric = official_metric(benchmark)
    subset = "average" if metric == "f1" else "all"
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


# -- conditions over them


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
        condition: SQL over the names of FIGURES.
        figures: columns FIGURES, a row a benchmark.

    Raises:
        FilterError: it cannot be read, or gives no truth.
        UsageError: it names something that is no figure, or none, or compares a fraction with what it never is.
    """
    check_condition(condition)
    rows, masks = FigureRows(figures.select(list(FIGURES))), ConditionMasks()
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
    names = columns_read(condition)
    unknown = sorted(name for name in names if name not in FIGURES)
    if unknown:
        name = unknown[0]
        message = f"in --fail-if {condition!r}: there is no figure {name!r}{_near(name)}."
        raise UsageError(message, _KNOWN, instead=near_names(name, FIGURES, "figure"))
    empty = FigureRows(pl.DataFrame(schema=FIGURES))
    ConditionMasks().passing(empty, [condition])
    if not names:
        raise UsageError(f"--fail-if {condition!r} names no figure.", f"{_EXAMPLE}. {_KNOWN}")
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


def _near(name: str) -> str:
    alike = [figure_name for figure_name in FIGURES if name.lower() in figure_name] or get_close_matches(
        name, list(FIGURES), n=3, cutoff=0.6
    )
    return f"; did you mean {' or '.join(alike[:3])}" if alike else ""


CHECK = {
    "benchmark": pl.String(),
    "scorer": pl.String(),
    "baseline": pl.String(),
    "metric": pl.String(),
    "result": pl.String(),
    "fails": pl.Boolean(),
    **FIGURES,
    "threshold_source": pl.String(),
    "baseline_threshold_source": pl.String(),
    "newly_wrong_cases": pl.List(pl.String()),
    "warnings": pl.List(pl.String()),
    "reason": pl.String(),
    "note": pl.String(),
}
"""A row a benchmark. `result` is one of RESULTS; `fails` says whether the benchmark fails the check, null = unknown.

`newly_wrong_cases` are the first LISTED of those that only the baseline has right, most instructive first.
"""
LISTED = 5
CheckResult = Literal["regression", "no evidence", "improvement", "undefined"]
RESULTS: tuple[CheckResult, ...] = ("regression", "no evidence", "improvement", "undefined")
"""The whole interval is below 0; it holds 0, its ends included; it is above 0; there is no interval."""
CLEAR = "a regression: the whole 95% interval of the official figure's difference is below 0, on any benchmark"
MISSING = (
    "no evidence: the interval holds 0. That is no proof of equality: a drop as large as its low end cannot be ruled "
    "out. To fail unless a drop of two points is ruled out: --fail-if 'low < -0.02'"
)
CODES = """Exit codes: 0 no regression was found; 1 one was, or the condition of --fail-if holds, on any
benchmark; 2 it could not be decided (no common cases, a figure is undefined, an unknown scorer), and no benchmark
fails. The default rule fails where the whole 95% interval of the difference of the official figure (the one that the
board has: F1 of first errors, PRMScore, or the benchmark's own, such as StepAcc) on the cases that both tried is
below 0. That an interval holds 0 is no proof of equality: 'low < -0.02' fails unless a drop of two points is ruled
out."""


class BenchmarkComparison(NamedTuple):
    """One benchmark: both scorers side by side, how they compare, why they are incomparable, and the named figures.

    `interval` says how the difference of the official figure was resampled.
    """

    aligned: AlignedScorers
    rows: Sequence[Row]
    reasons: Sequence[Incomparable]
    figures: dict[str, Any]
    interval: str


def _load(query: Query, params: Params) -> ResultSet:
    """Both scorers; a condition that cannot be read is refused before anything is read."""
    if (condition := params.get("fail_if")) is not None:
        check_condition(condition)
    baseline = params.get("baseline")
    return load(replace(query, scorers=(*query.scorers, *((baseline,) if baseline is not None else ()))))


@analysis(
    "Check",
    scorers="the scorer to check (its name or a unique part of it)",
    most=2,
    examples=(
        "prm-inspect check step-200 --baseline step-100",
        "prm-inspect check step-200 --baseline step-100 --fail-if 'low < -0.02'",
    ),
    options=(
        Option("baseline", "the scorer that it is held against", metavar="OLD", required=True),
        Option(
            "fail_if",
            "fail where this SQL condition holds instead (over the figures of a benchmark, which are fractions: "
            "'difference < -0.02', 'high < 0', 'low < -0.02', 'newly_wrong > 5', 'coverage < 1' or 'NOT comparable')",
            metavar="COND",
        ),
    ),
    epilog=CODES,
    loader=_load,
)
def check(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # the rule needs them
    """Hold a scorer against its baseline on the cases that both tried, on every benchmark for which either gave any."""
    names = _names(results, params)
    pair = replace(results, chosen=names)
    if not pair.shown.size:
        raise UsageError("there is no case to check on.", "Change --where, --subset or --benchmark.")
    fail_if: str | None = params.get("fail_if")
    benchmarks = _benchmarks_compared(pair, names)
    figures = pl.DataFrame([compared.figures for compared in benchmarks.values()], schema=FIGURES, orient="row")
    fails = default_rule(figures) if fail_if is None else fulfilled(fail_if, figures)
    rows = [
        {**compared.figures, "result": result_of(compared.figures), "fails": failing}
        for compared, failing in zip(benchmarks.values(), fails, strict=True)
    ]
    # What is known to be worse is worse, whatever else is not known.
    code = 1 if True in fails else 2 if None in fails else 0
    query = replace(pair.query, scorers=(), by=(), sort="")
    baseline = (f"--baseline={names[1]}",) if names[1].startswith("-") else ("--baseline", names[1])
    rule = () if fail_if is None else ("--fail-if", fail_if)
    first, behind = ((), as_words(names[:1])) if names[0].startswith("-") else (names[:1], ())
    words = (*first, *baseline, *rule, *behind)
    differing = settings_that_differ(*(pair.evaluation(name).scorer for name in names))
    facts = {
        **provenance(pair, query.command("check", *words, form=params.form), tuple(_notes(pair, rows, fail_if))),
        "decides": CLEAR if fail_if is None else f"--fail-if {fail_if}",
        "exit_code": code,
        "results": {row["benchmark"]: row["result"] for row in rows},
        "not_comparable": {
            name: row["warnings"] for name, row in zip(benchmarks, rows, strict=True) if row["warnings"]
        },
        "settings_that_differ": {name: f"{first} | {second}" for name, (first, second) in differing.items()},
        "test": f"{TEST}, Holm over the two of a benchmark",
        "interval": {name: compared.interval for name, compared in benchmarks.items()},
        "level": LEVEL,
        "resamples": RESAMPLES,
    }

    def sections() -> tuple[Section, ...]:
        blocks = [list(_blocks(pair, benchmarks[row["benchmark"]], row, facts)) for row in rows]
        blocks[-1] += [*setting_blocks(pair, names), Note(f"Fails on: {facts['decides']}.")]
        blocks[-1] += [Note(f"Note: {note}.", "quiet") for note in facts["notes"]]
        return tuple(
            Section(name, f"check-{at}", tuple(own))
            for at, (name, own) in enumerate(zip(benchmarks, blocks, strict=True))
        )

    frame = pl.DataFrame(rows, schema=CHECK, orient="row")
    sentences = tuple(_sentences(rows, figures, fail_if))
    return View(frame, facts, title="Check", lay_out=sections, exit_code=code, because=sentences)


def _names(results: ResultSet, params: Params) -> tuple[str, str]:
    """The full names of the scorer and its baseline."""
    there = [evaluation.scorer.name for evaluation in results.evaluations]
    baseline = match_name(params.get("baseline"), there, "scorer")
    scorers = [match_name(word, there, "scorer") for word in results.query.scorers]
    # Behind the scorer that is checked the command asks for its baseline as well.
    if scorers in ([], [baseline]):
        listed = ", ".join(there)
        raise UsageError("check needs a scorer: prm-inspect check NEW --baseline OLD.", f"There are: {listed}.")
    if scorers[0] == baseline:
        raise UsageError(f"{baseline} cannot be its own baseline.", "Give another scorer: --baseline OLD.")
    return scorers[0], baseline


def _benchmarks_compared(pair: ResultSet, names: tuple[str, str]) -> dict[str, BenchmarkComparison]:
    """Both scorers on every benchmark; differences, intervals and tests are those of `compare` on the same cases."""
    officials, made = aligned_official(pair), {}
    for benchmark, aligned in aligned_cases(pair).items():
        official = officials.get(benchmark)
        rows, reasons = pair_rows(aligned, official, pair.query.seed), incomparable(pair, names, benchmark)
        # Of several runs it is the first that is compared.
        reasons = [reason for reason in reasons if reason.why != "runs"]
        figures = _figures(pair, names, benchmark, rows, reasons)
        interval = resampling_words(aligned) if official is None else official.paired
        made[benchmark] = BenchmarkComparison(aligned, rows, reasons, figures, interval)
    return made


def _figures(
    pair: ResultSet, names: tuple[str, str], benchmark: str, rows: Sequence[Row], reasons: Sequence[Incomparable]
) -> dict[str, Any]:
    new, old = (pair.evaluation(name) for name in names)
    here = (pair.cases["benchmark"] == benchmark).to_numpy() & pair.mask
    lost = here & pair.passing(newly_wrong_conditions(pair, names, benchmark))
    order = instructive(new.margins, new.codes)
    return {
        "benchmark": benchmark,
        "scorer": names[0],
        "baseline": names[1],
        **figures_of(pair, names, benchmark, rows),
        "comparable": not reasons,
        "threshold_source": rule_among(new, here, pair.query.seed).source,
        "baseline_threshold_source": rule_among(old, here, pair.query.seed).source,
        "newly_wrong_cases": pair.cases["case"].gather(order[lost[order]][:LISTED]).to_list(),
        "warnings": [str(reason) for reason in reasons],
    }


def newly_wrong_conditions(pair: ResultSet, names: tuple[str, str], benchmark: str) -> tuple[str, str]:
    """Write SQL conditions that leave the cases that became wrong: the baseline right, the new scorer tried and not."""
    return right(names[1]), wrong(names[0], pair.unparsed(benchmark))


def cases_command(pair: ResultSet, names: tuple[str, str], benchmark: str) -> str:
    """Write the command that lists exactly the cases that only the baseline has right, most instructive first."""
    query = replace(
        pair.query,
        benchmarks=(benchmark,),
        scorers=names[:1],
        where=(*pair.query.where, *newly_wrong_conditions(pair, names, benchmark)),
        sort="instructive",
    )
    return query.command("cases")


# -- the rule


def result_of(row: Mapping[str, Any]) -> CheckResult:
    """Name what the interval of a row of figures shows."""
    if row["low"] is None or row["high"] is None:
        return "undefined"
    if row["high"] < 0:
        return "regression"
    return "improvement" if row["low"] > 0 else "no evidence"


def default_rule(figures: pl.DataFrame) -> list[bool | None]:
    """Return whether each row of figures is a regression; None where there is no interval to say so."""
    rows = figures.select("low", "high").iter_rows(named=True)
    return [None if (result := result_of(row)) == "undefined" else result == "regression" for row in rows]


def _sentences(rows: Sequence[Row], figures: pl.DataFrame, fail_if: str | None) -> Iterator[str]:
    """Why the check fails or cannot be decided, a sentence a benchmark."""
    for place, row in enumerate(rows):
        about = f"{row['benchmark']}: {row['scorer']} against {row['baseline']}"
        if row["fails"] and fail_if is None:
            yield f"{about}: a regression, {_difference(row)}{_few(row)}"
        elif row["fails"]:
            yield f"{about}: {fail_if} holds"
        elif row["fails"] is None and fail_if is None:
            has_pooled = row["metric"] == "f1" and row["pooled_f1_high"] is not None
            pooled = "; pooled over subsets: --fail-if 'pooled_f1_high < 0'" if has_pooled else ""
            yield f"{about}: no interval of {official_title(row['benchmark'])}: {row['reason'] or row['note']}{pooled}"
        elif row["fails"] is None:
            missing = undefined_figures(fail_if or "", figures, place)
            why = f" ({row['reason']})" if row["reason"] else ""
            yield f"{about}: {fail_if} cannot be decided, undefined: {', '.join(missing)}{why}"


def _difference(row: Row) -> str:
    """The official difference in percentage points, with its interval."""
    if row["difference"] is None:
        return "undefined"
    title, change = official_title(row["benchmark"]), signed(row["difference"])
    parts = (title, change, interval(row["low"], row["high"], signed), "points")
    return " ".join(filter(None, parts))


def _few(row: Row) -> str:
    return ", of few cases" if row["small"] else ""


def _notes(pair: ResultSet, rows: Sequence[Row], fail_if: str | None) -> Iterator[str]:
    """How to read the result: how often it errs by chance, what it does not say, and what the cases lack."""
    judged = sum(row["low"] is not None for row in rows)
    if fail_if is None and judged:
        chance = 1 - (1 - (1 - LEVEL) / 2) ** judged
        several = f"on {judged} benchmarks" if judged > 1 else "on one benchmark"
        errs = f"a scorer as good as its baseline fails this rule by chance in about {share(chance)}% of checks"
        yield f"{errs} ({several}, intervals not adjusted for how many there are)"
    if any(row["result"] == RESULTS[1] for row in rows):
        yield MISSING
    yield from (f"{row['benchmark']}: {row['note']}" for row in rows if row["note"])
    yield from first_run_notes(pair)
    if repeated := repeated_solutions(pair):
        yield f"{repeated} cases repeat the problem and steps of another"
    yield from without_gold(pair)


# -- as people see it

_IN_WORDS: dict[CheckResult, str] = {
    "regression": "A regression",
    "no evidence": "No evidence of a difference",
    "improvement": "An improvement",
    "undefined": "No interval",
}
_FAILS = {True: "This fails the check.", False: "This passes.", None: "Whether this fails cannot be decided."}


def _blocks(pair: ResultSet, compared: BenchmarkComparison, row: Row, facts: Mapping[str, Any]) -> Iterator[Block]:
    """The result on one benchmark, both figures, who is right where the other is wrong, and what to beware of."""
    names, benchmark = (row["scorer"], row["baseline"]), row["benchmark"]
    scorers = ScorerPair.of(pair, benchmark, compared.aligned, compared.rows)
    yield Facts((("A", names[0]), ("B", f"{names[1]}, the baseline")))
    outcome = row["reason"] or row["note"] if row["result"] == "undefined" else f"{_difference(row)}{_few(row)}"
    yield Note(f"{_IN_WORDS[row['result']]}: {outcome}. {_FAILS[row['fails']]}", "warning" if row["fails"] else "lead")
    yield _official(scorers, row)
    new, old = names
    cells = {
        (cell["subset"], cell["metric"]): cell
        for cell in compared.rows
        if (cell["scorer"], cell["other"]) == (new, old)
    }
    if row["n"]:
        yield difference_table(scorers, cells)
    if compared.aligned.common((0, 1)).any():
        yield quadrant_table(scorers, cells)
    yield test_note(pair.query.seed, facts["test"], facts["interval"][benchmark])
    yield from (Note(f"Not comparable as they stand: {warning}.", "warning") for warning in row["warnings"])
    yield from quiet_notes(first_run_notes(pair, benchmark))
    yield Note(_coverage(row), "quiet")
    decided = [_threshold(row, before) for before in ("", "baseline_")]
    yield Note(f"Decided at {decided[0]}, the baseline at {decided[1]}.", "quiet")
    if row["newly_wrong"]:
        cases = row["newly_wrong_cases"]
        first = "" if row["newly_wrong"] <= LISTED else f"First {len(cases)} of "
        yield Note(f"{first}{counted(row['newly_wrong'], 'case')} that became wrong: {', '.join(cases)}.")
        yield CommandLine(cases_command(pair, names, benchmark), "All of them")


def _official(scorers: ScorerPair, row: Row) -> Table:
    """The official figure of both on their common cases."""
    link = scorers.own if row["metric"] != "f1" else scorers.common(EVERY) if row["n"] else None
    values = [
        Cell(row[name], Kind.SHARE, link=link if row[name] is not None else None, small=row["small"], style="strong")
        for name in ("value", "baseline_value")
    ]
    line = [text(official_title(scorers.benchmark)), *values, count(row["n"], link), count(row["left_out"])]
    return table("", ["", "A", "B", "n", "left out"], [line])


def _coverage(row: Row) -> str:
    shares = ["none" if row[name] is None else f"{share(row[name])}%" for name in ("coverage", "baseline_coverage")]
    unread = [row["unparsed"], row["baseline_unparsed"]]
    tried = f", {unread[0]} and {unread[1]} tried without a verdict" if any(unread) else ""
    return f"Verdicts on {shares[0]} (baseline {shares[1]}) of {counted(row['cases'], 'case')}{tried}."


def _threshold(row: Row, before: str) -> str:
    threshold = row[f"{before}threshold"]
    words = "no threshold" if threshold is None else f"{threshold:g}"
    return f"{words} ({row[f'{before}threshold_source']})"
