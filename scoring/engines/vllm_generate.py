"""Critics through vLLM, in a server that is a child of this process: conversations in, answers out.

The chat template is filled in here and token ids are sent, so that what comes from data does not act. Every answer is a
request of its own, so that each has its own seed and a greedy critic can be asked several times; they share what is
computed for the prompt by way of the prefix cache. Reasoning is left in the text as the model wrote it.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import CheckpointError, EngineError, MissingExtra
from scoring.engines.server.capabilities import ModelServers, greet
from scoring.engines.server.chat import ChatServers
from scoring.engines.server.chat_requests import ChatChoice, ChatReply, largest_reply
from scoring.engines.server.client import Server, ServerCall
from scoring.engines.server.faults import Fault, decoded, token_count
from scoring.engines.vllm_chat import ChatError, VllmChat
from scoring.engines.vllm_child import POLICY, VllmChild, weights_problem
from scoring.models.asking import Answered, GenerationRequest, Noticed, Sampling, TokenLogprobs, left_open
from scoring.models.checkpoint import Checkpoint

_IN_FLIGHT = 256
"""Answers that are generated together, and a few that wait."""
_UNFINISHED = frozenset({"abort", "error"})
"""Finish reasons of answers that are none."""
_MOST_LOGPROBS = 20
"""What vLLM takes unless told otherwise."""


class VllmGenerate(Struct):
    """A language model that a vLLM of ours has loaded. See `scoring.engines.base.AnsweringEngine`.

    `defaults` are the model's own settings, where `sampling` has none.
    """

    child: VllmChild
    met: ModelServers
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
        device: str = "auto",
        tell: Callable[[str], object] = lambda _: None,
        longest: int = -1,
    ) -> "VllmGenerate":
        """Start vLLM with a model.

        Args:
            checkpoint: a language model's folder, with its tokenizer and chat template.
            sampling: how every answer is generated.
            dtype: float32, bfloat16 or float16.
            log: the file that what vLLM prints is added to.
            device: as `VllmEngine.load` takes it.
            tell: hears how the start goes.
            longest: tokens of the longest conversation, answer included; -1 for the model's own or what the memory
                holds.

        Raises:
            MissingExtra: vLLM or transformers is not installed.
            EngineError: vLLM cannot run here, or not this model, or would read other weights; the model has no chat
                template, or no such switch.
        """
        if problem := weights_problem(checkpoint):
            raise EngineError(f"vLLM cannot run {checkpoint.name}: {problem}.", "Leave only the weights in its folder.")
        chat = VllmChat(_tokenizer(checkpoint), checkpoint.name, sampling)
        defaults = checkpoint.generation
        settings = {
            "folder": str(checkpoint.folder),
            "name": checkpoint.name,
            "dtype": dtype,
            "runner": "generate",
            "device": device,
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
        tokens = self.met.capabilities[0].model(self.met.model).max_tokens
        if tokens is None:
            raise EngineError("vLLM does not tell how many tokens it takes.", "Use another version of it.")
        return tokens

    def answers(self, asks: Iterator[GenerationRequest | None]) -> Iterator[Answered | Noticed | None]:
        """Yield what comes back, in the order of arrival. See `scoring.engines.base`.

        Raises:
            EngineError: vLLM ended, or takes no request as it is asked.
        """
        notices, self.notices = self.notices, ()
        yield from map(Noticed, notices)
        met = self.met
        try:
            yield from ChatServers(
                met.model, self.sampling, met.capabilities, met.keys, _IN_FLIGHT, POLICY, self._call
            ).answers(asks)
        except EngineError:
            self.child.check()
            raise

    def close(self) -> None:
        """End vLLM."""
        self.child.close()

    def _call(self, ask: GenerationRequest, place: int) -> ServerCall[ChatReply]:
        """A completion of token ids for one answer; its seed follows that of the answer before."""
        sampling, seed = ask.sampling or self.sampling, None if ask.seed is None else ask.seed + place

        def write(server: Server) -> tuple[str, dict[str, Any]]:
            try:
                ids = self.chat.ids(ask.prompt)
            except ChatError as error:
                raise Fault(str(error), again=False, lasting=True) from None
            limit = self.max_length
            if len(ids) >= limit:
                words = f"the prompt has {len(ids):,} tokens of the {limit:,} that it and its answer may have"
                raise Fault(words, again=False, lasting=True)
            body = {"model": self.met.model, "prompt": ids, **arguments(sampling, self.defaults, limit - len(ids))}
            return f"{server.address.api}/completions", body if seed is None else {**body, "seed": seed}

        def read(_server: Server, _body: dict[str, Any], reply: bytes) -> ChatReply:
            return replace(self._read(reply, sampling.logprobs), seed=seed)

        return ServerCall(write, read, largest_reply(sampling, 1, self.max_length))

    def _read(self, reply: bytes, likeliest: int | None) -> ChatReply:
        """The one choice of a completion, and the tokens of prompt and answer.

        Raises:
            Fault: there is none.
        """
        body = decoded(reply)
        try:
            (choice,), usage = body["choices"], body["usage"]
            finish, text = choice["finish_reason"], str(choice["text"])
            logprobs = None if likeliest is None else self._logprobs(choice["logprobs"], likeliest)
            tokens_in, tokens_out = token_count(usage["prompt_tokens"]), token_count(usage["completion_tokens"])
        except (KeyError, TypeError, ValueError):
            raise Fault("JSON that is no completion") from None
        if finish in _UNFINISHED:
            raise Fault(f"vLLM broke it off ({finish})")
        return ChatReply((ChatChoice(text, None, finish, logprobs),), tokens_in, tokens_out)

    def _logprobs(self, logprobs: Mapping[str, Any], most: int) -> tuple[TokenLogprobs, ...]:
        """Of each token, and of the `most` likely ones in its place, the likeliest first."""
        tokens = []
        for token, logprob, top in zip(
            logprobs["tokens"], logprobs["token_logprobs"], logprobs["top_logprobs"], strict=True
        ):
            # The token itself is told as well where it is none of the likeliest.
            likeliest = sorted((top or {}).items(), key=lambda rival: -rival[1])[:most]
            rivals = tuple((self._token(name), float(value)) for name, value in likeliest)
            tokens.append(TokenLogprobs(self._token(token), float(logprob), rivals))
        return tuple(tokens)

    def _token(self, name: str) -> str:
        """The text of a token that is told as `token_id:7`."""
        return str(self.chat.tokenizer.decode([int(name.removeprefix("token_id:"))]))

    def _length_notice(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        own = checkpoint.config.get("max_position_embeddings")
        if not isinstance(own, int) or self.max_length >= own:
            return ()
        return (f"vLLM runs {checkpoint.name} with {self.max_length:,} tokens of context; the model takes {own:,}.",)


def arguments(sampling: Sampling, defaults: Mapping[str, Any], room: int) -> dict[str, Any]:
    """Write the settings as vLLM calls them, for an answer of at most `room` tokens.

    What is not set is the model's own default, and there vLLM's. No limit of tokens means up to the end.
    """
    arguments_sent = dict(defaults)
    for name in ("temperature", "top_p", "top_k", "max_tokens", "logprobs"):
        value = getattr(sampling, name)
        if value is not None:
            arguments_sent[name] = value
    arguments_sent["max_tokens"] = min(arguments_sent.get("max_tokens", room), room)
    if sampling.stop:
        arguments_sent["stop"] = list(sampling.stop)
    if sampling.logprobs is not None:
        # Texts of several tokens may be equal; their ids are not.
        arguments_sent["return_tokens_as_token_ids"] = True
    return arguments_sent


def _tokenizer(checkpoint: Checkpoint) -> Any:
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise MissingExtra(error.name or "transformers", "vllm") from None
    try:
        return AutoTokenizer.from_pretrained(str(checkpoint.folder), trust_remote_code=False, local_files_only=True)
    except (OSError, ValueError) as error:
        line = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise CheckpointError(f"the tokenizer of {checkpoint.name} cannot be read ({line}).", "") from None


def _defaults_notice(sampling: Sampling, defaults: Mapping[str, Any]) -> tuple[str, ...]:
    used = left_open(sampling, defaults)
    if not used:
        return ()
    listed = ", ".join(f"{name} {value}" for name, value in used.items())
    return (f"What the settings leave open is the model's own default: {listed}.",)
