"""The document of a comparison: what a screen exports and `compare` prints."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from inspector.documents import provenance, repeated_solutions
from inspector.run_notes import first_run_notes
from inspector.selection import Selection
from scoring.benchmarks.registry import step_labelled
from scoring.errors import UsageError
from scoring.export import Document
from scoring.metrics.comparison import comparison_rows, n_tests
from scoring.metrics.ensemble import CONSENSUS
from scoring.metrics.intervals import RESAMPLES
from scoring.metrics.lineup import Lineup, line_up
from scoring.metrics.paired import shared_values
from scoring.metrics.paired_steps import StepLineup, common_prmscores, labelled, line_up_steps
from scoring.metrics.step_comparison import PAIRED, step_comparison_rows
from scoring.official_rows import METRICS
from scoring.parts import parts
from scoring.step_rewards import Bools

COMPARISON = {
    "scorer": METRICS["scorer"],
    "other": pl.String(),
    **{name: METRICS[name] for name in ("benchmark", "subset", "metric", "value", "low", "high", "n")},
    "left_out": pl.Int64(),
    "p": pl.Float64(),
    "p_holm": pl.Float64(),
    "reason": METRICS["reason"],
    "note": pl.String(),
}
TEST = "exact McNemar, two-sided, on erroneous and on clean cases apart"
STRATIFIED = "paired bootstrap, stratified by erroneous/clean within subset"
WHOLE_PROBLEMS = "paired bootstrap of whole problems, without strata, since cases share problems"

UNADJUSTED = (
    "each interval is a 95% one by itself, not adjusted for how many there are or for which scorer came out best"
)


def compare_document(selection: Selection, form: str = "") -> Document:
    """Every two of the chosen scorers on the shown cases that both tried, and all of them on those that all tried.

    Raises:
        UsageError: fewer than two scorers are chosen.
    """
    need_two(selection)
    rows: list[dict[str, Any]] = []
    facts: dict[str, Any] = {name: {} for name in ("family", "interval", "common_cases", "cascade")}
    notes = [UNADJUSTED, *first_run_notes(selection)]
    if repeated := repeated_solutions(selection):
        notes.append(f"{repeated} cases repeat the problem and steps of another")
    for benchmark, steps in step_lineups(selection).items():
        rows += [{**row, "benchmark": benchmark} for row in step_comparison_rows(steps, selection.request.seed)]
        facts.setdefault("prmscore", {})[benchmark] = f"{PAIRED}; {_common_judged(steps)}"
    for benchmark, lineup in lineups(selection).items():
        found = [{**row, "benchmark": benchmark} for row in comparison_rows(lineup, selection.request.seed)]
        rows += found
        facts["family"][benchmark] = _family(n_tests(found), len(lineup.names))
        facts["interval"][benchmark] = _intervals(lineup)
        facts["common_cases"][benchmark] = _common(lineup)
        facts["cascade"] |= {benchmark: _order(lineup)} if len(trying(lineup)) > 2 else {}
        notes += _partial_averages(benchmark, lineup)
    notes += without_gold(selection)
    made = {**provenance(selection, scorer_command(selection, "compare", form=form), tuple(notes))}
    facts |= {"consensus": CONSENSUS} if facts["cascade"] else {}
    extra = {**facts, "test": TEST, "level": 0.95, "resamples": RESAMPLES}
    return Document(pl.DataFrame(rows, schema=COMPARISON, orient="row"), {**made, **extra})


def need_two(selection: Selection) -> None:
    """Raises UsageError where fewer than two scorers are chosen."""
    if len(selection.chosen) < 2:
        listed = ", ".join(one.scorer.name for one in selection.evaluations) or "none"
        raise UsageError("compare needs two different scorers at least.", f"There are: {listed}.")


def best_first(selection: Selection) -> Selection:
    """The same with its chosen scorers in the order of their official figure on common cases, the highest first.

    It is F1 on the cases that all tried, or PRMScore on those whose steps all judged. With several benchmarks it is the
    mean of those where it is defined; scorers without any come last.
    """
    found: dict[str, list[float]] = {name: [] for name in selection.chosen}
    steps = step_lineups(selection)
    for benchmark, lineup in lineups(selection).items():
        official = common_prmscores(steps[benchmark]) if benchmark in steps else _common_f1(lineup)
        for name, value in official.items():
            found[name] += [] if np.isnan(value) else [value]
    means = {name: float(np.mean(values)) if values else -1.0 for name, values in found.items()}
    return replace(selection, chosen=tuple(sorted(means, key=lambda name: -means[name])))


def lineups(selection: Selection) -> dict[str, Lineup]:
    """The chosen scorers side by side on the shown cases of each benchmark for which one of them gave anything.

    Where none did for any, all benchmarks are there, so that there are rows to say so.
    """
    evaluations = selection.chosen_evaluations
    return {name: line_up(evaluations, rows, selection.unparsed(name)) for name, rows in _compared(selection).items()}


def step_lineups(selection: Selection) -> dict[str, StepLineup]:
    """The same step by step, for those of the benchmarks whose official figure is PRMScore."""
    facts = {name: (rows, step_labelled(name)) for name, rows in _compared(selection).items()}
    evaluations = selection.chosen_evaluations
    return {name: line_up_steps(evaluations, rows, told) for name, (rows, told) in facts.items() if told}


def _compared(selection: Selection) -> dict[str, Bools]:
    """The shown cases, shape (n,), of each benchmark that is compared."""
    evaluations, shown = selection.chosen_evaluations, selection.mask
    found = {part["benchmark"]: within & shown for part, within in parts(selection.cases, ("benchmark",))}
    given = {name: rows for name, rows in found.items() if any((one.present & rows).any() for one in evaluations)}
    return given or found


def scorer_command(selection: Selection, verb: str, *words: str, form: str = "") -> str:
    """The command with the chosen scorers as words; a name that looks like a flag goes behind its flag."""
    request, names = selection.request, selection.chosen
    if any(name.startswith("-") for name in names):
        return replace(request, scorers=names).command(verb, *words, form=form)
    return replace(request, scorers=()).command(verb, *names, *words, form=form)


def _family(tests: int, scorers: int) -> str:
    return f"Holm over {tests} tests: all pairs of the {scorers} scorers, erroneous and clean cases"


def trying(lineup: Lineup) -> tuple[int, ...]:
    """The places of the scorers that tried any case."""
    return tuple(np.flatnonzero(lineup.tried.any(axis=0)).tolist())


def _intervals(lineup: Lineup) -> str:
    """How the differences of all pairs were resampled."""
    related = {lineup.related(lineup.common(pair)) for pair in combinations(range(len(lineup.names)), 2)}
    return "; ".join(words for words, there in ((STRATIFIED, False), (WHOLE_PROBLEMS, True)) if there in related)


def _common(lineup: Lineup) -> str:
    columns = trying(lineup)
    n = int(lineup.common(columns).sum()) if columns else 0
    return f"{n} of {lineup.rows.size} tried by {_all(len(columns))} tried any"


def _common_judged(lineup: StepLineup) -> str:
    judging = lineup.judging
    n = int(lineup.common(judging).sum()) if judging else 0
    return f"steps of {n} of {lineup.problems.size} cases judged by {_all(len(judging))} judged any"


def _all(scorers: int) -> str:
    return "the one scorer that" if scorers == 1 else f"all {scorers} scorers that"


def _common_f1(lineup: Lineup) -> dict[str, float]:
    """F1 of the scorers that tried any case, on those that all of them tried; NaN where undefined."""
    columns = trying(lineup)
    values = shared_values(lineup, columns)[0].tolist() if columns else []
    return {lineup.names[column]: f1 for column, f1 in zip(columns, values, strict=True)}


def _order(lineup: Lineup) -> str:
    """The order in which the cascade goes through the scorers, and whether it begins with the best."""
    found = _common_f1(lineup)
    f1 = np.array(list(found.values()))
    ordered = " (best first)" if np.isfinite(f1).all() and (np.diff(f1) <= 0).all() else ""
    return f"{', '.join(found)}{ordered}"


def without_gold(selection: Selection) -> Iterator[str]:
    """A sentence for every benchmark with cases that cannot be compared on, because they have no gold labels."""
    first = selection.chosen_evaluations[0]
    for benchmark, rows in _compared(selection).items():
        missing = int((rows & ~first.gold.known).sum())
        if missing:
            what = "has" if missing == 1 else "have"
            told = f"{missing} of {int(rows.sum())} cases {what} no gold label of a first error"
            yield f"{benchmark}: {told}, and what is compared of first errors leaves them out"
        bare = int((rows & ~labelled(first)).sum()) if step_labelled(benchmark) else 0
        if bare:
            what = "has" if bare == 1 else "have"
            yield f"{benchmark}: {bare} of {int(rows.sum())} cases {what} no labelled step: prmscore leaves them out"


def _partial_averages(benchmark: str, lineup: Lineup) -> Iterator[str]:
    """A sentence for every pair that has no case in common in some of the subsets."""
    wanted = np.unique(lineup.subsets).size
    for left, right in combinations(range(len(lineup.names)), 2):
        there = np.unique(lineup.subsets[lineup.common((left, right))]).size
        if 0 < there < wanted:
            pair = f"{lineup.names[left]} and {lineup.names[right]}"
            yield f"{benchmark}: {pair} share cases of {there} of {wanted} subsets; averages are over these"
