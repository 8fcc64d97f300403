"""What the first step is called: 0 or 1, as stated or as the labels show."""

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.reading.findings import Finding

_ENOUGH = 10
"""Indices from which on it says something that none of them is 0."""


@dataclass(frozen=True)
class LabelBase:
    """`base` is what the first step is called, `words` how that is known, `finding` a doubt about it."""

    base: int
    words: str
    finding: Finding | None = None


def label_base(
    stated: int | None, labels: Iterable[tuple[int, int]], *, marked: bool, source: str, option: str = "label_base"
) -> LabelBase:
    """The base of labels, given as (index that names a wrong step, number of steps of its solution).

    Clear evidence is, for 0: a label 0 where clean cases are marked in another way (`marked`); for 1: no label 0, some
    that equal the number of steps, none above it. Without either 0 is assumed, with a warning that names the `option`
    by which to state it.
    """
    pairs = list(labels)
    zeros = sum(label == 0 for label, _ in pairs)
    ends = sum(label == n_steps for label, n_steps in pairs)
    beyond = sum(label > n_steps for label, n_steps in pairs)
    seen = f"{zeros:,} labels are 0, {ends:,} equal the number of steps"
    if stated is not None:
        return LabelBase(stated, f"{stated}-based, as stated ({seen})", _against(stated, zeros, ends, source, option))
    if not pairs:
        return LabelBase(0, "0-based (no label names a step)")
    if zeros and marked:
        return LabelBase(0, f"0-based, inferred ({seen})")
    if not zeros and ends and not beyond and len(pairs) >= _ENOUGH:
        return LabelBase(1, f"1-based, inferred ({seen})")
    why = "0 may also stand for no error" if zeros else "nothing shows whether they count from 0 or from 1"
    message = f"labels were assumed to count from 0: {why} ({seen}); state {option} in the mapping"
    return LabelBase(0, f"0-based, assumed ({seen})", Finding("warning", "label-base", message, source))


def _against(stated: int, zeros: int, ends: int, source: str, option: str) -> Finding | None:
    """A doubt about the stated base, where the labels speak against it."""
    other = 1 - stated
    speaks = (zeros and not ends) if stated else (ends and not zeros)
    if not speaks:
        return None
    shown = f"{zeros:,} labels are 0 and none equals" if stated else f"no label is 0 and {ends:,} equal"
    message = f"{option} is stated as {stated}, but {shown} the number of steps: it may be {other}"
    return Finding("warning", "label-base", message, source)
