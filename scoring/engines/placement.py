"""Which device each part of a body lies on, for a body that is larger than one device."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

from scoring.data.readout import Readout, Shape, Vocabulary

_BESIDE, _CONTEXT = 1.1, 2 << 30
"""What a device needs beside the weights: a batch's own numbers, and what CUDA keeps."""
_LAYER = re.compile(r"layers\.(\d+)\.")


def layers_over(sizes: Sequence[int], devices: int) -> list[int]:
    """Assign each layer the index of its device: in order, each device with about the same bytes.

    `sizes` are the bytes of the layers. With more devices than layers the last devices have none.
    """
    total, ends = sum(sizes), accumulate(sizes)
    # A layer goes where its middle lies.
    middles = [end - size / 2 for end, size in zip(ends, sizes, strict=True)]
    return [min(devices - 1, int(middle * devices / total)) for middle in middles]


def placed(sizes: Mapping[str, int], devices: int) -> dict[str, int]:
    """Assign each tensor of a body (name without the body's prefix -> bytes) the index of its device.

    What comes before the layers lies with the first of them, and what comes after them with the last, by name: an
    embedding comes before, anything else after.
    """
    layers: dict[int, int] = {}
    for name, size in sizes.items():
        if match := _LAYER.match(name):
            layers[int(match[1])] = layers.get(int(match[1]), 0) + size
    order = sorted(layers)
    devices_of = dict(zip(order, layers_over([layers[layer] for layer in order], devices), strict=True))
    last = devices_of[order[-1]] if order else 0
    places = {}
    for name in sizes:
        match = _LAYER.match(name)
        places[name] = devices_of[int(match[1])] if match else (0 if "embed" in name else last)
    return places


def replicas(weights: int, free: Sequence[int], may_be_over: Callable[[int], bool] = lambda _: True) -> list[list[int]]:
    """Return which devices (0-based) hold a copy of a model each: one where it fits, else as few as it fits over.

    Args:
        weights: bytes of the model.
        free: bytes of memory that each device has for it.
        may_be_over: whether a model can be laid over so many devices.

    A copy takes neighbours, since those are wired best. Devices that are left over have none; where all together do not
    hold it, the one group is all of them, so that whoever loads it says what is missing.
    """
    needed = int(weights * _BESIDE) + _CONTEXT
    for size in range(1, len(free) + 1):
        groups = [list(range(start, start + size)) for start in range(0, len(free) - size + 1, size)]
        # Layers are spread evenly: the device with the least room says how much goes on each.
        fitting = [group for group in groups if min(free[device] for device in group) * size >= needed]
        if fitting and may_be_over(size):
            return fitting
    return [list(range(len(free)))]


def tensor_parallel(config: Mapping[str, Any], devices: int) -> int:
    """Return the most of so many devices that vLLM can cut a model over (its tensor_parallel_size), at least 1.

    Query heads and the feed-forward width are dealt out evenly. Heads of keys and values are dealt out too, or where
    there are fewer than devices each is copied to the same number of them. `config` is the model's config.json; what it
    does not say is taken to fit.
    """

    def number(name: str, otherwise: int) -> int:
        value = config.get(name)
        return value if isinstance(value, int) and value > 0 else otherwise

    heads = number("num_attention_heads", devices)
    shared, inner = number("num_key_value_heads", heads), number("intermediate_size", 0)
    fits = (
        count
        for count in range(max(1, devices), 1, -1)
        if heads % count == 0 and inner % count == 0 and (shared % count == 0 or count % shared == 0)
    )
    return next(fits, 1)


def numbers_on(shapes: Mapping[str, Shape], readout: Readout, devices: int) -> list[int]:
    """Count the numbers of a checkpoint's tensors (name -> shape) on each of so many devices, its head on the last.

    Of a head that is a few rows of a vocabulary only these are there; they are not counted.
    """
    body = {name.removeprefix(readout.body): prod(shapes[name]) for name in shapes if name.startswith(readout.body)}
    numbers = [0] * devices
    for name, device in placed(body, devices).items():
        numbers[device] += body[name]
    head = readout.head
    if not isinstance(head, Vocabulary):
        numbers[-1] += sum(map(prod, readout.shapes.values()))
    elif head.whole:
        numbers[-1] += prod(shapes[head.source(shapes)])
    return numbers


# -- what memory there is, and how many tokens a batch may have in it


CPU_TOKENS = 2048
"""Tokens of a batch on a CPU: enough to fill a matrix product, few enough for its caches and for little padding."""
MOST_TOKENS = 16_384
"""Tokens of a batch on a card: an H100 runs a 7B model no faster with more, and padding only grows."""
_FEWEST = 256
"""Below, every longer case is a batch of its own anyway."""
_SHARE = 0.8
"""Of the free memory: allocators round up, and attention needs some of its own."""
_ROWS = 64
"""Positions whose logits over a whole vocabulary are in memory at a time."""


def tokens_that_fit(free: int, *, hidden: int, inner: int, bytes_each: int, vocabulary: int = 0) -> int:
    """Count the tokens that fit into a batch, padding included.

    Args:
        free: bytes of memory beside the weights.
        hidden: width of the body.
        inner: width of its feed-forward layers.
        bytes_each: of one number of the dtype that is computed in.
        vocabulary: tokens of the vocabulary, where all of their logits are needed at the positions read; else 0.

    Nothing is kept from layer to layer but the residual stream, so the number of layers does not count. At its widest
    a layer holds about eight vectors of `hidden` (residual, norm, queries, keys, values, output and copies), four of
    `inner` (gate, up, product, activation), and two of `hidden` in float32 for the norm.
    """
    logits = _ROWS * vocabulary * (bytes_each + 2 * 4)
    each = bytes_each * (8 * hidden + 4 * inner) + 2 * 4 * hidden
    return max(_FEWEST, min(MOST_TOKENS, int((free * _SHARE - logits) // each)))


def free_on_cpu(system: Path = Path("/")) -> int | None:
    """Return the bytes that this process can still have, swap included and a container's limit heeded; None where
    nobody says.

    `system` is where the files of the kernel are.
    """
    memory = _numbers(system / "proc/meminfo")
    if "MemAvailable" not in memory:
        return None
    free = [1024 * (memory["MemAvailable"] + memory.get("SwapFree", 0))]
    groups = system / "sys/fs/cgroup"
    own = Path(_group(system / "proc/self/cgroup"))
    # Any group around our own may have the limit: a batch system sets it for the job, and runs its steps within.
    for group in (groups / inner for inner in (own, *own.parents)):
        # What files of the disk hold there is given back when it is needed.
        limit = _text(group / "memory.max").strip()
        if limit.isdigit():
            free.append(int(limit) - _numbers(group / "memory.stat").get("anon", 0))
    return max(0, min(free))


def _group(path: Path) -> str:
    lines = [line.partition("::")[2] for line in _text(path).splitlines() if line.startswith("0::")]
    return lines[0].strip("/") if lines else ""


def _numbers(path: Path) -> dict[str, int]:
    """The lines `name number` or `name: number kB` of a file; nothing where it is not there."""
    rows = [line.replace(":", " ").split() for line in _text(path).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


# -- several cards, looked at without a context on any, which would keep memory of it


def free_on_cards() -> list[int]:
    """Free bytes of each CUDA device that a process here would see, in its order; [] where nobody says."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    command = ["nvidia-smi", "--query-gpu=name,memory.free", "--format=csv,noheader,nounits"]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.splitlines()
        cards = [(name, int(free) << 20) for name, _, free in (line.rpartition(", ") for line in lines)]
        # Named by their place they are known by it; by an identifier, or a part of a card, they are not.
        places = range(len(cards)) if visible is None else [int(place) for place in visible.split(",") if place.strip()]
        if any(place < 0 for place in places):
            return []
        # CUDA counts the fastest first, unless it is told to count as the driver does: of equal ones that is the same.
        if len({name for name, _ in cards}) > 1 and os.environ.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID":
            return []
        return [cards[place][1] for place in places]
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return []
