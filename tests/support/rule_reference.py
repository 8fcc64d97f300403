"""Slow and obvious: what a rule compares, and which step its verdict names, from one case at a time."""

import math

import reference

NAMES = ("rewards", "differences", "product", "zscore", "max2", "max3")
STEPS = ("first", "lowest")
LARGEST = 1.7976931348623157e308


def values(name, rewards):
    """What is compared with the threshold in the place of the rewards of one case."""
    if name == "rewards":
        return list(rewards)
    if name == "differences":
        return [rewards[0], *(rewards[step] - rewards[step - 1] for step in range(1, len(rewards)))]
    if name == "product":
        found = [rewards[0]]
        for reward in rewards[1:]:
            found.append(max(-LARGEST, min(LARGEST, found[-1] * reward)))
        return found
    if name == "zscore":
        mean = sum(rewards) / len(rewards)
        deviation = math.sqrt(sum((reward - mean) ** 2 for reward in rewards) / len(rewards))
        return [0.0 if max(rewards) == min(rewards) else (reward - mean) / deviation for reward in rewards]
    in_a_row = int(name.removeprefix("max"))
    return [max(rewards[step : step + in_a_row]) for step in range(len(rewards))]


def verdict(case, name, step, threshold, comparison):
    """The step that is named, -1 if none is judged wrong; None without rewards."""
    rewards = reference.usable(case)
    if rewards is None:
        return None
    compared = values(name, rewards)
    if step == "lowest":
        lowest = compared.index(min(compared))
        return lowest if reference.is_wrong(compared[lowest], threshold, comparison) else -1
    wrong = [place for place, value in enumerate(compared) if reference.is_wrong(value, threshold, comparison)]
    return wrong[0] if wrong else -1


def outcome(case, name, step, threshold, comparison):
    """The outcome's word."""
    if not reference.tried(case):
        return "unscored"
    predicted = verdict(case, name, step, threshold, comparison)
    return "refused" if predicted is None else reference.outcome_of(predicted, case.gold, case.n_steps)


def f1(cases, outcomes):
    """The average F1 over subsets of cases with these outcomes; None where it is undefined."""
    taking_part = [
        (case, outcome)
        for case, outcome in zip(cases, outcomes, strict=True)
        if case.gold is not None and outcome != "unscored"
    ]
    found = []
    for subset in dict.fromkeys(case.subset for case, _ in taking_part):
        here = [(case, outcome) for case, outcome in taking_part if case.subset == subset]
        exact = reference.share([outcome == "exact" for case, outcome in here if case.gold != -1])
        clean = reference.share([outcome == "clean" for case, outcome in here if case.gold == -1])
        found.append(reference.harmonic(exact, clean))
    return sum(found) / len(found) if found and None not in found else None
