"""What the gold labels of a case say, in words."""

import re
from collections.abc import Mapping
from typing import Any

FROM_ONE = frozenset({"prmbench", "socratic"})
"""Benchmarks whose reasons number the steps from 1, as their labels did before they were read."""
_NAMES_A_STEP = re.compile(r"\bsteps?\s*\d|步骤?\s*\d|第\s*\d+\s*步", re.IGNORECASE)


def gold_words(case: Mapping[str, Any]) -> str:
    """Write `step 3 (also wrong: 4, 6)`, `no wrong step`, or that the labels name none; steps are 0-based."""
    earliest = case["earliest_error"]
    if earliest is None:
        return "no gold label names a step of this solution"
    if earliest == -1:
        return "no wrong step"
    so_far = case.get("errors_so_far") or []
    others = [str(step) for step in case["error_steps"] or so_far if step != earliest]
    words = [f"also wrong: {', '.join(others)}"] if others else []
    if so_far and so_far[-1] + 1 < case["n_steps"]:
        words.append(f"nobody labelled the steps after {so_far[-1]}")
    return f"step {earliest}" + (f" ({'; '.join(words)})" if words else "")


def gold_word(case: Mapping[str, Any], step: int) -> str | None:
    """Write what the gold labels of a case say of one of its steps (0-based); None = nothing."""
    earliest, listed = case["earliest_error"], case["error_steps"]
    if step == earliest:
        return "error"
    if step in (case.get("neutral_steps") or ()):
        return "neutral"
    if (so_far := case.get("errors_so_far")) and step <= so_far[-1]:
        return "error step" if step in so_far else "right"
    if listed is not None:
        return "error step" if step in listed else "right"
    return "right" if earliest is not None and (earliest == -1 or step < earliest) else None


def counts_from_one(benchmark: str, reason: str) -> bool:
    """Return whether the reason of a gold label names steps, and by other numbers than everything else here."""
    return benchmark in FROM_ONE and _NAMES_A_STEP.search(reason) is not None
