"""Thresholds tuned on a small dev set of every subset and reported on the cases that are not in it.

GR-Ben's paper tunes the scorers with free scalar scores so: of each domain 20 clean and 20 erroneous cases, the
threshold with the best F1 there, and these cases left out of the report.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
from msgspec import Struct

from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.gold import Gold
from scoring.metrics.kernel import Unparsed
from scoring.metrics.threshold_curves import case_curve
from scoring.step_rewards import Bools, Ints

EACH = 20
"""How many clean and how many erroneous cases of a subset are in its dev set."""
_NAMED = 3

Policy = Callable[[str], Unparsed]
"""How refused and unparsed cases count, by benchmark."""


def _wrong(_benchmark: str) -> Unparsed:
    """They count as wrong."""
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
    of a benchmark whose official figure is of steps has no dev set.
    """
    cases = gold.cases.select("benchmark", "subset", "case").with_row_index("row")
    several = cases["benchmark"].n_unique() > 1
    rows = np.zeros(cases.height, dtype=np.bool_)
    numbers = np.zeros(cases.height, dtype=np.int64)
    names: list[str] = []
    benchmarks: list[str] = []
    lacking: dict[str, str] = {}
    in_order = cases.sort("benchmark", "subset", "case")
    for (benchmark, subset), part in in_order.group_by("benchmark", "subset", maintain_order=True):
        member = part["row"].to_numpy().astype(np.int64)
        name = f"{benchmark}/{subset or 'all'}" if several else str(subset or "all")
        numbers[member] = len(names)
        names.append(name)
        benchmarks.append(benchmark)
        if step_labelled(benchmark):
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
    """What dev sets give one scorer: `told` the threshold of each subset that was tuned, `lacking` why others were not.

    Subsets without a case that the scorer tried are in neither. Names are those of `sets`.
    """

    sets: DevSets
    told: Mapping[str, float]
    lacking: Mapping[str, str]


def dev_thresholds(evaluation: Evaluation, seed: int, unparsed: Policy = _wrong) -> DevThresholds:
    """The threshold with the best F1 on the dev set of every subset, the lowest of equally good ones.

    It is one of `Curve.thresholds`: of all that decide the dev cases alike the highest for `<`, the lowest for `<=`.

    Args:
        evaluation: a movable one; its threshold does not matter. Cases that are left out of it are not there.
        seed: of the draw.
        unparsed: how the refused and unparsed dev cases of a benchmark count.
    """
    sets = dev_sets(evaluation.gold, seed)
    told: dict[str, float] = {}
    lacking: dict[str, str] = {}
    for number, (name, benchmark) in enumerate(zip(sets.names, sets.benchmarks, strict=True)):
        member = sets.numbers == number
        if not (evaluation.tried & member).any():
            continue
        asked = sets.rows & member, sets.numbers, unparsed(benchmark)
        curve = None if name in sets.lacking else case_curve(evaluation, *asked)
        best = None if curve is None else curve.best
        if best is None:
            lacking[name] = sets.lacking.get(name, "F1 is undefined on its dev cases")
        else:
            told[name] = best[0]
    return DevThresholds(sets, told, lacking)


def dev_tuned(
    evaluation: Evaluation,
    seed: int,
    unparsed: Policy = _wrong,
    *,
    keep: bool = False,
    found: DevThresholds | None = None,
) -> Evaluation:
    """The evaluation with every subset at its threshold of `dev_thresholds`, and without the dev cases (as `dev`).

    With `keep` it reports on the dev cases too, which is optimistic. A subset without a dev set, or on whose dev set F1
    is undefined, stays at the scorer's default and whole; the source of the thresholds says so. If all do, the scorer
    is at its default. Whoever has its `dev_thresholds` gives them as `found`.

    Raises:
        UsageError: no threshold decides here.
    """
    start = evaluation.at_default()
    found = dev_thresholds(start, seed, unparsed) if found is None else found
    threshold, default = start.default
    if not found.told:
        return start.at(threshold, f"{default}; not dev-tuned: {listed(found.lacking)}")
    by_number = np.array([found.told.get(name, threshold) for name in found.sets.names])
    tuned = np.array([name in found.told for name in found.sets.names])
    source = f"dev-tuned per subset, {EACH}+{EACH} of each, seed {seed}"
    source += ", dev cases kept in the report (optimistic)" if keep else ""
    source += f"; at the default: {listed(found.lacking)}" if found.lacking else ""
    decided = start.by_case(by_number[found.sets.numbers], found.told, source)
    return decided if keep else decided.without(found.sets.rows & tuned[found.sets.numbers])


def listed(lacking: Mapping[str, str]) -> str:
    """The first of the subsets that were not tuned, and why."""
    if not lacking:
        return "no case was scored"
    parts = [f"{name} ({why})" for name, why in list(lacking.items())[:_NAMED]]
    more = [f"{len(lacking) - _NAMED} more subsets"] if len(lacking) > _NAMED else []
    return ", ".join([*parts, *more])
