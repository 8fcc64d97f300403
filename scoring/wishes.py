"""What can be asked of a threshold, and the evaluation that answers: a number, `default`, `best`, `dev`, `from:SUBSET`.

`best:NUMBER` is a number that was found to be the best; `dev:kept` reports on the dev cases as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.benchmarks.registry import step_labelled
from scoring.dev_sets import dev_tuned
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.metrics.kernel import Unparsed
from scoring.metrics.threshold_curves import Tuned, official_curve, tuned
from scoring.names import match_name
from scoring.sql_words import named
from scoring.step_rewards import Bools

CHOSEN = "chosen"
"""The source of a threshold that somebody gave as a number."""
OPTIMISTIC = "optimistic: best on these cases"
"""The source of a threshold that was tuned on the cases it is reported on."""
_WORDS = ("default", "best", "dev", "dev:kept")


@dataclass(frozen=True, eq=False)
class Surroundings:
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
    """The conditions that name a column of the scorer."""
    own = named(f"{scorer}.").rstrip('"')
    return [condition for condition in conditions if own in condition]
