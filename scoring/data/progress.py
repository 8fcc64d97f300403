"""How far work is that takes long, told to whoever listens: a command with a bar, or nobody."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ProgressListener = Callable[[int, int, str, str], None]
"""Hears how much of how much is done, what is being done, and what is counted."""

_LISTENER: ContextVar[ProgressListener | None] = ContextVar("listener", default=None)


@contextmanager
def told_to(listener: ProgressListener) -> Iterator[None]:
    """Have what is done within the block told to a listener."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(done: int, to_do: int, what: str, unit: str) -> None:
    """Report that so many of so many are done of something; fewer than before is about something else."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(done, to_do, what, unit)
