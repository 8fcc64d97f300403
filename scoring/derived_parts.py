"""An evaluation as named arrays, and back: what a threshold on rewards decides, before anybody moved it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy.typing as npt

from scoring.case_floats import CaseFloats
from scoring.evaluation import Evaluation
from scoring.given import Given, decision_of
from scoring.gold import Gold
from scoring.packed import DamagedPack
from scoring.scorer import Scorer
from scoring.step_rewards import Beyond, StepLabels, StepNumbers, StepRewards
from scoring.verdicts import Rule

Arrays = Mapping[str, npt.NDArray[Any]]

_LABELS = ("labels", "redundant")
_NUMBERS = ("redundancy", "truncated", "truncated_redundancy")
_FLAT = ("values", "offsets", "given")
_FLOATS = ("before", "at", "all")
_GIVEN = ("verdicts", "by_label", "by_threshold", "missing", "codes")


class Reasons(Sequence[str | None]):
    """Why cases were refused, by row id; None for the others. Length n."""

    def __init__(self, length: int, told: Mapping[int, str]) -> None:
        self._length, self._told = length, told

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, row: int) -> str | None: ...
    @overload
    def __getitem__(self, row: slice) -> list[str | None]: ...
    def __getitem__(self, row: int | slice) -> str | list[str | None] | None:
        if isinstance(row, slice):
            return [self._told.get(one) for one in range(*row.indices(self._length))]
        if not -self._length <= row < self._length:
            raise IndexError(row)
        return self._told.get(row % self._length)

    def __iter__(self) -> Iterator[str | None]:
        return map(self._told.get, range(self._length))


def packed_evaluation(evaluation: Evaluation) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """The arrays of an evaluation without votes, and the few texts in it."""
    rewards, given, floats = evaluation.rewards, evaluation.given, evaluation.floats
    arrays: dict[str, npt.NDArray[Any]] = {
        "values": rewards.values,
        "offsets": rewards.offsets,
        "solutions": rewards.solutions,
        "scored": rewards.scored,
        "refused": rewards.refused,
        "codes": evaluation.codes,
        **{f"given.{name}": getattr(given, name) for name in _GIVEN},
        **{f"floats.{name}": getattr(floats, name) for name in _FLOATS},
    }
    for name in (*_NUMBERS, *_LABELS):
        arrays |= {f"{name}.{part}": getattr(getattr(rewards, name), part) for part in _FLAT}
    for name in _LABELS:
        beyond = getattr(rewards, name).beyond
        arrays |= {f"{name}.beyond.{part}": getattr(beyond, part) for part in Beyond._fields}
    told = {str(row): reason for row, reason in enumerate(rewards.reasons) if reason is not None}
    return arrays, {"reasons": told, "range": rewards.range}


def unpacked_evaluation(gold: Gold, scorer: Scorer, arrays: Arrays, facts: Mapping[str, Any]) -> Evaluation:
    """The evaluation at the scorer's own threshold.

    Raises:
        DamagedPack: an array is missing, or is not about as many cases.
    """
    n = gold.known.size
    try:
        rewards = _rewards(arrays, n, facts)
        given = Given(*(arrays[f"given.{name}"] for name in _GIVEN))
        floats = CaseFloats(*(arrays[f"floats.{name}"] for name in _FLOATS))
        codes = arrays["codes"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedPack(f"{error} is missing") from None
    if {rewards.offsets.size - 1, codes.size, floats.all.size, given.codes.size} != {n}:
        raise DamagedPack(f"it is not about {n:,} cases")
    rule = Rule(scorer.threshold, scorer.comparison, scorer.threshold_source, scorer.on)
    decision = decision_of(rule, rewards, None, given)
    return Evaluation(scorer, gold, rewards, None, floats, given, decision, codes)


def _rewards(arrays: Arrays, n: int, facts: Mapping[str, Any]) -> StepRewards:
    found = StepRewards(
        values=arrays["values"],
        offsets=arrays["offsets"],
        labels=_labels(arrays, "labels"),
        solutions=arrays["solutions"],
        scored=arrays["scored"],
        refused=arrays["refused"],
        reasons=Reasons(n, {int(row): str(reason) for row, reason in facts["reasons"].items()}),
        redundancy=_numbers(arrays, "redundancy"),
        redundant=_labels(arrays, "redundant"),
        truncated=_numbers(arrays, "truncated"),
        truncated_redundancy=_numbers(arrays, "truncated_redundancy"),
    )
    # Going through all values to find the range would read the whole file.
    vars(found)["range"] = None if facts["range"] is None else tuple(map(float, facts["range"]))
    return found


def _numbers(arrays: Arrays, name: str) -> StepNumbers:
    return StepNumbers(*(arrays[f"{name}.{part}"] for part in _FLAT))


def _labels(arrays: Arrays, name: str) -> StepLabels:
    beyond = Beyond(*(arrays[f"{name}.beyond.{part}"] for part in Beyond._fields))
    values, offsets, given = (arrays[f"{name}.{part}"] for part in _FLAT)
    return StepLabels(values, offsets, given, beyond)
