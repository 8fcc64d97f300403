"""A two-token PRM's numbers from vLLM's `/generative_scoring`: how likely its two words are after each step."""

from dataclasses import dataclass
from typing import Any, Self

from scoring.engines.server.faults import Fault
from scoring.engines.server.ways import Rows, Send, weighed
from scoring.errors import EngineError
from scoring.readout import Encoded, Readout, Vocabulary

_SURE = 1e-3


@dataclass(frozen=True)
class GenerativeScoring:
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
        """See `Way`. The query ends before the first position that is read, each item at one."""
        return self._request(model, sequence, self.labels)

    def rows(self, told: Any, sequence: Encoded) -> Rows:
        """See `Way`."""
        weights = [self.readout.reward, *([self.readout.redundancy] if self.readout.redundancy else [])]
        return [weighed((score, 1.0 - score), weights) for score in _scores(told, len(sequence.positions))]

    async def proven(self, model: str, sequence: Encoded, send: Send) -> Self:
        """See `Way`: the two words' probabilities must make one, whichever is asked for first."""
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


def _scores(told: Any, count: int) -> list[float]:
    """One probability an item, in their order.

    Raises:
        Fault: there are others.
    """
    try:
        scores = {one["index"]: float(one["score"]) for one in told["data"]}
        found = [scores[index] for index in range(len(scores))]
    except (KeyError, TypeError, ValueError):
        raise Fault("a reply that holds no scores", again=False) from None
    if len(found) != count:
        raise Fault(f"{len(found)} scores for {count} steps", again=False)
    if not all(0.0 <= score <= 1.0 for score in found):
        raise Fault("a score that is no probability", again=False)
    return found
