"""How documents came to be: the command that makes one again, and the facts that its figures depend on."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from inspector.filtering.searching import query_of
from inspector.label_set import labels_words
from inspector.notes import step_benchmarks, wish_notes
from inspector.request import Request
from inspector.selection import Selection
from scoring import __version__
from scoring.cache import key_hashes
from scoring.evaluations.deciding import speaks_of
from scoring.evaluations.evaluation import Evaluation
from scoring.evaluations.official_rows import protocol_named, protocol_of
from scoring.evaluations.rules import REWARDS, transform, when_wrong
from scoring.evaluations.verdicts import DEV, AsGiven, Rule, RuleByCase, spelled
from scoring.filtering.sql_words import named
from scoring.metrics.first_error import AVERAGING as FIRST_ERROR_AVERAGING
from scoring.metrics.own import own_metrics
from scoring.metrics.step_labels import AVERAGING as STEP_AVERAGING
from scoring.own_columns import own_columns
from scoring.schema import Bools
from scoring.storage.stored_frame import frame_blocks


def provenance(
    selection: Selection, command: str, notes: tuple[str, ...] = (), *, decides: bool = True
) -> dict[str, Any]:
    """Record how a document came to be. No time and no output path: the same command gives the same bytes.

    `decides` says whether its rows depend on verdicts: where neither they nor the conditions do, no note is about
    thresholds and rules.
    """
    request, evaluations = selection.request, selection.chosen_evaluations
    decides = decides or any(speaks_of(evaluation.scorer.name, request.where) for evaluation in selection.evaluations)
    rules = {str(evaluation.rule) for evaluation in evaluations}
    return {
        "command": command,
        "version": __version__,
        "data": _data(selection),
        "rule": "; ".join(sorted(rules)),
        **_plugins(evaluations),
        "scorers": {evaluation.scorer.name: evaluation.scorer.fingerprint[:8] for evaluation in evaluations},
        "threshold": {evaluation.scorer.name: _threshold(evaluation) for evaluation in evaluations},
        "threshold_source": {evaluation.scorer.name: evaluation.rule.source for evaluation in evaluations},
        "filter": " AND ".join(f"({condition})" for condition in conditions(request)) or "none",
        "averaging": averaging(selection),
        "protocol": _protocols(selection),
        **labels_fact(selection),
        "unparsed": _by_benchmark({name: selection.unparsed(name) for name in selection.benchmarks}),
        "coverage": {evaluation.scorer.name: _coverage(evaluation, selection.mask) for evaluation in evaluations},
        "seed": request.seed,
        "notes": [*notes, *(_decision_notes(selection) if decides else ())],
    }


def _plugins(evaluations: tuple[Evaluation, ...]) -> dict[str, dict[str, str]]:
    """Where code of the user's own comes from, by name: its metrics and columns, and the rules that decide here."""
    rules = (transform(evaluation.rule.on) for evaluation in evaluations if not isinstance(evaluation.rule, AsGiven))
    named = {
        **{made.name: made.code for made in own_metrics()},
        **{made.name: made.code for made in own_columns()},
        **{made.name: made.code for made in rules},
    }
    plugins = {name: code.words for name, code in named.items() if code is not None}
    return {"plugins": plugins} if plugins else {}


def provenance_of_people(
    selection: Selection,
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
    facts = provenance(selection, command, tuple(notes), decides=decides)
    kept = ["command", "version", "data", "filter", "notes"]
    if decides or any(
        speaks_of(evaluation.scorer.name, selection.request.where) for evaluation in selection.evaluations
    ):
        kept += of_scorers
    return {name: facts[name] for name in kept}


def averaging(selection: Selection) -> str:
    """Describe how the benchmarks of a selection average."""
    stepwise = len(step_benchmarks(selection))
    whole = stepwise == len(selection.benchmarks) and stepwise > 0
    words = [*([] if whole else [FIRST_ERROR_AVERAGING]), *([STEP_AVERAGING] if stepwise else [])]
    return "; ".join(words)


def labels_fact(selection: Selection) -> dict[str, str]:
    """Record which labels the figures are made of, where they are not the benchmarks' own."""
    adjudicated = selection.adjudicated
    return {} if adjudicated is None else {"labels": labels_words(adjudicated, selection.height)}


def _decision_notes(selection: Selection) -> Iterator[str]:
    """What is to be known of thresholds and rules: those not granted, those not the scorer's own, and dev cases."""
    yield from wish_notes(selection.request, selection.evaluations)
    yield from _other_boundaries(selection.chosen_evaluations)
    yield from _dev_cases(selection)


def _protocols(selection: Selection) -> str | dict[str, str] | None:
    """By which protocol each benchmark's figures are made, and what it decides."""
    protocol_name = selection.request.protocol
    if protocol_name:
        return f"{protocol_name}: {protocol_named(protocol_name)}"
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
    """A sentence for every scorer whose rule is not its own, or is not on rewards."""
    for evaluation in evaluations:
        if isinstance(evaluation.rule, AsGiven):
            continue
        own = Rule(evaluation.scorer.threshold, evaluation.scorer.comparison, on=evaluation.scorer.on)
        rule_words = (
            when_wrong(evaluation.rule.on, evaluation.rule.comparison)
            if evaluation.rule.step == "first"
            else str(evaluation.rule)
        )
        if spelled(evaluation.rule) != spelled(own):
            yield f"{evaluation.scorer.name}: {rule_words}, as asked; its own rule is {spelled(own)}"
        elif evaluation.rule.on != REWARDS:
            yield f"{evaluation.scorer.name}: {rule_words}"


def _dev_cases(selection: Selection) -> Iterator[str]:
    """How many dev cases each scorer is reported without, and whether all are reported on the same cases."""
    mask = selection.mask
    left_out = {evaluation.scorer.name: (evaluation.codes == DEV) & mask for evaluation in selection.chosen_evaluations}
    counts = {name: int(rows.sum()) for name, rows in left_out.items() if rows.any()}
    if not counts:
        return
    yield "dev cases left out: " + ", ".join(f"{name} {count}" for name, count in counts.items())
    if len({rows.tobytes() for rows in left_out.values()}) > 1:
        column = named(f"{max(counts, key=lambda name: counts[name])}.outcome")
        yield f"so the scorers are reported on different cases; for the same ones add --where \"{column} <> 'dev'\""


def conditions(request: Request) -> tuple[str, ...]:
    """Return the request's filters, as a person reads them."""
    query = query_of(request)
    searched = (f"search {query.words}",) if query else ()
    return (*(f"subset = {subset}" for subset in request.subsets), *request.where, *searched)


def _data(selection: Selection) -> str:
    counts = selection.cases.select("benchmark").group_by("benchmark", maintain_order=True).len()
    return ", ".join(f"{name}: {n} cases" for name, n in counts.iter_rows()) or "no cases"


def _coverage(evaluation: Evaluation, mask: Bools) -> str:
    """`n of N` cases with a verdict among those shown."""
    return f"{int((evaluation.answered & mask).sum())} of {int(mask.sum())}"


def repeated_solutions(selection: Selection) -> int:
    """Count how many of the shown cases have the problem and steps of an earlier one."""
    hashes = np.concatenate(
        [
            np.empty(0, np.uint64),
            *(key_hashes(block["key"]) for block in frame_blocks(selection.cases, ("key",))),
        ]
    )
    in_order = hashes[selection.shown]
    in_order.sort()
    several = in_order[1:][in_order[1:] == in_order[:-1]]
    if not several.size:
        return 0
    # Of these alone the keys are held: few cases repeat another one.
    alike = selection.mask & np.isin(hashes, several)
    keys = selection.cases.filter(pl.Series(alike))["key"]
    return keys.len() - keys.n_unique()
