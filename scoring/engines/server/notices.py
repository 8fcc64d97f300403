"""What is said about a server, each thing once."""

from collections.abc import Callable, Hashable

from scoring.asking import Noticed


class Notices:
    """Passes each notice on the first time it comes. Made for one thread."""

    def __init__(self, tell: Callable[[Noticed], object]) -> None:
        self._tell = tell
        self._told: set[Hashable] = set()

    def once(self, what: Hashable, sentence: str) -> None:
        """Tell the sentence unless `what` was told of before."""
        if what not in self._told:
            self._told.add(what)
            self._tell(Noticed(sentence))
