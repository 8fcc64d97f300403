"""What a server has shown that it understands."""

from dataclasses import dataclass, replace

from scoring.asking import Sampling
from scoring.engines.server.refusal import Refusal

_OLD, _NEW = "max_tokens", "max_completion_tokens"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a chat request is worded for one server. It only ever loses what the server does not take.

    `length` is the field for the most tokens to generate: `max_tokens` everywhere, `max_completion_tokens` with
    OpenAI's reasoning models. `several` says that one call can give several answers, `logprobs` and `seeds` that these
    may be sent.
    """

    length: str = _OLD
    length_is_sure: bool = False
    several: bool = True
    logprobs: bool = True
    seeds: bool = True

    @classmethod
    def first(cls, sampling: Sampling) -> "Dialect":
        """Before anything is known: a thinking effort goes with the newer field, as GR-Ben sends it."""
        return cls(_NEW if sampling.effort is not None else _OLD)

    def after(self, refusal: Refusal, sent: frozenset[str]) -> "tuple[Dialect, str] | None":
        """The dialect without what was refused, and a clause for the reader, empty where no number changes by it.

        Args:
            refusal: of HTTP status 400 or 422, and not because of the prompt's length.
            sent: the fields of the request.

        Returns:
            None where nothing that can be left out is the reason.
        """
        if not self.length_is_sure and self.length in sent and refusal.names(self.length):
            return replace(self, length=_NEW if self.length == _OLD else _OLD, length_is_sure=True), ""
        if self.several and "n" in sent and (refusal.names("n") or "one completion choice" in refusal.message):
            return replace(self, several=False), "gives one answer a call, so votes are asked for one by one"
        if self.logprobs and "logprobs" in sent and (refusal.names("logprobs") or refusal.names("top_logprobs")):
            return replace(self, logprobs=False), f"gives no log-probabilities ({refusal.message})"
        if self.seeds and "seed" in sent and refusal.names("seed"):
            return replace(self, seeds=False), "takes no seed, so that its answers cannot be had again"
        return None
