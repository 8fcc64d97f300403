"""Which device each part of a body lies on, for a body that is larger than one device."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import prod
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
