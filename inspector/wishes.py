"""What can be asked of a threshold, and the evaluation that answers: a number, `default`, `best`, `dev`, `from:SUBSET`.

`best:NUMBER` is a number that was found to be the best; `dev:kept` reports on the dev cases as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from inspector.names import match_name
from scoring.dev_sets import dev_tuned
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.filters import named
from scoring.metrics.first_error import Unparsed
from scoring.scorer import Comparison
from scoring.step_rewards import Bools
from scoring.thresholds import sweep

CHOSEN = "chosen"
"""The source of a threshold that somebody gave as a number."""
OPTIMISTIC = "optimistic: best on these cases"
"""The source of a threshold that was tuned on the cases it is reported on."""
_WORDS = ("default", "best", "dev", "dev:kept")


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What a wish is granted in: `shown` gives the cases (n, bool) that `best` is tuned on, under `conditions`.

    `unparsed` says how cases without a verdict count, `seed` draws dev sets.
    """

    shown: Callable[[], Bools]
    conditions: Sequence[str]
    unparsed: Unparsed
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


def check_rule(wish: str) -> Comparison:
    """The comparison that was asked for.

    Raises:
        UsageError: it is none.
    """
    found: Sequence[Literal["<", "<="]] = [one for one in get_args(Comparison) if one == wish]
    if not found:
        raise UsageError(f"{wish!r} is no rule.", "Give '<' or '<=', or SCORER='<' and so on, in quotes.")
    return found[0]


def at_wish(evaluation: Evaluation, wish: str, around: Surroundings) -> Evaluation:
    """The evaluation at what was asked.

    Raises:
        UsageError: no such wish or subset, no threshold decides here, or F1 is undefined where it would be tuned.
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
        return dev_tuned(evaluation, around.seed, around.unparsed, keep=wish == "dev:kept")
    return _tuned(evaluation, wish, around)


def _tuned(evaluation: Evaluation, wish: str, around: Surroundings) -> Evaluation:
    benchmarks = evaluation.gold.cases["benchmark"].unique().to_list()
    if len(benchmarks) > 1:
        listed = ", ".join(sorted(benchmarks))
        raise UsageError(f"{wish!r} tunes on one benchmark and there are {listed}.", "Choose one with --benchmark.")
    if wish == "best":
        not_circular(evaluation.scorer.name, around.conditions)
        return best_on(evaluation, around.shown(), OPTIMISTIC, around.unparsed)
    names, groups = evaluation.gold.subsets
    subset = match_name(wish.removeprefix("from:"), [name for name in names if name], "subset")
    source = f"best on subset {subset} (optimistic there)"
    return best_on(evaluation, groups == names.index(subset), source, around.unparsed)


def best_on(evaluation: Evaluation, rows: Bools, source: str, unparsed: Unparsed) -> Evaluation:
    """The evaluation at the one threshold with the best average F1 over the subsets of `rows` (n).

    Raises:
        UsageError: F1 is undefined there.
    """
    curve = sweep(evaluation, rows, evaluation.gold.subsets[1], unparsed)
    best = None if curve is None else curve.best()
    if best is None:
        raise UsageError(f"{evaluation.scorer.name} has no best threshold there: F1 is undefined.", "Give a number.")
    return evaluation.at(best[0], source)


def not_circular(scorer: str, conditions: Sequence[str]) -> None:
    """Refuse to tune on cases that are chosen by the very outcomes that the tuning changes.

    Raises:
        UsageError: a condition speaks of the scorer.
    """
    own = named(f"{scorer}.").rstrip('"')
    if circular := [condition for condition in conditions if own in condition]:
        raise UsageError(
            f"'best' of {scorer} cannot be tuned under {circular[0]!r}.", "Drop the condition, or give a number."
        )
