"""What single tokens stand for, for people who look at them: a vocabulary's pieces turned back into text."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

_BYTE = re.compile(r"<0x([0-9A-F]{2})>\Z")
_BLANK = "▁"
"""What vocabularies of sentencepiece have for a blank."""


class Pieces(Protocol):
    """A vocabulary by id."""

    @property
    def added(self) -> Mapping[str, int]:
        """The added tokens, special or not: text -> id."""
        ...

    def piece(self, index: int) -> str | None:
        """Return the vocabulary's own writing of a token; None for an id that it does not have."""
        ...

    def has(self, piece: str) -> bool:
        """Return whether the vocabulary has a piece of this writing."""
        ...


class TokenTexts:
    """Texts of token ids. A part of a letter is written as its bytes, `<0xE2>`."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._specials: dict[int, str] = {index: text for text, index in pieces.added.items()}

    def __call__(self, index: int) -> str:
        """The text that a token stands for; `<3>` for an id that has none."""
        if index in self._specials:
            return self._specials[index]
        piece = self._pieces.piece(index)
        if piece is None:
            return f"<{index}>"
        return _of_bytes(piece) if self._byte_level else _of_sentencepiece(piece)

    @cached_property
    def _byte_level(self) -> bool:
        """Whether pieces are written in the 256 letters that stand for bytes: then the blank is one of them."""
        return self._pieces.has("Ġ")


def _of_sentencepiece(piece: str) -> str:
    byte = _BYTE.match(piece)
    if byte is None:
        return piece.replace(_BLANK, " ")
    code = int(byte[1], 16)
    return chr(code) if code < 0x80 else piece


def _of_bytes(piece: str) -> str:
    """A piece of the byte-level alphabet as text, what is no whole letter as bytes."""
    if any(letter not in _BYTES for letter in piece):
        return piece
    raw = bytes(_BYTES[letter] for letter in piece)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(chr(code) if code < 0x80 else f"<0x{code:02X}>" for code in raw)


def _alphabet() -> dict[str, int]:
    """Letter -> byte: printable ones stand for themselves, the others for the letters from U+0100 on, in order."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [code for code in range(256) if code not in printable]
    return {chr(code): code for code in printable} | {chr(0x100 + at): code for at, code in enumerate(others)}


_BYTES = _alphabet()
