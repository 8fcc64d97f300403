"""Which device each part of a body lies on, for a body that is larger than one device."""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod

from scoring.readout import Readout, Shape, Vocabulary

_LAYER = re.compile(r"layers\.(\d+)\.")


def layers_over(sizes: Sequence[int], devices: int) -> list[int]:
    """For each layer the index of its device: in order, each device with about the same bytes.

    `sizes` are the bytes of the layers. With more devices than layers the last devices have none.
    """
    total, ends = sum(sizes), accumulate(sizes)
    # A layer goes where its middle lies.
    middles = [end - size / 2 for end, size in zip(ends, sizes, strict=True)]
    return [min(devices - 1, int(middle * devices / total)) for middle in middles]


def placed(sizes: Mapping[str, int], devices: int) -> dict[str, int]:
    """For each tensor of a body (name without the body's prefix -> bytes) the index of its device.

    What comes before the layers lies with the first of them, and what comes after them with the last, by name: an
    embedding comes before, anything else after.
    """
    layers: dict[int, int] = {}
    for name, size in sizes.items():
        if found := _LAYER.match(name):
            layers[int(found[1])] = layers.get(int(found[1]), 0) + size
    order = sorted(layers)
    devices_of = dict(zip(order, layers_over([layers[layer] for layer in order], devices), strict=True))
    last = devices_of[order[-1]] if order else 0
    places = {}
    for name in sizes:
        found = _LAYER.match(name)
        places[name] = devices_of[int(found[1])] if found else (0 if "embed" in name else last)
    return places


def numbers_on(shapes: Mapping[str, Shape], readout: Readout, devices: int) -> list[int]:
    """How many numbers of a checkpoint's tensors (name -> shape) lie on each of so many devices, its head on the last.

    Of a head that is a few rows of a vocabulary only these are there; they are not counted.
    """
    body = {name.removeprefix(readout.body): prod(shapes[name]) for name in shapes if name.startswith(readout.body)}
    found = [0] * devices
    for name, device in placed(body, devices).items():
        found[device] += body[name]
    head = readout.head
    if not isinstance(head, Vocabulary):
        found[-1] += sum(map(prod, readout.shapes.values()))
    elif head.whole:
        found[-1] += prod(shapes[head.source(shapes)])
    return found
