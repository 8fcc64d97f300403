"""How documents came to be: the command that makes one again, and the facts that its figures depend on."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from inspector.state.figure_notes import step_benchmarks, untuned_notes
from scoring import __version__
from scoring.data.own_columns import own_columns
from scoring.data.reward_transforms import REWARDS, transform
from scoring.data.rules import when_wrong
from scoring.data.schema import Bools
from scoring.data.storage.stored_frame import frame_blocks
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import DEV, Rule
from scoring.metrics.deciding import speaks_of
from scoring.metrics.first_error import AVERAGING as FIRST_ERROR_AVERAGING
from scoring.metrics.official_protocols import protocol_named, protocol_of
from scoring.metrics.own import own_metrics
from scoring.metrics.step_metrics import AVERAGING as STEP_AVERAGING
from scoring.selection.labels import labels_words
from scoring.selection.query import Query
from scoring.selection.query_notes import wish_notes
from scoring.selection.result_set import ResultSet
from scoring.selection.searching import text_query_of
from scoring.workspace.cache import key_hashes
from scoring.workspace.filtering.sql_words import named


def provenance(
    results: ResultSet, command: str, notes: tuple[str, ...] = (), *, decides: bool = True
) -> dict[str, Any]:
    """Record how a document came to be. No time and no output path: the same command gives the same bytes.

    `decides` says whether its rows depend on verdicts: where neither they nor the conditions do, no note is about
    thresholds and rules.
    """
    query, evaluations = results.query, results.chosen_evaluations
    decides = decides or any(speaks_of(evaluation.scorer.name, query.where) for evaluation in results.evaluations)
    rules = {str(evaluation.rule) for evaluation in evaluations}
    return {
        "command": command,
        "version": __version__,
        "data": _data(results),
        "rule": "; ".join(sorted(rules)),
        **_plugins(evaluations),
        "scorers": {evaluation.scorer.name: evaluation.scorer.fingerprint[:8] for evaluation in evaluations},
        "threshold": {evaluation.scorer.name: _threshold(evaluation) for evaluation in evaluations},
        "threshold_source": {evaluation.scorer.name: evaluation.rule.source for evaluation in evaluations},
        "filter": " AND ".join(f"({condition})" for condition in conditions(query)) or "none",
        "averaging": averaging(results),
        "protocol": _protocols(results),
        **labels_fact(results),
        "unparsed": _by_benchmark({name: results.unparsed(name) for name in results.benchmarks}),
        "coverage": {evaluation.scorer.name: _coverage(evaluation, results.mask) for evaluation in evaluations},
        "seed": query.seed,
        "notes": [*notes, *(_decision_notes(results) if decides else ())],
    }


def _plugins(evaluations: tuple[Evaluation, ...]) -> dict[str, dict[str, str]]:
    """Where code of the user's own comes from, by name: its metrics and columns, and the rules that decide here."""
    rules = (transform(evaluation.rule.on) for evaluation in evaluations if evaluation.rule.by_threshold)
    named = {
        **{made.name: made.code for made in own_metrics()},
        **{made.name: made.code for made in own_columns()},
        **{made.name: made.code for made in rules},
    }
    plugins = {name: code.words for name, code in named.items() if code is not None}
    return {"plugins": plugins} if plugins else {}


def provenance_of_people(
    results: ResultSet,
    command: str,
    notes: Sequence[str],
    of_scorers: Sequence[str] = ("rule", "threshold", "threshold_source"),
    *,
    decides: bool = False,
) -> dict[str, Any]:
    """Record how a document of what people said came to be.

    `of_scorers` are the facts that are told where its rows depend on verdicts (`decides`) or a condition speaks of a
    scorer.
    """
    facts = provenance(results, command, tuple(notes), decides=decides)
    kept = ["command", "version", "data", "filter", "notes"]
    if decides or any(speaks_of(evaluation.scorer.name, results.query.where) for evaluation in results.evaluations):
        kept += of_scorers
    return {name: facts[name] for name in kept}


def averaging(results: ResultSet) -> str:
    """Describe how the benchmarks of a result set average."""
    stepwise = len(step_benchmarks(results))
    whole = stepwise == len(results.benchmarks) and stepwise > 0
    words = [*([] if whole else [FIRST_ERROR_AVERAGING]), *([STEP_AVERAGING] if stepwise else [])]
    return "; ".join(words)


def labels_fact(results: ResultSet) -> dict[str, str]:
    """Record which labels the figures are made of, where they are not the benchmarks' own."""
    adjudicated = results.labels.adjudicated
    return {} if adjudicated is None else {"labels": labels_words(adjudicated, results.evaluated.height)}


def _decision_notes(results: ResultSet) -> Iterator[str]:
    """What is to be known of thresholds and rules: those not granted, those not the scorer's own, and dev sets."""
    yield from wish_notes(results.query, results.evaluations)
    yield from untuned_notes(results)
    yield from _other_boundaries(results.chosen_evaluations)
    yield from _dev_cases(results)


def _protocols(results: ResultSet) -> str | dict[str, str] | None:
    """By which protocol each benchmark's figures are made, and what it decides."""
    protocol_name = results.query.protocol
    if protocol_name:
        return f"{protocol_name}: {protocol_named(protocol_name)}"
    own = {name: protocol_of(name) for name in results.benchmarks}
    return _by_benchmark({name: f"{protocol.name}: {protocol.counts}" for name, protocol in own.items()})


def _by_benchmark(values: dict[str, str]) -> str | dict[str, str] | None:
    """One value where all benchmarks have the same; None where there is no benchmark."""
    return values if len(set(values.values())) > 1 else next(iter(values.values()), None)


def _threshold(evaluation: Evaluation) -> float | dict[str, float] | None:
    """The threshold; by subset where it was tuned so, None where none decides."""
    return dict(evaluation.rule.by_subset) or evaluation.rule.threshold


def _other_boundaries(evaluations: tuple[Evaluation, ...]) -> Iterator[str]:
    """A sentence for every scorer whose rule is not its own, or is not on rewards."""
    for evaluation in evaluations:
        rule = evaluation.rule.comparing
        if rule is None:
            continue
        own = Rule(evaluation.scorer.threshold, evaluation.scorer.comparison, on=evaluation.scorer.on)
        rule_words = when_wrong(rule.on, rule.comparison) if rule.step == "first" else str(rule)
        if rule.spelled != own.spelled:
            yield f"{evaluation.scorer.name}: {rule_words}, as asked; its own rule is {own.spelled}"
        elif rule.on != REWARDS:
            yield f"{evaluation.scorer.name}: {rule_words}"


def _dev_cases(results: ResultSet) -> Iterator[str]:
    """How many dev cases each scorer is reported without, and whether all are reported on the same cases."""
    mask = results.mask
    left_out = {evaluation.scorer.name: (evaluation.codes == DEV) & mask for evaluation in results.chosen_evaluations}
    counts = {name: int(rows.sum()) for name, rows in left_out.items() if rows.any()}
    if not counts:
        return
    yield "dev cases left out: " + ", ".join(f"{name} {count}" for name, count in counts.items())
    if len({rows.tobytes() for rows in left_out.values()}) > 1:
        column = named(f"{max(counts, key=lambda name: counts[name])}.outcome")
        yield f"so the scorers are reported on different cases; for the same ones add --where \"{column} <> 'dev'\""


def conditions(query: Query) -> tuple[str, ...]:
    """Return the query's filters, as a person reads them."""
    text_query = text_query_of(query)
    searched = (f"search {text_query.words}",) if text_query else ()
    return (*(f"subset = {subset}" for subset in query.subsets), *query.where, *searched)


def _data(results: ResultSet) -> str:
    counts = results.cases.select("benchmark").group_by("benchmark", maintain_order=True).len()
    return ", ".join(f"{name}: {n} cases" for name, n in counts.iter_rows()) or "no cases"


def _coverage(evaluation: Evaluation, mask: Bools) -> str:
    """`n of N` cases with a verdict among those shown."""
    return f"{int((evaluation.coverage.answered & mask).sum())} of {int(mask.sum())}"


def repeated_solutions(results: ResultSet) -> int:
    """Count how many of the shown cases have the problem and steps of an earlier one."""
    hashes = np.concatenate(
        [
            np.empty(0, np.uint64),
            *(key_hashes(block["key"]) for block in frame_blocks(results.cases, ("key",))),
        ]
    )
    in_order = hashes[results.shown]
    in_order.sort()
    several = in_order[1:][in_order[1:] == in_order[:-1]]
    if not several.size:
        return 0
    # Of these alone the keys are held: few cases repeat another one.
    alike = results.mask & np.isin(hashes, several)
    keys = results.cases.filter(pl.Series(alike))["key"]
    return keys.len() - keys.n_unique()
