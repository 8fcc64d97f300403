"""What the app has said in the corner of the screen since it was opened."""

from collections import deque
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

MOST = 200
"""Messages that are kept."""


class PastMessage(Struct, frozen=True):
    """One message: when it was said, how grave it is, and its text."""

    when: datetime
    severity: str
    text: str


class MessageHistory:
    """The messages, the last one first."""

    def __init__(self) -> None:
        self._kept: deque[PastMessage] = deque(maxlen=MOST)

    def keep(self, text: str, severity: str) -> None:
        """Keep a message that is said now."""
        self._kept.appendleft(PastMessage(datetime.now().astimezone(), severity, text))

    def __iter__(self) -> Iterator[PastMessage]:
        return iter(self._kept)
