"""Unpacking of zstd by whatever there is: the standard library from Python 3.14 on, or one of two packages."""

from importlib import import_module
from io import BytesIO
from typing import Any


def unpack(packed: bytes, most: int) -> bytes:
    """The first `most` bytes of what is packed in one or several frames.

    Raises:
        ImportError: nothing here can unpack zstd.
        ValueError: it is damaged or cut off.
    """
    for name in ("compression.zstd", "backports.zstd"):
        if module := _module(name):
            return _read(module.ZstdFile(BytesIO(packed)), most, module.ZstdError)
    if module := _module("zstandard"):
        stream = module.ZstdDecompressor().stream_reader(BytesIO(packed), read_across_frames=True)
        return _read(stream, most, module.ZstdError)
    raise ImportError("zstd")


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def _read(stream: Any, most: int, damage: type[Exception]) -> bytes:
    try:
        with stream:
            parts, left = [], most
            while left and (part := stream.read(left)):
                parts.append(part)
                left -= len(part)
            return b"".join(parts)
    except (damage, EOFError) as error:
        raise ValueError(str(error)) from None
