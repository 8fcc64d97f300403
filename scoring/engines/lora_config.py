"""What a LoRA adapter's `adapter_config.json` asks for; all that a plain merge would get wrong is refused by name.

The keys are those of the library peft. A merge is W + scale * B @ A, so every key that changes what is added, to what,
or what the base must be like beforehand is either read here or must have the value that changes nothing.
"""

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.storage.files import read_plain
from scoring.models.checkpoint import ADAPTER_CONFIG

_READ = frozenset({
    "peft_type", "r", "lora_alpha", "use_rslora", "fan_in_fan_out", "target_modules", "modules_to_save",
    "base_model_name_or_path", "revision", "bias", "init_lora_weights",
})  # fmt: skip
_NO_MATTER = frozenset({
    "task_type", "inference_mode", "lora_dropout", "auto_mapping", "peft_version", "runtime_config", "megatron_core",
    "megatron_config", "loftq_config", "eva_config", "corda_config", "lora_ga_config", "arrow_config",
    "ensure_weight_tying", "qalora_group_size", "layers_pattern",
})  # fmt: skip
"""Keys for training and book-keeping, and those that count only together with another that is refused."""

_PLAIN_STARTS = (True, False, "gaussian", "eva", "orthogonal")
"""Starts of A and B that leave the base as it is; others (PiSSA, OLoRA, LoftQ, ...) change it before training."""


class LoraConfig(Struct, frozen=True):
    """A plain LoRA. `targets` are ends of module names, or one pattern for whole names; `scale` multiplies B @ A."""

    rank: int
    scale: float
    targets: tuple[str, ...] | re.Pattern[str]
    transposed: bool
    saved: tuple[str, ...]
    base: str
    base_revision: str | None

    @classmethod
    def open(cls, folder: Path) -> "LoraConfig":
        """Read a folder's `adapter_config.json`.

        Raises:
            CheckpointError: it cannot be read, or lacks a number.
            ForeignCheckpoint: it asks for something that a plain merge does not do; what, by name.
        """
        path = folder / ADAPTER_CONFIG
        try:
            config = json.loads(read_plain(path))
            kind = config.get("peft_type")
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            raise CheckpointError(f"{path} cannot be read ({error}).", "Download the adapter again.") from None
        if kind != "LORA":
            raise ForeignCheckpoint(f"{path} has peft_type {kind!r}; only LORA is merged.", _ELSEWHERE)
        strange = [f"{name} = {json.dumps(value)[:60]}" for name, value in config.items() if not _plain(name, value)]
        if strange:
            raise ForeignCheckpoint(f"{path} asks for what is not merged here: {', '.join(strange)}.", _ELSEWHERE)
        rank, alpha = (_number(path, config, name) for name in ("r", "lora_alpha"))
        if rank != int(rank):
            raise CheckpointError(f"{path} has r = {rank}, which should be a whole number.", "")
        return cls(
            rank=int(rank),
            scale=alpha / (math.sqrt(rank) if config.get("use_rslora") else rank),
            targets=_targets(path, config.get("target_modules")),
            transposed=bool(config.get("fan_in_fan_out")),
            saved=tuple(_names(path, "modules_to_save", config.get("modules_to_save") or [])),
            base=str(config.get("base_model_name_or_path") or ""),
            base_revision=config.get("revision") or None,
        )

    def targeted(self, module: str) -> bool:
        """Return whether the adapter was to change the module of this name."""
        if isinstance(self.targets, re.Pattern):
            return bool(self.targets.fullmatch(module))
        return any(module == target or module.endswith(f".{target}") for target in self.targets)

    def replaced(self, module: str) -> bool:
        """Return whether the adapter was to hold the module of this name, or one that it is part of, whole."""
        return any(f".{name}." in f".{module}." for name in self.saved)


_ELSEWHERE = "Merge it into its base with the library that trained it, and give the merged folder."


def _plain(name: str, value: Any) -> bool:
    """Whether a key is read, does not matter or changes nothing."""
    if name == "bias":
        return value in ("none", None)
    if name == "init_lora_weights":
        return value in _PLAIN_STARTS
    # 0 is a value: the first layer.
    unset = value is None or value is False or value in ("", [], {})
    return name in _READ or name in _NO_MATTER or unset


def _number(path: Path, config: Mapping[str, Any], name: str) -> float:
    value = config.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise CheckpointError(f"{path} has {name} = {value!r}, which should be a number above 0.", "")
    return float(value)


def _targets(path: Path, value: Any) -> tuple[str, ...] | re.Pattern[str]:
    if not isinstance(value, str):
        return tuple(_names(path, "target_modules", value))
    if value == "all-linear":
        raise ForeignCheckpoint(f"{path} has target_modules = all-linear, which names no modules.", _ELSEWHERE)
    try:
        return re.compile(value)
    except re.error as error:
        raise CheckpointError(f"{path} has target_modules = {value!r}, which is not a pattern ({error}).", "") from None


def _names(path: Path, name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise CheckpointError(f"{path} has {name} = {value!r}, which should be a list of names.", "")
    return value
