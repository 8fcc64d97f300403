"""Labels of single steps become the gold columns of a case, and problems get names to group their solutions by."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any


def gold(right: Sequence[bool | None]) -> dict[str, Any]:
    """`earliest_error` and `error_steps` of a solution whose steps are right, wrong or, where None, not labelled.

    The earliest error is the first step labelled wrong, 0-based; -1 if every step is labelled right; None if none is
    labelled wrong and one is not labelled. The error steps are known only where every step is labelled.
    """
    wrong = [index for index, label in enumerate(right) if label is False]
    complete = None not in right
    if wrong:
        return {"earliest_error": wrong[0], "error_steps": wrong if complete else None}
    return {"earliest_error": -1 if complete else None, "error_steps": [] if complete else None}


def problem_id(problem: str) -> str:
    """Twelve hex digits that several solutions of one problem have in common, in formats that give it no id.

    Any text will do, one with half a character too.
    """
    return blake2b(problem.encode(errors="replace"), digest_size=6).hexdigest()
