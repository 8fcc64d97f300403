"""When a step is judged wrong, as it is asked for and in words, and the threshold of a scorer that has none."""

from collections.abc import Mapping

from scoring.errors import UsageError
from scoring.scorer import Comparison, On

_COMPARED: dict[On, str] = {
    "rewards": "its reward",
    "differences": "its reward less that of the step before (of the first, its reward)",
}

DEFAULTS: dict[On, tuple[float, str]] = {
    "rewards": (0.5, "default"),
    "differences": (-0.05, "PRMBench's toolkit"),
}
"""Threshold and its source where a scorer has none of its own on what is compared.

That on differences is of `mr_eval/models/skywork_prm.py` of ssmisya/PRMBench, which judges Skywork's rewards so.
"""


def when_wrong(on: On, comparison: Comparison, threshold: str = "threshold") -> str:
    """In words, when a step is judged wrong."""
    return f"a step is judged wrong iff {_COMPARED[on]} {comparison} {threshold}"


RULES: Mapping[str, tuple[Comparison, On | None]] = {
    "<": ("<", None),
    "<=": ("<=", None),
    "diff<": ("<", "differences"),
    "diff<=": ("<=", "differences"),
    "reward<": ("<", "rewards"),
    "reward<=": ("<=", "rewards"),
}
"""What can be asked of a rule: its comparison, and what is compared with the threshold; None = what it is already."""


def check_rule(wish: str) -> tuple[Comparison, On | None]:
    """Give the comparison that is asked for, and what it compares with the threshold.

    Raises:
        UsageError: it is none.
    """
    if wish not in RULES:
        listed = ", ".join(repr(one) for one in RULES)
        raise UsageError(f"{wish!r} is no rule.", f"There are {listed}, in quotes, or SCORER='<' and so on.")
    return RULES[wish]
