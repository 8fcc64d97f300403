"""From the name of a model to a checkpoint of safetensors: as it is, or converted once into the workspace.

Pickled weights are written again as safetensors, and a LoRA adapter is merged into its base. What comes of it is a
checkpoint like any other, and the rewards are those of its content; what it was made of is told beside.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import CheckpointError, HubUnavailable, PickleRefused, UsageError
from scoring.data.names import without
from scoring.data.readout import Readout
from scoring.data.storage.files import read_plain
from scoring.data.training_point import checkpoints_in
from scoring.engines.base_names import base_sentence, check_body
from scoring.engines.converted_store import ConvertedStore
from scoring.engines.lora_config import LoraConfig
from scoring.engines.model_places import ModelPlace, find_place
from scoring.models.checkpoint import (
    ADAPTER_CONFIG,
    CHAT,
    CONFIG,
    GENERATION,
    INDEX,
    PICKLED_HEAD,
    SENTENCEPIECE,
    TOKENIZER,
    WHOLE,
    Checkpoint,
    compute_dtype,
    pickled_files,
)
from scoring.models.fingerprint import Digests

HEAD = "reward_head.safetensors"
ADAPTER, PICKLED_ADAPTER = "adapter_model.safetensors", "adapter_model.bin"
BESIDE = (TOKENIZER, SENTENCEPIECE, *CHAT, GENERATION)
"""Small files that come along."""
_DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24}
"""Binary digits of a number of a dtype."""

Look = Callable[[Checkpoint], Readout]
"""What a model will be read as; raises where nothing can be made of it."""


class UsableCheckpoint(Struct, frozen=True):
    """A checkpoint, and what it was made of (JSON values) with a text about it; nothing where it is as it was."""

    checkpoint: Checkpoint
    sources: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    note: str = ""


class Weights(Struct, frozen=True):
    """Makes checkpoints usable: `store` keeps what is converted, `tell` hears what is about to take long.

    `pickles` says that the user allows pickles to be opened.
    """

    store: ConvertedStore
    digests: Digests
    tell: Callable[[str], object]
    pickles: bool = False

    def of(
        self, model: str, revision: str | None = None, *, look: Look, base: str | None = None, dtype: str = "auto"
    ) -> UsableCheckpoint:
        """Find the checkpoint of a folder or hub name.

        Args:
            model: a checkpoint's or a LoRA adapter's folder or hub name.
            revision: a branch, tag or commit of the hub's model.
            look: asked before an adapter is merged, so that no gigabytes are written that are of no use.
            base: the model that a LoRA adapter belongs to; None for the one it names, if that is on this machine.
            dtype: what will be computed in, as asked: merged weights are rounded to no less.

        Raises:
            InputError: it cannot be had, is damaged, of a kind that is not read, or pickled and that not allowed.
            UsageError: `base` was given for what is no LoRA adapter.
            NoWorkspace, UnwritableWorkspace: something has to be converted, and there is no place for it.
        """
        place = find_place(model, revision, pickles=self.pickles)
        if checkpoints := checkpoints_in(place.folder):
            raise CheckpointError(
                f"{place.folder} holds {len(checkpoints)} checkpoints of a training run and no weights itself.",
                f"Give one of them, such as {checkpoints[-1]}.",
            )
        if _is_lora(place.folder):
            return self._merged(place, base, dtype, look)
        if base is not None:
            others = without("--base", meaning="the checkpoint as it is")
            sentence = f"{place.name} is not a LoRA adapter, so it has no base."
            raise UsageError(sentence, "Leave out --base.", instead=others)
        return self._whole(place)

    def _with_head(self, checkpoint: Checkpoint, path: Path, place: ModelPlace) -> UsableCheckpoint:
        """A whole model whose head lies beside it as a pickle (`path`)."""
        if not self.pickles:
            raise PickleRefused(
                f"{place.folder} has its head only as a pickle ({path.name}), which can run code and is not opened.",
                "If you trust it, --allow-pickle opens it with torch's weights-only reader.",
                instead=[("--allow-pickle", "open the pickle with torch's weights-only reader")],
            )
        sources, seen = self._sources(place, [path])

        def make(draft: Path) -> None:
            from scoring.engines.pickled_weights import read_pickle, write

            write(draft / HEAD, {f"{path.stem}.{name}": tensor for name, tensor in read_pickle(path).items()})
            seen()

        recipe = {"head": sources}
        folder, _ = self.store.made(recipe, make)
        return UsableCheckpoint(
            checkpoint.with_tensors(folder / HEAD), recipe, f"The head was converted from {path.name} into {folder}."
        )

    def _whole(self, place: ModelPlace) -> UsableCheckpoint:
        if _has_safetensors(place.folder) or not self.pickles:
            checkpoint = Checkpoint.open(place.folder, place.name, place.commit)
            head = place.folder / PICKLED_HEAD
            apart = head.is_file() and f"{head.stem}.weight" not in checkpoint.tensors
            return self._with_head(checkpoint, head, place) if apart else UsableCheckpoint(checkpoint)
        files = pickled_files(place.folder, f"{place.name} --revision {place.commit}" if place.commit else "")
        beside = [path for path in (place.folder / name for name in (CONFIG, *BESIDE)) if path.is_file()]
        sources, seen = self._sources(place, [*files, *beside])

        def make(draft: Path) -> None:
            from scoring.engines.pickled_weights import convert

            self.tell(f"Converting {_listed(files)} to safetensors, once.")
            convert(files, draft)
            _copy(beside, draft)
            seen()

        recipe = {"pickle": sources}
        folder, _ = self.store.made(recipe, make)
        note = f"The weights were converted from {_listed(files)} into {folder}."
        return UsableCheckpoint(Checkpoint.open(folder, place.name), recipe, note)

    def _merged(self, place: ModelPlace, base: str | None, dtype: str, look: Look) -> UsableCheckpoint:
        config = LoraConfig.open(place.folder)
        weights = place.folder / ADAPTER
        if not weights.is_file():
            weights = self._pickled_adapter(place.folder)
        whole = self._whole(self._base(place, config, base))
        under = ModelPlace(whole.checkpoint.folder, whole.checkpoint.name, whole.checkpoint.commit)
        check_body(config.base, under, whole.checkpoint.config.get("model_type"))
        computed, stored = compute_dtype(whole.checkpoint, dtype), whole.checkpoint.dtype
        exact = computed == "float32" or _DIGITS[computed] > _DIGITS[stored]
        tokenizer = place.folder if (place.folder / TOKENIZER).is_file() else whole.checkpoint.folder
        read = look(replace(whole.checkpoint, folder=tokenizer, name=place.name, commit=None, merged=True))
        beside = [whole.checkpoint.folder / CONFIG, *(tokenizer / name for name in BESIDE)]
        beside = [path for path in beside if path.is_file()]
        own = [place.folder / ADAPTER_CONFIG, weights, *(path for path in beside if path.parent == place.folder)]
        sources, own_seen = self._sources(place, own)
        foundation, seen = self._sources(under, [path for path in whole.checkpoint.files if path.is_file()])

        def make(draft: Path) -> None:
            from scoring.engines.lora_merge import merge

            self.tell(f"Merging the LoRA adapter {place.name} into {under.name}, once.")
            merge(whole.checkpoint, weights, config, draft, read=read, float32=exact)
            _copy(beside, draft)
            own_seen()
            seen()

        recipe = {"lora": sources, "base": {**foundation, **whole.sources}, "merged_in": "float32" if exact else "base"}
        folder, _ = self.store.made(recipe, make)
        if not under.commit and not _holds(folder, beside):
            # The recipe does not name a base's small files, a chat template among them, and these are others by now.
            recipe["beside"] = dict(self.digests.of(beside).digests)
            folder, _ = self.store.made(recipe, make)
        at = f" at {under.commit[:12]}" if under.commit else ""
        note = f"The LoRA adapter {place.name} was merged into {under.name}{at}, in {folder}."
        notes = [note, base_sentence(config.base, under), *([whole.note] if whole.note else [])]
        return UsableCheckpoint(replace(Checkpoint.open(folder, place.name), merged=True), recipe, " ".join(notes))

    def _pickled_adapter(self, folder: Path) -> Path:
        path = folder / PICKLED_ADAPTER
        if not path.is_file():
            raise CheckpointError(f"{folder} holds no {ADAPTER}.", "Download the adapter's weights too.")
        if not self.pickles:
            raise PickleRefused(
                f"{folder} has its weights only as a pickle ({path.name}), which can run code and is not opened.",
                "If you trust it, --allow-pickle opens it with torch's weights-only reader.",
                instead=[("--allow-pickle", "open the pickle with torch's weights-only reader")],
            )
        return path

    def _base(self, place: ModelPlace, config: LoraConfig, base: str | None) -> ModelPlace:
        """Where the base is; one that only the adapter names is not downloaded."""
        if base:
            same = base.removeprefix("hf:").casefold() == config.base.casefold()
            base_place = find_place(base, config.base_revision if same else None, pickles=self.pickles)
        elif not config.base:
            raise CheckpointError(f"{place.name} is a LoRA adapter that names no base model.", "Name it with --base.")
        else:
            try:
                base_place = find_place(config.base, config.base_revision, pickles=self.pickles, download=False)
            except HubUnavailable:
                base_place = ModelPlace(Path(config.base))
            if not base_place.folder.is_dir():
                raise CheckpointError(
                    f"{place.name} is a LoRA adapter over {config.base!r}, which is not on this machine.",
                    "Give its folder, or its hub name to download it: --base DIR_OR_ID.",
                )
        if _is_lora(base_place.folder):
            raise CheckpointError(
                f"the base {base_place.name} is itself a LoRA adapter.", "Give a whole model as --base."
            )
        return base_place

    def _sources(self, place: ModelPlace, files: list[Path]) -> tuple[dict[str, Any], Callable[[], None]]:
        """What identifies files of a place, and a check that they are still the same."""
        if place.commit:
            return {"hub": place.name, "commit": place.commit}, lambda: None
        seen = self.digests.of(files)
        return {"files": dict(seen.digests)}, seen.check


def _is_lora(folder: Path) -> bool:
    """Whether a folder holds an adapter and no whole model."""
    return (folder / ADAPTER_CONFIG).is_file() and not _has_safetensors(folder)


def _has_safetensors(folder: Path) -> bool:
    return (folder / INDEX).is_file() or (folder / WHOLE).is_file()


def _holds(folder: Path, files: list[Path]) -> bool:
    """Whether a folder that was made holds these small files, and no others of them."""
    there = {name for name in (CONFIG, *BESIDE) if (folder / name).is_file()}
    return there == {path.name for path in files} and all(
        read_plain(folder / path.name) == read_plain(path) for path in files
    )


def _copy(files: list[Path], folder: Path) -> None:
    for path in files:
        shutil.copyfile(path, folder / path.name)


def _listed(files: list[Path]) -> str:
    size = sum(path.stat().st_size for path in files)
    more = f" and {len(files) - 1} more files" if len(files) > 1 else ""
    return f"{files[0].name}{more} ({size / 1e9:.1f} GB)"
