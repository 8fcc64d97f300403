"""Critics through vLLM, in a server that is a child of this process: conversations in, answers out.

The chat template is filled in here and token ids are sent, so that what comes from data does not act. Every answer is a
request of its own, so that each has its own seed and a greedy critic can be asked several times; they share what is
computed for the prompt by way of the prefix cache. Reasoning is left in the text as the model wrote it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from scoring.asking import Answer, Answered, Ask, Noticed, Sampling, TokenLogprobs
from scoring.checkpoint import Checkpoint
from scoring.engines.server.background import LoopThread, across, side_by_side
from scoring.engines.server.capabilities import Greeted, greet
from scoring.engines.server.chat import Slots
from scoring.engines.server.chat_messages import largest_reply
from scoring.engines.server.client import Call, Connections, Delivered, Failure, Notices, RetryPolicy, Server, Servers
from scoring.engines.server.faults import Fault, decoded
from scoring.engines.vllm_chat import ChatError, VllmChat
from scoring.engines.vllm_child import VllmChild
from scoring.errors import CheckpointError, EngineError

_IN_FLIGHT = 256
"""Answers that are generated together, and a few that wait."""
_POLICY = RetryPolicy(timeout=24 * 3600.0, tries=3, base=0.5, down=5.0)
"""A child that cannot be reached has ended; and one that is well may take its time for a long answer."""
_UNFINISHED = frozenset({"abort", "error"})
"""Finish reasons of answers that are none."""
_MOST_LOGPROBS = 20
"""What vLLM takes unless told otherwise."""
_DEFAULTS = (
    "repetition_penalty", "presence_penalty", "frequency_penalty", "temperature", "top_k", "top_p", "min_p",
    "max_new_tokens",
)  # fmt: skip
"""What vLLM takes over from a model's `generation_config.json`."""


@dataclass
class VllmGenerate:
    """A language model that a vLLM of ours has loaded. See `scoring.engines.base.AnsweringEngine`.

    `defaults` are the model's own settings, where `sampling` has none.
    """

    child: VllmChild
    met: Greeted
    chat: VllmChat
    sampling: Sampling
    dtype: str
    defaults: Mapping[str, Any]
    notices: tuple[str, ...] = ()

    @classmethod
    def load(
        cls,
        checkpoint: Checkpoint,
        sampling: Sampling,
        *,
        dtype: str,
        log: Path,
        tell: Callable[[str], object] = lambda _: None,
        longest: int = -1,
    ) -> "VllmGenerate":
        """Start vLLM with a model.

        Args:
            checkpoint: a language model's folder, with its tokenizer and chat template.
            sampling: how every answer is generated.
            dtype: float32, bfloat16 or float16.
            log: the file that what vLLM prints is added to.
            tell: hears how the start goes.
            longest: tokens of the longest conversation, answer included; -1 for the model's own or what the memory
                holds.

        Raises:
            MissingExtra: vLLM or transformers is not installed.
            EngineError: vLLM cannot run here, or not this model; the model has no chat template, or no such switch.
        """
        chat = VllmChat(_tokenizer(checkpoint), checkpoint.name, sampling)
        defaults = _defaults(checkpoint)
        settings = {
            "folder": str(checkpoint.folder),
            "name": checkpoint.name,
            "dtype": dtype,
            "runner": "generate",
            "longest": longest,
            "most_logprobs": max(_MOST_LOGPROBS, sampling.logprobs or 0),
        }
        child = VllmChild(settings, log, tell)
        loaded = cls(child, greet([child.url], child.served), chat, sampling, dtype, defaults)
        loaded.notices = (*loaded._length_notice(checkpoint), *_defaults_notice(sampling, defaults))
        return loaded

    @property
    def name(self) -> str:
        """What runs: versions, device, dtype."""
        return self.child.name(self.dtype)

    @property
    def max_length(self) -> int:
        """Tokens that a prompt and its answer may have together."""
        told = self.met.found[0].model(self.met.model).max_tokens
        if told is None:
            raise EngineError("vLLM does not tell how many tokens it takes.", "Use another version of it.")
        return told

    def answers(self, asks: Iterator[Ask | None]) -> Iterator[Answered | Noticed | None]:
        """What comes back, in the order of arrival. See `scoring.engines.base`.

        Raises:
            EngineError: vLLM ended, or takes no request as it is asked.
        """
        told, self.notices = self.notices, ()
        yield from map(Noticed, told)
        arrived: SimpleQueue[Answered | Noticed | BaseException] = SimpleQueue()
        try:
            with LoopThread() as loop:
                work = loop.run(self._open(Notices(arrived.put)))
                loop.last = work.servers.aclose
                yield from across(loop, asks, work.answered, arrived, _IN_FLIGHT)
        except EngineError:
            self.child.check()
            raise

    def close(self) -> None:
        """End vLLM."""
        self.child.close()

    def token(self, name: str) -> str:
        """The text of a token that is told as `token_id:7`."""
        return str(self.chat.tokenizer.decode([int(name.removeprefix("token_id:"))]))

    async def _open(self, notices: Notices) -> "_Work":
        server = Server(Connections(self.met.found[0].address, self.met.keys[0]))
        return _Work(self, Servers([server], _POLICY, notices))

    def _length_notice(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        own = checkpoint.config.get("max_position_embeddings")
        if not isinstance(own, int) or self.max_length >= own:
            return ()
        return (f"vLLM runs {checkpoint.name} with {self.max_length:,} tokens of context; the model takes {own:,}.",)


def arguments(sampling: Sampling, defaults: Mapping[str, Any], room: int) -> dict[str, Any]:
    """Write the settings as vLLM calls them, for an answer of at most `room` tokens.

    What is not set is the model's own default, and there vLLM's. No limit of tokens means up to the end.
    """
    given = dict(defaults)
    for name in ("temperature", "top_p", "top_k", "max_tokens", "logprobs"):
        value = getattr(sampling, name)
        if value is not None:
            given[name] = value
    given["max_tokens"] = min(given.get("max_tokens", room), room)
    if sampling.stop:
        given["stop"] = list(sampling.stop)
    if sampling.logprobs is not None:
        # Texts of several tokens may be equal; their ids are not.
        given["return_tokens_as_token_ids"] = True
    return given


@dataclass
class _Work:
    """Asks on their way through vLLM."""

    engine: VllmGenerate
    servers: Servers
    slots: Slots = field(default_factory=lambda: Slots(_IN_FLIGHT))

    async def answered(self, ask: Ask, number: int) -> Answered:
        """All answers to an ask; of a prompt that cannot be run each says why."""
        try:
            ids = self.engine.chat.ids(ask.prompt)
        except ChatError as error:
            return _refused(ask, str(error))
        room = self.engine.max_length - len(ids)
        if room < 1:
            limit = self.engine.max_length
            return _refused(ask, f"the prompt has {len(ids):,} tokens of the {limit:,} that it and its answer may have")
        done = await side_by_side(self._one(ask, place, ids, room, number) for place in range(ask.count))
        answers = tuple(self._answer(ask, place, len(ids), one.got) for place, one in enumerate(done))
        # It is one call to its asker, as an ask is on any server that gives several answers.
        return Answered(ask.index, answers, int(any(one.calls for one in done)), sum(one.retries for one in done))

    async def _one(
        self, ask: Ask, place: int, ids: list[int], room: int, number: int
    ) -> Delivered[tuple[dict[str, Any], int]]:
        sampling = ask.sampling or self.engine.sampling
        body = {"model": self.engine.met.model, "prompt": ids, **arguments(sampling, self.engine.defaults, room)}
        if ask.seed is not None:
            body["seed"] = ask.seed + place
        most = largest_reply(sampling, 1, self.engine.max_length)
        call = Call(lambda server: (f"{server.address.api}/completions", body), lambda _, __, reply: _read(reply), most)
        async with self.slots.taken(number):
            return await self.servers.deliver(call)

    def _answer(self, ask: Ask, place: int, prompt: int, got: tuple[dict[str, Any], int] | Failure) -> Answer:
        seed = None if ask.seed is None else ask.seed + place
        if isinstance(got, Failure):
            return Answer(None, seed=seed, reason=got.reason, lasting=got.lasting)
        choice, tokens_out = got
        finish, broken = choice.get("finish_reason"), choice.get("finish_reason") in _UNFINISHED
        likeliest = (ask.sampling or self.engine.sampling).logprobs
        return Answer(
            None if broken else choice["text"],
            finish_reason=finish,
            tokens_in=0 if place else prompt,
            tokens_out=tokens_out,
            seed=seed,
            logprobs=None if broken or likeliest is None else self._logprobs(choice["logprobs"], likeliest),
            reason=f"vLLM broke it off ({finish})" if broken else None,
        )

    def _logprobs(self, told: Mapping[str, Any], most: int) -> tuple[TokenLogprobs, ...]:
        """Of each token, and of the `most` likely ones in its place, the likeliest first."""
        found = []
        for token, logprob, top in zip(told["tokens"], told["token_logprobs"], told["top_logprobs"], strict=True):
            # The token itself is told as well where it is none of the likeliest.
            likeliest = sorted((top or {}).items(), key=lambda one: -one[1])[:most]
            rivals = tuple((self.engine.token(name), float(value)) for name, value in likeliest)
            found.append(TokenLogprobs(self.engine.token(token), float(logprob), rivals))
        return tuple(found)


def _read(reply: bytes) -> tuple[dict[str, Any], int]:
    """The one choice of a completion, and the tokens of its answer.

    Raises:
        Fault: there is none.
    """
    told = decoded(reply)
    try:
        (choice,), tokens = told["choices"], int(told["usage"]["completion_tokens"])
        if isinstance(choice["text"], str):
            return choice, tokens
    except (KeyError, TypeError, ValueError):
        pass
    raise Fault("JSON that is no completion")


def _refused(ask: Ask, reason: str) -> Answered:
    answers = tuple(
        Answer(None, seed=None if ask.seed is None else ask.seed + place, reason=reason, lasting=True)
        for place in range(ask.count)
    )
    return Answered(ask.index, answers, calls=0)


def _tokenizer(checkpoint: Checkpoint) -> Any:
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        from scoring.errors import MissingExtra

        raise MissingExtra(error.name or "transformers", "vllm") from None
    try:
        return AutoTokenizer.from_pretrained(str(checkpoint.folder), trust_remote_code=False, local_files_only=True)
    except (OSError, ValueError) as error:
        line = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise CheckpointError(f"the tokenizer of {checkpoint.name} cannot be read ({line}).", "") from None


def _defaults(checkpoint: Checkpoint) -> dict[str, Any]:
    """What the model's `generation_config.json` sets, as vLLM calls it."""
    path = checkpoint.folder / "generation_config.json"
    if not path.is_file():
        return {}
    try:
        told = json.loads(path.read_bytes())
        found = {name: told[name] for name in _DEFAULTS if told.get(name) is not None}
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read ({error}).", "Download the model again.") from None
    return {"max_tokens" if name == "max_new_tokens" else name: value for name, value in found.items()}


def _defaults_notice(sampling: Sampling, defaults: Mapping[str, Any]) -> tuple[str, ...]:
    used = {name: value for name, value in defaults.items() if getattr(sampling, name, None) is None}
    if not used:
        return ()
    listed = ", ".join(f"{name} {value}" for name, value in used.items())
    return (f"What the settings leave open is the model's own default: {listed}.",)
