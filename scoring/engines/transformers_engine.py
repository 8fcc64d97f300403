"""The stock bodies of transformers with our own head over them, on CPU or CUDA.

No code of the checkpoint runs and no pickle is opened.

Padding is on the right and there is no mask: these bodies look back only, so nothing that is read sees the padding.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate
from typing import Any, TypeVar

from msgspec import Struct

from scoring.data.errors import CheckpointError, EngineError, MissingExtra
from scoring.data.readout import BEYOND_MEMORY, Batch, Encoded, LogRatio, Readout, Refused, Vocabulary
from scoring.engines.base import TRANSFORMS, EngineNumbers, answer_of
from scoring.engines.memory import CPU_TOKENS, MOST_TOKENS, free_on_cpu, tokens_that_fit
from scoring.engines.placement import numbers_on
from scoring.models.checkpoint import Checkpoint, Reference

try:
    import torch
    import transformers
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from scoring.engines.stored import why_not_finite
    from scoring.engines.weights import AtPositions, load_body, load_head, only_where_read
except ImportError as error:
    raise MissingExtra(error.name or "torch", "score") from None

ONE_THREAD = 64 << 20
"""Bytes of weights up to which a CPU runs one thread: more wait for each other longer than they compute."""

_NO_MEMORY = ("allocate memory", "out of memory", "STATUS_ALLOC_FAILED")
"""What the CPU's, MPS's and cuBLAS's say."""
_FAULTS = ("CUDA error", "CUDA driver error", "cuDNN error")
"""How a fault of the device begins that is no want of memory."""
_ATTENTION = [way for name, way in SDPBackend.__members__.items() if name not in {"ERROR", "CUDNN_ATTENTION"}]
"""All of torch's but cuDNN's, which newer ones prefer on newer cards: it makes a plan for every new shape of a batch,
which takes up to 0.1 s on an H100, and nearly every batch has a shape of its own."""

_Read = TypeVar("_Read")

# Parts of the library have no types, and where it is not installed none of it has.
_library: Any = transformers


class TransformersEngine(Struct):
    """A loaded checkpoint.

    `weights` [outputs, 1 or 2] weigh the transformed outputs of the head. `token_budget` bounds a batch (sequences
    times the longest), and `fitting` bounds it further where memory was seen not to hold that, None = it was not.
    `last` is what must know which positions are read, where the body has it. `device` is where the ids go. `why` tells
    why a number is not finite, and raises where the weights are not. `reference` is the other model of a read-out that
    compares two. `room` tells the tokens for which there is memory now, 0 where nobody knows.
    """

    name: str
    body: Any
    head: Any
    weights: Any
    readout: Readout
    device: Any
    token_budget: int = CPU_TOKENS
    last: AtPositions | None = None
    why: Callable[[], str] = str
    reference: "TransformersEngine | None" = None
    fitting: int | None = None
    room: Callable[[], int] = int

    @classmethod
    def load(
        cls,
        checkpoint: Checkpoint,
        readout: Readout,
        *,
        dtype: str,
        device: str = "auto",
        token_budget: int | None = None,
        reference: Reference | None = None,
    ) -> "TransformersEngine":
        """Load a checkpoint's body and head.

        Args:
            checkpoint: read and found whole.
            readout: the head, checked against the checkpoint's tensors.
            dtype: float32, bfloat16 or float16: what body and head compute in. The transform is in float32 always.
            device: cpu, cuda, cuda:N, or auto: cuda where there is one. Several with + between them hold one model
                together, its layers in order.
            token_budget: see the class; None for what keeps the device busy, and no more than its free memory holds.
            reference: the other model, and how it is read, where the read-out compares two; it is loaded first.

        Raises:
            EngineError: the device is not there, or its memory does not hold the model, which is seen before any of it
                is read.
            ForeignCheckpoint: tensors are missing, unexpected or of another shape, or the architecture is not known.
            CheckpointError: a file cannot be read.
        """
        _library.utils.logging.set_verbosity_error()
        places, kind = [_device(name) for name in device.split("+")], getattr(torch, dtype)
        first, last = places[0], places[-1]
        models = [(checkpoint, readout), *([(reference.checkpoint, reference.readout)] if reference else [])]
        _check_memory(models, places, kind)
        other = None
        if reference is not None:
            other = cls.load(*reference, dtype=dtype, device=device, token_budget=token_budget)
        if first.type == "cpu" and checkpoint.bytes <= ONE_THREAD:
            torch.set_num_threads(1)
        try:
            body = load_body(checkpoint, readout, places, kind)
            head = load_head(checkpoint, readout, last, kind)
        except (MemoryError, RuntimeError) as error:
            if not _of_memory(error):
                raise
            raise EngineError(
                f"{device} has not the memory for {checkpoint.name} in {dtype}.", "Use another, or several: A+B."
            ) from None
        versions = f"transformers {transformers.__version__}, torch {torch.__version__}"
        columns = [readout.reward, *([readout.redundancy] if readout.redundancy else [])]
        weights = torch.tensor(columns, dtype=torch.float32, device=last).T
        name = f"{versions}, {'+'.join(map(_named, places))}, {dtype}"
        on_cuda = all(place.type == "cuda" for place in places)
        room = partial(_room, places, body.config, readout, kind) if on_cuda else int
        budget = token_budget or (MOST_TOKENS if on_cuda else CPU_TOKENS)
        fitting = room() if on_cuda and not token_budget else None
        why = cache(partial(_why, models, dtype))
        return cls(name, body, head, weights, readout, first, budget, only_where_read(body), why, other, fitting, room)

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch]:
        """Yield rewards of all cases, the longest sequence first, equal ones in order. See `scoring.engines.base`."""
        self._check_ids(cases)
        if self.fitting is not None:
            # Whoever else had the memory may have ended.
            self.fitting = max(self.fitting, self.room())
        parts = [
            (index, part, sequence) for index, case in enumerate(cases) for part, sequence in enumerate(case.sequences)
        ]
        waiting = sorted(parts, key=lambda part: -len(part[2].ids))
        answers_by_case: list[list[EngineNumbers | Refused | None]] = [[None] * len(case.sequences) for case in cases]
        tokens = padding = 0
        while waiting:
            longest = len(waiting[0][2].ids)
            chosen = waiting[: self._how_many(waiting)]
            batch = [sequence for _, _, sequence in chosen]
            used = sum(len(sequence.ids) for sequence in batch)
            tokens, padding = tokens + used, padding + longest * len(batch) - used
            numbers = self.attempt(self._read, batch)
            if numbers is None and len(batch) > 1:
                self.fitting = longest * (len(batch) // 2)
                continue
            for place, (index, part, _) in enumerate(chosen):
                answers_by_case[index][part] = Refused(self.no_memory(longest)) if numbers is None else numbers[place]
            whole = dict.fromkeys(index for index, _, _ in chosen if None not in answers_by_case[index])
            answers = (
                answer_of(index, answers_by_case[index], self.why, self.readout.combine, cases[index].places)
                for index in whole
            )
            yield Batch(tuple(answers), tokens, padding)
            waiting = waiting[len(chosen) :]
            tokens = padding = 0

    def _how_many(self, waiting: Sequence[tuple[int, int, Encoded]]) -> int:
        """How many of the sequences, which come by falling length, make the next batch.

        As many as the budget holds; but a batch of a quarter of it keeps the processor as busy as a full one, so from
        there on nothing is added that would be an eighth padding or more.
        """
        longest = len(waiting[0][2].ids)
        budget = self.token_budget if self.fitting is None else min(self.token_budget, self.fitting)
        most = min(len(waiting), max(1, budget // longest))
        enough = min(most, -(-budget // (4 * longest)))
        return next((at for at in range(enough, most) if len(waiting[at][2].ids) * 8 <= longest * 7), most)

    def _check_ids(self, cases: Sequence[Encoded]) -> None:
        bodies = [self.body, *([self.reference.body] if self.reference else [])]
        rows = min(body.get_input_embeddings().num_embeddings for body in bodies)
        last = max((index for case in cases for sequence in case.sequences for index in sequence.ids), default=0)
        if last >= rows:
            raise CheckpointError(
                f"the tokenizer gives the id {last:,}, and the model knows those below {rows:,}.",
                "Use the tokenizer.json that came with the PRM.",
            )

    def no_memory(self, tokens: int) -> str:
        """Write that there is no memory for a case of so many tokens, and on a card what was free."""
        reason = f"{tokens:,} {BEYOND_MEMORY} {self.device.type} holds"
        if self.device.type != "cuda":
            return reason
        free, total = _free_on_cuda(self.device), torch.cuda.mem_get_info(self.device)[1]
        return f"{reason}, of which {free / 1e9:.1f} of {total / 1e9:.1f} GB were free"

    def attempt(self, run: Callable[[Sequence[Encoded]], _Read], batch: Sequence[Encoded]) -> _Read | None:
        """Return what comes of a batch; None if there is not the memory for it.

        Raises:
            EngineError: the device has failed, after which it computes nothing more in this process.
        """
        try:
            return run(batch)
        except (MemoryError, RuntimeError) as error:
            if _of_memory(error):
                pass
            elif str(error).startswith(_FAULTS):
                raise EngineError(
                    f"{self.device} failed while it computed ({_line(error)}).",
                    "What was computed before is saved: run the same again. If it fails again, its driver's log may "
                    "say why.",
                ) from None
            else:
                raise
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        return None

    def _read(self, batch: Sequence[Encoded]) -> list[EngineNumbers]:
        """One number a position of each sequence, or two. The first sequence is the longest."""
        with torch.inference_mode():
            outputs = TRANSFORMS[self.readout.transform](self.logits(batch))
            values = self.weighed(outputs).tolist()
        ends = list(accumulate(len(sequence.positions) for sequence in batch))
        return [values[end - len(sequence.positions) : end] for end, sequence in zip(ends, batch, strict=True)]

    def weighed(self, outputs: Any) -> Any:
        """Return what the read-out makes of transformed outputs [n, outputs]: [n, 1], or 2 with a redundancy."""
        values = outputs @ self.weights
        values[:, 0] += self.readout.offset
        return values

    def logits(self, batch: Sequence[Encoded]) -> Any:
        """Compute what the head gives at the positions of all sequences in order, in float32: [n, outputs].

        For `torch.inference_mode()`. Each sequence counts alone: its `further` ones are not run.
        """
        head = self.readout.head
        if not isinstance(head, LogRatio) or self.reference is None:
            return self.head(self._states(batch, [sequence.positions for sequence in batch])).float()
        gaps = (self.log_probabilities(batch) - self.reference.log_probabilities(batch)).double()
        sums_of_sequences, start = [], 0
        for sequence in batch:
            end = start + sequence.positions[-1] + 1 - sequence.since
            sums = gaps[start:end].cumsum(0)[[position - sequence.since for position in sequence.positions]]
            sums_of_sequences.append(sums.diff(prepend=sums.new_zeros(1)) if head.single else sums)
            start = end
        return (head.factor * torch.cat(sums_of_sequences)).float().unsqueeze(-1).to(self.weights.device)

    def log_probabilities(self, batch: Sequence[Encoded]) -> Any:
        """Compute the log-probability of each token that counts in the texts, given those before it: [n], on CPU."""
        places = [range(sequence.since, sequence.positions[-1] + 1) for sequence in batch]
        tokens = [sequence.ids[place + 1] for sequence, columns in zip(batch, places, strict=True) for place in columns]
        states = self._states(batch, places)
        return self.head(states, torch.tensor(tokens, device=states.device)).cpu()

    def _states(self, batch: Sequence[Encoded], places: Sequence[Sequence[int]]) -> Any:
        """The last hidden states, after the final norm, at places in each sequence: [n, hidden]."""
        ids = torch.zeros((len(batch), max(len(sequence.ids) for sequence in batch)), dtype=torch.int64)
        for row, case in enumerate(batch):
            ids[row, : len(case.ids)] = torch.tensor(case.ids)
        rows = [row for row, some in enumerate(places) for _ in some]
        columns = [place for some in places for place in some]
        if self.last is not None:
            self.last.at = rows, columns
        with sdpa_kernel(_ATTENTION):
            states = self.body(input_ids=ids.to(self.device), use_cache=False).last_hidden_state
        return states[rows, columns]


def check_devices(names: Sequence[str]) -> None:
    """Make sure that all of several devices (as `TransformersEngine.load` takes them) are there, touching none.

    Raises:
        EngineError: one is not.
    """
    for name in names:
        for part in name.split("+"):
            _known(part)


def _known(name: str) -> Any:
    """The device of a name, as far as it can be told without a context on it, which would keep memory of it."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise _unusable(name, _line(error)) from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise _unusable(name, f"there are {torch.cuda.device_count()} CUDA devices")
    return device


def _device(name: str) -> Any:
    device = _known(name)
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        if _of_memory(error):
            raise EngineError(
                f"{device} has no memory left for one more process ({_line(error)}).",
                "Wait until others have left it (nvidia-smi lists them), or use another with --device.",
            ) from None
        raise _unusable(name, _line(error)) from None
    return device


def _named(place: Any) -> str:
    """A device for people: a card by the name of its kind, since what two kinds round may differ."""
    return f"cuda ({torch.cuda.get_device_name(place)})" if place.type == "cuda" else str(place.type)


def _unusable(name: str, why: str) -> EngineError:
    return EngineError(f"device {name!r} is not usable here ({why}).", "Use --device cpu, or one that is here.")


def _why(models: Sequence[tuple[Checkpoint, Readout]], dtype: str) -> str:
    """See `scoring.engines.stored`, of each model."""
    return [why_not_finite(checkpoint, readout, dtype) for checkpoint, readout in models][-1]


def _check_memory(models: Sequence[tuple[Checkpoint, Readout]], places: Sequence[Any], dtype: Any) -> None:
    """Make sure that every device has the memory for its part of all weights, by their shapes alone."""
    needed: dict[Any, int] = {}
    for checkpoint, readout in models:
        for place, numbers in zip(places, numbers_on(checkpoint.shapes, readout, len(places)), strict=True):
            needed[place] = needed.get(place, 0) + numbers * dtype.itemsize
    for place, size in needed.items():
        free = _free_on_cuda(place) if place.type == "cuda" else None
        free = free_on_cpu() if place.type == "cpu" else free
        if free is not None and size > free:
            name = str(dtype).removeprefix("torch.")
            whose = " and ".join(checkpoint.name for checkpoint, _ in models)
            total = f" of {torch.cuda.mem_get_info(place)[1] / 1e9:.1f}" if place.type == "cuda" else ""
            raise EngineError(
                f"the weights of {whose} need {size / 1e9:.1f} GB of {place} in {name}, where "
                f"{free / 1e9:.1f}{total} GB are free; none were loaded.",
                "Use a larger device, several (--device A+B), or half of the memory with --dtype bfloat16.",
            )


def _free_on_cuda(place: Any) -> int:
    """Bytes of a card that this process can still have, those that torch keeps from what it had before among them."""
    kept = torch.cuda.memory_reserved(place) - torch.cuda.memory_allocated(place)
    return int(torch.cuda.mem_get_info(place)[0]) + int(kept)


def _room(places: Sequence[Any], config: Any, readout: Readout, dtype: Any) -> int:
    """Tokens of a batch that the free memory of CUDA devices holds, the weights being there already."""
    whole = isinstance(readout.head, Vocabulary) and readout.head.whole
    return tokens_that_fit(
        min(map(_free_on_cuda, places)),
        hidden=config.hidden_size,
        inner=config.intermediate_size,
        bytes_each=dtype.itemsize,
        vocabulary=config.vocab_size if whole else 0,
    )


def _of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ended; not every allocator of the library has a class for it."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(words in str(error) for words in _NO_MEMORY)


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
