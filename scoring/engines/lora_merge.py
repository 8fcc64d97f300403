"""A LoRA adapter merged into its base: W + scale * B @ A for every module it changes.

B @ A is summed in float64 and everything else is done in float32, so that the merged numbers depend on no machine's
order of summation. A merge in which something was left over, left out or without effect is refused: an adapter that
was silently dropped still gives plausible rewards.

Not by the library peft, which needs a class for every body and head, holds the whole base in memory, and sums as each
machine does: a merged checkpoint is known by its content, which has to be the same wherever it is merged.
"""

import re
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scoring.data.errors import CheckpointError, ForeignCheckpoint, MissingExtra
from scoring.data.readout import Readout, Vocabulary
from scoring.engines.lora_config import LoraConfig
from scoring.models.checkpoint import WHOLE, Checkpoint
from scoring.models.safetensors_file import write_tensors

try:
    import safetensors
    import torch

    from scoring.engines.pickled_weights import raw, read_pickle
    from scoring.engines.stored import stored
except ImportError as error:
    raise MissingExtra(error.name or "torch", "score") from None

_PREFIX = "base_model.model."
_FACTOR = re.compile(r"(.+)\.lora_([AB])\.weight\Z")
_FLOAT32 = "F32"


class Factors(NamedTuple):
    """B [outputs, rank] and A [rank, inputs] of one module."""

    b: Any
    a: Any


class LoraAdapter(NamedTuple):
    """What an adapter changes, by the names of the base's tensors: factors to add, and tensors to put in place."""

    factors: Mapping[str, Factors]
    whole: Mapping[str, Any]


def merge(base: Checkpoint, weights: Path, config: LoraConfig, folder: Path, *, read: Readout, float32: bool) -> None:
    """Write the merged weights into `folder`, as one safetensors file.

    Args:
        base: the base model.
        weights: the adapter's safetensors or, where the user allowed it, its pickle.
        config: of the adapter.
        folder: where `model.safetensors` is written.
        read: what will be read of the merged model.
        float32: keep merged tensors in float32; else they are rounded to what the base stores them in.

    Raises:
        ForeignCheckpoint: the adapter does not fit the base, or would change nothing of what is read.
        CheckpointError: a file cannot be read, or what comes of it is not finite.
        OSError: `folder` cannot be written.
    """
    adapter = _sorted_out(base, weights, config)
    _check_reading(base, adapter, read)
    layout = {name: (tensor.dtype, tensor.shape) for name, tensor in base.tensors.items()}
    if float32:
        layout |= {name: (_FLOAT32, base.shapes[name]) for name in (*adapter.factors, *adapter.whole)}

    def data(name: str) -> Any:
        tensor = stored(base, name)
        if name in adapter.factors:
            tensor = _merged(name, tensor, adapter.factors[name], config, float32=float32)
        elif name in adapter.whole:
            tensor = adapter.whole[name].to(torch.float32 if float32 else tensor.dtype)
        return raw(tensor)

    write_tensors(folder / WHOLE, layout, data)


def _merged(name: str, tensor: Any, factors: Factors, config: LoraConfig, *, float32: bool) -> Any:
    """One module's new weight; it differs from the old one."""
    delta = (config.scale * (factors.b.double() @ factors.a.double())).float()
    if not delta.isfinite().all():
        raise ForeignCheckpoint(f"the adapter's change of {name} is not finite.", "Download the adapter again.")
    if not delta.any():
        raise ForeignCheckpoint(f"the adapter's change of {name} is zero: it was not trained.", "")
    merged = tensor.float() + (delta.T if config.transposed else delta)
    kept = merged if float32 else merged.to(tensor.dtype)
    if not kept.isfinite().all():
        broken = not tensor.isfinite().all()
        raise CheckpointError(
            f"{name} {'of the base' if broken else f'merged in {tensor.dtype}'} is not finite.",
            "Download the base again." if broken else "Use --dtype float32.",
        )
    if torch.equal(kept.float(), tensor.float()):
        raise ForeignCheckpoint(
            f"the adapter's change of {name} is lost in rounding to {tensor.dtype}.", "Use --dtype float32."
        )
    return kept


def _sorted_out(base: Checkpoint, weights: Path, config: LoraConfig) -> LoraAdapter:
    """The adapter's tensors, each where it belongs, all of them and for every module that was to be changed."""
    halves: dict[str, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    problems: list[str] = []
    for key, tensor in _all(weights).items():
        short = key.removeprefix(_PREFIX)
        factor = _FACTOR.match(short)
        if factor:
            halves.setdefault(f"{factor[1]}.weight", {})[factor[2]] = tensor
        elif short in base.shapes and config.replaced(short.rpartition(".")[0]):
            whole[short] = tensor
            if tuple(tensor.shape) != base.shapes[short]:
                problems.append(f"{short} is {tuple(tensor.shape)} there and {base.shapes[short]} in the base")
        else:
            problems.append(f"{key} has no place in the base")
    problems += [problem for name, pair in halves.items() for problem in _misfit(base, config, name, pair)]
    problems += _left_out(base, config, {*halves, *whole})
    if not halves:
        problems.insert(0, f"{weights.name} holds no LoRA factors")
    if problems:
        more = f" and {len(problems) - 3} more" if len(problems) > 3 else ""
        raise ForeignCheckpoint(
            f"the adapter does not fit {base.name}: {'; '.join(problems[:3])}{more}.", "Name its base with --base."
        )
    return LoraAdapter({name: Factors(pair["B"], pair["A"]) for name, pair in halves.items()}, whole)


def _check_reading(base: Checkpoint, adapter: LoraAdapter, read: Readout) -> None:
    """Make sure that what is read of the merged model is what the adapter was trained to change, and nothing else."""
    changed = {*adapter.factors, *adapter.whole}
    if not changed & {*read.used(base.shapes)}:
        listed = ", ".join(sorted(changed)[:3])
        raise ForeignCheckpoint(f"the adapter changes only what no reward is read from: {listed}.", "")
    head = read.head
    if isinstance(head, Vocabulary) and head.name not in base.shapes and head.source(base.shapes) in changed:
        raise ForeignCheckpoint(
            f"the adapter changes {head.tied}, which the base has for its output matrix too.",
            "Merge it into its base with the library that trained it, and give the merged folder.",
        )


def _left_out(base: Checkpoint, config: LoraConfig, held: Container[str]) -> list[str]:
    """What of the base the adapter should change and does not hold, or would change unasked."""
    rest = {name: name.rpartition(".")[0] for name in base.tensors if name not in held}
    weights = {name: module for name, module in rest.items() if name.endswith(".weight")}
    problems = [f"{name} should be changed and is not" for name, module in weights.items() if config.targeted(module)]
    return problems + [f"{name} should be in it and is not" for name, module in rest.items() if config.replaced(module)]


def _misfit(base: Checkpoint, config: LoraConfig, name: str, pair: Mapping[str, Any]) -> list[str]:
    """What keeps a module's factors from being merged."""
    if name not in base.shapes:
        return [f"{name} is not in the base"]
    if pair.keys() != {"A", "B"}:
        return [f"{name} has only lora_{min(pair)}"]
    if not config.targeted(name.removesuffix(".weight")):
        return [f"{name} is changed and is not a target module"]
    shape = base.shapes[name][::-1] if config.transposed else base.shapes[name]
    sizes = (*pair["B"].shape, *pair["A"].shape)
    if len(shape) != 2 or sizes != (shape[0], config.rank, config.rank, shape[1]):
        return [f"the factors of {name} are {tuple(pair['B'].shape)} and {tuple(pair['A'].shape)} for {shape}"]
    return []


def _all(path: Path) -> dict[str, Any]:
    if path.suffix != ".safetensors":
        return read_pickle(path)
    try:
        with safetensors.safe_open(str(path), framework="pt", device="cpu") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no mapping
    except (OSError, safetensors.SafetensorError) as error:
        raise CheckpointError(f"{path} cannot be read ({error}).", "Download the adapter again.") from None
