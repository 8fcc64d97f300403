"""What a request asks of decisions, granted: every evaluation under its rule and at its threshold.

A threshold is asked for as a number, `default`, `best`, `dev` or `from:SUBSET`. `best:NUMBER` is a number that was
found to be the best, `best:NUMBER:BENCHMARK` one that was so on one of several benchmarks; `dev:kept` reports on the
dev cases as well.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import UsageError
from scoring.data.names import match_name, name_choices
from scoring.data.rules import check_rule
from scoring.data.schema import NO_SUBSET, Bools, Ints
from scoring.data.storage.stored_frame import frame_blocks, group_numbers
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import Gold
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.evaluation.verdicts import Decision, Rule
from scoring.metrics.benchmark_metrics import BenchmarkMetrics, metrics_of
from scoring.metrics.kernel import Unparsed
from scoring.metrics.official_protocols import Protocol as OfficialProtocol
from scoring.metrics.official_protocols import protocol_named
from scoring.metrics.threshold_curves import Tuned, tuned
from scoring.workspace.filtering.condition_expressions import columns_read

# -- thresholds tuned on a small dev set of every subset and reported on the cases that are not in it.
#
# GR-Ben's paper tunes the scorers with free scalar scores so: of each domain 20 clean and 20 erroneous cases, the
# threshold with the best F1 there, and these cases left out of the report.


EACH = 20
"""How many clean and how many erroneous cases of a subset are in its dev set."""
_NAMED = 3

Policy = Callable[[str], Unparsed]
"""How refused and unparsed cases count, by benchmark."""


def _wrong(_benchmark: str) -> Unparsed:
    return "wrong"


class DevSets(Struct, frozen=True, eq=False):
    """The dev sets of the s subsets of n cases.

    `rows` (n) marks dev cases. `names` (s) are the subsets, with their benchmark before them where there are several,
    `benchmarks` (s) is that benchmark, `numbers` (n, 0-based) says which is each case's. `lacking` says of subsets
    without a dev set why they have none.
    """

    rows: Bools
    names: tuple[str, ...]
    benchmarks: tuple[str, ...]
    numbers: Ints
    lacking: Mapping[str, str]


@lru_cache(maxsize=2)
def dev_sets(gold: Gold, seed: int) -> DevSets:
    """Draw the dev sets, the same for every scorer and filter, in whatever order the cases are.

    In every subset the cases are sorted by name and `numpy.random.default_rng(seed)` chooses first of the clean, then
    of the erroneous ones. A subset needs more than EACH of both, so that there is something left to report, and one
    of a benchmark whose official figure is of steps has no dev set. Cases without a subset are one as well, called
    NO_SUBSET, or `all` where their benchmark has no other.
    """
    cases = gold.cases
    keys, groups = group_numbers(cases, ("benchmark", "subset"))
    several = len({benchmark for benchmark, _ in keys}) > 1
    named = {benchmark for benchmark, subset in keys if subset}
    identities = pl.concat([pl.Series(dtype=pl.String), *(block["case"] for block in frame_blocks(cases, ("case",)))])
    rows = np.zeros(cases.height, dtype=np.bool_)
    numbers = np.zeros(cases.height, dtype=np.int64)
    names: list[str] = []
    benchmarks: list[str] = []
    lacking: dict[str, str] = {}
    # A subset without a name comes first.
    for place in sorted(range(len(keys)), key=lambda place: (keys[place][0], keys[place][1] is not None, keys[place])):
        benchmark, subset = keys[place]
        member = np.flatnonzero(groups == place)
        member = member[identities.gather(member).arg_sort().to_numpy()]
        nameless = NO_SUBSET if benchmark in named else "all"
        name = f"{benchmark}/{subset or nameless}" if several else str(subset or nameless)
        numbers[member] = len(names)
        names.append(name)
        benchmarks.append(benchmark)
        if metrics_of(benchmark).steps:
            lacking[name] = "PRMScore of steps is reported there, and dev sets tune F1 of first errors"
            continue
        known = member[gold.known[member]]
        sides = (known[gold.earliest[known] < 0], known[gold.earliest[known] >= 0])
        if min(side.size for side in sides) <= EACH:
            lacking[name] = f"{sides[0].size} clean and {sides[1].size} erroneous cases"
            continue
        rng = np.random.default_rng(seed)
        for side in sides:
            rows[rng.choice(side, EACH, replace=False)] = True
    return DevSets(rows, tuple(names), tuple(benchmarks), numbers, lacking)


class DevThresholds(Struct, frozen=True, eq=False):
    """What dev sets give one scorer: `by_subset` the threshold of each subset that was tuned, `lacking` why others were
    not.

    Subsets without a case that the scorer tried are in neither. Names are those of `sets`.
    """

    sets: DevSets
    by_subset: Mapping[str, float]
    lacking: Mapping[str, str]


def dev_thresholds(
    evaluation: Evaluation,
    seed: int,
    unparsed: Policy = _wrong,
    within: Bools | None = None,
    reported: BenchmarkMetrics | None = None,
) -> DevThresholds:
    """Find the threshold with the best F1 on the dev set of every subset, the lowest of equally good ones.

    Of a benchmark with figures of its own it is that with the best leading one. It is one of `Curve.thresholds`: of all
    that decide the dev cases alike the highest for `<`, the lowest for `<=`.

    Args:
        evaluation: a movable one; its threshold does not matter. Cases that are left out of it are not there.
        seed: of the draw.
        unparsed: how the refused and unparsed dev cases of a benchmark count.
        within: (n,) only the subsets of these cases; None = every subset.
        reported: what they are tuned for; None = what each benchmark reports.
    """
    sets = dev_sets(evaluation.gold, seed)
    tried = evaluation.coverage.tried if within is None else evaluation.coverage.tried & within
    best_by_subset: dict[str, float] = {}
    lacking: dict[str, str] = {}
    for number, (name, benchmark) in enumerate(zip(sets.names, sets.benchmarks, strict=True)):
        member = sets.numbers == number
        if not (tried & member).any():
            continue
        target = reported or metrics_of(benchmark)
        sample = sets.rows & member, unparsed(benchmark)
        curve = None if name in sets.lacking else target.sweep(evaluation, *sample)
        best = None if curve is None else curve.best
        if best is None:
            lacking[name] = sets.lacking.get(name, f"{target.title} is undefined on its dev cases")
        else:
            best_by_subset[name] = best[0]
    return DevThresholds(sets, best_by_subset, lacking)


def dev_tuned(
    evaluation: Evaluation,
    seed: int,
    unparsed: Policy = _wrong,
    *,
    keep: bool = False,
    thresholds: DevThresholds | None = None,
) -> Evaluation:
    """Return the evaluation with every subset at its threshold of `dev_thresholds`, and without the dev cases (as
    `dev`).

    With `keep` it reports on the dev cases too, which is optimistic. A subset without a dev set, or on whose dev set F1
    is undefined, stays at the scorer's default and whole; the source of the thresholds says so. If all do, the scorer
    is at its default. Whoever has its `dev_thresholds` gives them as `thresholds`.

    Raises:
        UsageError: no threshold decides here.
    """
    start = evaluation.at_default()
    thresholds = dev_thresholds(start, seed, unparsed) if thresholds is None else thresholds
    threshold, default = start.default
    source = _dev_source(default, seed, thresholds.lacking, some=bool(thresholds.by_subset), keep=keep)
    untuned = tuple(thresholds.lacking.items())
    if not thresholds.by_subset:
        return start.at(threshold, source, untuned)
    by_number = np.array([thresholds.by_subset.get(name, threshold) for name in thresholds.sets.names])
    tuned = np.array([name in thresholds.by_subset for name in thresholds.sets.names])
    decided = start.by_case(by_number[thresholds.sets.numbers], thresholds.by_subset, source, untuned)
    return decided if keep else decided.without(thresholds.sets.rows & tuned[thresholds.sets.numbers])


def _dev_source(default: str, seed: int, lacking: Mapping[str, str], *, some: bool, keep: bool) -> str:
    """Where thresholds come from of which `some` are tuned; `lacking` are at the default, whose source `default` is."""
    if not some:
        return f"{default}; not dev-tuned: {listed(lacking)}"
    source = f"dev-tuned per subset, {EACH}+{EACH} of each, seed {seed}"
    source += ", dev cases kept in the report (optimistic)" if keep else ""
    return source + (f"; at the default: {listed(lacking)}" if lacking else "")


def rule_among(evaluation: Evaluation, rows: Bools, seed: int) -> Decision:
    """Return what decides the cases `rows` (n), all of one benchmark.

    Where dev sets were to tune the threshold, its subsets and its source are those of these cases alone, called without
    their benchmark, and where none of them was tuned it is the default. `seed` is that of the draw. What is the best on
    one benchmark is a number that was chosen on the others.
    """
    movable, rule = evaluation.rule.movable, evaluation.rule.comparing
    if movable is not None and movable.tuned_on:
        here = evaluation.gold.cases["benchmark"][int(np.argmax(rows))] == movable.tuned_on
        return movable.at(movable.threshold, OPTIMISTIC if here else CHOSEN)
    if rule is None or (movable is not None and not movable.untuned):
        return evaluation.rule
    names = _subsets_among(evaluation, rows, seed)
    cuts, reasons = rule.by_subset, dict(rule.untuned)
    by_subset = {name: cuts[full] for full, name in names.items() if full in cuts}
    untuned = {name: reasons[full] for full, name in names.items() if full in reasons}
    threshold, default = evaluation.default
    source = _dev_source(default, seed, untuned, some=bool(by_subset), keep="kept" in rule.source)
    if by_subset:
        return replace(rule, by_subset=by_subset, source=source, untuned=tuple(untuned.items()))
    return Rule(threshold, rule.comparison, source, rule.on, rule.step, tuple(untuned.items()))


def _subsets_among(evaluation: Evaluation, rows: Bools, seed: int) -> dict[str, str]:
    """The names of the subsets of some cases as `DevSets` has them, and without their benchmark."""
    sets = dev_sets(evaluation.gold, seed)
    several = len(set(sets.benchmarks)) > 1
    among = np.flatnonzero(np.bincount(sets.numbers[rows], minlength=len(sets.names)))
    names = {sets.names[number]: sets.benchmarks[number] for number in among.tolist()}
    return {name: name.removeprefix(f"{benchmark}/") if several else name for name, benchmark in names.items()}


def listed(lacking: Mapping[str, str]) -> str:
    """Return the first of the subsets that were not tuned, and why."""
    if not lacking:
        return "no case was scored"
    parts = [f"{name} ({why})" for name, why in list(lacking.items())[:_NAMED]]
    more = [f"{len(lacking) - _NAMED} more subsets"] if len(lacking) > _NAMED else []
    return ", ".join([*parts, *more])


CHOSEN = "chosen"
"""The source of a threshold that somebody gave as a number."""
OPTIMISTIC = "optimistic: best on these cases"
"""The source of a threshold that was tuned on the cases it is reported on."""
_WORDS = ("default", "best", "dev", "dev:kept")


class TuningContext(Struct, frozen=True, eq=False):
    """What a wish is granted in: `shown` gives the cases (n, bool) that `best` is tuned on, under `conditions`.

    `unparsed` says how cases without a verdict count on a benchmark, `seed` draws dev sets.
    """

    shown: Callable[[], Bools]
    conditions: Sequence[str]
    unparsed: Callable[[str], Unparsed]
    seed: int


def threshold_number(choice: str) -> float | None:
    """Read the number in a choice of threshold; None where it names none.

    Raises:
        UsageError: it is no wish at all.
    """
    if choice in _WORDS or choice.startswith("from:"):
        return None
    try:
        threshold = float(_number_and_benchmark(choice)[0])
    except ValueError:
        threshold = float("nan")
    if not np.isfinite(threshold):
        hint = "Give a number, default, best, dev or from:SUBSET, or SCORER=one of these."
        raise UsageError(f"{choice!r} is not a threshold.", hint)
    return threshold


def _number_and_benchmark(choice: str) -> tuple[str, str]:
    """The number in a choice of threshold, and the benchmark that it says it is the best on."""
    if not choice.startswith("best:"):
        return choice, ""
    number, _, benchmark = choice.removeprefix("best:").partition(":")
    return number, benchmark


def best_choice(rule: Decision) -> str:
    """Return the choice of threshold that gives the same again, of one that was found to be the best; "" of another."""
    if not rule.is_movable or not (rule.tuned_on or rule.source == OPTIMISTIC):
        return ""
    return f"best:{rule.threshold!r}{f':{rule.tuned_on}' if rule.tuned_on else ''}"


def at_best(evaluation: Evaluation, threshold: float, benchmark: str) -> Evaluation:
    """Return the evaluation at a threshold that is the best on cases of a benchmark; "" = on those that are here.

    Raises:
        UsageError: no threshold decides here.
    """
    if not benchmark or evaluation.gold.cases["benchmark"].unique().to_list() == [benchmark]:
        return evaluation.at(threshold, OPTIMISTIC)
    return evaluation.at(threshold, f"best on {benchmark} (optimistic there)", tuned_on=benchmark)


def at_wish(evaluation: Evaluation, choice: str, around: TuningContext) -> Evaluation:
    """Return the evaluation at the threshold that was chosen.

    Raises:
        UsageError: no such wish or subset, no threshold decides here, or what would be tuned is undefined there.
    """
    number = threshold_number(choice)
    if number is not None:
        best = choice.startswith("best:")
        return at_best(evaluation, number, _number_and_benchmark(choice)[1]) if best else evaluation.at(number, CHOSEN)
    if choice == "default":
        return evaluation.at_default()
    if not evaluation.rule.is_movable:
        raise UsageError(
            f"{evaluation.scorer.name} has no threshold to set: {evaluation.rule.source}.", "Leave it out."
        )
    if choice.startswith("dev"):
        not_of_steps(choice, evaluation.gold.cases["benchmark"].unique().to_list())
        return dev_tuned(evaluation, around.seed, around.unparsed, keep=choice == "dev:kept")
    return _tuned(evaluation, choice, around)


def _tuned(evaluation: Evaluation, choice: str, around: TuningContext) -> Evaluation:
    benchmarks = sorted(evaluation.gold.cases["benchmark"].unique().to_list())
    if len(benchmarks) > 1:
        message = (
            f"{choice!r} tunes the figure of one benchmark, and there are {len(benchmarks)}: {', '.join(benchmarks)}."
        )
        raise UsageError(message, "Choose one with --benchmark.", instead=name_choices("--benchmark", benchmarks, "on"))
    if choice == "best":
        not_circular(evaluation.scorer.name, around.conditions)
        return _best_on(evaluation, around.shown(), OPTIMISTIC, around)
    names, groups = evaluation.gold.subsets
    subset = match_name(choice.removeprefix("from:"), [name for name in names if name], "subset")
    source = f"best on subset {subset} (optimistic there)"
    return _best_on(evaluation, groups == names.index(subset), source, around)


def _best_on(evaluation: Evaluation, rows: Bools, source: str, around: TuningContext) -> Evaluation:
    """The evaluation at the one threshold with the best official figure of `rows` (n), all of one benchmark."""
    best = best_threshold(evaluation, rows, around)
    if best.threshold is None:
        raise UsageError(f"{evaluation.scorer.name} has no best threshold: {best.reason}.", "Give a number.")
    return evaluation.at(best.threshold, source)


def best_threshold(
    evaluation: Evaluation, rows: Bools, around: TuningContext, reported: BenchmarkMetrics | None = None
) -> Tuned:
    """Find the threshold that is best on `rows` (n), all of one benchmark: for what it reports, or for `reported`."""
    if not rows.any():
        return Tuned(None, "there is no case to tune it on")
    benchmark: str = evaluation.gold.cases["benchmark"][int(np.argmax(rows))]
    return tuned((reported or metrics_of(benchmark)).curve(evaluation, rows, around.unparsed(benchmark)))


def not_of_steps(choice: str, benchmarks: Sequence[str]) -> None:
    """Refuse dev sets where no benchmark's official figure is the one that they tune.

    Raises:
        UsageError: all official figures are of steps.
    """
    if benchmarks and all(metrics_of(name).steps for name in benchmarks):
        why_not = f"the figure of {' and '.join(sorted(benchmarks))} is PRMScore of its steps"
        raise UsageError(f"{choice!r} tunes F1 of first errors, and {why_not}.", "Give best, from:SUBSET or a number.")


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
    """Return the conditions that read a column of the scorer."""
    own = {f"{scorer}.{name}" for name in EVERY_COLUMN}
    return [condition for condition in conditions if not own.isdisjoint(columns_read(condition))]


Evaluations = tuple[Evaluation, ...]
Wishes = Sequence[tuple[str | None, str]]


class DecisionRequest(Protocol):
    """What is asked of decisions.

    Attributes:
        thresholds: Scorer's name (None = every scorer) and what is asked: see `check`; later pairs win.
        rules: The same with a rule in the words of `scoring.data.rules.check_rule`.
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


class DecisionContext(Struct, frozen=True, eq=False):
    """What a decision may look at beside the request: `chosen` names the scorers that are shown.

    `around` says for some evaluations what thresholds are tuned in; the shown cases may depend on any of them.
    """

    request: DecisionRequest
    chosen: tuple[str, ...]
    around: Callable[[Evaluations], TuningContext]


def apply_decisions(evaluations: Evaluations, how: DecisionContext) -> Evaluations:
    """Return every evaluation under the rule and at the thresholds that the request, or the protocol it names, asks
    for.

    One without a threshold stays as it is. What is tuned on the shown cases is so after all else is decided, since a
    condition may speak of any scorer.

    Raises:
        UsageError: no rule, threshold or scorer of that name, or one for a scorer by name that has none.
    """
    request = how.request
    protocol = protocol_named(request.protocol) if request.protocol else None
    rules = _asked(evaluations, request.rules, check_rule)
    if protocol:
        own = {
            evaluation.scorer.name: protocol.rule(evaluation.scorer)
            for evaluation in evaluations
            if evaluation.rule.is_movable
        }
        rules = {name: rule for name, rule in own.items() if rule} | rules
    ruled = tuple(
        evaluation.compared(*check_rule(rules[evaluation.scorer.name]))
        if evaluation.scorer.name in rules
        else evaluation
        for evaluation in evaluations
    )
    choices = _asked(ruled, request.thresholds, threshold_number)
    if protocol:
        choices = (
            _tuned_by(
                protocol,
                [
                    evaluation
                    for evaluation in ruled
                    if evaluation.rule.is_movable and evaluation.scorer.name not in choices
                ],
            )
            | choices
        )
    best = {name: choice for name, choice in choices.items() if choice == "best"}
    by_name = {
        *how.chosen,
        *_asked(ruled, [pair for pair in request.thresholds if pair[0] is not None], threshold_number),
    }
    first = _granted(ruled, {name: choice for name, choice in choices.items() if name not in best}, how, by_name)
    return _redundant(_granted(first, best, how, by_name), request.redundancy)


def _tuned_by(protocol: OfficialProtocol, evaluations: Sequence[Evaluation]) -> dict[str, str]:
    """What a protocol asks of the thresholds of scorers by name.

    Raises:
        UsageError: the subset that it tunes a scorer on is not here.
    """
    by_scorer = {evaluation.scorer.name: protocol.threshold(evaluation.scorer) for evaluation in evaluations}
    for evaluation in evaluations:
        subset = by_scorer[evaluation.scorer.name].removeprefix("from:")
        if by_scorer[evaluation.scorer.name] != subset and subset not in evaluation.gold.subsets[0]:
            hint = f"Import it, or give its threshold: --threshold {evaluation.scorer.name}=X."
            raise UsageError(
                f"the protocol {protocol.name} tunes {evaluation.scorer.name} on {subset}: not here.", hint
            )
    return by_scorer


def _asked(evaluations: Evaluations, choices: Wishes, check: Callable[[str], object]) -> dict[str, str]:
    """What is asked for each scorer by name; a wish for all passes over those that have no threshold."""
    movable = {evaluation.scorer.name: evaluation.rule.is_movable for evaluation in evaluations}
    by_scorer = {}
    for name, choice in choices:
        for match in movable if name is None else [match_name(name, list(movable), "scorer")]:
            if name is None and not movable[match]:
                check(choice)
                continue
            by_scorer[match] = choice
    return by_scorer


def _granted(
    evaluations: Evaluations, choices: Mapping[str, str], how: DecisionContext, meant: set[str]
) -> Evaluations:
    """Every evaluation at what is asked for it; what does not fit is an error for those that are `meant`.

    A wish for all is about the scorers that are shown: another one that it does not fit is in nobody's way.
    """
    around = how.around(evaluations)
    granted = []
    for evaluation in evaluations:
        name = evaluation.scorer.name
        try:
            granted.append(at_wish(evaluation, choices[name], around) if name in choices else evaluation)
        except UsageError:
            if name in meant:
                raise
            granted.append(evaluation)
    return tuple(granted)


def _redundant(evaluations: Evaluations, choices: Wishes) -> Evaluations:
    """The cut above which a step is redundant, where it was asked for; a wish for all is about those with numbers.

    Raises:
        UsageError: no number, or a scorer by name that gives no redundancy.
    """
    numbered = [evaluation.scorer.name for evaluation in evaluations if evaluation.rewards.redundancy.present.any()]
    cuts: dict[str, float] = {}
    for name, choice in choices:
        cut = check_number(choice)
        for match in numbered if name is None else [match_name(name, numbered, "scorer with redundancy numbers")]:
            cuts[match] = cut
    return tuple(
        replace(
            evaluation,
            scorer=replace(
                evaluation.scorer, redundancy_threshold=cuts[evaluation.scorer.name], redundancy_threshold_source=CHOSEN
            ),
        )
        if evaluation.scorer.name in cuts
        else evaluation
        for evaluation in evaluations
    )


def check_number(text: str) -> float:
    """Read the finite number in a choice of redundancy threshold.

    Raises:
        UsageError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{text!r} is not a redundancy number.", "Give --redundancy a number, or SCORER=NUMBER.")
    return number
