"""How vLLM's servers are asked for a PRM's numbers, and what comes back.

`/pooling` gives its head's outputs at every token, or at every step tag; `/generative_scoring` how likely the two
words of a two-token PRM are after each step.
"""

import binascii
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import EngineError
from scoring.data.readout import Encoded, Readout, Vocabulary
from scoring.engines.server.connections import ROOM
from scoring.engines.server.faults import Fault, number

_SURE = 1e-3
"""How far probabilities of a half-precision head may be from a sum of one."""
_NUMBER_BYTES = 32
"""Of one number in a reply, with all its digits; and of a score's index and name together with it three times that."""
PooledOutputs = list[list[float]]
"""Shape (rows, outputs of the head)."""
RewardRows = list[tuple[float, ...]]
"""One row a position: the reward, and behind it the redundancy where the read-out gives one."""
Send = Callable[[dict[str, Any]], Awaitable[Any]]
"""Sends a body to the endpoint and gives the decoded reply.

Raises:
    Fault: it cannot be had.
"""


class NotFinite(EngineError):  # noqa: N818  # named for what is so, as the errors of scoring.data.errors
    """A server that has no finite number to show what it does."""


class RewardEndpoint(Protocol):
    """One endpoint of vLLM's servers: what is sent for a sequence, and what its reply means."""

    @property
    def path(self) -> str:
        """Where it is, below the server's root."""
        ...

    def request(self, model: str, sequence: Encoded) -> dict[str, Any]:
        """Write the body for one sequence.

        Raises:
            Fault: it cannot be asked so.
        """
        ...

    def largest_reply(self, sequence: Encoded) -> int:
        """Return the bytes that the reply for one sequence may have."""
        ...

    def rows(self, reply: Any, sequence: Encoded) -> RewardRows:
        """Read what a decoded reply holds at the positions of the sequence.

        Raises:
            Fault: it is not what was asked for.
        """
        ...

    async def proven(self, model: str, sequence: Encoded, send: Send) -> Self:
        """Return the endpoint after trying on a sequence what the server really does.

        Raises:
            EngineError: the server does something else, and its numbers would be wrong.
            Fault: its replies cannot be read.
        """
        ...


class Pooling(Struct, frozen=True):
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
        """See `RewardEndpoint`. Token ids are sent, so that no text is read for special tokens."""
        return self._request(model, sequence.ids, activation=not self.raw)

    def largest_reply(self, sequence: Encoded) -> int:
        """See `RewardEndpoint`."""
        return ROOM + len(sequence.ids) * self.columns * _NUMBER_BYTES

    def rows(self, reply: Any, sequence: Encoded) -> RewardRows:
        """See `RewardEndpoint`."""
        outputs = _chosen(self._outputs(reply), sequence)
        return [_weighed(self._transformed(row), self.readout) for row in outputs]

    async def proven(self, model: str, sequence: Encoded, send: Send) -> Self:
        """See `RewardEndpoint`: whether `use_activation` counts, what comes, and at which tokens."""
        outputs = [self._outputs(await send(self._request(model, sequence.ids, activation=on))) for on in (False, True)]
        raw = self._is_raw(outputs[0], outputs[1])
        if outputs[0] and len(outputs[0]) != len(sequence.ids):
            await self._prove_tag(model, sequence, send)
        elif not outputs[0]:
            raise EngineError(
                "the pooling server finds no step tag in the first case.",
                f"Start it with the step tag {sequence.ids[sequence.positions[0]]} in --pooler-config.",
            )
        return replace(self, raw=raw)

    def _is_raw(self, plain: PooledOutputs, activated: PooledOutputs) -> bool:
        """Whether what comes with the activation switched off is raw.

        Raises:
            EngineError: that cannot be told, or it is not and we would need it.
        """
        if len(plain) != len(activated):
            raise Fault(f"{len(plain)} rows for a sequence, and then {len(activated)}", again=False)
        pairs = [
            (row, other) for row, other in zip(plain, activated, strict=True) if all(map(math.isfinite, (*row, *other)))
        ]
        if plain and not pairs:
            raise NotFinite(
                "the pooling server gives no finite number in the first case.",
                "Check the model's weights, and try bfloat16 or float32 where it runs in float16.",
            )
        if any(not math.isclose(a, b, abs_tol=1e-9) for row, other in pairs for a, b in zip(row, other, strict=True)):
            return True
        if self.columns > 1 and all(abs(sum(row) - 1.0) < _SURE and min(row) >= 0.0 for row, _ in pairs):
            if self.readout.transform == "softmax":
                return False
        elif any(not 0.0 <= value <= 1.0 for row, _ in pairs for value in row):
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
        outputs = self._outputs(await send(self._request(model, (other, tag, tag, tag), activation=False)))
        if len(tags) > 1 or len(outputs) != 3:
            raise EngineError(
                f"the pooling server does not give the numbers at token {tag}, where this PRM reads them.",
                'Start it with --pooler-config \'{"task": "token_classify", "tok_pooling_type": "ALL"}\'.',
            )

    @staticmethod
    def _request(model: str, ids: Sequence[int], *, activation: bool) -> dict[str, Any]:
        # In base64 every float32 arrives as it is; as JSON a server may refuse one that is not finite.
        written = {"encoding_format": "base64", "embed_dtype": "float32", "endianness": "little"}
        body = {"model": model, "task": "token_classify", "input": [list(ids)], "use_activation": activation}
        return body | written

    def _outputs(self, reply: Any) -> PooledOutputs:
        """The head's outputs, checked for their shape.

        Raises:
            Fault: they are of another.
        """
        try:
            rows = reply["data"][0]["data"]
            if isinstance(rows, str):
                numbers = np.frombuffer(binascii.a2b_base64(rows, strict_mode=True), "<f4")
                return numbers.reshape(-1, self.columns).astype(float).tolist()
            outputs = [[math.nan if value is None else number(value) for value in row] for row in rows]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Fault("a reply that holds no numbers", again=False) from None
        width = next((len(row) for row in outputs if len(row) != self.columns), None)
        if width is not None:
            raise Fault(f"{width} numbers a token where this PRM's head gives {self.columns}", again=False)
        return outputs

    def _transformed(self, row: Sequence[float]) -> Sequence[float]:
        if not self.raw or self.readout.transform == "none":
            return row
        if self.readout.transform == "sigmoid":
            return [_sigmoid(value) for value in row]
        top = max(row)
        powers = [math.exp(value - top) for value in row]
        return [power / sum(powers) for power in powers]


class GenerativeScoring(Struct, frozen=True):
    """A server that was started to generate. Prefixes that grow by a step are its items; it caches what they share.

    It tells the probability of the first of the two words, among the two.
    """

    readout: Readout
    path: str = "/generative_scoring"

    def __post_init__(self) -> None:
        head = self.readout.head
        two = isinstance(head, Vocabulary) and len(head.ids) == 2 and not head.whole
        if not two or self.readout.transform != "softmax":
            raise EngineError(
                "generative scoring gives one of two words' probability, which is not what this PRM reads.",
                "Use a pooling server or the transformers engine.",
            )

    @property
    def labels(self) -> list[int]:
        """The two token ids, in the read-out's order."""
        return list(self.readout.head.ids) if isinstance(self.readout.head, Vocabulary) else []

    def request(self, model: str, sequence: Encoded) -> dict[str, Any]:
        """See `RewardEndpoint`. The query ends before the first position that is read, each item at one."""
        return self._request(model, sequence, self.labels)

    def largest_reply(self, sequence: Encoded) -> int:
        """See `RewardEndpoint`."""
        return ROOM + len(sequence.positions) * 3 * _NUMBER_BYTES

    def rows(self, reply: Any, sequence: Encoded) -> RewardRows:
        """See `RewardEndpoint`."""
        return [_weighed((score, 1.0 - score), self.readout) for score in _scores(reply, len(sequence.positions))]

    async def proven(self, model: str, sequence: Encoded, send: Send) -> Self:
        """See `RewardEndpoint`: the two words' probabilities must make one, whichever is asked for first."""
        bodies = [self._request(model, sequence, labels) for labels in (self.labels, self.labels[::-1])]
        first, second = [_scores(await send(body), len(sequence.positions)) for body in bodies]
        if any(abs(a + b - 1.0) > _SURE for a, b in zip(first, second, strict=True)):
            raise EngineError(
                "the server's probabilities of the two words do not make one.", "Use the transformers engine."
            )
        return self

    @staticmethod
    def _request(model: str, sequence: Encoded, labels: list[int]) -> dict[str, Any]:
        if not sequence.positions or sequence.positions[0] == 0:
            raise Fault("a first step that begins the prompt", again=False)
        start = sequence.positions[0]
        return {
            "model": model,
            "query": list(sequence.ids[:start]),
            "items": [list(sequence.ids[start : position + 1]) for position in sequence.positions],
            "label_token_ids": labels,
            "apply_softmax": True,
            "add_special_tokens": False,
        }


def _chosen(outputs: PooledOutputs, sequence: Encoded) -> PooledOutputs:
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


def _scores(reply: Any, count: int) -> list[float]:
    """One probability an item, in their order.

    Raises:
        Fault: there are others.
    """
    try:
        scores = {item["index"]: number(item["score"]) for item in reply["data"]}
        in_order = [scores[index] for index in range(len(reply["data"]))]
    except (KeyError, TypeError, ValueError):
        raise Fault("a reply that holds no scores", again=False) from None
    if len(in_order) != count:
        raise Fault(f"{len(in_order)} scores for {count} steps", again=False)
    if not all(0.0 <= score <= 1.0 for score in in_order):
        raise Fault("a score that is not a probability", again=False)
    return in_order


def _weighed(outputs: Sequence[float], readout: Readout) -> tuple[float, ...]:
    reward = readout.offset + sum(a * b for a, b in zip(outputs, readout.reward, strict=True))
    if readout.redundancy is None:
        return (reward,)
    return (reward, sum(a * b for a, b in zip(outputs, readout.redundancy, strict=True)))
