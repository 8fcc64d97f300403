"""A PRM opened to be looked at: its checkpoint, adapter and tokenizer, and an engine if one is asked for.

Unlike for scoring, no digest of the weights is taken: nothing that comes of it is kept.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.engines.converted_store import ConvertedStore
from scoring.engines.usable_weights import Weights
from scoring.models.checkpoint import Checkpoint, Reference, compute_dtype
from scoring.models.fingerprint import Digests
from scoring.models.prms.base import Adapter, Encoder
from scoring.models.prms.family_facts import FamilyFacts, facts_of
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.tokenizer_file import TokenizerFile
from scoring.workspace.workspace import Workspace

if TYPE_CHECKING:
    from scoring.engines.transformers_engine import TransformersEngine


class LoadedPrm(Struct, frozen=True, eq=False, dict=True):
    """One PRM. `dtype` is what an engine computes in, `device` where; `note` says how the weights were converted.

    `reference` is the model to which its rewards are ratios, of a family that has one.
    """

    checkpoint: Checkpoint
    adapter: Adapter
    dtype: str
    device: str = "auto"
    note: str = ""
    reference: Reference | None = None

    @cached_property
    def tokenizer(self) -> TokenizerFile:
        """The checkpoint's vocabulary.

        Raises:
            CheckpointError: it is missing, or damaged.
            MissingExtra: the package that reads it is not installed.
        """
        return TokenizerFile(self.checkpoint.tokenizer)

    @cached_property
    def encoder(self) -> Encoder:
        """Cases to ids.

        Raises:
            CheckpointError: the vocabulary lacks a token that the family needs.
        """
        return self.adapter.encoder(self.tokenizer)

    @property
    def facts(self) -> FamilyFacts:
        """What is known of the family."""
        return facts_of(getattr(self.adapter, "made", self.adapter))

    def engine(self) -> "TransformersEngine":
        """Load the checkpoint.

        Raises:
            EngineError, CheckpointError: it cannot be loaded here.
            MissingExtra: torch or transformers are not installed.
        """
        from scoring.engines.transformers_engine import TransformersEngine

        return TransformersEngine.load(
            self.checkpoint, self.adapter.readout, dtype=self.dtype, device=self.device, reference=self.reference
        )


def open_prm(
    workspace: Workspace,
    model: str,
    *,
    adapter: str | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
    device: str = "auto",
    tell: Callable[[str], Any] = lambda _: None,
    dtype: str = "auto",
    revision: str | None = None,
    base: str | None = None,
    reference: str | None = None,
    allow_pickle: bool = False,
) -> LoadedPrm:
    """Read a checkpoint as far as needed to make its adapter; the arguments are those of
    `scoring.runs.preparation.prepare`.

    Raises:
        InputError: the checkpoint cannot be had or used.
        UsageError: there is no such adapter or option, or the family needs a reference model, or has none.
        WorkspaceError, MissingExtra: weights have to be converted, and that is not possible here.
    """
    weights = Weights(ConvertedStore(workspace.root), Digests(None), tell, pickles=allow_pickle)
    usable = weights.of(
        model, revision, look=lambda weights: adapter_of(weights, adapter, options).readout, base=base, dtype=dtype
    )
    made = adapter_of(usable.checkpoint, adapter, options)
    other = reference_of(weights, usable.checkpoint, made, reference, dtype)
    return LoadedPrm(usable.checkpoint, made, compute_dtype(usable.checkpoint, dtype), device, usable.note, other)


def reference_of(
    weights: Weights, checkpoint: Checkpoint, family: Adapter, named: str | None, dtype: str
) -> Reference | None:
    """Return the reference model of a PRM, which fits it; None for a family whose rewards are no ratios to another
    model.

    Raises:
        InputError: it cannot be had or used, or does not fit.
        UsageError: none is named where one is needed, or one where none is.
    """
    fits = getattr(family, "reference_model", None)
    if fits is None and named is None:
        return None
    if fits is None:
        raise UsageError(
            f"the rewards of {checkpoint.name} as {family.scale.family} are ratios to no other model.",
            "Leave --reference out.",
            instead=without("--reference", meaning="rewards without a reference model"),
        )
    if named is None:
        raise UsageError(
            f"the rewards of {checkpoint.name} are ratios to a reference model, and none is named.",
            "Give the model that it was trained from: --reference DIR_OR_ID.",
        )
    reference: Reference = fits(
        checkpoint, weights.of(named, look=lambda weights: fits(checkpoint, weights).readout, dtype=dtype).checkpoint
    )
    return reference
