"""What a checkpoint has learned: first-error metrics, accuracy by error type, separation of wrong from right steps."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from tiny_prm.judging import Floats, Judged


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """Metrics at the default threshold: percentages with a decimal, AUC in units of 1; None where undefined.

    `f1` is ProcessBench's: the harmonic mean of error_acc (exact among erroneous cases) and correct_acc (clean ones
    without an alarm).
    """
    outcomes = Counter(each.outcome for each in judged)
    erroneous = sum(outcomes[name] for name in ("exact", "early", "late", "missed"))
    clean = len(judged) - erroneous
    error_acc = outcomes["exact"] / erroneous if erroneous else None
    correct_acc = outcomes["clean"] / clean if clean else None
    both = error_acc is not None and correct_acc is not None
    return {
        "cases": len(judged),
        "erroneous": erroneous,
        "f1": _percent(harmonic(error_acc or 0.0, correct_acc or 0.0) if both else None),
        "error_acc": _percent(error_acc),
        "correct_acc": _percent(correct_acc),
        "step_auc": auc(_wrong(judged), _right(judged)),
        "outcomes": dict(sorted(outcomes.items())),
    }


def by_error(judged: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """error_acc of every error type, and the AUC of its wrong steps against all right steps."""
    right = _right(judged)
    found = {}
    for error in sorted({each.case.error for each in judged} - {""}):
        chosen = [each for each in judged if each.case.error == error]
        exact = sum(each.outcome == "exact" for each in chosen)
        found[error] = {
            "cases": len(chosen),
            "error_acc": _percent(exact / len(chosen)),
            "step_auc": auc(_wrong(chosen), right),
        }
    return found


def by_part(judged: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """The figures of every part."""
    parts = sorted({each.case.part for each in judged})
    return {part: figures([each for each in judged if each.case.part == part]) for part in parts}


def best_cut(judged: Sequence[Judged]) -> float:
    """The margin under which a step should be called wrong for the highest F1, midway between two that occur."""
    before = np.array([each.right.min(initial=np.inf) for each in judged])
    wrong = np.array([each.wrong for each in judged])
    erroneous = np.isfinite(wrong)
    values = np.unique(np.concatenate([before, wrong]))
    values = values[np.isfinite(values)]

    def f1(cut: float) -> float:
        exact = (before >= cut) & (~erroneous | (wrong < cut))
        return harmonic(float(exact[erroneous].mean()), float(exact[~erroneous].mean()))

    return float(max((values[1:] + values[:-1]) / 2, key=f1))


def harmonic(left: float, right: float) -> float:
    """The harmonic mean, 0 if both are."""
    return 2 * left * right / (left + right) if left + right else 0.0


def auc(wrong: Floats, right: Floats) -> float | None:
    """The chance that a wrong step has a lower margin than a right one, ties half, to three decimals."""
    if not (len(wrong) and len(right)):
        return None
    ordered = np.sort(right)
    below, up_to = np.searchsorted(ordered, wrong, "left"), np.searchsorted(ordered, wrong, "right")
    return round(float(np.mean(1 - (below + up_to) / 2 / len(ordered))), 3)


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 1)


def _wrong(judged: Sequence[Judged]) -> Floats:
    return np.array([each.wrong for each in judged if each.case.earliest_error >= 0])


def _right(judged: Sequence[Judged]) -> Floats:
    return np.concatenate([each.right for each in judged]) if judged else np.empty(0)
