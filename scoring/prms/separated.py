"""Text that is encoded piece by piece: the problem, then every step with the ids of a separator behind it."""

from collections.abc import Sequence

from scoring.errors import CheckpointError
from scoring.prms.base import NO_STEPS, Tokenizer, too_long
from scoring.readout import Encoded, Refused

SEPARATORS = {"newline": "\n", "blank-line": "\n\n"}
"""The names of separators, and their text."""


class Separated:
    """An encoder that reads the last token of the separator behind each step.

    Pieces are encoded apart, as these families were trained, so no letter of a step is one token with the separator,
    and a newline within a step is text of that step. An empty step is its separator alone.
    """

    def __init__(
        self, tokenizer: Tokenizer, separator: Sequence[int], limit: int, *, start: Sequence[int] = ()
    ) -> None:
        """An encoder with a `separator` of at least one id, for at most `limit` tokens, which begin with `start`."""
        self._encode = tokenizer.encode
        self._separator, self._limit, self._start = tuple(separator), limit, tuple(start)

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded | Refused:
        """The tokens of one case and where its steps end. `problem` is with whatever belongs to its own piece."""
        if not steps:
            return NO_STEPS
        ids = [*self._start, *self._encode(problem)]
        positions = []
        for step in steps:
            ids += self._encode(step)
            ids += self._separator
            positions.append(len(ids) - 1)
        if len(ids) > self._limit:
            return too_long(len(ids), self._limit)
        return Encoded(tuple(ids), tuple(positions))


def single_id(tokenizer: Tokenizer, text: str) -> int:
    """The one id of a text that a family needs to be one token.

    Raises:
        CheckpointError: it is several.
    """
    ids = tokenizer.encode(text)
    if len(ids) != 1:
        raise CheckpointError(
            f"the tokenizer gives {text!r} the ids {ids}, and the PRM knows it as one.",
            "Use the tokenizer.json that came with the PRM.",
        )
    return ids[0]
