"""Which base listed steps count from, as the rows themselves show it.

A row that holds the solution from before its errors were put in says where the first of them is: where the text first
leaves the original. In every published file this is the first listed step in more than half of the cases, and
the one before or after it in less than a sixth.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from scoring.reading.findings import Finding

_FEW = 3
"""Fewer rows than this show nothing."""
_BEYOND = 10
"""One listed step in so many may lie beyond the end; in no published file is it as much as one in twenty."""


@dataclass(eq=False)
class ListedBase:
    """What speaks for the base of lists that should count from 1, gathered row by row.

    `where` counts listed steps by their place: "0", "1", "last", "beyond" (a step can be both 1 and last); `shift`
    counts rows by first listed step minus first differing step, in steps.
    """

    listed: int = 0
    where: Counter[str] = field(default_factory=Counter)
    shift: Counter[int] = field(default_factory=Counter)

    def add(self, listed: Sequence[int], steps: Sequence[str], original: Sequence[str] | None) -> None:
        """Take in one row: its steps as listed, its solution, and that from before the errors (None = not said)."""
        self.listed += len(listed)
        last = len(steps)
        self.where["0"] += sum(step == 0 for step in listed)
        self.where["1"] += sum(step == 1 for step in listed)
        self.where["last"] += sum(step == last for step in listed)
        self.where["beyond"] += sum(step > last for step in listed)
        differs = None if original is None else first_difference(original, steps)
        if listed and differs is not None:
            self.shift[min(listed) - 1 - differs] += 1

    def __str__(self) -> str:
        where = self.where
        places = (
            f"{where['0']:,} are 0, {where['1']:,} are 1, {where['last']:,} the last, {where['beyond']:,} beyond it"
        )
        said = f"1-based, [] = no error (of {self.listed:,} listed steps {places}"
        if compared := self.shift.total():
            said += f"; the text leaves the original at the first one in {self.shift[0]:,} of {compared:,} cases"
        return f"{said})"

    def suspicion(self, source: str) -> list[Finding]:
        """A warning where the evidence is for another base than 1."""
        compared = self.shift.total()
        low, high = (self.shift[by] >= _FEW and 2 * self.shift[by] > compared for by in (-1, 1))
        if self.where["0"]:
            message = f"{self.where['0']:,} of the listed steps are 0: they look counted from 0"
        elif low or high:
            by, way = (-1, "before") if low else (1, "after")
            where = f"the first listed step is the one {way} that at which the text leaves the original"
            message = (
                f"in {self.shift[by]:,} of {compared:,} cases {where}: they look one too {'low' if low else 'high'}"
            )
        elif self.where["beyond"] >= _FEW and self.where["beyond"] * _BEYOND > self.listed:
            count = f"{self.where['beyond']:,} of {self.listed:,}"
            message = f"{count} listed steps lie beyond the last step: they look one too high"
        else:
            return []
        return [Finding("warning", "label-base", message, source)]


def first_difference(original: Sequence[str], steps: Sequence[str]) -> int | None:
    """The first step (0-based) that is not as in the original; the end of the shorter one where it begins the longer.

    None = they are equal.
    """
    pairs = zip(original, steps, strict=False)
    differs = next((index for index, (before, after) in enumerate(pairs) if before != after), None)
    if differs is None and len(original) != len(steps):
        return min(len(original), len(steps))
    return differs
