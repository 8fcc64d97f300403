"""PRMs through vLLM's pooling: token ids in, logits of every token out, of which ours are read at our own positions.

vLLM can select positions itself, by the id of a step tag. That is not used: a tag's id may occur in a text, and one of
the families reads at a token that stands between words elsewhere. A pooled request never reads the prefix cache (its
every token is needed), so none is kept.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from scoring.checkpoint import Checkpoint
from scoring.engines.case_numbers import TRANSFORMS, Numbers, answer_of
from scoring.engines.vllm_availability import require_vllm
from scoring.engines.vllm_head import VllmHead, vllm_head
from scoring.engines.vllm_instance import Done, Request, VllmInstance
from scoring.engines.vllm_parallel import tensor_parallel
from scoring.errors import EngineError
from scoring.readout import Batch, Encoded, Readout, Refused

_TASK = "token_classify"


@dataclass
class VllmEngine:
    """A PRM that vLLM has loaded. `labels` is how many logits a position has.

    Of rewards that are not finite `why` says the reason, or raises where the weights are it.
    """

    instance: VllmInstance
    readout: Readout
    labels: int
    why: Callable[[], str] = str

    @classmethod
    def load(
        cls,
        checkpoint: Checkpoint,
        readout: Readout,
        *,
        dtype: str,
        devices: int | None = None,
        max_length: int | None = None,
        seats: int | None = None,
    ) -> "VllmEngine":
        """Load a checkpoint.

        Args:
            checkpoint: read and found whole.
            readout: the head, checked against the checkpoint's tensors.
            dtype: float32, bfloat16 or float16: what body and head compute in. The transform is in float32 always.
            devices: GPUs that hold the model together; None for as many of the visible ones as it can be cut over.
            max_length: tokens of the longest sequence; None for the model's own or what the memory holds.
            seats: sequences that run together; None for vLLM's own choice.

        Raises:
            MissingExtra: vLLM is not installed.
            EngineError: vLLM cannot run here, not this head, or not this checkpoint.
        """
        head = vllm_head(checkpoint, readout)
        require_vllm()
        from vllm.config import PoolerConfig

        # The default of a class is not relied on: some would keep a step tag's positions alone, some transform.
        pooler = PoolerConfig(task=_TASK, tok_pooling_type="ALL", use_activation=False)
        chosen = {"max_model_len": max_length, "max_num_seqs": seats}
        instance = VllmInstance(
            model=str(checkpoint.folder),
            runner="pooling",
            dtype=dtype,
            skip_tokenizer_init=True,
            enable_prefix_caching=False,
            tensor_parallel_size=devices or tensor_parallel(checkpoint.config, visible_devices()),
            pooler_config=pooler,
            **_class_of(checkpoint, head),
            **{name: value for name, value in chosen.items() if value is not None},
        )
        from scoring.engines.finite import why_not_finite

        return cls(instance, readout, head.labels, cache(partial(why_not_finite, checkpoint, readout, dtype)))

    @property
    def name(self) -> str:
        """What runs: versions, device, dtype."""
        return self.instance.name

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch]:
        """Rewards of all cases, in their order. See `scoring.engines.base`.

        vLLM may finish a later case first; it is held back, so that the order is the same whatever the timing.
        """
        reading = _Reading(self, cases)
        with closing(self.instance.run(reading.requests())) as running:
            for done in running:
                if done is not None:
                    reading.take(done)
                if batch := reading.batch():
                    yield batch
        if batch := reading.batch():
            yield batch

    def numbers(self, one: Encoded, output: Any) -> Numbers:
        """What is read in vLLM's output for one sequence."""
        import torch

        logits = output.outputs.data
        if tuple(logits.shape) != (len(one.ids), self.labels):
            raise EngineError(
                f"vLLM gave logits of shape {tuple(logits.shape)} for {len(one.ids)} tokens and {self.labels} labels.",
                "Use the transformers engine.",
            )
        columns = [self.readout.reward, *([self.readout.redundancy] if self.readout.redundancy else [])]
        at_positions = logits[list(one.positions)].float()
        weights = torch.tensor(columns, dtype=torch.float32).T
        rows: Numbers = (TRANSFORMS[self.readout.transform](at_positions) @ weights).tolist()
        return rows

    def close(self) -> None:
        """Let go of the model."""
        self.instance.close()


@dataclass
class _Reading:
    """Cases on their way through vLLM: what is there of each, and which is the next to be answered."""

    engine: VllmEngine
    cases: Sequence[Encoded]
    found: list[list[Numbers | Refused | None]] = field(init=False)
    answered: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        self.found = [[None] * len(case.sequences) for case in self.cases]

    def requests(self) -> Iterator[Request | Done]:
        """One a sequence; of those that are too long nothing is run."""
        from vllm import PoolingParams

        longest = self.engine.instance.max_length
        for index, case in enumerate(self.cases):
            for part, one in enumerate(case.sequences):
                name = f"{index}.{part}"
                if len(one.ids) > longest:
                    reason = f"{len(one.ids):,} tokens are more than the {longest:,} that vLLM has memory for"
                    yield Done(name, refusal=reason)
                else:
                    yield Request(name, one.ids, PoolingParams(task=_TASK, use_activation=False))

    def take(self, done: Done) -> None:
        """What came of one sequence."""
        index, _, part = done.name.partition(".")
        one = self.cases[int(index)].sequences[int(part)]
        if done.output is None:
            self.found[int(index)][int(part)] = Refused(done.refusal)
            return
        self.tokens += len(one.ids)
        self.found[int(index)][int(part)] = self.engine.numbers(one, done.output)

    def batch(self) -> Batch | None:
        """The cases that are whole and whose turn it is."""
        start = self.answered
        while self.answered < len(self.cases) and None not in self.found[self.answered]:
            self.answered += 1
        if start == self.answered:
            return None
        answers = tuple(answer_of(index, self.found[index], self.engine.why) for index in range(start, self.answered))
        tokens, self.tokens = self.tokens, 0
        return Batch(answers, tokens, 0)


def visible_devices() -> int:
    """GPUs that vLLM sees; 1 where it runs on the CPU."""
    from vllm.platforms import current_platform

    return 1 if current_platform.device_type == "cpu" else int(current_platform.device_count())


def _class_of(checkpoint: Checkpoint, head: VllmHead) -> dict[str, Any]:
    """Arguments that choose vLLM's class for body and head.

    Raises:
        EngineError: vLLM has none of its own for the body, or cannot name the head's tokens.
    """
    architecture = head.architecture or _language_model(checkpoint)
    overrides = {**head.overrides, "architectures": [architecture]}
    if head.architecture:
        return {"hf_overrides": overrides}
    if head.ids:
        overrides["classifier_from_token"] = _token_names(checkpoint, head.ids)
    return {"hf_overrides": overrides, "convert": "classify"}


def _language_model(checkpoint: Checkpoint) -> str:
    """The class of the body's language model, which a config that names a class of its own does not say."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    from vllm import ModelRegistry

    kind = str(checkpoint.config.get("model_type"))
    found = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(kind)
    if found is None or found not in ModelRegistry.get_supported_archs():
        raise EngineError(
            f"vLLM has no body of its own for {checkpoint.name} ({kind}).", "Use the transformers engine."
        )
    return str(found)


def _token_names(checkpoint: Checkpoint, ids: Sequence[int]) -> list[str]:
    """The vocabulary's own writing of tokens, by which vLLM finds their rows: made sure that it finds these.

    Raises:
        EngineError: it would find others.
    """
    from vllm.tokenizers import get_tokenizer

    try:
        tokenizer: Any = get_tokenizer(str(checkpoint.folder), tokenizer_mode="hf", trust_remote_code=False)
        names = [tokenizer.convert_ids_to_tokens(index) for index in ids]
        back = [tokenizer.convert_tokens_to_ids(name) for name in names]
    except Exception as error:
        raise EngineError(
            f"vLLM cannot read the tokenizer of {checkpoint.name} ({str(error).splitlines()[0]}).",
            "Use the transformers engine.",
        ) from error
    if back != list(ids):
        raise EngineError(
            f"vLLM reads the tokenizer of {checkpoint.name} otherwise: it takes tokens {list(ids)} for {back}.",
            "Use the transformers engine.",
        )
    return names
