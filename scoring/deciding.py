"""What a request asks of decisions, granted: every evaluation under its rule and at its threshold.

A threshold is asked for as a number, `default`, `best`, `dev` or `from:SUBSET`. `best:NUMBER` is a number that was
found to be the best; `dev:kept` reports on the dev cases as well.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.benchmarks.registry import step_labelled
from scoring.boundary import check_rule
from scoring.dev_sets import dev_tuned
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.filters import columns_read
from scoring.metrics.kernel import Unparsed
from scoring.metrics.threshold_curves import Tuned, official_curve, tuned
from scoring.names import match_name
from scoring.protocols import Protocol as OfficialProtocol
from scoring.protocols import protocol_named
from scoring.scorer_columns import EVERY_COLUMN
from scoring.step_rewards import Bools

CHOSEN = "chosen"
"""The source of a threshold that somebody gave as a number."""
OPTIMISTIC = "optimistic: best on these cases"
"""The source of a threshold that was tuned on the cases it is reported on."""
_WORDS = ("default", "best", "dev", "dev:kept")


class Surroundings(Struct, frozen=True, eq=False):
    """What a wish is granted in: `shown` gives the cases (n, bool) that `best` is tuned on, under `conditions`.

    `unparsed` says how cases without a verdict count on a benchmark, `seed` draws dev sets.
    """

    shown: Callable[[], Bools]
    conditions: Sequence[str]
    unparsed: Callable[[str], Unparsed]
    seed: int


def check(wish: str) -> float | None:
    """The number in a wish; None where it names none.

    Raises:
        UsageError: it is no wish at all.
    """
    if wish in _WORDS or wish.startswith("from:"):
        return None
    try:
        threshold = float(wish.removeprefix("best:"))
    except ValueError:
        threshold = float("nan")
    if not np.isfinite(threshold):
        told = "Give a number, default, best, dev or from:SUBSET, or SCORER=one of these."
        raise UsageError(f"{wish!r} is no threshold.", told)
    return threshold


def at_wish(evaluation: Evaluation, wish: str, around: Surroundings) -> Evaluation:
    """The evaluation at what was asked.

    Raises:
        UsageError: no such wish or subset, no threshold decides here, or what would be tuned is undefined there.
    """
    number = check(wish)
    if number is not None:
        return evaluation.at(number, OPTIMISTIC if wish.startswith("best:") else CHOSEN)
    if wish == "default":
        return evaluation.at_default()
    if not evaluation.movable:
        raise UsageError(
            f"{evaluation.scorer.name} has no threshold to set: {evaluation.rule.source}.", "Leave it out."
        )
    if wish.startswith("dev"):
        not_of_steps(wish, evaluation.gold.cases["benchmark"].unique().to_list())
        return dev_tuned(evaluation, around.seed, around.unparsed, keep=wish == "dev:kept")
    return _tuned(evaluation, wish, around)


def _tuned(evaluation: Evaluation, wish: str, around: Surroundings) -> Evaluation:
    benchmarks = sorted(evaluation.gold.cases["benchmark"].unique().to_list())
    if len(benchmarks) > 1:
        told = f"{wish!r} tunes the figure of one benchmark, and there are {len(benchmarks)}: {', '.join(benchmarks)}."
        raise UsageError(told, "Choose one with --benchmark.")
    if wish == "best":
        not_circular(evaluation.scorer.name, around.conditions)
        return _best_on(evaluation, around.shown(), OPTIMISTIC, around)
    names, groups = evaluation.gold.subsets
    subset = match_name(wish.removeprefix("from:"), [name for name in names if name], "subset")
    source = f"best on subset {subset} (optimistic there)"
    return _best_on(evaluation, groups == names.index(subset), source, around)


def _best_on(evaluation: Evaluation, rows: Bools, source: str, around: Surroundings) -> Evaluation:
    """The evaluation at the one threshold with the best official figure of `rows` (n), all of one benchmark."""
    found = best_threshold(evaluation, rows, around)
    if found.threshold is None:
        raise UsageError(f"{evaluation.scorer.name} has no best threshold: {found.reason}.", "Give a number.")
    return evaluation.at(found.threshold, source)


def best_threshold(evaluation: Evaluation, rows: Bools, around: Surroundings) -> Tuned:
    """The threshold with the best official figure of `rows` (n), all of one benchmark: average F1, or PRMScore."""
    if not rows.any():
        return Tuned(None, "there is no case to tune it on")
    benchmark: str = evaluation.gold.cases["benchmark"][int(np.argmax(rows))]
    return tuned(official_curve(evaluation, rows, around.unparsed(benchmark), benchmark))


def not_of_steps(wish: str, benchmarks: Sequence[str]) -> None:
    """Refuse dev sets where no benchmark's official figure is the one that they tune.

    Raises:
        UsageError: all official figures are of steps.
    """
    if benchmarks and all(step_labelled(name) for name in benchmarks):
        told = f"the figure of {' and '.join(sorted(benchmarks))} is PRMScore of its steps"
        raise UsageError(f"{wish!r} tunes F1 of first errors, and {told}.", "Give best, from:SUBSET or a number.")


def not_circular(scorer: str, conditions: Sequence[str]) -> None:
    """Refuse to tune on cases that are chosen by the very outcomes that the tuning changes.

    Raises:
        UsageError: a condition speaks of the scorer.
    """
    if circular := speaks_of(scorer, conditions):
        raise UsageError(
            f"'best' of {scorer} cannot be tuned under {circular[0]!r}.", "Drop the condition, or give a number."
        )


def speaks_of(scorer: str, conditions: Sequence[str]) -> list[str]:
    """Give the conditions that read a column of the scorer."""
    own = {f"{scorer}.{name}" for name in EVERY_COLUMN}
    return [condition for condition in conditions if not own.isdisjoint(columns_read(condition))]


Evaluations = tuple[Evaluation, ...]
Wishes = Sequence[tuple[str | None, str]]


class DecisionRequest(Protocol):
    """What is asked of decisions.

    Attributes:
        thresholds: Scorer's name (None = every scorer) and what is asked: see `scoring.deciding`; later pairs win.
        rules: The same with a rule in the words of `scoring.boundary.check_rule`.
        redundancy: The same with the number above which a step is redundant.
        protocol: The name of the protocol that decides what is not asked; None = each scorer's own rule.
    """

    @property
    def thresholds(self) -> Wishes: ...  # noqa: D102
    @property
    def rules(self) -> Wishes: ...  # noqa: D102
    @property
    def redundancy(self) -> Wishes: ...  # noqa: D102
    @property
    def protocol(self) -> str | None: ...  # noqa: D102


class Deciding(Struct, frozen=True, eq=False):
    """What a decision may look at beside the request: `chosen` names the scorers that are shown.

    `around` says for some evaluations what thresholds are tuned in; the shown cases may depend on any of them.
    """

    request: DecisionRequest
    chosen: tuple[str, ...]
    around: Callable[[Evaluations], Surroundings]


def decided(evaluations: Evaluations, how: Deciding) -> Evaluations:
    """Every evaluation under the rule and at the thresholds that the request, or the protocol it names, asks for it.

    One without a threshold stays as it is. What is tuned on the shown cases is so after all else is decided, since a
    condition may speak of any scorer.

    Raises:
        UsageError: no rule, threshold or scorer of that name, or one for a scorer by name that has none.
    """
    request = how.request
    protocol = protocol_named(request.protocol) if request.protocol else None
    rules = _asked(evaluations, request.rules, check_rule)
    if protocol:
        own = {one.scorer.name: protocol.rule(one.scorer) for one in evaluations if one.movable}
        rules = {name: rule for name, rule in own.items() if rule} | rules
    ruled = tuple(
        one.compared(*check_rule(rules[one.scorer.name])) if one.scorer.name in rules else one for one in evaluations
    )
    asked = _asked(ruled, request.thresholds, check)
    if protocol:
        asked = _tuned_by(protocol, [one for one in ruled if one.movable and one.scorer.name not in asked]) | asked
    best = {name: wish for name, wish in asked.items() if wish == "best"}
    by_name = {*how.chosen, *_asked(ruled, [pair for pair in request.thresholds if pair[0] is not None], check)}
    first = _granted(ruled, {name: wish for name, wish in asked.items() if name not in best}, how, by_name)
    return _redundant(_granted(first, best, how, by_name), request.redundancy)


def _tuned_by(protocol: OfficialProtocol, evaluations: Sequence[Evaluation]) -> dict[str, str]:
    """What a protocol asks of the thresholds of scorers by name.

    Raises:
        UsageError: the subset that it tunes a scorer on is not here.
    """
    asked = {one.scorer.name: protocol.threshold(one.scorer) for one in evaluations}
    for one in evaluations:
        subset = asked[one.scorer.name].removeprefix("from:")
        if asked[one.scorer.name] != subset and subset not in one.gold.subsets[0]:
            told = f"Import it, or give its threshold: --threshold {one.scorer.name}=X."
            raise UsageError(f"the protocol {protocol.name} tunes {one.scorer.name} on {subset}: not here.", told)
    return asked


def _asked(evaluations: Evaluations, wishes: Wishes, check: Callable[[str], object]) -> dict[str, str]:
    """What is asked for each scorer by name; a wish for all passes over those that have no threshold."""
    movable = {one.scorer.name: one.movable for one in evaluations}
    asked = {}
    for name, wish in wishes:
        for match in movable if name is None else [match_name(name, list(movable), "scorer")]:
            if name is None and not movable[match]:
                check(wish)
                continue
            asked[match] = wish
    return asked


def _granted(evaluations: Evaluations, asked: Mapping[str, str], how: Deciding, meant: set[str]) -> Evaluations:
    """Every evaluation at what is asked for it; what does not fit is an error for those that are `meant`.

    A wish for all is about the scorers that are shown: another one that it does not fit is in nobody's way.
    """
    around = how.around(evaluations)
    found = []
    for one in evaluations:
        name = one.scorer.name
        try:
            found.append(at_wish(one, asked[name], around) if name in asked else one)
        except UsageError:
            if name in meant:
                raise
            found.append(one)
    return tuple(found)


def _redundant(evaluations: Evaluations, wishes: Wishes) -> Evaluations:
    """The cut above which a step is redundant, where it was asked for; a wish for all is about those with numbers.

    Raises:
        UsageError: no number, or a scorer by name that gives no redundancy.
    """
    numbered = [one.scorer.name for one in evaluations if one.rewards.redundancy.given.any()]
    cuts: dict[str, float] = {}
    for name, wish in wishes:
        cut = check_number(wish)
        for match in numbered if name is None else [match_name(name, numbered, "scorer with redundancy numbers")]:
            cuts[match] = cut
    return tuple(
        replace(
            one,
            scorer=replace(one.scorer, redundancy_threshold=cuts[one.scorer.name], redundancy_threshold_source=CHOSEN),
        )
        if one.scorer.name in cuts
        else one
        for one in evaluations
    )


def check_number(wish: str) -> float:
    """The finite number in a wish.

    Raises:
        UsageError: it is none.
    """
    try:
        found = float(wish)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise UsageError(f"{wish!r} is no redundancy number.", "Give --redundancy a number, or SCORER=NUMBER.")
    return found
