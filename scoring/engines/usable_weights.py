"""From the name of a model to a checkpoint of safetensors: as it is, or converted once into the workspace.

Pickled weights are written again as safetensors, and a LoRA adapter is merged into its base. What comes of it is a
checkpoint like any other, and the rewards are those of its content; what it was made of is told beside.
"""

import json
import re
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import (
    CheckpointError,
    ForeignCheckpoint,
    HubUnavailable,
    MissingExtra,
    NoWorkspace,
    PickleRefused,
    UsageError,
)
from scoring.data.names import without
from scoring.data.readout import Readout
from scoring.data.scorer import checkpoints_in
from scoring.data.storage.files import expand_home, locked, read_plain, sync, unwritable, uuid7
from scoring.engines.lora_config import LoraConfig
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
from scoring.models.fingerprint import Digests, fingerprint

# -- models by name: a local folder, or a model of the Hugging Face hub at one commit


_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+\Z")
_WANTED = (CONFIG, TOKENIZER, INDEX, ADAPTER_CONFIG, "*.safetensors", PICKLED_HEAD, *CHAT, GENERATION)
_PICKLES = ("pytorch_model*.bin", "pytorch_model.bin.index.json", "adapter_model.bin", "*.pt", "*.pth")


class ModelPlace(NamedTuple):
    """Where a model's files lie; `commit` is set for one that came from the hub."""

    folder: Path
    name: str = ""
    commit: str | None = None


def is_hub_name(model: str) -> bool:
    """Return whether a name is one of the hub's (`ORG/NAME`), going by the name alone."""
    return bool(_NAME.match(model.removeprefix("hf:")))


def find_place(model: str, revision: str | None = None, *, pickles: bool = False, download: bool = True) -> ModelPlace:
    """Return the folder of a local or hub model, which need not be there or whole.

    A hub model's config, tokenizer, chat template, own settings and safetensors files are downloaded where they are not
    in the cache yet, with a head that lies beside them, and where it has no safetensors, with `pickles`, its pickles.
    `revision` is a branch, tag or commit of it. With `download` False only the cache is looked at.

    Raises:
        HubUnavailable: offline and not in the cache, no such model, not allowed.
        MissingExtra: the package that talks to the hub is not installed.
    """
    name = model.removeprefix("hf:")
    if Path(model).is_dir() or not is_hub_name(model):
        folder = expand_home(model)
        return ModelPlace(folder, folder.resolve().name)
    folder = _snapshot(name, revision, _WANTED, download=download)
    if pickles and not any(folder.glob("*.safetensors")):
        folder = _snapshot(name, folder.name, (*_WANTED, *_PICKLES), download=download)
    return ModelPlace(folder, name, folder.name)


def _snapshot(name: str, revision: str | None, wanted: tuple[str, ...], *, download: bool) -> Path:
    """The local folder of a hub model; its name is the commit."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("huggingface_hub", "score") from None
    try:
        folder = snapshot_download(name, revision=revision, allow_patterns=list(wanted), local_files_only=not download)
        return Path(folder)
    except Exception as error:  # noqa: BLE001  # hub and HTTP client each raise classes of their own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise HubUnavailable(
            f"there is no folder {name}, and no model of that name can be had ({type(error).__name__}: {reason}).",
            "Without a network, download it elsewhere and give its folder.",
        ) from None


# -- the workspace's folder of checkpoints that were made safe to read: `converted/<32 hex>/`, addressed by content.
#
# The name is a digest of what a checkpoint was made of and how, so it is never out of date: other sources make
# another folder. It is written under a dot-name, fsynced and renamed; one process converts at a time, the others wait
# and find it made. Whoever needs the room may delete any of them.


FOLDER, SOURCES = "converted", "sources.json"
ABANDONED_SECONDS = 24 * 3600
"""An unfinished folder older than this belongs to a process that was killed, also where locks do not work."""


class ConvertedStore(Struct, frozen=True):
    """The converted checkpoints of a workspace; `root` None is a workspace that cannot be written."""

    root: Path | None

    def made(self, recipe: Mapping[str, Any], make: Callable[[Path], object]) -> tuple[Path, bool]:
        """Return the checkpoint folder of a recipe, and whether it was made now.

        Args:
            recipe: what it is made of (digests) and how, as JSON values; kept in it as `sources.json`.
            make: fills an empty folder. What it raises leaves nothing behind.

        Raises:
            NoWorkspace: there is no folder to keep it in.
            UnwritableWorkspace: read-only, or the disk is full.
        """
        if self.root is None:
            raise NoWorkspace("there is no folder to keep converted weights in.", "Name one with --workspace DIR.")
        place = self.root / FOLDER / fingerprint(recipe)[:32]
        if place.is_dir():
            return place, False
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with locked(place.parent):
                if place.is_dir():
                    return place, False
                _sweep(place.parent)
                self._make(place, recipe, make)
        except OSError as error:
            raise unwritable(place, error) from error
        return place, True

    @staticmethod
    def _make(place: Path, recipe: Mapping[str, Any], make: Callable[[Path], object]) -> None:
        draft = place.with_name(f".{place.name}.{uuid7()}")
        draft.mkdir()
        try:
            make(draft)
            (draft / SOURCES).write_text(json.dumps(recipe, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            for path in draft.iterdir():
                sync(path)
            sync(draft)
            try:
                draft.rename(place)
            except OSError:
                # Where locks do not work another process may have been faster, with the same content.
                if not place.is_dir():
                    raise
            sync(place.parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _sweep(folder: Path) -> None:
    for path in folder.glob(".*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                shutil.rmtree(path)


# -- whether a LoRA adapter lies over the base that it names, as far as names tell.
#
# Shapes do not tell: Mistral-7B's tensors are those of Llama-3-8B, and every fine-tune has its base's.


_BODIES = ("llama", "qwen", "mistral", "gemma")
"""Words in the names of models, which are how the `model_type` of their configs begins."""
_TRAINED = re.compile(r"checkpoint-\d+\Z")
"""What a training run calls its folders; with the folder above it looks like a name of the hub."""


def base_sentence(named: str, base: ModelPlace) -> str:
    """Return what to say of the base that an adapter names ("" = none) and the one that it was merged into."""
    if not named:
        return f"Its {ADAPTER_CONFIG} names no base, so nothing tells whether this is the one."
    sentence = f"Its {ADAPTER_CONFIG} names {named} as the base"
    if _alike(named, base.name):
        return f"{sentence}."
    if not _proves(named) or not base.commit:
        return f"{sentence}; whether that is this one cannot be told from a path."
    sentence = f"{sentence[0].lower()}{sentence[1:]}"
    return f"Warning: {sentence}, and this one is called otherwise: another base gives other rewards."


def check_body(named: str, base: ModelPlace, model_type: object) -> None:
    """Make sure that a base is not of another kind than the one that the adapter names.

    Args:
        named: `base_model_name_or_path` of the adapter's config; "" for none.
        base: what it is to be merged into.
        model_type: of that one's config.

    Raises:
        ForeignCheckpoint: it is, by the name of the one and the config of the other.
    """
    if not _proves(named) or _alike(named, base.name):
        return
    words = [word for word in _BODIES if word in _last(named)]
    if words and not any(str(model_type).startswith(word) for word in words):
        raise ForeignCheckpoint(
            f"the adapter belongs to {named}, and {base.name} is a {model_type} model.", "Give its own base as --base."
        )


def _alike(named: str, base: str) -> bool:
    return _last(named) == _last(base)


def _last(name: str) -> str:
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1].casefold()


def _proves(named: str) -> bool:
    """Whether a name is one of the hub's rather than a path on the machine of whoever trained the adapter."""
    return is_hub_name(named) and not _TRAINED.search(named)


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
