"""Text that is encoded whole, with places in it that are read: they are noted while it is written, never looked for."""

from bisect import bisect_left
from collections.abc import Sequence

from scoring.prms.base import Tokenizer
from scoring.readout import Refused


class MarkedText:
    """A text in the making.

    Where a family's checkpoints were trained on text encoded in one go, its pieces must not be encoded apart: letters
    on both sides of a seam may be one token. So the places are noted as characters and found again as tokens.
    """

    def __init__(self) -> None:
        """An empty text."""
        self._parts: list[str] = []
        self._length = 0
        self._places: list[int] = []

    def add(self, text: str) -> None:
        """Write on. What is added first is the problem's, what stands before mark k is step k's."""
        self._parts.append(text)
        self._length += len(text)

    def mark(self, text: str) -> None:
        """Write on; the token that ends where this text does is read."""
        self.add(text)
        self._places.append(self._length)

    def encode(self, tokenizer: Tokenizer, mark: int) -> tuple[list[int], list[int]] | Refused:
        """The ids of the whole text, and the index (0-based) of the token at each mark.

        Args:
            tokenizer: with the checkpoint's vocabulary.
            mark: the id that the token at every mark has, and that no other token of the text may have: the model would
                take it for the end of a step.
        """
        ids, ends = tokenizer.spans("".join(self._parts))
        positions = self._positions(ends)
        merged = [step for step, position in enumerate(positions) if position < 0 or ids[position] != mark]
        if merged:
            where = _listed([f"step {step}" for step in merged])
            return Refused(f"the end of {where} is one token with the text beside it; {_NO_WAY}")
        read = set(positions)
        others = [ends[index] for index, token in enumerate(ids) if token == mark and index not in read]
        if others:
            where = _listed([self._described(place) for place in others])
            return Refused(f"a step end stands within {where}, where the model would take it for one; {_NO_WAY}")
        return ids, positions

    def places(self, tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
        """The ids of the whole text, and the index (0-based) of the token at each mark: -1 where no token ends there.

        It is the last one, where several tokens are one character (the bytes of a letter the vocabulary lacks).
        """
        ids, ends = tokenizer.spans("".join(self._parts))
        return ids, self._positions(ends)

    def _positions(self, ends: Sequence[int]) -> list[int]:
        at = {end: index for index, end in enumerate(ends)}
        return [at.get(place, -1) for place in self._places]

    def _described(self, place: int) -> str:
        """Whose text ends at a place, and the text around it."""
        step = min(bisect_left(self._places, place), len(self._places) - 1)
        whose = "the problem" if not step and place <= len(self._parts[0]) else f"step {step}"
        around = "".join(self._parts)[max(0, place - _AROUND) : place + _AROUND]
        return f"{whose} ({around!r})"


_AROUND = 12
"""Characters that are shown on both sides of a place."""
_MANY = 3
_NO_WAY = "this family cannot score such a text"


def _listed(things: Sequence[str]) -> str:
    more = [f"{len(things) - _MANY} more"] if len(things) > _MANY else []
    *first, last = (*dict.fromkeys(things[:_MANY]), *more)
    return f"{', '.join(first)} and {last}" if first else last
