"""Slow and obvious: every number from one case at a time, in plain loops, to hold the fast code against."""

import math

from msgspec import Struct

METRICS = ("error_acc", "correct_acc", "f1")


class Case(Struct, frozen=True):
    """A case with what is cached for it.

    `gold` is 0-based, -1 for none, None for unknown. `rewards` None and no `refused` (a reason): there is no row.
    """

    n_steps: int
    gold: int | None = -1
    rewards: tuple[float | None, ...] | None = None
    refused: str = ""
    subset: str | None = "one"
    error_steps: tuple[int, ...] | None = None


def tried(case):
    return bool(case.refused) or case.rewards is not None


def usable(case):
    """The rewards that may be decided on, or None."""
    if case.refused or case.rewards is None or case.n_steps == 0 or len(case.rewards) != case.n_steps:
        return None
    for reward in case.rewards:
        if reward is None or not math.isfinite(reward):
            return None
    return list(case.rewards)


def is_wrong(reward, threshold, comparison):
    return reward < threshold if comparison == "<" else reward <= threshold


def verdict(case, threshold, comparison):
    """The first step judged wrong, -1 if none is; None without rewards."""
    rewards = usable(case)
    if rewards is None:
        return None
    for step, reward in enumerate(rewards):
        if is_wrong(reward, threshold, comparison):
            return step
    return -1


def outcome_of(predicted, gold, n_steps):
    """The outcome's word for a verdict that is there."""
    if gold is None:
        return "no_gold"
    if gold == -1:
        return "clean" if predicted == -1 else "false_alarm"
    if predicted == -1:
        return "missed"
    if predicted >= n_steps:
        return "late"
    if predicted < gold:
        return "early"
    return "exact" if predicted == gold else "late"


def outcome(case, threshold, comparison):
    if not tried(case):
        return "unscored"
    predicted = verdict(case, threshold, comparison)
    return "refused" if predicted is None else outcome_of(predicted, case.gold, case.n_steps)


def is_right(case, threshold, comparison):
    return outcome(case, threshold, comparison) in {"exact", "clean"}


def floats(case):
    """(before, at, all), None without rewards. Cases without a gold step that is there have three times `all`."""
    rewards = usable(case)
    if rewards is None:
        return None
    if case.gold is None or case.gold < 0 or case.gold >= case.n_steps:
        return (min(rewards),) * 3
    before = math.inf
    for step in range(case.gold):
        before = min(before, rewards[step])
    return before, min(before, rewards[case.gold]), min(rewards)


def margin(case, threshold, comparison):
    """Distance to the nearest threshold where right and wrong change places; to within one step between floats."""
    rewards = usable(case)
    if rewards is None or case.gold is None:
        return None
    now = is_right(case, threshold, comparison)
    nearest = math.inf
    for reward in rewards:
        for other in (math.nextafter(reward, -math.inf), reward, math.nextafter(reward, math.inf)):
            if is_right(case, other, comparison) != now:
                nearest = min(nearest, abs(threshold - other))
    return nearest if now else -nearest


def step_label(case, step):
    """True = right, False = wrong, None = nobody says."""
    if case.error_steps is not None:
        return step not in case.error_steps
    if case.gold is None:
        return None
    if case.gold == -1 or step < case.gold:
        return True
    return False if step == case.gold else None


def step_accuracy(case, threshold, comparison):
    rewards = usable(case)
    if rewards is None:
        return None
    judged = []
    for step, reward in enumerate(rewards):
        label = step_label(case, step)
        if label is not None:
            judged.append(label != is_wrong(reward, threshold, comparison))
    return share(judged)


def share(hits):
    return sum(hits) / len(hits) if hits else None


def harmonic(left, right):
    if left is None or right is None or left + right == 0:
        return None
    return 2 * left * right / (left + right)


def metrics(cases, threshold, comparison, unparsed="wrong"):
    """{(subset, metric): value or None}: each subset that takes part, `all` pooled, `average` over subsets."""
    taking_part = []
    for case in cases:
        counts = tried(case) if unparsed == "wrong" else usable(case) is not None
        if counts and case.gold is not None:
            taking_part.append(case)
    found = {}
    subsets = list(dict.fromkeys(case.subset for case in taking_part))
    for subset in subsets:
        _add(found, subset or "", [case for case in taking_part if case.subset == subset], threshold, comparison)
    for metric in METRICS:
        values = [found[subset or "", metric] for subset in subsets]
        defined = values and None not in values
        found["average", metric] = sum(values) / len(values) if defined else None
    _add(found, "all", taking_part, threshold, comparison)
    return found


def _add(found, name, cases, threshold, comparison):
    exact, clean = [], []
    for case in cases:
        (clean if case.gold == -1 else exact).append(is_right(case, threshold, comparison))
    found[name, "error_acc"] = share(exact)
    found[name, "correct_acc"] = share(clean)
    found[name, "f1"] = harmonic(share(exact), share(clean))


def thresholds(cases):
    """Every distinct reward, and a number below and one above them all."""
    values = sorted({reward for case in cases for reward in usable(case) or ()})
    return [values[0] - 1, *values, values[-1] + 1] if values else []


def best_f1(cases, comparison, unparsed="wrong"):
    """The highest average F1 over all those thresholds; None if it is nowhere defined."""
    found = [metrics(cases, threshold, comparison, unparsed)["average", "f1"] for threshold in thresholds(cases)]
    return max((f1 for f1 in found if f1 is not None), default=None)
