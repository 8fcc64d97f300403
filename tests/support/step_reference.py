"""Slow and obvious: figures of single steps from one case at a time, to hold the fast code against.

`-1` stands for undefined only where `official` is asked for; elsewhere undefined is None.
"""

from msgspec import Struct

import reference

METRICS = ("prmscore", "f1_positive", "f1_negative", "positive_acc", "negative_acc", "acc", "first", "validity_rate")
ALONE = "multi_solutions"
SWAPPED = ("redundency", "circular")
CATEGORY = {"redundency": "Simplicity", "circular": "Simplicity", "counterfactual": "Soundness", ALONE: "Sensitivity"}


class Step(Struct, frozen=True):
    """A case, its class, and what its scorer says of redundancy: numbers, or labels that are true where redundant."""

    case: reference.Case
    name: str
    numbers: tuple[float, ...] | None = None
    labels: tuple[bool, ...] | None = None


def judged_wrong(item, threshold, comparison, redundancy):
    """For each step whether it is judged wrong; None where the case has no usable rewards."""
    rewards = reference.usable(item.case)
    if rewards is None:
        return None
    if item.name in SWAPPED and item.labels is not None:
        return list(item.labels)
    if item.name in SWAPPED and item.numbers is not None and redundancy is not None:
        return [number > redundancy for number in item.numbers]
    return [reference.is_wrong(reward, threshold, comparison) for reward in rewards]


def counts(items, threshold, comparison, redundancy):
    """{TP, FN, FP, TN, first: list of hits, valid: list of whether a tried case is judged}."""
    found = {"TP": 0, "FN": 0, "FP": 0, "TN": 0, "first": [], "valid": []}
    for item in items:
        if not reference.tried(item.case):
            continue
        wrong = judged_wrong(item, threshold, comparison, redundancy)
        found["valid"].append(wrong is not None)
        if wrong is None:
            continue
        gold = item.case.gold
        if gold is not None and 0 <= gold < item.case.n_steps:
            found["first"].append(wrong[gold])
        for step, is_wrong in enumerate(wrong):
            label = reference.step_label(item.case, step)
            if label is True:
                found["FN" if is_wrong else "TP"] += 1
            elif label is False:
                found["TN" if is_wrong else "FP"] += 1
    return found


def ratio(top, bottom, official):
    if bottom == 0:
        return -1 if official else None
    return top / bottom


def f1(found, missed, alarms, official):
    precision, recall = ratio(found, found + alarms, official), ratio(found, found + missed, official)
    if precision is None or recall is None:
        return None
    if precision + recall == 0:
        return -1 if official else None
    return 2 * precision * recall / (precision + recall)


def figures(items, threshold, comparison, redundancy, official=False):
    c = counts(items, threshold, comparison, redundancy)
    tp, fn, fp, tn = (c[name] for name in ("TP", "FN", "FP", "TN"))
    positive, negative = f1(tp, fn, fp, official), f1(tn, fp, fn, official)
    return {
        "prmscore": None if positive is None or negative is None else (positive + negative) / 2,
        "f1_positive": positive,
        "f1_negative": negative,
        "positive_acc": ratio(tp, tp + fn, official),
        "negative_acc": ratio(tn, tn + fp, official),
        "acc": ratio(tp + tn, tp + fn + fp + tn, official),
        "first": ratio(sum(c["first"]), len(c["first"]), official),
        "validity_rate": ratio(sum(c["valid"]), len(c["valid"]), official=False),
    }


def table(items, threshold, comparison, redundancy, official=False):
    """{(subset, metric): value} of every class that was tried, its categories, `all` and `average`."""
    tried = [item for item in items if reference.tried(item.case)]
    names = list(dict.fromkeys(item.name for item in tried))
    found = {}
    for name in names:
        own = figures([item for item in tried if item.name == name], threshold, comparison, redundancy, official)
        if name == ALONE:
            own["prmscore"] = own["f1_positive"]
        found.update({(name, metric): own[metric] for metric in METRICS})
    groups = {CATEGORY[name]: [other for other in names if CATEGORY[other] == CATEGORY[name]] for name in names}
    for group, members in {**groups, "average": names}.items():
        for metric in METRICS:
            taken = [
                name for name in members if name != ALONE or metric not in {"f1_negative", "negative_acc", "first"}
            ]
            values = [found[name, metric] for name in taken]
            found[group, metric] = sum(values) / len(values) if values and None not in values else None
    pooled = figures(tried, threshold, comparison, redundancy, official)
    return found | {("all", metric): pooled[metric] for metric in METRICS}


def similarity(items, twins, threshold, comparison, redundancy):
    """{place of an item: 1 - the difference of rates}; `twins` are cases by the number of the item's problem."""
    found = {}
    for place, (item, twin) in enumerate(zip(items, twins, strict=True)):
        wrong = judged_wrong(item, threshold, comparison, redundancy)
        others = None if twin is None else judged_wrong(Step(twin, "correct"), threshold, comparison, None)
        if not wrong or not others or all(others):
            continue
        rate, other = (part.count(False) / len(part) for part in (wrong, others))
        found[place] = 1 - abs(rate - other)
    return found
