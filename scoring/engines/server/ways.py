"""How a server is asked for a PRM's numbers."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, Self

from scoring.readout import Encoded

Rows = list[tuple[float, ...]]
"""One row a position: the reward, and behind it the redundancy where the read-out gives one."""
Send = Callable[[dict[str, Any]], Awaitable[Any]]
"""Sends a body to the endpoint and gives the decoded reply.

Raises:
    Fault: it cannot be had.
"""


class Way(Protocol):
    """One endpoint of vLLM's servers: what is sent for a sequence, and what its reply means."""

    @property
    def path(self) -> str:
        """The endpoint, below the server's root."""
        ...

    def request(self, model: str, sequence: Encoded) -> dict[str, Any]:
        """The body for one sequence."""
        ...

    def rows(self, told: Any, sequence: Encoded) -> Rows:
        """What a decoded reply holds at the positions of the sequence.

        Raises:
            Fault: it is not what was asked for.
        """
        ...

    async def proven(self, model: str, sequence: Encoded, send: Send) -> Self:
        """The way, after trying on a sequence what the server really does.

        Raises:
            EngineError: the server does something else, and its numbers would be wrong.
            Fault: its replies cannot be read.
        """
        ...


def weighed(outputs: Sequence[float], weights: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Sums of the outputs, each weighted with one row of `weights`."""
    return tuple(sum(a * b for a, b in zip(outputs, row, strict=True)) for row in weights)
