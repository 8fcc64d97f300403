"""Cases over a model's length limit, cut at a step because somebody asked for it (`score --truncate`).

The steps that are left are encoded as a solution of their own. Causal PRMs give them the rewards that they would have
in the whole text, which such a model could not read. The limit stays the family's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.prms.base import Encoder
from scoring.readout import Encoded, Refused


@dataclass(frozen=True, slots=True)
class Truncated:
    """The tokens of a case's first `kept` steps, one position each, and why there are no more, in words."""

    encoded: Encoded
    kept: int
    reason: str


def truncated(
    encode: Encoder, problem: str, steps: Sequence[str], further: Sequence[str | None], refusal: Refused
) -> Truncated | Refused:
    """As many first steps of a case as fit.

    Args:
        encode: the family's encoder; more steps must not be fewer tokens to it.
        problem: the case's text.
        steps: its n texts.
        further: what `encode` reads beside these, as it takes it.
        refusal: what it said of all n steps: over length.

    The number of steps is found by bisection, in log2(n) encodings. Without one that fits the case is refused as it
    was; where the steps that fit are refused for another reason, for that one.
    """
    kept, beyond, found = 0, len(steps), refusal
    fitting: Encoded | None = None
    while beyond - kept > 1:
        middle = (kept + beyond) // 2
        tried = encode(problem, list(steps[:middle]), *further)
        if isinstance(tried, Refused) and tried.over_length:
            beyond = middle
        elif isinstance(tried, Refused):
            kept, fitting, found = middle, None, tried
        else:
            kept, fitting = middle, tried
    if fitting is None:
        return found
    those = "step 0" if kept == 1 else f"steps 0 to {kept - 1}"
    verb = "was" if kept == 1 else "were"
    return Truncated(fitting, kept, f"{refusal.reason}; {those} of {len(steps)} {verb} scored (--truncate)")
