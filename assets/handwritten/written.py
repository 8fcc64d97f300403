"""One case as it is written by hand: the solution as it stands, and what its wrong steps should have been."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Written:
    """A problem, its steps, and where it goes wrong (0-based). A clean case has no `errors`.

    `right` says what stood in place of a step before the error was put in: another text, several, or "" for a step
    that was not there. Steps that only repeat an earlier wrong value are in `right` but not in `errors`.
    `original_problem` is given where the error lies in what the problem no longer says.
    """

    problem: str
    steps: tuple[str, ...]
    errors: tuple[int, ...] = ()
    type: str = ""
    kind: str = ""
    pattern: str = ""
    reason: str = ""
    right: Mapping[int, str | tuple[str, ...]] = field(default_factory=dict)
    answer: bool = True
    original_problem: str = ""

    @property
    def original(self) -> tuple[str, ...]:
        """The steps before the error was put in."""
        found: list[str] = []
        for index, step in enumerate(self.steps):
            texts = self.right.get(index, step)
            found.extend(text for text in ((texts,) if isinstance(texts, str) else texts) if text)
        return tuple(found)
