"""How long is waited, and how often tried again."""

import math
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from random import SystemRandom


@dataclass(frozen=True)
class Patience:
    """Times are in seconds.

    `timeout` bounds one request from its first byte to the answer's last. A request that fails is sent again, at most
    `tries` times in all and for `total`, after waits that are drawn from 0 to `base` times 2 to the number of tries,
    at most `longest` ("full jitter": AWS architecture blog, exponential backoff and jitter). A server that says when
    to come again is not asked before, at most `rest` later. When no server can be reached, `down` is waited for one.
    One of several that declines whatever it is asked is tried again after `aside`, and twice as long each time.
    """

    timeout: float = 600.0
    tries: int = 6
    total: float = 3600.0
    base: float = 1.0
    longest: float = 30.0
    rest: float = 120.0
    down: float = 300.0
    aside: float = 60.0
    _chance: SystemRandom = field(default_factory=SystemRandom, repr=False, compare=False)

    def wait(self, tries: int) -> float:
        """How long to wait after this many tries, 1 or more."""
        return self._chance.uniform(0.0, min(self.longest, self.base * 2 ** min(tries - 1, 60)))

    def rests(self, asked: str | None) -> float:
        """How long a server wants to be left alone that answered with this `Retry-After` (seconds, or a date)."""
        return min(max(_seconds(asked), 0.0), self.rest) if asked else 0.0


def _seconds(asked: str) -> float:
    try:
        seconds = float(asked)
    except ValueError:
        pass
    else:
        return seconds if math.isfinite(seconds) else 0.0
    try:
        return parsedate_to_datetime(asked).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0
