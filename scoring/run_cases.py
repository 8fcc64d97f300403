"""One case of a scoring run: its texts, what becomes of them in an encoder, and what an engine answered."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from scoring.prms.base import Encoder
from scoring.readout import Answer, Encoded, Refused
from scoring.text_pages import TextPages
from scoring.truncation import Truncated, truncated


@dataclass(frozen=True, slots=True)
class RunCase:
    """A case with its texts; `further` are those that the PRM reads beside problem and steps."""

    case: str
    key: str
    problem: str
    steps: list[str]
    further: tuple[str | None, ...]

    def encoded(self, encode: Encoder, *, truncate: bool) -> "EncodedCase | Refused":
        """What an engine is given for this case; with `truncate`, of as many of its first steps as fit."""
        found = encode(self.problem, self.steps, *self.further)
        if isinstance(found, Encoded):
            return self._counted(found, len(self.steps))
        if not (truncate and found.over_length):
            return found
        cut = truncated(encode, self.problem, self.steps, self.further, found)
        return self._counted(cut.encoded, cut.kept, cut.reason) if isinstance(cut, Truncated) else cut

    def _counted(self, encoded: Encoded, steps: int, reason: str | None = None) -> "EncodedCase | Refused":
        if encoded.n_positions != steps:
            return Refused(f"{encoded.n_positions} positions for {steps} steps")
        return EncodedCase(self, encoded, reason)


@dataclass(frozen=True, slots=True)
class EncodedCase:
    """An encoded case, with a position for each of its steps, or of its first ones: then `reason` says why."""

    case: RunCase
    tokens: Encoded
    reason: str | None = None

    def checked(self, answer: Answer) -> tuple[float, ...] | Refused:
        """An engine's answer, if it is one finite number a step that was encoded, or two."""
        rewards, steps = answer.rewards, self.tokens.n_positions
        if isinstance(rewards, Refused):
            return rewards
        if len(rewards) != steps:
            return Refused(f"{len(rewards)} rewards for {steps} steps")
        redundancy = rewards if answer.redundancy is None else answer.redundancy
        if len(redundancy) != steps:
            return Refused(f"{len(redundancy)} redundancies for {steps} steps")
        for what, numbers in (("reward", rewards), ("redundancy", redundancy)):
            for step, number in enumerate(numbers):
                if not math.isfinite(number):
                    why = f" ({answer.why})" if answer.why else ""
                    return Refused(f"the {what} of step {step} is {number}, no finite number{why}")
        return rewards


def run_cases(wanted: pl.DataFrame, numbers: pl.Series, rows: Sequence[int], pages: TextPages) -> Iterator[RunCase]:
    """These `rows` of `wanted` with their texts; `numbers` are its rows in the frame the texts belong to."""
    names, keys = wanted["case"], wanted["key"]
    for row in rows:
        problem, steps, *further = pages(numbers[row])
        yield RunCase(names[row], keys[row], problem, steps, tuple(further))
