"""From the words of a scoring request to what `scoring.run.score` takes: the scorer, and how to make its parts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scoring.checkpoint import Checkpoint, compute_dtype
from scoring.claim import find
from scoring.engines.base import Engine
from scoring.fingerprint import FILE, Digests, Seen, fingerprint, weights_of
from scoring.model_hub import find_checkpoint
from scoring.prms.base import Adapter, Encoder
from scoring.prms.catalogue import adapter_of
from scoring.scorer import Scorer
from scoring.workspace import Workspace


@dataclass(frozen=True)
class Prepared:
    """A scorer, and what makes its encoder and its engine when they are needed."""

    scorer: Scorer
    encoder: Callable[[], Encoder]
    engine: Callable[[], Engine]


def prepare(
    workspace: Workspace,
    model: str,
    *,
    revision: str | None = None,
    adapter: str | None = None,
    name: str | None = None,
    dtype: str = "auto",
    device: str = "auto",
    token_budget: int | None = None,
) -> Prepared:
    """Read a checkpoint as far as needed to know who it is, without importing an engine.

    Without a `name` a scorer that the workspace already has keeps the name it has there.

    Raises:
        InputError: the checkpoint cannot be had or used.
        UsageError: there is no such adapter.
        MissingExtra: a package for hub names is not installed.
    """
    checkpoint = find_checkpoint(model, revision)
    family = adapter_of(checkpoint, adapter)
    computed = compute_dtype(checkpoint, dtype)
    weights, seen = weights_of(checkpoint, Digests(_memory(workspace)))
    settings = {**family.settings, "weights": weights, "dtype": computed}
    mark = fingerprint(settings)
    known = find(workspace, mark) if name is None else None
    scorer = Scorer(
        name=known.name if known else name or checkpoint.name.rsplit("/", 1)[-1],
        fingerprint=mark,
        about=f"{family.scale.family}, {computed}",
        **vars(family.scale),
        settings=settings,
    )
    return Prepared(
        scorer,
        partial(_encoder, checkpoint, family),
        partial(_engine, checkpoint, family, seen, computed, device, token_budget),
    )


def _memory(workspace: Workspace) -> Path | None:
    return workspace.root / FILE if workspace.root else None


def _encoder(checkpoint: Checkpoint, family: Adapter) -> Encoder:
    from scoring.prms.tokenizer_file import TokenizerFile

    return family.encoder(TokenizerFile(checkpoint.tokenizer))


def _engine(
    checkpoint: Checkpoint, family: Adapter, seen: Seen, dtype: str, device: str, token_budget: int | None
) -> Engine:
    """The loaded engine; what it loaded is what the fingerprint was taken of."""
    from scoring.engines.transformers_engine import TOKEN_BUDGET, TransformersEngine

    budget = token_budget or TOKEN_BUDGET
    engine = TransformersEngine.load(checkpoint, family.readout, dtype=dtype, device=device, token_budget=budget)
    seen.check()
    return engine
