"""Whether a server that should draw its answers gives the same one every time."""

from collections.abc import Sequence

ENOUGH = 5
"""Asks in a row whose answers are all equal."""
LONG = 40
"""Characters from which on equal answers are no accident."""


class Sameness:
    """Looks at asks with several answers until one of them has two that differ."""

    def __init__(self) -> None:
        self._equal = 0
        self._settled = False

    def seen(self, texts: Sequence[str | None]) -> bool:
        """Look at the answers to one ask; True once, when enough asks had equal ones."""
        told = [text for text in texts if text is not None and len(text) >= LONG]
        if self._settled or len(told) < 2:
            return False
        self._equal += 1
        self._settled = len(set(told)) > 1 or self._equal >= ENOUGH
        return self._settled and len(set(told)) == 1
