"""What is wrong or odd about a prompt, found before anything is asked."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PromptFinding:
    """One thing about a template or about the texts that go into it.

    An "error" would make answers mean something else than the protocol says, and nothing is asked; a "warning" is told.
    `kind` is a stable word to count by. `cases` is how many of the looked-at cases it is about, 0 = the template.
    """

    severity: Literal["error", "warning"]
    kind: str
    sentence: str
    next_step: str
    cases: int = 0

    def __str__(self) -> str:
        return f"{self.severity}: {self.sentence} {self.next_step}"
