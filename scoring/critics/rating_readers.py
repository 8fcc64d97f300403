"""Readers of answers that rate every step: PRMBench's and Socratic-PRMBench's.

An answer is a JSON object of lists of numbers in [-1, 1], one a step. PRMBench (`mr_eval/utils/model_utils.py`,
`mr_eval/models/openai_models.py` of ssmisya/PRMBench): `validity` and `redundancy`, both asked for by exactly these
names. Socratic-PRMBench (arXiv 2505.23474, Table 6): `validity` alone, which its prompt writes with a blank after it.
In both a step is valid (redundant) iff its number is above 0.

The toolkit compares whatever is in the lists. What it compares without noticing that something is wrong (a list of
another length, truth values, numbers beyond [-1, 1]) is kept beside a reason, so that its figures can be made:
`scoring.step_ratings`. Texts, nulls and lists within a list break its comparison, and NaN compares as "not above 0"
without saying so: of these, and of infinities, there is the reason alone.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from scoring.critics.faults import Fault, told
from scoring.critics.json_answer import Placed, placed_object
from scoring.critics.reading import Reading, Span
from scoring.critics.reasoning import parted, silent

_MISSING = {"validity": Fault.NO_VALIDITY, "redundancy": Fault.NO_REDUNDANCY}
_KINDS = {str: "text", bool: "a truth value", type(None): "null", list: "a list", dict: "an object"}


def read_prmbench(text: str, n_steps: int) -> Reading:
    """The validity and redundancy of n steps. An answer without either list is not read."""
    found = _object(text)
    if isinstance(found, str):
        return Reading(reason=found)
    return replace(_ratings(found.value, ("validity", "redundancy"), n_steps), span=Span(found.start, found.end))


def read_socratic(text: str, n_steps: int) -> Reading:
    """The validity of n steps. Blanks around the keys do not count; redundancy is neither asked for nor read."""
    found = _object(text)
    if isinstance(found, str):
        return Reading(reason=found)
    lists = {key.strip(): value for key, value in found.value.items()}
    return replace(_ratings(lists, ("validity",), n_steps), span=Span(found.start, found.end))


def _object(text: str) -> Placed | str:
    """The JSON object of what follows the reasoning, at its place in the text, or the reason why there is none."""
    part = parted(text)
    if reason := silent(part):
        return reason
    found = placed_object(part.answer)
    if isinstance(found, Fault):
        return told(found)
    before = len(text) - len(part.answer)
    return Placed(found.value, before + found.start, before + found.end)


class _Numbers(NamedTuple):
    """A list as numbers, None where it cannot be compared, and what is wrong with it."""

    values: tuple[float, ...] | None
    reason: str | None = None


def _ratings(found: dict[str, Any], names: Sequence[str], n_steps: int) -> Reading:
    if missing := [_MISSING[name] for name in names if name not in found]:
        return Reading(reason=told(missing[0]))
    lists = [_numbers(found[name], name, n_steps) for name in names]
    reasons = [one.reason for one in lists if one.reason]
    if unusable := [one.reason for one in lists if one.values is None]:
        return Reading(reason=unusable[0])
    # An empty list says nothing of any step, not even to the toolkit.
    rewards, redundancy = (one.values if one.values or not n_steps else None for one in (lists[0], lists[-1]))
    with_redundancy = rewards is not None and len(names) > 1
    return Reading(
        rewards=rewards,
        redundancy=redundancy if with_redundancy else None,
        reason=reasons[0] if reasons else None,
    )


def _numbers(value: Any, name: str, n_steps: int) -> _Numbers:
    if not isinstance(value, list):
        return _Numbers(None, told(Fault.NO_LIST, f"{name} is {_said(value)}"))
    for step, part in enumerate(value):
        if not isinstance(part, int | float):
            return _Numbers(None, told(Fault.NOT_A_NUMBER, f"{name} of step {step} is {_said(part)}"))
        if not _finite(part):
            return _Numbers(None, told(Fault.NOT_FINITE, f"{name} of step {step}"))
    reason = _length(name, len(value), n_steps) or _odd(value, name)
    return _Numbers(tuple(float(part) for part in value), reason)


def _length(name: str, length: int, n_steps: int) -> str | None:
    if length == n_steps:
        return None
    which = "" if name == "validity" else f"{name}, "
    return told(Fault.TOO_SHORT if length < n_steps else Fault.TOO_LONG, f"{which}{length} of {n_steps}")


def _odd(value: list[int | float], name: str) -> str | None:
    """Why numbers, one a step, are no ratings all the same; None where they are."""
    truths = [step for step, part in enumerate(value) if isinstance(part, bool)]
    if truths:
        return told(Fault.TRUTH_VALUES, f"{name} of step {truths[0]}")
    beyond = [step for step, part in enumerate(value) if abs(part) > 1]
    return told(Fault.OUT_OF_RANGE, f"{name} of step {beyond[0]} is {value[beyond[0]]:.6g}") if beyond else None


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        # A whole number beyond the largest float.
        return False


def _said(value: Any) -> str:
    return _KINDS.get(type(value), "a number")
