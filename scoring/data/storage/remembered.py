"""What was made of something is kept for as long as that is the same object."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Made = TypeVar("Made")


class IdentityCache:
    """Results by key, each beside the objects that it was made from; the one that was asked for longest ago goes first.

    An object is never changed here, so that one and the same object always gives the same result. May be used from
    several threads: at worst something is made twice.
    """

    def __init__(self, kept: int) -> None:
        """Keep so many results."""
        self._most = kept
        self._kept: OrderedDict[Hashable, tuple[tuple[object, ...], Any]] = OrderedDict()

    def of(self, key: Hashable, owners: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """Return the result of `make`, or what it gave before for the same key and the very same owners."""
        known = self._kept.get(key)
        if known is not None and len(known[0]) == len(owners) and all(map(_is, known[0], owners)):
            made: Made = known[1]
        else:
            made = make()
        self._kept[key] = owners, made
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return made


def _is(left: object, right: object) -> bool:
    return left is right
