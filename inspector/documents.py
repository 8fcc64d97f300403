"""The documents that screens export and commands print: one function a kind, the same for both."""

from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import polars as pl

from inspector.case_pages import CaseDocument
from inspector.case_table import case_table
from inspector.filtering.searching import query_of
from inspector.label_set import changed_words, labels_words
from inspector.notes import first_run_notes, wish_notes
from inspector.official_rows import averaging
from inspector.request import Request
from inspector.selection import Selection
from inspector.sentences import outcome_sentence, votes_words
from scoring.boundary import when_wrong
from scoring.evaluation import Evaluation
from scoring.protocols import protocol_named, protocol_of
from scoring.sql_words import named
from scoring.step_rewards import Bools
from scoring.verdicts import DEV, AsGiven, Rule, RuleByCase, spelled
from scoring.wishes import speaks_of

DIFFERING = ("question", "original_problem")
"""Other wordings of the problem, told where they are another."""


def program_version() -> str:
    """The installed version, or `unknown` where the package runs from a folder that was never installed."""
    try:
        return version("prm-inspect")
    except PackageNotFoundError:
        return "unknown"


def provenance(
    selection: Selection, command: str, notes: tuple[str, ...] = (), *, decides: bool = True
) -> dict[str, Any]:
    """How a document came to be. No time and no output path: the same command gives the same bytes.

    `decides` says whether its rows depend on verdicts: where neither they nor the conditions do, no note is about
    thresholds and rules.
    """
    request, evaluations = selection.request, selection.chosen_evaluations
    decides = decides or any(speaks_of(one.scorer.name, request.where) for one in selection.evaluations)
    rules = {str(one.rule) for one in evaluations}
    return {
        "command": command,
        "version": program_version(),
        "data": _data(selection),
        "rule": "; ".join(sorted(rules)),
        "scorers": {one.scorer.name: one.scorer.fingerprint[:8] for one in evaluations},
        "threshold": {one.scorer.name: _threshold(one) for one in evaluations},
        "threshold_source": {one.scorer.name: one.rule.source for one in evaluations},
        "filter": " AND ".join(f"({condition})" for condition in conditions(request)) or "none",
        "averaging": averaging(selection),
        "protocol": _protocols(selection),
        **labels_fact(selection),
        "unparsed": _by_benchmark({name: selection.unparsed(name) for name in selection.benchmarks}),
        "coverage": {one.scorer.name: _coverage(one, selection.mask) for one in evaluations},
        "seed": request.seed,
        "notes": [*notes, *(_decision_notes(selection) if decides else ())],
    }


def labels_fact(selection: Selection) -> dict[str, str]:
    """Which labels the figures are made of, where they are not the benchmarks' own."""
    found = selection.adjudicated
    return {} if found is None else {"labels": labels_words(found, selection.height)}


def _decision_notes(selection: Selection) -> Iterator[str]:
    """What is to be known of thresholds and rules: those not granted, those not the scorer's own, and dev cases."""
    yield from wish_notes(selection.request, selection.evaluations)
    yield from _other_boundaries(selection.chosen_evaluations)
    yield from _dev_cases(selection)


def _protocols(selection: Selection) -> str | dict[str, str] | None:
    """By which protocol each benchmark's figures are made, and what it decides."""
    asked = selection.request.protocol
    if asked:
        return f"{asked}: {protocol_named(asked)}"
    own = {name: protocol_of(name) for name in selection.benchmarks}
    return _by_benchmark({name: f"{protocol.name}: {protocol.counts}" for name, protocol in own.items()})


def _by_benchmark(values: dict[str, str]) -> str | dict[str, str] | None:
    """One value where all benchmarks have the same; None where there is no benchmark."""
    return values if len(set(values.values())) > 1 else next(iter(values.values()), None)


def _threshold(evaluation: Evaluation) -> float | dict[str, float] | None:
    """The threshold; by subset where it was tuned so, None where none decides."""
    rule = evaluation.rule
    return dict(rule.told) if isinstance(rule, RuleByCase) else rule.threshold


def _other_boundaries(evaluations: tuple[Evaluation, ...]) -> Iterator[str]:
    """A sentence for every scorer whose rule is not its own, or is on differences."""
    for one in evaluations:
        if isinstance(one.rule, AsGiven):
            continue
        own = Rule(one.scorer.threshold, one.scorer.comparison, on=one.scorer.on)
        said = when_wrong(one.rule.on, one.rule.comparison)
        if spelled(one.rule) != spelled(own):
            yield f"{one.scorer.name}: {said}, as asked; its own rule is {spelled(own)}"
        elif one.rule.on == "differences":
            yield f"{one.scorer.name}: {said}"


def _dev_cases(selection: Selection) -> Iterator[str]:
    """How many dev cases each scorer is reported without, and whether all are reported on the same cases."""
    shown = selection.mask
    left_out = {one.scorer.name: (one.codes == DEV) & shown for one in selection.chosen_evaluations}
    counts = {name: int(rows.sum()) for name, rows in left_out.items() if rows.any()}
    if not counts:
        return
    yield "dev cases left out: " + ", ".join(f"{name} {count}" for name, count in counts.items())
    if len({rows.tobytes() for rows in left_out.values()}) > 1:
        column = named(f"{max(counts, key=lambda name: counts[name])}.outcome")
        yield f"so the scorers are reported on different cases; for the same ones add --where \"{column} <> 'dev'\""


def conditions(request: Request) -> tuple[str, ...]:
    """The request's filters, as a person reads them."""
    query = query_of(request)
    searched = (f"search {query.words}",) if query else ()
    return (*(f"subset = {subset}" for subset in request.subsets), *request.where, *searched)


def _data(selection: Selection) -> str:
    counts = selection.cases.group_by("benchmark", maintain_order=True).len()
    return ", ".join(f"{name}: {n} cases" for name, n in counts.iter_rows()) or "no cases"


def _coverage(evaluation: Evaluation, shown: Bools) -> str:
    """`n of N` cases with a verdict among those shown."""
    return f"{int((evaluation.answered & shown).sum())} of {int(shown.sum())}"


def repeated_solutions(selection: Selection) -> int:
    """How many of the shown cases have the problem and steps of an earlier one."""
    keys = selection.cases["key"].gather(selection.shown)
    return keys.len() - keys.n_unique()


def case_document(selection: Selection, row: int, form: str = "") -> CaseDocument:
    """One case as a table: a row a step with its text, its gold label, and the reward and judgement of each scorer.

    In Markdown and LaTeX it is a page with one column a scorer.

    `gold` is `error` for the earliest error, `error step` for the others, `right` before the first and, where every
    error step is labelled, after it; else null. A scorer that judges redundancy has a further column for its numbers,
    and one for which the case was truncated a column that marks the steps that have any.
    """
    case = selection.cases.row(row, named=True)
    texts = selection.texts.row(row)
    n_steps = case["n_steps"]
    none = [None] * n_steps
    columns: dict[str, Any] = {
        "step": list(range(n_steps)),
        "text": texts["steps"],
        "gold": [gold_word(case, step) for step in range(n_steps)],
    }
    for one in selection.chosen_evaluations:
        first = one.rewards.first_of(row) or []
        rewards, wrong = one.rewards.of(row) or first, one.judged_wrong(row)
        columns[f"{one.scorer.name}.reward"] = pl.Series([*rewards, *none[len(rewards) :]], dtype=pl.Float64)
        columns[f"{one.scorer.name}.wrong"] = pl.Series(wrong or [None] * n_steps, dtype=pl.Boolean)
        if second := one.rewards.redundancies_of(row):
            columns[f"{one.scorer.name}.redundancy"] = pl.Series([*second, *none[len(second) :]], dtype=pl.Float64)
        if first:
            columns[f"{one.scorer.name}.truncated"] = [step < len(first) for step in range(n_steps)]
    command = selection.request.command("show", case["case"], form=form)
    described = {name: case[name] for name in ("case", "subset", "generator", "earliest_error", "error_steps")}
    said = {name: case[name] for name in ("error_type", "error_kind", "pattern", "final_answer_correct")}
    said["read_from"] = f"{case['source']}:{case['line']}" if case["source"] else None
    outcome = {one.scorer.name: outcome_sentence(one, row) for one in selection.chosen_evaluations}
    made = provenance(selection, command, tuple(first_run_notes(selection)))
    facts = {**made, "coverage": None, "filter": None, "averaging": None}
    if changed := changed_words(selection.adjudicated, case["case"]):
        described["label"] = changed
    extra = {"problem": texts["problem"], "reason_of_gold": texts["reason"], "outcome": outcome}
    extra |= {name: texts[name] for name in DIFFERING if texts[name] not in (None, texts["problem"])}
    extra |= {"reference_answer": texts["reference_answer"]} if texts["reference_answer"] is not None else {}
    extra |= {"metadata": metadata} if (metadata := selection.metadata.row(row)) else {}
    votes = {one.scorer.name: votes_words(one, row) for one in selection.chosen_evaluations if votes_words(one, row)}
    extra |= {"votes": votes} if votes else {}
    rows = pl.DataFrame(columns)
    table = case_table(rows, selection.chosen_evaluations, row)
    return CaseDocument(rows, {**facts, **described, **said, **extra}, table=table)


def gold_word(case: Mapping[str, Any], step: int) -> str | None:
    """What the gold labels say of one step (0-based) of a case."""
    earliest, listed = case["earliest_error"], case["error_steps"]
    if step == earliest:
        return "error"
    if listed is not None:
        return "error step" if step in listed else "right"
    return "right" if earliest is not None and (earliest == -1 or step < earliest) else None
