"""How the steps of a case are written into a critic's prompt."""

import re
from collections.abc import Sequence

from msgspec import Struct

from scoring.prms.step_numbers import without_number


class StepLayout(Struct, frozen=True):
    """`before`, the step's text and `after` for each step, joined by `between`.

    `{i}` in `before` and `after` is the step's number, counted from `base` (0 or 1). With `unnumbered` a step loses the
    number that it comes with ("Step 3." or "3.") and white space around it, as PRMBench has it.
    """

    base: int
    before: str
    after: str
    between: str
    unnumbered: bool = False

    def text(self, steps: Sequence[str]) -> str:
        """All steps as one text; each step's own text stays as it is, but for its number."""
        numbered = enumerate(map(self.step, steps), self.base)
        return self.between.join(f"{self._at(self.before, i)}{step}{self._at(self.after, i)}" for i, step in numbered)

    def step(self, step: str) -> str:
        """The text of a step as it is written."""
        return without_number(step) if self.unnumbered else step

    def marks(self) -> re.Pattern[str]:
        """What finds in other texts the marks that number steps here, whatever the number."""
        numbered = (mark.strip() for mark in (self.before, self.after) if "{i}" in mark)
        return re.compile("|".join(re.escape(mark).replace(r"\{i\}", r"\d+") for mark in numbered) or r"(?!)")

    @staticmethod
    def _at(mark: str, number: int) -> str:
        return mark.replace("{i}", str(number))
