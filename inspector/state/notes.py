"""Sentences about what is to be known of a result set: its figures, what is not there, and what was asked in vain."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from inspector.render.texts.sentences import counted
from inspector.state.query import Query, shell_word
from scoring.data.errors import DamagedWorkspace
from scoring.data.names import match_name
from scoring.data.schema import Bools, Ints
from scoring.data.scorer import Scorer
from scoring.data.texts import reward_keys
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.step_rewards import StepLabels
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks import demo, prmbench
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.deciding import EACH, Wishes, dev_sets, listed, rule_among
from scoring.metrics.first_error import FirstErrors
from scoring.metrics.official_rows import group_masks, grouped, protocol_of
from scoring.metrics.resampling import RESAMPLES, SMALL
from scoring.metrics.step_labels import asked_by_redundancy, redundancy_rows, without_redundancy_threshold
from scoring.workspace.cache import BALLOTS, Parts, RewardParts, VoteParts, case_rows
from scoring.workspace.filtering.condition_masks import categories
from scoring.workspace.filtering.sql_words import words_of
from scoring.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.state.result_set import ResultSet

EVERY = "every scorer"
STRATA = "stratified by erroneous/clean and, for the average, subset"
WHOLE = "of whole problems, without strata, since cases share problems"
INDEPENDENT = "intervals take cases as independent"
FEW = f"small: fewer than {SMALL} cases (for f1, on either side)"
SMALL_WORDS = f"small: fewer than {SMALL} cases in the denominator (for f1, on either side)"


# -- of figures


_SOME = 12
"""Values of a column that a sentence lists at most."""


def no_case_words(results: "ResultSet") -> str:
    """Say that no case is shown and, where a condition asks a column for a word that it never has, which it has."""
    for condition in results.query.where:
        words = list(words_of(condition))
        kinds = [word.kind for word in words]
        if kinds not in (["name", "sign", "text"], ["quoted", "sign", "text"]) or words[1].text != "=":
            continue
        name, wanted = words[0].value, words[2].value
        held = categories(results.column(name)) if results.cases.height else None
        values = sorted(value for value in held.values if isinstance(value, str)) if held else []
        if values and wanted not in values:
            which = f", but one of {', '.join(values)}" if len(values) <= _SOME else ""
            return f"No case is shown: {name} is never {wanted!r}{which}."
    return "No case is shown."


def boundary_notes(results: "ResultSet") -> Iterator[str]:
    """Name every scorer and benchmark whose figures depend on who calls a reward on the threshold wrong.

    Thresholds and boundaries are the scorer's own unless a protocol is asked for: a workspace may hold benchmarks that
    differ, and a case must not be decided in two ways at once.
    """
    for part, rows in group_masks(results.cases, ("benchmark",), results.mask):
        protocol = protocol_of(part["benchmark"])
        for evaluation in results.chosen_evaluations:
            rule = evaluation.rule
            if not isinstance(rule, Rule) or protocol.comparison in {None, rule.comparison}:
                continue
            if number := evaluation.on_threshold(rows):
                sides = ("wrong", "right") if protocol.comparison == "<=" else ("right", "wrong")
                sentence = (
                    f"rewards on the threshold ({number:,}) are {sides[0]} by the protocol, {sides[1]} by its own rule"
                )
                name = evaluation.scorer.name
                yield f"{name} on {part['benchmark']}: {sentence}; --protocol {protocol.name} decides so"


def stem_notes(results: "ResultSet") -> Iterator[str]:
    """Say that PRMBench and PRMBench-STEM are pooled, where cases of both are shown."""
    names = results.cases.filter(pl.Series(results.mask) & (pl.col("benchmark") == prmbench.NAME))["subset"]
    there = set(names.unique())
    if there.isdisjoint(prmbench.CLASSES) or there.isdisjoint(prmbench.STEM_ROWS):
        return
    yield (
        f"pooled on {prmbench.NAME}: all, average and categories are of PRMBench and PRMBench-STEM together; --where"
        " 'subset = error_type' leaves PRMBench, --where 'subset <> error_type' PRMBench-STEM"
    )


def label_notes(results: "ResultSet") -> Iterator[str]:
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


def untuned_notes(results: "ResultSet", benchmark: str | None = None) -> Iterator[str]:
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
                if too_small and step_labelled(part["benchmark"]) is None:
                    sentence += f"; a dev set takes more than {EACH} of each"
                names_by_sentence.setdefault(sentence, []).append(evaluation.scorer.name)
        for sentence, names in names_by_sentence.items():
            yield f"{', '.join(names)} on {part['benchmark']}: {sentence}"


def range_notes(results: "ResultSet") -> Iterator[str]:
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


def first_run_notes(results: "ResultSet", benchmark: str | None = None) -> Iterator[str]:
    """Name every chosen scorer of which only the first run is here: on one benchmark, or on any (None)."""
    several = [evaluation for evaluation in results.chosen_evaluations if evaluation.further]
    rows = results.mask
    if several and benchmark is not None:
        rows = rows & (results.cases["benchmark"] == benchmark).to_numpy()
    for evaluation in several:
        if (n_runs := evaluation.runs_among(rows)) > 1:
            name = evaluation.scorer.name
            yield f"{name} ran {n_runs} times: this is its first run; metrics is about all of them"


def unlike_notes(results: "ResultSet") -> Iterator[str]:
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


def mean_notes(results: "ResultSet") -> Iterator[str]:
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
            errors = FirstErrors.of(evaluation, rows, results.unparsed(benchmark))
            sizes = errors.sizes.tolist()
            whole = errors.pooled_runs.size
            if not any(sizes):
                continue
            each = ", ".join(f"{size:,}" for size in sizes) if len(set(sizes)) > 1 else f"{sizes[0]:,} each"
            less = "" if whole == len(sizes) else f"; {whole} of them tried every subset, and stand in all and average"
            yield f"{evaluation.scorer.name} on {benchmark}: {len(sizes)} runs, of {each} cases{less}"


# -- of how figures are made


def interval_notes(results: "ResultSet") -> Iterator[str]:
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


def resampled_words(results: "ResultSet", benchmark: str) -> str:
    """Describe how the first errors of the chosen scorers are resampled on the shown cases of a benchmark."""
    within = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    unparsed = results.unparsed(benchmark)
    related = {
        FirstErrors.of(evaluation, rows, unparsed).related
        for evaluation in results.chosen_evaluations
        for _, rows in group_masks(grouped(results.evaluated, results.query.by), results.query.by, within)
        if (evaluation.tried & rows).any()
    }
    if {True, False} <= related:
        return f"{WHOLE} (of a scorer or group in which no two cases do: {STRATA})"
    return WHOLE if True in related else STRATA


def without_errors(benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """Name the classes that have another figure in the place of PRMScore."""
    if facts.without_errors:
        classes = ", ".join(sorted(facts.without_errors))
        yield f"{benchmark}: prmscore of {classes} is its f1_positive, for it holds no wrong step"


def _redundancy(results: "ResultSet", benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """A sentence for every scorer whose redundancy numbers are not used, because no threshold is known for them."""
    within = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    for evaluation in results.chosen_evaluations:
        untold = without_redundancy_threshold(evaluation, asked_by_redundancy(evaluation, facts) & within)
        if untold:
            why = "no threshold is known for its redundancy numbers, so that validity decides"
            classes = ", ".join(sorted(facts.by_redundancy))
            yield f"{evaluation.scorer.name} on {benchmark}: {why} {untold} cases of {classes}"


def step_benchmarks(results: "ResultSet") -> list[tuple[str, StepLabelled]]:
    """Return the benchmarks of the cases whose official figures are of steps."""
    facts: Mapping[str, StepLabelled | None] = {name: step_labelled(name) for name in results.benchmarks}
    return [(name, labelled) for name, labelled in facts.items() if labelled is not None]


# -- of what is not there, or old


def absence_notes(query: Query, workspace: Workspace, cases: pl.DataFrame, scorers: Sequence[str]) -> Iterator[str]:
    """Explain why nothing is to be seen, with the command that changes it.

    Args:
        query: what was asked for; who named benchmarks knows what they are.
        workspace: where it was looked for.
        cases: those that were found.
        scorers: names of those that have something for these cases.
    """
    if query.benchmarks:
        return
    where = "" if query.workspace is None else f" -w {shell_word(query.workspace)}"
    if not workspace.default_benchmarks():
        yield f"This workspace has no benchmark yet: prm-inspect import PATH{where}"
        # Imported only for who has an empty workspace.
        from scoring.workspace.trash import removed

        names = [entry.name for entry in (removed(workspace) if workspace.root else ()) if entry.kind == "benchmark"]
        if names:
            yield f"In its trash: {', '.join(names)}. One comes back with: prm-inspect restore NAME{where}"
    elif cases.height and not scorers and (names := scorers_of(workspace, demo.NAME)):
        they = f"{', '.join(names)} scored the demo and none of these cases"
        yield f"{they}; the demo shows with: prm-inspect{where} --benchmark {demo.NAME}"


def scorers_of(workspace: Workspace, benchmark: str) -> list[str]:
    """Name the workspace's scorers that have a row for a case of a benchmark.

    Raises:
        UsageError, DamagedWorkspace: its cases are not here, or cannot be read.
    """
    cases, texts = workspace.cases((benchmark,))
    names = []
    for folder in workspace.reward_folders():
        try:
            scorer = Scorer.load(folder)
        except DamagedWorkspace:
            # Whoever reads the scorers says so.
            continue
        keyed = reward_keys(cases, texts, scorer.reads)
        if any(case_rows(keyed, reward_part.read(columns)[0]).height for reward_part, columns in _given(folder)):
            names.append(scorer.name)
    return names


def _given(folder: Path) -> Iterator[tuple[Parts, Sequence[str]]]:
    """What a scorer gave, with the columns that tell one row from another."""
    yield RewardParts(folder), ()
    yield VoteParts(folder), BALLOTS


def stale_notes(evaluations: list[Evaluation], folders: Mapping[str, Path], workspace: str | None) -> Iterator[str]:
    """Name every critic whose answers an older reader has read, with the command that reads them again.

    Args:
        evaluations: those whose scorers are looked at.
        folders: by the scorer's name where its answers are.
        workspace: the folder as the user named it; None = the usual one.
    """
    where = "" if workspace is None else f" -w {shell_word(workspace)}"
    critics = [evaluation.scorer for evaluation in evaluations if evaluation.scorer.name in folders]
    if not critics:
        return
    # Imported only where a critic is: everything else starts sooner.
    from scoring.runs.reparse import protocol_of_critic, stale

    for scorer in critics:
        protocol = protocol_of_critic(scorer)
        older = stale(VoteParts(folders[scorer.name]), protocol.read) if protocol else 0
        if older:
            again = f"prm-inspect reparse{where} --save {shell_word(scorer.name)}"
            yield f"{scorer.name}: an older reader has read {older:,} of its answers. Read them again: {again}"


# -- of what was asked in vain


def wish_notes(query: Query, evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """Name every threshold, rule or redundancy threshold that was asked for and decides nothing.

    Args:
        query: whose wishes were granted, so that every scorer in them is one of the evaluations.
        evaluations: all scorers.
    """
    names = [evaluation.scorer.name for evaluation in evaluations]
    numbered = [evaluation.scorer.name for evaluation in evaluations if evaluation.rewards.redundancy.present.any()]
    yield from _overridden("--threshold", query.thresholds, names)
    yield from _overridden("--rule", query.rules, names)
    yield from _overridden("--redundancy", query.redundancy, numbered)
    if query.redundancy and not any(map(_cuts_redundancy, evaluations)):
        words = " ".join(dict.fromkeys(word for _, word in query.redundancy))
        yield f"--redundancy {words} changes nothing: no redundancy number of a scorer here is compared with it"


def _overridden(flag: str, words: Wishes, names: Sequence[str]) -> Iterator[str]:
    """A sentence for every wish that a later one for the same scorer, or for every one, contradicts.

    A wish for a scorer by name after one for every scorer is an exception and no contradiction.
    """
    meant = [(None if name is None else match_name(name, names, "scorer"), word) for name, word in words]
    for place, (name, word) in enumerate(meant):
        later = [other for whose, other in meant[place + 1 :] if whose in {None, name}]
        if later and later[-1] != word:
            yield f"{flag} {word} is overridden by {later[-1]} for {name or EVERY}"


def _cuts_redundancy(evaluation: Evaluation) -> bool:
    """Whether redundancy numbers of the scorer decide a step somewhere, once there is a threshold for them."""
    facts = map(step_labelled, evaluation.gold.cases["benchmark"].unique().to_list())
    compared = (asked_by_redundancy(evaluation, labelled) for labelled in facts if labelled is not None)
    return any(bool(redundancy_rows(evaluation, rows, 0.0).numbers.any()) for rows in compared)
