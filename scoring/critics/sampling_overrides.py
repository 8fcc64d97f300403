"""Settings of the user's own on top of a protocol's."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from scoring.asking import Sampling
from scoring.critics.sampling import Chosen
from scoring.errors import UsageError


def overridden(chosen: Chosen, given: Mapping[str, Any], answers: int = 1) -> Chosen:
    """The settings with those that were given, whose names the source then lists.

    Args:
        chosen: a protocol's settings.
        given: any of temperature, top_p, top_k, max_tokens, effort, thinking, thinking_budget, logprobs and seed.
            None = it is not sent, and the model's or server's own default holds.
        answers: how many answers a case gets, over all votes and runs.

    Raises:
        UsageError: a name or value that cannot be sent, or values that cannot go together.
    """
    for name, value in given.items():
        if name not in _ALLOWED:
            raise UsageError(f"there is no sampling setting {name!r}.", f"There are: {', '.join(_ALLOWED)}.")
        allowed, words = _ALLOWED[name]
        if value is not None and not allowed(value):
            raise UsageError(f"{name} cannot be {value!r}.", f"It is {words}.")
    sampling = replace(chosen.sampling, **{name: value for name, value in given.items() if name != "seed"})
    _together(sampling, answers)
    if not given:
        return chosen
    as_given = ", ".join(f"{name} {'not sent' if value is None else value}" for name, value in given.items())
    return Chosen(sampling, f"{chosen.source}; as given: {as_given}", given.get("seed", chosen.seed))


def _together(sampling: Sampling, answers: int) -> None:
    """Refuse settings that leave nothing to combine or no room for an answer."""
    if answers > 1 and (sampling.temperature == 0 or sampling.top_k == 1):
        raise UsageError(
            f"{answers} answers a case are asked for and all would be the same one, for the sampling is greedy.",
            "Give a temperature above 0 and no top_k of 1, or ask for one answer.",
        )
    budget, limit = sampling.thinking_budget, sampling.max_tokens
    if budget is not None and sampling.thinking is False:
        raise UsageError("a thinking budget is given and thinking is switched off.", "Leave one of them out.")
    if budget is not None and limit is not None and budget >= limit:
        raise UsageError(
            f"the thinking budget of {budget:,} tokens leaves none of {limit:,} for the answer.",
            "Give a smaller budget, or more max_tokens.",
        )


_WORD = re.compile(r"[A-Za-z][\w-]{0,31}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "temperature": (lambda value: _number(value) and 0 <= value <= 2, "a number from 0 (greedy) to 2"),
    "top_p": (lambda value: _number(value) and 0 < value <= 1, "a number above 0, up to 1"),
    "top_k": (lambda value: _whole(value) and value >= 1, "a whole number from 1"),
    "max_tokens": (lambda value: _whole(value) and value >= 1, "a whole number from 1"),
    "effort": (
        lambda value: isinstance(value, str) and _WORD.fullmatch(value) is not None,
        "one word, as the model has it",
    ),
    "thinking": (lambda value: isinstance(value, bool), "true or false"),
    "thinking_budget": (lambda value: _whole(value) and value >= 1, "a whole number of tokens from 1"),
    "logprobs": (lambda value: _whole(value) and 0 <= value <= 100, "a whole number from 0 to 100"),
    "seed": (lambda value: _whole(value) and 0 <= value < 2**31, "a whole number from 0, below 2 to the power of 31"),
}
"""Setting -> what it may be, and in words."""
