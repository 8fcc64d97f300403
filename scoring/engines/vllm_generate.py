"""Critics through vLLM in this process: conversations in, answers out as they are finished.

Every answer is a request of its own, so that each has its own seed and a greedy critic can be asked several times; they
share what is computed for the prompt by way of the prefix cache. Reasoning is left in the text as the model wrote it.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from scoring.asking import Answer, Answered, Ask, Noticed, Sampling, TokenLogprobs
from scoring.checkpoint import Checkpoint
from scoring.engines.vllm_availability import require_vllm
from scoring.engines.vllm_chat import ChatError, VllmChat
from scoring.engines.vllm_engine import visible_devices
from scoring.engines.vllm_instance import Done, Request, VllmInstance
from scoring.engines.vllm_occupancy import Occupancy
from scoring.engines.vllm_parallel import tensor_parallel
from scoring.errors import EngineError

_UNFINISHED = frozenset({"abort", "error"})
"""Finish reasons of answers that are none."""
_MOST_LOGPROBS = 20
"""What vLLM takes unless told otherwise."""


@dataclass
class VllmGenerate:
    """A language model that vLLM has loaded. `defaults` are the model's own settings, where `sampling` has none."""

    instance: VllmInstance
    chat: VllmChat
    sampling: Sampling
    defaults: Mapping[str, Any]
    notices: tuple[str, ...] = ()

    @classmethod
    def load(
        cls,
        checkpoint: Checkpoint,
        sampling: Sampling,
        *,
        dtype: str = "auto",
        devices: int | None = None,
        max_length: int | None = None,
        seats: int | None = None,
    ) -> "VllmGenerate":
        """Load a model.

        Args:
            checkpoint: a language model's folder, with its tokenizer and chat template.
            sampling: how every answer is generated.
            dtype: float32, bfloat16, float16, or auto for what the checkpoint says.
            devices: GPUs that hold the model together; None for as many of the visible ones as it can be cut over.
            max_length: tokens of the longest conversation, answer included; None for the model's own or what the
                memory holds.
            seats: answers that are generated together; None for vLLM's own choice.

        Raises:
            MissingExtra: vLLM is not installed.
            EngineError: vLLM cannot run here, or not this model; the model has no chat template, or no such switch.
        """
        require_vllm()
        chosen = {"max_model_len": max_length, "max_num_seqs": seats}
        instance = VllmInstance(
            model=str(checkpoint.folder),
            runner="generate",
            dtype=dtype,
            enable_prefix_caching=True,
            max_logprobs=max(_MOST_LOGPROBS, sampling.logprobs or 0),
            tensor_parallel_size=devices or tensor_parallel(checkpoint.config, visible_devices()),
            **{name: value for name, value in chosen.items() if value is not None},
        )
        chat = VllmChat(instance.engine.get_tokenizer(), checkpoint.name, sampling)
        defaults: dict[str, Any] = instance.engine.model_config.get_diff_sampling_param()
        notices = (*_length_notice(checkpoint, instance), *_defaults_notice(sampling, defaults))
        loaded = cls(instance, chat, sampling, defaults, notices)
        loaded.check()
        return loaded

    @property
    def name(self) -> str:
        """What runs: versions, device, dtype."""
        return self.instance.name

    @property
    def occupancy(self) -> Occupancy:
        """How many answers were generated together."""
        return self.instance.occupancy

    def answers(self, asks: Iterator[Ask | None]) -> Iterator[Answered | Noticed | None]:
        """What comes back, in the order of arrival. See `scoring.engines.base`."""
        told, self.notices = self.notices, ()
        yield from map(Noticed, told)
        asking = _Asking(self, asks)
        with closing(self.instance.run(asking.requests())) as running:
            for done in running:
                # An answer whose ask waits for others is a sign of life all the same: None.
                yield None if done is None else asking.take(done)

    def parameters(self, seed: int | None, sampling: Sampling | None = None) -> Any:
        """VLLM's SamplingParams of one answer. No limit of tokens means up to the end of the context."""
        from vllm import SamplingParams

        return SamplingParams(**arguments(sampling or self.sampling, self.defaults), seed=seed)

    def check(self) -> None:
        """Make sure that vLLM takes the settings, before the first answer is asked for.

        Raises:
            EngineError: it does not; why, in its own words.
        """
        from vllm.exceptions import VLLMClientError

        try:
            self.parameters(None)
        except (VLLMClientError, ValueError) as error:
            said = str(error).strip().splitlines()[0].rstrip(".")
            raise EngineError(f"vLLM does not take these settings ({said}).", "Change them.") from None

    def close(self) -> None:
        """Let go of the model."""
        self.instance.close()


def arguments(sampling: Sampling, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as vLLM calls them; what is not set is the model's own default, and there vLLM's."""
    # Without a limit vLLM would give 16 tokens.
    given: dict[str, Any] = {"max_tokens": None, **defaults}
    for name in ("temperature", "top_p", "top_k", "max_tokens", "logprobs"):
        value = getattr(sampling, name)
        if value is not None:
            given[name] = value
    return given | ({"stop": list(sampling.stop)} if sampling.stop else {})


@dataclass
class _Pending:
    """An ask, the tokens of its prompt, and the answers that are there, by place."""

    ask: Ask
    tokens: int
    answers: dict[int, Answer] = field(default_factory=dict)


@dataclass
class _Asking:
    """Asks on their way through vLLM."""

    engine: VllmGenerate
    asks: Iterator[Ask | None]
    pending: dict[str, _Pending] = field(default_factory=dict)

    def requests(self) -> Iterator[Request | Done | None]:
        """One an answer; of a prompt that cannot be run each answer is done at once. None is passed on."""
        for number, ask in enumerate(self.asks):
            if ask is None:
                yield None
                continue
            ids, refusal = self._ids(ask)
            self.pending[str(number)] = _Pending(ask, len(ids))
            for place in range(ask.count):
                name = f"{number}.{place}"
                if refusal:
                    yield Done(name, refusal=refusal)
                else:
                    yield Request(name, ids, self.engine.parameters(_seed(ask, place), ask.sampling))

    def _ids(self, ask: Ask) -> tuple[list[int], str]:
        """The prompt's tokens; or none, and why it cannot be run."""
        try:
            ids = self.engine.chat.ids(ask.prompt)
        except ChatError as error:
            return [], str(error)
        limit = self.engine.instance.max_length
        if len(ids) >= limit:
            return [], f"the prompt has {len(ids):,} tokens of the {limit:,} that it and its answer may have"
        return ids, ""

    def take(self, done: Done) -> Answered | None:
        """What came of one answer; its ask, if that is whole now."""
        number, _, place = done.name.partition(".")
        pending, at = self.pending[number], int(place)
        likeliest = (pending.ask.sampling or self.engine.sampling).logprobs or 0
        pending.answers[at] = _answer(pending, at, done, likeliest)
        if len(pending.answers) < pending.ask.count:
            return None
        del self.pending[number]
        answers = tuple(pending.answers[at] for at in range(pending.ask.count))
        return Answered(pending.ask.index, answers, calls=int(any(one.finish_reason for one in answers)))


def _seed(ask: Ask, place: int) -> int | None:
    """Each answer's own: the same seed gives the same answer again."""
    return None if ask.seed is None else ask.seed + place


def _answer(pending: _Pending, place: int, done: Done, likeliest: int) -> Answer:
    seed, tokens_in = _seed(pending.ask, place), 0 if place else pending.tokens
    if done.output is None:
        return Answer(None, seed=seed, reason=done.refusal, lasting=True)
    (said,) = done.output.outputs
    if said.finish_reason in _UNFINISHED:
        return Answer(
            None,
            finish_reason=said.finish_reason,
            tokens_in=tokens_in,
            tokens_out=len(said.token_ids),
            seed=seed,
            reason=f"vLLM broke it off ({said.finish_reason})",
        )
    return Answer(
        said.text,
        finish_reason=said.finish_reason,
        tokens_in=tokens_in,
        tokens_out=len(said.token_ids),
        seed=seed,
        logprobs=None if said.logprobs is None else _logprobs(said, likeliest),
    )


def _logprobs(said: Any, most: int) -> tuple[TokenLogprobs, ...]:
    """Of each token, and of the `most` likely ones in its place, the likeliest first."""
    found = []
    for index, known in zip(said.token_ids, said.logprobs, strict=True):
        # The token itself is told as well where it is none of the likeliest.
        likeliest = sorted(known.values(), key=lambda one: one.rank)[:most]
        top = tuple((str(one.decoded_token), float(one.logprob)) for one in likeliest)
        found.append(TokenLogprobs(str(known[index].decoded_token), float(known[index].logprob), top))
    return tuple(found)


def _length_notice(checkpoint: Checkpoint, instance: VllmInstance) -> tuple[str, ...]:
    own = checkpoint.config.get("max_position_embeddings")
    if not isinstance(own, int) or instance.max_length >= own:
        return ()
    return (f"vLLM runs {checkpoint.name} with {instance.max_length:,} tokens of context; the model takes {own:,}.",)


def _defaults_notice(sampling: Sampling, defaults: Mapping[str, Any]) -> tuple[str, ...]:
    used = {name: value for name, value in defaults.items() if getattr(sampling, name, None) is None}
    if not used:
        return ()
    listed = ", ".join(f"{name} {value}" for name, value in used.items())
    return (f"What the settings leave open is the model's own default: {listed}.",)
