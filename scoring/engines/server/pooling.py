"""A PRM's numbers from vLLM's `/pooling`: its head's outputs at every token, or at every step tag."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from scoring.engines.server.faults import Fault
from scoring.engines.server.ways import Rows, Send, weighed
from scoring.errors import EngineError
from scoring.readout import Encoded, Readout, Vocabulary

_SURE = 1e-3
"""How far probabilities of a half-precision head may be from a sum of one."""
Outputs = list[list[float]]
"""Shape (rows, outputs of the head)."""


@dataclass(frozen=True)
class Pooling:
    """A server that was started with `--runner pooling` and pools tokens by ALL or by STEP.

    `raw` says that the head's outputs come as they are and the read-out's transform is ours to do. A server's defaults
    differ by model class, and one that does not know `use_activation` ignores it: `proven` finds out.
    """

    readout: Readout
    raw: bool = True
    path: str = "/pooling"

    def __post_init__(self) -> None:
        if isinstance(self.readout.head, Vocabulary) and (self.readout.head.whole or not self.readout.head.ids):
            raise EngineError(
                "a pooling server cannot give a probability among all tokens.",
                "Use the transformers engine for this PRM.",
            )

    @property
    def columns(self) -> int:
        """Outputs of the head."""
        head = self.readout.head
        return len(head.ids) if isinstance(head, Vocabulary) else head[-1].outputs

    def request(self, model: str, sequence: Encoded) -> dict[str, Any]:
        """See `Way`. Token ids are sent, so that no text is read for special tokens."""
        return self._request(model, sequence.ids, activation=not self.raw)

    def rows(self, told: Any, sequence: Encoded) -> Rows:
        """See `Way`."""
        outputs = _chosen(self._outputs(told), sequence)
        weights = [self.readout.reward, *([self.readout.redundancy] if self.readout.redundancy else [])]
        return [weighed(self._transformed(row), weights) for row in outputs]

    async def proven(self, model: str, sequence: Encoded, send: Send) -> Self:
        """See `Way`: whether `use_activation` counts, what comes, and at which tokens."""
        found = [self._outputs(await send(self._request(model, sequence.ids, activation=on))) for on in (False, True)]
        raw = self._is_raw(found[0], found[1])
        if found[0] and len(found[0]) != len(sequence.ids):
            await self._prove_tag(model, sequence, send)
        elif not found[0]:
            raise EngineError(
                "the pooling server finds no step tag in the first case.",
                f"Start it with the step tag {sequence.ids[sequence.positions[0]]} in --pooler-config.",
            )
        return replace(self, raw=raw)

    def _is_raw(self, plain: Outputs, activated: Outputs) -> bool:
        """Whether what comes with the activation switched off is raw.

        Raises:
            EngineError: that cannot be told, or it is not and we would need it.
        """
        same = len(plain) == len(activated) and all(
            math.isclose(a, b, abs_tol=1e-9)
            for one, two in zip(plain, activated, strict=True)
            for a, b in zip(one, two, strict=True)
        )
        if not same:
            return True
        if self.columns > 1 and all(abs(sum(row) - 1.0) < _SURE and min(row) >= 0.0 for row in plain):
            if self.readout.transform == "softmax":
                return False
        elif any(not 0.0 <= value <= 1.0 for row in plain for value in row):
            return True
        raise EngineError(
            "the pooling server does not switch its activation off, so its numbers are not those this PRM reads.",
            "Use another version of vLLM, or the transformers engine.",
        )

    async def _prove_tag(self, model: str, sequence: Encoded, send: Send) -> None:
        """Check that the server's tag is ours: another one could by chance be there as often."""
        tags = {sequence.ids[position] for position in sequence.positions}
        tag = sequence.ids[sequence.positions[0]]
        other = next((token for token in sequence.ids if token != tag), tag)
        found = self._outputs(await send(self._request(model, (other, tag, tag, tag), activation=False)))
        if len(tags) > 1 or len(found) != 3:
            raise EngineError(
                f"the pooling server does not give the numbers at token {tag}, where this PRM reads them.",
                'Start it with --pooler-config \'{"task": "token_classify", "tok_pooling_type": "ALL"}\'.',
            )

    @staticmethod
    def _request(model: str, ids: Sequence[int], *, activation: bool) -> dict[str, Any]:
        return {"model": model, "task": "token_classify", "input": [list(ids)], "use_activation": activation}

    def _outputs(self, told: Any) -> Outputs:
        """The head's outputs, checked for their shape.

        Raises:
            Fault: they are of another.
        """
        try:
            rows = told["data"][0]["data"]
            found = [[math.nan if value is None else float(value) for value in row] for row in rows]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Fault("a reply that holds no numbers", again=False) from None
        if any(len(row) != self.columns for row in found):
            width = len(found[0])
            raise Fault(f"{width} numbers a token where this PRM's head gives {self.columns}", again=False)
        return found

    def _transformed(self, row: Sequence[float]) -> Sequence[float]:
        if not self.raw or self.readout.transform == "none":
            return row
        if self.readout.transform == "sigmoid":
            return [_sigmoid(value) for value in row]
        top = max(row)
        powers = [math.exp(value - top) for value in row]
        return [power / sum(powers) for power in powers]


def _chosen(outputs: Outputs, sequence: Encoded) -> Outputs:
    """The rows at the sequence's positions, of those of all tokens or of all tags.

    Raises:
        Fault: there are as many as neither.
    """
    if len(outputs) == len(sequence.ids):
        return [outputs[position] for position in sequence.positions]
    tag = sequence.ids[sequence.positions[0]] if sequence.positions else None
    places = [place for place, token in enumerate(sequence.ids) if token == tag]
    if len(outputs) != len(places) or not set(sequence.positions) <= set(places):
        raise Fault(f"{len(outputs)} rows for {len(sequence.positions)} steps", again=False)
    at = dict(zip(places, outputs, strict=True))
    return [at[position] for position in sequence.positions]


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value >= 0 else math.exp(value) / (1.0 + math.exp(value))
