r"""A critic's answer as the columns of a foreign row: the words it votes with and the earliest error these name."""

from typing import Any

from scoring.critics.boxed import processbench_ballot, processbench_verdict, zero_based
from scoring.reading.fields import without_empty_fraction

_SHOWN = 40
_LARGEST = 10**18


def boxed(answer: str) -> dict[str, Any]:
    r"""The columns `answer`, `ballot`, `verdict`, `reason` of an answer with a `\boxed{...}`, as ProcessBench reads it.

    Steps count from 0; see `voted`.
    """
    return {"answer": answer, **voted(processbench_ballot(answer))}


def voted(ballot: str | None, base: int = 0) -> dict[str, Any]:
    """The columns `ballot`, `verdict` and `reason` of a ballot whose steps count from `base` (0 or 1).

    The verdict is 0-based, -1 = no error, -2 = a number that names no step; null, with a reason, where there is none.
    """
    verdict = processbench_verdict(ballot)
    if verdict is not None and base == 1:
        verdict = zero_based(verdict)
    return {"ballot": ballot, "verdict": verdict, "reason": None if verdict is not None else _why(ballot)}


def written(value: Any) -> str | None:
    """A text as it is, a whole number as its digits; None for anything else."""
    value = without_empty_fraction(value)
    if type(value) is int and abs(value) < _LARGEST:
        return str(value)
    return value if isinstance(value, str) else None


def _why(ballot: str | None) -> str:
    if ballot is None:
        return "the answer has no \\boxed{...}"
    if not ballot:
        return "the box is empty"
    return f"the box holds no whole number: {ballot[:_SHOWN]}{'…' if len(ballot) > _SHOWN else ''}"
