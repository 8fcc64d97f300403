"""Tokens for people: whose each is, what it stands for with nothing hidden, and those around one of them on a line."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from rich.cells import cell_len

from inspector.render.texts.text import cell, clean

_PICTURES = {"\n": "⏎", "\t": "⇥", "\r": "␍"}
_ESCAPES = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
_AHEAD = 3
"""One of so many cells of a window lies behind the token that is read: what was read tells more than what follows."""


TokenFacts = Mapping[str, Any]
"""A token as `python -m scoring explain` tells it."""


class TokenGroup(Struct):
    """Tokens that stand together: of the problem, of one step with what is read for it, or of the layout before them.

    `sequence` and `step` are 0-based; `step` None = of no step.
    """

    sequence: int
    name: str
    step: int | None
    tokens: list[TokenFacts] = field(default_factory=list)

    @property
    def read(self) -> TokenFacts | None:
        """The token at which the step is read, if it is in this sequence."""
        return next((token for token in self.tokens if token["read"]), None)


def grouped(tokens: Sequence[TokenFacts]) -> list[TokenGroup]:
    """Group all tokens, in order. One of the layout belongs to what stands before it, or to what it is read for."""
    groups: list[TokenGroup] = []
    for token in tokens:
        last = groups[-1] if groups and groups[-1].sequence == token["sequence"] else None
        if token["part"] == "layout" and not token["read"]:
            name, step = (last.name, last.step) if last else ("layout", None)
        elif token["step"] is None:
            name, step = "problem", None
        else:
            name, step = f"step {token['step']}", token["step"]
        if last is None or (last.name, last.step) != (name, step):
            last = TokenGroup(token["sequence"], name, step)
            groups.append(last)
        last.tokens.append(token)
    return groups


def counts_of_parts(tokens: Sequence[TokenFacts]) -> str:
    """Write how many tokens are of which part."""
    counts = {part: sum(token["part"] == part for token in tokens) for part in ("problem", "step", "layout")}
    return f"{counts['problem']:,} of the problem, {counts['step']:,} of steps, {counts['layout']:,} of the layout"


def visible(text: str, *, ascii_only: bool = False) -> str:
    """Write a token's text with every letter to be seen: line breaks as signs, what has no width by its code."""
    return "".join(_visible(letter, first=not at, ascii_only=ascii_only) for at, letter in enumerate(text))


def _visible(letter: str, *, first: bool, ascii_only: bool) -> str:
    if letter in _PICTURES:
        return (_ESCAPES if ascii_only else _PICTURES)[letter]
    if ord(letter) < 0x20 or letter == "\x7f":
        return f"\\x{ord(letter):02x}" if ascii_only else clean(letter)
    # A mark that belongs to the letter before would be put on the sign between two tokens.
    alone = first and unicodedata.combining(letter)
    return f"<U+{ord(letter):04X}>" if alone or clean(letter) != letter else letter


def joint(ascii_only: bool) -> str:
    """Return the sign between two tokens."""
    return "|" if ascii_only else "│"


def window(texts: Sequence[str], at: int, width: int, *, ascii_only: bool = False) -> tuple[str, int, int]:
    """Return the tokens around one, in at most `width` cells; from which cell on, and in how many, that one stands.

    `texts` are visible ones. What is left out at either end is marked.
    """
    bar, more = joint(ascii_only), "..." if ascii_only else "…"
    own = texts[at] if cell_len(texts[at]) <= width // 2 else cell(texts[at], width // 2)
    # At either end where there is more, a mark and a bar may have to stand.
    room = width - cell_len(own) - (len(more) + 1) * ((at > 0) + (at + 1 < len(texts)))
    right, behind = _fitting(texts[at + 1 :], room // _AHEAD)
    left, before = _fitting(texts[:at][::-1], room - behind)
    if len(left) == at:
        right, _ = _fitting(texts[at + 1 :], room - before)
    head = [*([more] if len(left) < at else []), *left[::-1]]
    tail = [*right, *([more] if at + 1 + len(right) < len(texts) else [])]
    start = sum(cell_len(text) + 1 for text in head)
    return bar.join([*head, own, *tail]), start, cell_len(own)


def _fitting(texts: Sequence[str], room: int) -> tuple[list[str], int]:
    """The first texts that fit with a bar before each, and the cells they take."""
    fitting: list[str] = []
    used = 0
    for text in texts:
        size = cell_len(text) + 1
        if used + size > room:
            break
        fitting.append(text)
        used += size
    return fitting, used
