"""Messages of a page: JSON arrays that begin with the kind."""

import msgspec
from msgspec import Struct


class Stdin(Struct, tag="stdin", array_like=True, forbid_unknown_fields=True):
    """Keys and pastes, encoded as a terminal encodes them."""

    text: str


class PageSize(Struct, forbid_unknown_fields=True):
    """Columns and lines."""

    width: int
    height: int


class Resized(Struct, tag="resize", array_like=True, forbid_unknown_fields=True):
    """The page was resized."""

    size: PageSize


class Ping(Struct, tag="ping", array_like=True, forbid_unknown_fields=True):
    """Request a pong with the same stamp."""

    stamp: int | float | str | None = None


class Focused(Struct, tag="focus", array_like=True, forbid_unknown_fields=True):
    """The page got the focus."""


class Blur(Struct, tag="blur", array_like=True, forbid_unknown_fields=True):
    """The page lost the focus."""


PageMessage = Stdin | Resized | Ping | Focused | Blur
_MESSAGES: msgspec.json.Decoder[PageMessage] = msgspec.json.Decoder(PageMessage)


def read_message(text: str) -> PageMessage | None:
    """Decode a message of a page; return None if it is malformed."""
    try:
        return _MESSAGES.decode(text.encode())
    # Deep nesting raises RecursionError, and a lone surrogate UnicodeError.
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
