"""One fact of a protocol card."""

from dataclasses import dataclass
from typing import Literal

Group = Literal["scorer", "decision", "cases", "counting", "gold", "interval"]
GROUPS: tuple[Group, ...] = ("decision", "cases", "counting", "gold", "interval", "scorer")
TITLES: dict[Group, str] = {
    "decision": "How a verdict is decided",
    "cases": "Which cases are counted",
    "counting": "How they are counted",
    "gold": "Where the gold labels come from",
    "interval": "How the interval is made",
    "scorer": "What the scorer is",
}


@dataclass(frozen=True)
class Fact:
    """A fact in words. `where` are SQL conditions that leave the `n` cases that it counts; None: it counts none."""

    group: Group
    name: str
    value: str
    where: tuple[str, ...] | None = None
    n: int = 0
