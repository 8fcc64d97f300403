"""What a head gives, in words: the name of each of its outputs, and how they become a reward."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from scoring.data.readout import LogRatio, Readout, Vocabulary

_COMBINED = {
    "least": "the least {} of the places of a step",
    "gate": "{} at the last place of a step, -1 where it is below 0.5 at one before",
}
"""How the rewards of several places become that of a step, in words."""
_RATIO = "r"
"""What a log-ratio is called in its formulas."""
_ROWS_NAMED = 4
"""Rows of a vocabulary that are told one by one."""


class Outputs(Struct, frozen=True):
    """The outputs of a head.

    `labels` name the numbers of `scoring.engines.trace.Traced.logits`, in order. `head` says where they come from,
    `transform` what is done to them ("" for nothing), `reward` and `redundancy` ("" for none) how the transformed
    numbers are put together.
    """

    labels: tuple[str, ...]
    head: str
    transform: str
    reward: str
    redundancy: str


def outputs_of(readout: Readout, text: Callable[[int], str], names: Sequence[str] = ()) -> Outputs:
    """Describe the outputs of a read-out in words.

    Args:
        readout: of the adapter.
        text: the text that a token's id stands for.
        names: what the outputs of a head of its own stand for; () where nobody has said.
    """
    labels = _labels(readout, text, names)
    transform = "" if readout.transform == "none" else readout.transform
    redundancy = readout.redundancy
    reward = _sum(labels, readout.transform, readout.reward, readout.offset)
    return Outputs(
        labels,
        _head(readout, labels),
        transform,
        _COMBINED.get(readout.combine or "", "{}").format(reward),
        "" if redundancy is None else _sum(labels, readout.transform, redundancy),
    )


def _labels(readout: Readout, text: Callable[[int], str], names: Sequence[str]) -> tuple[str, ...]:
    head = readout.head
    if isinstance(head, LogRatio):
        return (_RATIO,)
    if isinstance(head, Vocabulary):
        if not head.ids:
            return ("mean of all rows",)
        others = ("all others",) if head.whole else ()
        return (*(f"'{text(index).strip(' ')}'" for index in head.ids), *others)
    last = head[-1]
    if len(names) == last.outputs:
        return tuple(names)
    return (last.name,) if last.outputs == 1 else tuple(f"{last.name}[{row}]" for row in range(last.outputs))


def _head(readout: Readout, labels: Sequence[str]) -> str:
    """Where the outputs come from: tensors, and rows or layers of them."""
    head = readout.head
    if not isinstance(head, Vocabulary):
        layers = ", ReLU, ".join(layer.name for layer in head)
        size = head[-1].outputs
        return f"{layers}: {size} output{'s' if size > 1 else ''}"
    if isinstance(head, LogRatio):
        summed = "of the step's tokens" if head.single else "of the tokens so far"
        return f"all rows of {head.name}, as log-probabilities {summed}, less those under the reference model"
    if not head.ids:
        return f"all rows of {head.name}"
    rows = ", ".join(f"{label} ({index})" for label, index in zip(labels, head.ids[:_ROWS_NAMED], strict=False))
    where = f"row{'s' if len(head.ids) > 1 else ''} {rows} of {head.name}"
    return f"{where}, as log-probabilities among all tokens" if head.whole else where


def _sum(labels: Sequence[str], transform: str, weights: Sequence[float], offset: float = 0.0) -> str:
    """The weighted sum of the transformed outputs, as a formula."""
    formula = f"{offset:g}" if offset else ""
    for label, weight in zip(labels, weights, strict=False):
        if not weight:
            continue
        sign = ("- " if weight < 0 else "+ ") if formula else ("-" if weight < 0 else "")
        factor = "" if abs(weight) == 1 else f"{abs(weight):g} "
        formula = f"{formula} {sign}{factor}{_term(label, transform)}".strip()
    return formula or "0"


def _term(label: str, transform: str) -> str:
    if transform == "softmax":
        return f"P({label})"
    if transform == "sigmoid":
        return f"sigmoid({label})"
    return label if label == _RATIO else f"logit of {label}"
