"""The ways to choose the threshold of one scorer on one benchmark, and the evaluation that each comes to.

`default` is the scorer's own threshold, `chosen` the present one where it was given as a number, `best` the one with
the best official figure of the shown cases, `best-per-subset` that of each subset (ProcessBench, Tables 6 and 8),
`dev` and `dev:kept` GR-Ben's (`scoring.dev_sets`), `from:SUBSET` the best on one whole subset, used on all
(ProcessBench's rule with gsm8k).

`redundancy:default` and `redundancy:best` are about the second threshold of a scorer that gives redundancy numbers, in
the classes where these decide: there a step is wrong iff its number is above it. The other steps stay as they are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from scoring.benchmarks.registry import step_labelled
from scoring.dev_sets import dev_thresholds, dev_tuned, listed
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.metrics.redundancy import redundancy_rows
from scoring.metrics.step_counts import asked_by_redundancy
from scoring.score_curves import tuned
from scoring.step_rewards import Bools
from scoring.step_thresholds import redundancy_sweep
from scoring.verdicts import Rule
from scoring.wishes import CHOSEN, OPTIMISTIC, Surroundings, best_threshold, not_circular, not_of_steps

PER_SUBSET = "best-per-subset"
UNTOLD = "no threshold is known for its redundancy numbers, so that validity decides"


class Way(NamedTuple):
    """One way to choose a threshold, and what it came to.

    `tuned_on` (n) are the cases it was tuned on, None = on none; `reason` says why there is no evaluation, `note` what
    is to be said of it, and `at_default`, by subset, why a subset is at the scorer's default. `of_redundancy` marks
    ways to choose the threshold on redundancy numbers: that of the evaluation's scorer.
    """

    kind: str
    evaluation: Evaluation | None
    tuned_on: Bools | None = None
    reason: str | None = None
    note: str | None = None
    at_default: Mapping[str, str] = MappingProxyType({})
    of_redundancy: bool = False


def ways(evaluation: Evaluation, within: Bools, shown: Bools, around: Surroundings) -> Iterator[Way]:
    """Every way to choose the threshold of one scorer on one benchmark.

    Args:
        evaluation: as it is at present; so is what redundancy does not decide where that is tuned.
        within: (n,) the cases of the benchmark, at least one.
        shown: (n,) those of them that are shown.
        around: how what is tuned is counted.
    """
    default = evaluation.at_default()
    benchmark: str = default.gold.cases["benchmark"][int(np.argmax(within))]
    yield Way("default", default)
    if default.movable:
        if isinstance(evaluation.rule, Rule) and evaluation.rule.source in {CHOSEN, OPTIMISTIC}:
            yield Way("chosen", evaluation, shown if evaluation.rule.source == OPTIMISTIC else None)
        yield from _best_here(default, shown, around)
        yield from _dev(default, within, around, benchmark)
        for name, rows in _subsets(default, within):
            yield _best(f"from:{name}", default, rows, around)
    yield from _redundancy(evaluation, shown, benchmark)


def _best_here(default: Evaluation, shown: Bools, around: Surroundings) -> Iterator[Way]:
    try:
        not_circular(default.scorer.name, around.conditions)
    except UsageError as error:
        yield Way("best", None, reason=error.sentence)
        return
    yield _best("best", default, shown, around)
    yield from _best_per_subset(default, shown, around)


def _best(kind: str, default: Evaluation, rows: Bools, around: Surroundings) -> Way:
    threshold, reason = best_threshold(default, rows, around)
    return Way(kind, None, reason=reason) if threshold is None else Way(kind, default.at(threshold, kind), rows)


def _subsets(evaluation: Evaluation, within: Bools) -> list[tuple[str, Bools]]:
    """The named subsets that some of the cases are in, if they are several, and these cases (n)."""
    names, groups = evaluation.gold.subsets
    found = [(names[number], within & (groups == number)) for number in np.unique(groups[within])]
    return [(name, rows) for name, rows in found if name] if len(found) > 1 else []


def _best_per_subset(default: Evaluation, shown: Bools, around: Surroundings) -> Iterator[Way]:
    subsets = _subsets(default, shown)
    thresholds = np.full(shown.size, default.default[0])
    told, lacking = {}, {}
    tuned_on = np.zeros_like(shown)
    for name, rows in subsets:
        threshold, reason = best_threshold(default, rows, around)
        if threshold is None:
            lacking[name] = reason or ""
            continue
        thresholds[rows] = told[name] = threshold
        tuned_on |= rows
    if told:
        yield Way(PER_SUBSET, default.by_case(thresholds, told, "best"), tuned_on, at_default=lacking)


def _dev(default: Evaluation, within: Bools, around: Surroundings, benchmark: str) -> Iterator[Way]:
    try:
        not_of_steps("dev", [benchmark])
    except UsageError as error:
        yield Way("dev", None, reason=error.sentence)
        return
    found = dev_thresholds(default, around.seed, around.unparsed)
    sets = found.sets
    here = {sets.names[number] for number in np.unique(sets.numbers[within])}
    lacking = {name: why for name, why in found.lacking.items() if name in here}
    if not here & found.told.keys():
        yield Way("dev", None, reason=f"no subset has a dev set: {listed(lacking)}")
        return
    # Where there are several benchmarks, the names of dev sets begin with theirs.
    bare = {name.removeprefix(f"{benchmark}/"): why for name, why in lacking.items()}
    for kind, keep in (("dev", False), ("dev:kept", True)):
        decided = dev_tuned(default, around.seed, around.unparsed, keep=keep)
        yield Way(kind, decided, sets.rows & within, at_default=bare)


def _redundancy(evaluation: Evaluation, shown: Bools, benchmark: str) -> Iterator[Way]:
    """Both ways where there are redundancy numbers to cut. A condition never depends on them, so none is circular."""
    facts = step_labelled(benchmark)
    if facts is None:
        return
    numbered = shown & redundancy_rows(evaluation, asked_by_redundancy(evaluation, facts), 0.0).numbers
    if not numbered.any():
        return
    note = UNTOLD if evaluation.scorer.redundancy_threshold is None else None
    yield Way("redundancy:default", evaluation, note=note, of_redundancy=True)
    best, reason = tuned(redundancy_sweep(evaluation, shown, facts))
    if best is None:
        yield Way("redundancy:best", None, reason=reason)
        return
    scorer = replace(evaluation.scorer, redundancy_threshold=best, redundancy_threshold_source="best")
    yield Way("redundancy:best", replace(evaluation, scorer=scorer), numbered, of_redundancy=True)
