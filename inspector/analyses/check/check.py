"""Did a new scorer get worse than its baseline? Exit code 1 if so (for CI)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import polars as pl
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
from inspector.analyses.check.check_conditions import (
    FIGURES,
    check_condition,
    figure_types,
    figures_of,
    fulfilled,
    pair_rows,
    undefined_figures,
)
from inspector.render.blocks import Block, CommandLine, Facts, Note, Section, quiet_notes
from inspector.render.cells import interval, share, signed
from inspector.render.table_blocks import Cell, Kind, Table, count, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.common_cases import aligned_cases, aligned_official, aligned_own, without_gold
from inspector.state.comparability import Incomparable, incomparable
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance, repeated_solutions
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Row
from scoring.data.scorer import settings_that_differ
from scoring.evaluation.instructive import instructive
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.aligned_conditions import EVERY
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.deciding import rule_among
from scoring.metrics.outcome_conditions import right, wrong
from scoring.metrics.resampling import LEVEL, RESAMPLES
from scoring.selection.loading import load
from scoring.selection.query import Query, as_words
from scoring.selection.result_set import ResultSet

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
    figures = pl.DataFrame([compared.figures for compared in benchmarks.values()], schema=figure_types(), orient="row")
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

    frame = pl.DataFrame(rows, schema={**CHECK, **figure_types()}, orient="row")
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
        sums = [*([] if official is None else [official]), *aligned_own(pair, benchmark)]
        rows = pair_rows(aligned, sums, pair.query.seed)
        reasons = incomparable(pair, names, benchmark)
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
    lost = here & pair.evaluated.passing(newly_wrong_conditions(pair, names, benchmark))
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
            title = metrics_of(row["benchmark"]).title
            yield f"{about}: no interval of {title}: {row['reason'] or row['note']}{pooled}"
        elif row["fails"] is None:
            missing = undefined_figures(fail_if or "", figures, place)
            why = f" ({row['reason']})" if row["reason"] else ""
            yield f"{about}: {fail_if} cannot be decided, undefined: {', '.join(missing)}{why}"


def _difference(row: Row) -> str:
    """The official difference in percentage points, with its interval."""
    if row["difference"] is None:
        return "undefined"
    title, change = metrics_of(row["benchmark"]).title, signed(row["difference"])
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
    link = scorers.own.get(row["metric"]) if row["metric"] != "f1" else scorers.common(EVERY) if row["n"] else None
    values = [
        Cell(row[name], Kind.SHARE, link=link if row[name] is not None else None, small=row["small"], style="strong")
        for name in ("value", "baseline_value")
    ]
    line = [text(metrics_of(scorers.benchmark).title), *values, count(row["n"], link), count(row["left_out"])]
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
