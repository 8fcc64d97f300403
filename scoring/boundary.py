"""When a step is judged wrong, in words, and the threshold where a scorer has none of its own."""

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
