"""The document of a check: did a new scorer get worse than its baseline, on the cases that both tried?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from inspector.analyses.compare import STRATIFIED, TEST, WHOLE_PROBLEMS
from inspector.checking.condition import fulfilled, undefined_figures
from inspector.checking.figures import FIGURES, figures_of, newly_wrong_rows
from inspector.checking.ruling import CLEAR, MISSING, RESULTS, default_rule, result_of
from inspector.common_cases import aligned_cases, without_gold
from inspector.comparability import Incomparable, incomparable
from inspector.notes import first_run_notes
from inspector.provenance import provenance, repeated_solutions
from inspector.selection import Selection
from scoring.benchmarks.registry import step_labelled
from scoring.errors import UsageError
from scoring.export import Document
from scoring.metrics.outcome_conditions import right, wrong
from scoring.metrics.paired import STEPS_PAIRED
from scoring.metrics.resampling import LEVEL, RESAMPLES
from scoring.scorer import settings_that_differ

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


@dataclass(frozen=True, eq=False)
class Check:
    """A check that was made. `code` is the exit code, `said` why it is 1 or 2, a sentence a benchmark."""

    document: Document
    code: int
    said: tuple[str, ...]


def check(selection: Selection, new: str, old: str, fail_if: str | None = None, form: str = "") -> Check:
    """Hold a scorer against its baseline on every benchmark for which either gave anything.

    Args:
        selection: shows these two scorers.
        new: the scorer's full name.
        old: that of its baseline.
        fail_if: the condition that decides in the place of the default rule, over the figures of each benchmark.
        form: that of the document, for its command.

    Raises:
        UsageError: both are one scorer, there is no case, or the condition names what is no figure.
        FilterError: the condition cannot be read.
    """
    if new == old:
        raise UsageError(f"{new} cannot be its own baseline.", "Give another scorer: --baseline OLD.")
    pair = replace(selection, chosen=(new, old))
    if not selection.shown.size:
        raise UsageError("there is no case to check on.", "Change --where, --subset or --benchmark.")
    benchmarks = list(aligned_cases(pair))
    reasons = {name: incomparable(pair, (new, old), name) for name in benchmarks}
    rows = [_row(pair, new, old, name, reasons[name]) for name in benchmarks]
    figures = pl.DataFrame(rows, schema=FIGURES, orient="row")
    fails = default_rule(figures) if fail_if is None else fulfilled(fail_if, figures)
    results = [result_of(row) for row in rows]
    rows = [
        {**row, "result": result, "fails": failing} for row, result, failing in zip(rows, results, fails, strict=True)
    ]
    said = tuple(_sentences(rows, figures, fail_if))
    # What is known to be worse is worse, whatever else is not known.
    code = 1 if True in fails else 2 if None in fails else 0
    document = Document(
        pl.DataFrame(rows, schema=CHECK, orient="row"), _facts(pair, rows, reasons, fail_if, form, code)
    )
    return Check(document, code, said)


def _row(selection: Selection, new: str, old: str, benchmark: str, reasons: Sequence[Incomparable]) -> dict[str, Any]:
    figures = figures_of(selection, new, old, benchmark)
    one, other = selection.evaluation(new), selection.evaluation(old)
    lost = newly_wrong_rows(selection, new, old, benchmark)
    order = one.instructive()
    return {
        "benchmark": benchmark,
        "scorer": new,
        "baseline": old,
        **figures,
        "comparable": not reasons,
        "threshold_source": one.rule.source,
        "baseline_threshold_source": other.rule.source,
        "newly_wrong_cases": selection.cases["case"].gather(order[lost[order]][:LISTED]).to_list(),
        "warnings": [str(reason) for reason in reasons],
    }


def cases_command(selection: Selection, new: str, old: str, benchmark: str) -> str:
    """The command that lists exactly the cases that only the baseline has right, most instructive first."""
    request = replace(
        selection.request,
        benchmarks=(benchmark,),
        scorers=(new,),
        where=(*selection.request.where, *newly_wrong_conditions(selection, new, old, benchmark)),
        sort="instructive",
    )
    return request.command("cases")


def newly_wrong_conditions(selection: Selection, new: str, old: str, benchmark: str) -> tuple[str, str]:
    """SQL conditions that leave them: the baseline right, the new scorer tried and not."""
    return right(old), wrong(new, selection.unparsed(benchmark))


def _sentences(rows: Sequence[dict[str, Any]], figures: pl.DataFrame, fail_if: str | None) -> Iterator[str]:
    """Why the check fails or cannot be decided, a sentence a benchmark."""
    for place, row in enumerate(rows):
        about = f"{row['benchmark']}: {row['scorer']} against {row['baseline']}"
        if row["fails"] and fail_if is None:
            few = ", of few cases" if row["small"] else ""
            yield f"{about}: a regression, {points(row)}{few}"
        elif row["fails"]:
            yield f"{about}: {fail_if} holds"
        elif row["fails"] is None and fail_if is None:
            pooled = (
                "; pooled over subsets: --fail-if 'pooled_f1_high < 0'" if row["pooled_f1_high"] is not None else ""
            )
            yield f"{about}: no interval of {row['metric']}: {row['reason'] or row['note']}{pooled}"
        elif row["fails"] is None:
            missing = undefined_figures(fail_if or "", figures, place)
            why = f" ({row['reason']})" if row["reason"] else ""
            yield f"{about}: {fail_if} cannot be decided, undefined: {', '.join(missing)}{why}"


def points(row: dict[str, Any]) -> str:
    """The official difference in percentage points, with its interval."""
    if row["difference"] is None:
        return "undefined"
    interval = "" if row["low"] is None else f" [{100 * row['low']:+.1f}, {100 * row['high']:+.1f}]"
    return f"{row['metric']} {100 * row['difference']:+.1f}{interval} points"


def _facts(
    selection: Selection,
    rows: Sequence[dict[str, Any]],
    reasons: dict[str, list[Incomparable]],
    fail_if: str | None,
    form: str,
    code: int,
) -> dict[str, Any]:
    new, old = selection.chosen
    words = ("--baseline", old, *(("--fail-if", fail_if) if fail_if is not None else ()))
    request = replace(selection.request, scorers=(), by=(), sort="")
    command = request.command("check", new, *words, form=form)
    notes = [*_notes(rows, fail_if), *first_run_notes(selection)]
    if repeated := repeated_solutions(selection):
        notes.append(f"{repeated} cases repeat the problem and steps of another")
    notes += without_gold(selection)
    made = provenance(selection, command, tuple(notes))
    differing = settings_that_differ(selection.evaluation(new).scorer, selection.evaluation(old).scorer)
    return {
        **made,
        "decides": CLEAR if fail_if is None else f"--fail-if {fail_if}",
        "exit_code": code,
        "results": {row["benchmark"]: row["result"] for row in rows},
        "not_comparable": {name: [str(one) for one in found] for name, found in reasons.items() if found},
        "settings_that_differ": {name: f"{one} | {other}" for name, (one, other) in differing.items()},
        "test": f"{TEST}, Holm over the two of a benchmark",
        "interval": {row["benchmark"]: _interval(selection, row["benchmark"]) for row in rows},
        "level": LEVEL,
        "resamples": RESAMPLES,
    }


def _interval(selection: Selection, benchmark: str) -> str:
    """How the differences of one benchmark were resampled."""
    if step_labelled(benchmark) is not None:
        return STEPS_PAIRED
    aligned = aligned_cases(selection)[benchmark]
    return WHOLE_PROBLEMS if aligned.related(aligned.common((0, 1))) else STRATIFIED


def _notes(rows: Sequence[dict[str, Any]], fail_if: str | None) -> Iterator[str]:
    """How to read the result: how often it errs by chance, and what it does not say."""
    judged = sum(row["low"] is not None for row in rows)
    if fail_if is None and judged:
        chance = 1 - (1 - (1 - LEVEL) / 2) ** judged
        several = f"on {judged} benchmarks" if judged > 1 else "on one benchmark"
        told = f"a scorer as good as its baseline fails this rule by chance in about {100 * chance:.1f}% of checks"
        yield f"{told} ({several}, intervals not adjusted for how many there are)"
    if any(row["result"] == RESULTS[1] for row in rows):
        yield MISSING
    yield from (f"{row['benchmark']}: {row['note']}" for row in rows if row["note"])
