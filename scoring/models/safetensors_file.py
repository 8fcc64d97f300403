"""Writing a safetensors file tensor by tensor, so that memory holds one at a time.

The format: eight bytes with the length of the header (little-endian), the header as JSON (name -> dtype, shape, offsets
behind the header), then the tensors' bytes, row-major and little-endian.
"""

import json
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any

from scoring.data.readout import Shape

BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
"""Bytes of one number, by the format's word for the dtype."""


def write_tensors(path: Path, layout: Mapping[str, tuple[str, Shape]], data: Callable[[str], Any]) -> None:
    """Write a file of tensors; the same tensors give the same bytes.

    Args:
        path: a new file.
        layout: name -> dtype (the format's word) and shape.
        data: the bytes of a tensor by name, as anything that can be written; asked once each, in the order of names.

    Raises:
        OSError: it cannot be written.
        ValueError: a tensor's bytes are not as many as its layout says.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name in sorted(layout):
        dtype, shape = layout[name]
        size = prod(shape) * BYTES[dtype]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with path.open("xb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in sorted(layout):
            start, stop = header[name]["data_offsets"]
            if file.write(data(name)) != stop - start:
                raise ValueError(f"{name} is not of {stop - start} bytes")
