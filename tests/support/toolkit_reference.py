"""Slow and obvious: what PRMBench's toolkit counts, one label after another, to hold official figures against.

Written from its rules (`mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench), not from our code. A case is
`{classification}_{idx}`, the unharmed original of a redundency case `correct_{idx}`; error steps count from 1.
"""

from dataclasses import dataclass, field

SWAPPED = ("redundency", "circular")
ALONE = "multi_solutions"


@dataclass
class Counts:
    """Counts of steps, whether each first error was caught, and the differences of rates."""

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0
    first: list[bool] = field(default_factory=list)
    differences: list[float] = field(default_factory=list)
    valid: int = 0
    cases: int = 0


def rate(labels):
    """The share of labels that say right; -1 without a label, as of every ratio with an empty denominator."""
    return _ratio(sum(labels), len(labels))


def judged(name, record):
    """The labels that count, true = right: "not redundant" in two classes, where the record has such labels."""
    scores = record["scores"]
    if name in SWAPPED and "step_level_redundancy_labels" in scores:
        return [not label for label in scores["step_level_redundancy_labels"]]
    return scores["step_level_validity_labels"]


def count(cases, records):
    """Counts by class, and of all together under None.

    Args:
        cases: (class, idx, error steps) of every case, those of unharmed originals not among them.
        records: results as the toolkit writes them; the first one of an idx counts.
    """
    first = {}
    for record in records:
        first.setdefault(record["idx"], record)
    twins = {f"correct_{idx}" for name, idx, _ in cases if name == "redundency"}
    rates = {
        idx: rate(record["scores"]["step_level_validity_labels"])
        for idx, record in first.items()
        if idx in twins and record.get("validity", True)
    }
    found = {None: Counts()}
    # An original without a result is one more case, and one with a result is none.
    found[None].cases = len(cases) + len(twins) - sum(idx in first for idx in twins)
    for name, idx, errors in cases:
        own = found.setdefault(name, Counts())
        own.cases += 1
        record = first.get(f"{name}_{idx}")
        if record is None or not record.get("validity", True):
            continue
        labels = judged(name, record)
        for counts in (own, found[None]):
            counts.valid += 1
            _add(counts, labels, errors)
            twin = rates.get(f"correct_{idx}")
            if twin and labels:
                counts.differences.append(abs(rate(labels) - twin))
    return found


def _add(counts, labels, errors):
    for step, right in enumerate(labels, 1):
        if step == min(errors, default=None):
            counts.first.append(not right)
        if step in errors:
            counts.fp += right
            counts.tn += not right
        else:
            counts.tp += right
            counts.fn += not right


def figures(counts, name):
    """The official figures of a class, or of all (None): -1 where a denominator is empty."""
    positive = _f1(counts.tp, counts.fp, counts.fn)
    negative = _f1(counts.tn, counts.fn, counts.fp)
    steps = counts.tp + counts.fn + counts.fp + counts.tn
    return {
        "prmscore": positive if name == ALONE else (positive + negative) / 2,
        "f1_positive": positive,
        "f1_negative": negative,
        "positive_acc": _ratio(counts.tp, counts.tp + counts.fn),
        "negative_acc": _ratio(counts.tn, counts.tn + counts.fp),
        "acc": _ratio(counts.tp + counts.tn, steps),
        "first": _ratio(sum(counts.first), len(counts.first)),
        "validity_rate": counts.valid / counts.cases,
        "similarity": 1 - sum(counts.differences) / len(counts.differences) if counts.differences else -1,
    }


def _ratio(top, bottom):
    return top / bottom if bottom else -1


def _f1(found, alarms, missed):
    precision, recall = _ratio(found, found + alarms), _ratio(found, found + missed)
    return 2 * precision * recall / (precision + recall) if precision + recall else -1
