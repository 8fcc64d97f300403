"""History of the messages that the app has shown since it started."""

from collections import deque
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

MOST = 200
"""Most messages kept."""


class PastMessage(Struct, frozen=True):
    """One message: time, severity and text."""

    when: datetime
    severity: str
    text: str


class MessageHistory:
    """The messages, the latest first."""

    def __init__(self) -> None:
        self._kept: deque[PastMessage] = deque(maxlen=MOST)

    def keep(self, text: str, severity: str) -> None:
        """Keep a message with the present time."""
        self._kept.appendleft(PastMessage(datetime.now().astimezone(), severity, text))

    def __iter__(self) -> Iterator[PastMessage]:
        return iter(self._kept)
