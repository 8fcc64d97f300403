"""A PRM prepared for a run, here or in a worker: its scorer, and how to make its encoder and its engine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from types import MappingProxyType
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import asdict

from scoring.data.errors import UsageError
from scoring.data.reward_keys import text_columns
from scoring.data.rules import when_wrong
from scoring.data.scorer import Scorer
from scoring.data.texts import Texts
from scoring.data.training_point import point_of_model
from scoring.engines.base import Engine
from scoring.engines.converted_store import ConvertedStore
from scoring.engines.placement import tensor_parallel
from scoring.engines.usable_weights import Weights
from scoring.formats.benchmarks.benchmark_registry import WITH_IMAGES
from scoring.models.checkpoint import Checkpoint, compute_dtype
from scoring.models.fingerprint import FILE, CheckpointDigests, Digests, fingerprint, weights_of
from scoring.models.prms.base import Adapter, Encoder
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.engine_options import EngineOptions
from scoring.runs.opened import reference_of
from scoring.workspace.reservation import find, same_model
from scoring.workspace.workspace import Workspace

_NOT_TOLD = frozenset({"layout", "system_prompt", "adapter_source"})
"""Settings that are no words for a person."""
_HERE = EngineOptions()


class PreparedRun(Struct, frozen=True):
    """A scorer, and what makes its encoder and its engine when they are needed; `notes` are sentences about it.

    `weight_bytes` is the memory that its weights take, those of a reference model among them; `config` is the model's.
    """

    scorer: Scorer
    encoder: Callable[[], Encoder]
    engine: Callable[[], Engine]
    notes: tuple[str, ...] = ()
    weight_bytes: int = 0
    config: Mapping[str, Any] = MappingProxyType({})

    def may_be_cut_over(self, devices: int) -> bool:
        """Return whether vLLM can cut the model over exactly so many."""
        return tensor_parallel(self.config, devices) == devices


def prepare(
    workspace: Workspace,
    model: str,
    *,
    revision: str | None = None,
    base: str | None = None,
    reference: str | None = None,
    allow_pickle: bool = False,
    adapter: str | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
    name: str | None = None,
    dtype: str = "auto",
    running: EngineOptions = _HERE,
    tell: Callable[[str], object] = lambda _: None,
) -> PreparedRun:
    """Read a checkpoint as far as needed to know who it is, without importing an engine.

    Pickled weights and LoRA adapters are converted first, once for the workspace, which does import torch; `tell` hears
    of it. `base`, `allow_pickle`: see `scoring.engines.usable_weights`. `reference` is the model, like `model`, to
    which the rewards of some families are ratios. Without a `name` a scorer that the workspace already has keeps the
    name it has there.

    Raises:
        InputError: the checkpoint cannot be had or used.
        UsageError: there is no such adapter, `base` was given for a whole model, `reference` where none is needed or
            not where one is, or the engine cannot give what the family reads.
        WorkspaceError: something has to be converted and cannot be kept.
        MissingExtra: a package for hub names or for a conversion is not installed.
        EngineError: the engine cannot give the checkpoint's numbers.
    """
    digests = Digests(workspace.root / FILE if workspace.root else None)
    weights_here = Weights(ConvertedStore(workspace.root), digests, tell, pickles=allow_pickle)
    usable = weights_here.of(
        model, revision, look=lambda weights: adapter_of(weights, adapter, options).readout, base=base, dtype=dtype
    )
    checkpoint = usable.checkpoint
    family = adapter_of(checkpoint, adapter, options)
    running.check(checkpoint, family.readout)
    other = reference_of(weights_here, checkpoint, family, reference, dtype)
    computed = compute_dtype(checkpoint, dtype)
    weights, seen = weights_of(checkpoint, digests)
    notes: tuple[str, ...] = ()
    ratio: dict[str, Any] = {}
    if other is not None:
        reference_weights, reference_seen = weights_of(other.checkpoint, digests)
        if reference_weights == weights:
            raise UsageError(
                f"the reference model of {checkpoint.name} is the PRM itself, so that every reward would be 0.",
                "Give the model that it was trained from as --reference.",
            )
        seen = CheckpointDigests(seen.digests, {**seen.stamps, **reference_seen.stamps})
        ratio, notes = {"reference": reference_weights}, (f"rewards are ratios to {other.checkpoint.name}",)
    if running.servers:
        # What the only model is called is part of who the scorer is: another server has another one.
        running = running.known()
        weights, computed, notes = _served(running, weights)
    reads = {"reads": list(family.reads)} if family.reads else {}
    settings = {**family.settings, **reads, "weights": weights, **ratio, "dtype": computed}
    mark = fingerprint(settings)
    known = find(workspace, mark)
    scorer = Scorer(
        name=name or (known.name if known else _usual_name(checkpoint, model)),
        fingerprint=mark,
        about=f"{family.scale.family}, {computed}",
        **asdict(family.scale),
        # Where converted weights came from does not change what they are, so it is told and not part of the mark.
        settings=settings | ({"sources": usable.sources} if usable.sources else {}),
    )
    return PreparedRun(
        scorer,
        partial(_encoder, checkpoint, family),
        partial(running.load, checkpoint, family.readout, seen, computed, workspace.root, tell, reference=other),
        (
            *((usable.note,) if usable.note else ()),
            *notes,
            _how(family),
            *getattr(family, "cautions", ()),
            # To render a template takes longer than a finished run does: it is told when the scorer is new.
            *(() if known else _template_notes(family, checkpoint)),
            *same_model(workspace, scorer),
        ),
        sum(_weight_bytes(model, computed) for model in (checkpoint, *([other.checkpoint] if other else []))),
        checkpoint.config,
    )


def _weight_bytes(checkpoint: Checkpoint, dtype: str) -> int:
    return sum(map(prod, checkpoint.shapes.values())) * (4 if dtype == "float32" else 2)


def _usual_name(checkpoint: Checkpoint, model: str) -> str:
    """The name of the model, or of the training run with its step: every run has a `checkpoint-500`."""
    training = point_of_model(model)
    return f"{training.series}-{training.at}" if training.known else checkpoint.name.rsplit("/", 1)[-1]


def _template_notes(family: Adapter, checkpoint: Checkpoint) -> tuple[str, ...]:
    """What a checkpoint's own chat template would do otherwise, of families that write chats."""
    note_of = getattr(family, "template_note", None)
    note = note_of(checkpoint) if note_of else ""
    return (note,) if note else ()


def _how(family: Adapter) -> str:
    """In a sentence how a checkpoint is read: another adapter or option would give other numbers as plausible."""
    settings = {name: value for name, value in family.settings.items() if name not in _NOT_TOLD}
    listed = ", ".join(f"{name.replace('_', ' ')} {value!r}" for name, value in settings.items())
    scale = family.scale
    rule = when_wrong("rewards", scale.comparison, f"{scale.threshold:g}")
    return f"read as {scale.family}: {listed}; {rule} ({scale.threshold_source})"


def _encoder(checkpoint: Checkpoint, family: Adapter) -> Encoder:
    from scoring.runs.tokenizer_file import TokenizerFile

    return family.encoder(TokenizerFile(checkpoint.tokenizer))


def _served(running: EngineOptions, weights: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, tuple[str, ...]]:
    """What identifies weights on a server, what they are computed in, and a sentence about both.

    Nobody can see a server's weights: the scorer is another one than the checkpoint whose tokenizer is read here.
    """
    note = (
        f"{running.served} on the server is taken at its word: that its weights are those of the checkpoint, and in "
        "which dtype they are computed, cannot be seen from here"
    )
    return {"served": running.served, "tokenizer": weights}, "as served", (note,)


def unread_context(cases: pl.DataFrame, rows: Sequence[int], reads: Sequence[str] = ()) -> Iterator[str]:
    """Yield a sentence where some of these rows of `cases` have more to them than whoever scores reads.

    That is the context of trajectories where it is not among `reads`, and images.
    """
    some = cases.select(pl.col("^(step_messages|benchmark)$").gather(pl.Series(rows, dtype=pl.UInt32)))
    if "benchmark" in some.columns and (about_images := some["benchmark"].is_in(WITH_IMAGES).sum()):
        yield f"{about_images:,} of {len(rows):,} cases are about images: texts are read, and no image is"
    if "step_messages" not in some.columns or "context" in reads:
        return
    trajectories = some["step_messages"].count()
    if trajectories:
        yield (
            f"{trajectories:,} of {len(rows):,} cases are trajectories: problem and steps are read, and nothing of "
            "what users and tools say between the steps (a critic asked by agentprocessbench reads it)"
        )


def missing_texts(texts: Texts, rows: Sequence[int], reads: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each column of `reads` that is null or empty in some of these rows of `texts`."""
    if not reads or not rows:
        return
    frame = texts.gather(pl.Series(rows, dtype=pl.UInt32).to_numpy()).frame(text_columns(reads))
    for name in reads:
        lacks = [pl.col(name).fill_null("") == ""]
        if name == "context":
            lacks = [pl.col(part).list.len().fill_null(0) == 0 for part in text_columns((name,))]
        missing = frame.filter(pl.all_horizontal(lacks)).height
        if missing:
            yield f"{missing:,} of {frame.height:,} cases have no {name.replace('_', ' ')}, which this PRM also reads"
