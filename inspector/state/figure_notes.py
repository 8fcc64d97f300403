"""Notes on figures: how they are made, and what to keep in mind about them."""

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from inspector.render.texts.sentences import counted
from scoring.data.schema import Bools, Ints
from scoring.evaluation.case_counts import on_threshold, runs_among
from scoring.evaluation.step_rewards import StepLabels
from scoring.formats.benchmarks import prmbench
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.case_groups import group_masks, grouped
from scoring.metrics.deciding import EACH, dev_sets, listed, rule_among
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import MetricsBySubset
from scoring.metrics.official_protocols import protocol_of
from scoring.metrics.resampling import RESAMPLES, SMALL
from scoring.metrics.step_contributions import asked_by_redundancy, without_redundancy_threshold
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.coded_columns import categories
from scoring.workspace.filtering.sql_words import words_of

STRATA = "stratified by erroneous/clean and, for the average, subset"
WHOLE = "of whole problems, without strata, since cases share problems"
INDEPENDENT = "intervals take cases as independent"
FEW = f"small: fewer than {SMALL} cases (for f1, on either side)"
SMALL_WORDS = f"small: fewer than {SMALL} cases in the denominator (for f1, on either side)"


# -- of figures


_SOME = 12
"""Values of a column that a sentence lists at most."""


def no_case_words(results: ResultSet) -> str:
    """Say that no case is shown and, where a condition asks a column for a word that it never has, which it has."""
    for condition in results.query.where:
        words = list(words_of(condition))
        kinds = [word.kind for word in words]
        if kinds not in (["name", "sign", "text"], ["quoted", "sign", "text"]) or words[1].text != "=":
            continue
        name, wanted = words[0].value, words[2].value
        held = categories(results.evaluated.column(name)) if results.cases.height else None
        values = sorted(value for value in held.values if isinstance(value, str)) if held else []
        if values and wanted not in values:
            which = f", but one of {', '.join(values)}" if len(values) <= _SOME else ""
            return f"No case is shown: {name} is never {wanted!r}{which}."
    return "No case is shown."


def boundary_notes(results: ResultSet) -> Iterator[str]:
    """Name every scorer and benchmark whose figures depend on who calls a reward on the threshold wrong.

    Thresholds and boundaries are the scorer's own unless a protocol is asked for: a workspace may hold benchmarks that
    differ, and a case must not be decided in two ways at once.
    """
    for part, rows in group_masks(results.cases, ("benchmark",), results.mask):
        protocol = protocol_of(part["benchmark"])
        for evaluation in results.chosen_evaluations:
            rule = evaluation.rule
            if not rule.is_movable or protocol.comparison in {None, rule.comparison}:
                continue
            if number := on_threshold(evaluation, rows):
                sides = ("wrong", "right") if protocol.comparison == "<=" else ("right", "wrong")
                sentence = (
                    f"rewards on the threshold ({number:,}) are {sides[0]} by the protocol, {sides[1]} by its own rule"
                )
                name = evaluation.scorer.name
                yield f"{name} on {part['benchmark']}: {sentence}; --protocol {protocol.name} decides so"


def stem_notes(results: ResultSet) -> Iterator[str]:
    """Say that PRMBench and PRMBench-STEM are pooled, where cases of both are shown."""
    names = results.cases.filter(pl.Series(results.mask) & (pl.col("benchmark") == prmbench.NAME))["subset"]
    there = set(names.unique())
    if there.isdisjoint(prmbench.CLASSES) or there.isdisjoint(prmbench.STEM_ROWS):
        return
    yield (
        f"pooled on {prmbench.NAME}: all, average and categories are of PRMBench and PRMBench-STEM together; --where"
        " 'subset = error_type' leaves PRMBench, --where 'subset <> error_type' PRMBench-STEM"
    )


def label_notes(results: ResultSet) -> Iterator[str]:
    """Count shown cases with fewer or more labels than steps, a sentence a chosen scorer and kind."""
    mask = results.mask
    for evaluation in results.chosen_evaluations:
        both = (evaluation.rewards.labels, evaluation.rewards.redundant)
        fewer = np.any([_fewer(labels, evaluation.gold.n_steps) for labels in both], axis=0) & mask
        more = np.any([_more(labels) for labels in both], axis=0) & mask
        if fewer.any():
            sentence = "steps without one are not judged, and where no label is wrong there is no verdict"
            yield f"{evaluation.scorer.name}: fewer labels than steps on {int(fewer.sum())} of the cases; {sentence}"
        if more.any():
            sentence = "those beyond the last step count in official figures of steps alone"
            yield f"{evaluation.scorer.name}: more labels than steps on {int(more.sum())} of the cases; {sentence}"


def _fewer(labels: StepLabels, n_steps: Ints) -> Bools:
    if not labels.has_labels.any():
        return labels.has_labels
    rows: Bools = labels.has_labels & (np.diff(labels.offsets) < n_steps)
    return rows


def _more(labels: StepLabels) -> Bools:
    rows = np.zeros(labels.has_labels.size, dtype=np.bool_)
    rows[labels.beyond.cases] = True
    return rows


def untuned_notes(results: ResultSet, benchmark: str | None = None) -> Iterator[str]:
    """Name the subsets that dev sets were to tune and that stay at the default, and of whom.

    Of one benchmark, or of each (None).
    """
    seed = results.query.seed
    untuned = [evaluation for evaluation in results.chosen_evaluations if evaluation.rule.untuned]
    for part, rows in group_masks(results.cases, ("benchmark",), results.mask) if untuned else ():
        if benchmark not in {None, part["benchmark"]}:
            continue
        names_by_sentence: dict[str, list[str]] = {}
        for evaluation in untuned:
            if lacking := dict(rule_among(evaluation, rows, seed).untuned):
                sentence = f"not dev-tuned, but at the default in {listed(lacking)}"
                too_small = set(dev_sets(evaluation.gold, seed).lacking.values()).intersection(lacking.values())
                if too_small and metrics_of(part["benchmark"]).steps is None:
                    sentence += f"; a dev set takes more than {EACH} of each"
                names_by_sentence.setdefault(sentence, []).append(evaluation.scorer.name)
        for sentence, names in names_by_sentence.items():
            yield f"{', '.join(names)} on {part['benchmark']}: {sentence}"


def range_notes(results: ResultSet) -> Iterator[str]:
    """Name every chosen scorer with a reward of a shown case outside its range, its ends being inside.

    Thresholds and figures take such rewards as they are.
    """
    mask = results.mask
    for evaluation in results.chosen_evaluations:
        rewards, low, high = evaluation.rewards, evaluation.scorer.low, evaluation.scorer.high
        # The ends are known where all values would have to be read.
        if rewards.range is None or (rewards.range[0] >= low and rewards.range[1] <= high):
            continue
        values = rewards.values[np.repeat(mask, np.diff(rewards.offsets))]
        outside = (values < low) | (values > high)
        if number := int(outside.sum()):
            reach = f"lowest {values.min():.4g}, highest {values.max():.4g}"
            sentence = f"{number:,} of {values.size:,} rewards are outside its range, {low:g} to {high:g} ({reach})"
            yield f"{evaluation.scorer.name}: {sentence}; they are taken as they are"


def first_run_notes(results: ResultSet, benchmark: str | None = None) -> Iterator[str]:
    """Name every chosen scorer of which only the first run is here: on one benchmark, or on any (None)."""
    several = [evaluation for evaluation in results.chosen_evaluations if evaluation.further]
    rows = results.mask
    if several and benchmark is not None:
        rows = rows & (results.cases["benchmark"] == benchmark).to_numpy()
    for evaluation in several:
        if (n_runs := runs_among(evaluation, rows)) > 1:
            name = evaluation.scorer.name
            yield f"{name} ran {n_runs} times: this is its first run; metrics is about all of them"


def unlike_notes(results: ResultSet) -> Iterator[str]:
    """Name every chosen scorer with runs that are no repetitions of its first, and with cases that got fewer answers
    than others.
    """
    for evaluation in results.chosen_evaluations:
        uneven = [run.answers for run in evaluation.runs if run.answers is not None]
        for part, rows in group_masks(results.cases, ("benchmark",), results.mask) if uneven else ():
            got = np.concatenate([answers[rows & (answers > 0)] for answers in uneven])
            most = got.max(initial=0)
            if fewer := int((got < most).sum()):
                yield (
                    f"{evaluation.scorer.name}: {fewer:,} of {counted(got.size, 'case')} of {part['benchmark']} have "
                    f"fewer than {most} answers, and figures are of both; ask for as many of all (score --votes {most})"
                )
        if evaluation.unlike:
            most = evaluation.votes.most if evaluation.votes is not None else 1
            yield (
                f"{evaluation.scorer.name}: {counted(evaluation.unlike, 'further run')} left out of every figure: "
                f"not {most} votes a case as in the first; ask for as many in each (score --votes N --runs N)"
            )


def mean_notes(results: ResultSet) -> Iterator[str]:
    """Describe what means over runs are of, where chosen scorers have any; by scorer and benchmark of how many."""
    if not any(evaluation.further for evaluation in results.chosen_evaluations):
        return
    yield (
        "value: the mean over the runs that tried cases in every subset of a line, sd: their sample standard deviation "
        "(n-1), n: that of the first of them; low and high: cases resampled, with the same draws in all runs"
    )
    for evaluation in results.chosen_evaluations:
        for part, rows in group_masks(results.cases, ("benchmark",), results.mask) if evaluation.further else ():
            benchmark = part["benchmark"]
            errors = MetricsBySubset.of(FIRST_ERRORS, evaluation, rows, results.unparsed(benchmark))
            sizes = errors.sizes.tolist()
            whole = errors.pooled_runs.size
            if not any(sizes):
                continue
            each = ", ".join(f"{size:,}" for size in sizes) if len(set(sizes)) > 1 else f"{sizes[0]:,} each"
            less = "" if whole == len(sizes) else f"; {whole} of them tried every subset, and stand in all and average"
            yield f"{evaluation.scorer.name} on {benchmark}: {len(sizes)} runs, of {each} cases{less}"


# -- of how figures are made


def interval_notes(results: ResultSet) -> Iterator[str]:
    """Describe how intervals came to be, and what figures of steps count."""
    of_benchmarks = step_benchmarks(results)
    of_steps = dict(of_benchmarks)
    ways = {name: resampled_words(results, name) for name in results.benchmarks}
    whole = {name: way for name, way in ways.items() if name not in of_steps}
    bootstrap = f"low and high: 95% bootstrap, {RESAMPLES} resamples"
    for way in dict.fromkeys(whole.values()):
        named = f"{', '.join(name for name in whole if whole[name] == way)}: " if len(set(whole.values())) > 1 else ""
        yield f"{named}{bootstrap}, {way}"
    for name, facts in of_benchmarks:
        others = f"; first errors {ways[name]}" if facts.without_errors else ""
        yield f"{name}: {bootstrap} of whole problems{others}"
        cases = "first, validity_rate and similarity" if facts.twins else "first and validity_rate"
        yield f"{name}: n counts steps, of {cases} cases; what has no judgement of its steps lowers validity_rate alone"
        yield from without_errors(name, facts)
        yield from _redundancy(results, name, facts)


def resampled_words(results: ResultSet, benchmark: str) -> str:
    """Describe how the first errors of the chosen scorers are resampled on the shown cases of a benchmark."""
    within = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    unparsed = results.unparsed(benchmark)
    related = {
        MetricsBySubset.of(FIRST_ERRORS, evaluation, rows, unparsed).related
        for evaluation in results.chosen_evaluations
        for _, rows in group_masks(grouped(results.evaluated, results.query.by), results.query.by, within)
        if (evaluation.coverage.tried & rows).any()
    }
    if {True, False} <= related:
        return f"{WHOLE} (of a scorer or group in which no two cases do: {STRATA})"
    return WHOLE if True in related else STRATA


def without_errors(benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """Name the classes that have another figure in the place of PRMScore."""
    if facts.without_errors:
        classes = ", ".join(sorted(facts.without_errors))
        yield f"{benchmark}: prmscore of {classes} is its f1_positive, for it holds no wrong step"


def _redundancy(results: ResultSet, benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """A sentence for every scorer whose redundancy numbers are not used, because no threshold is known for them."""
    within = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    for evaluation in results.chosen_evaluations:
        untold = without_redundancy_threshold(evaluation, asked_by_redundancy(evaluation, facts) & within)
        if untold:
            why = "no threshold is known for its redundancy numbers, so that validity decides"
            classes = ", ".join(sorted(facts.by_redundancy))
            yield f"{evaluation.scorer.name} on {benchmark}: {why} {untold} cases of {classes}"


def step_benchmarks(results: ResultSet) -> list[tuple[str, StepLabelled]]:
    """Return the benchmarks of the cases whose official figures are of steps."""
    facts: Mapping[str, StepLabelled | None] = {name: metrics_of(name).steps for name in results.benchmarks}
    return [(name, labelled) for name, labelled in facts.items() if labelled is not None]
