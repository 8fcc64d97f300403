"""Labels that count steps from 1: each becomes a 0-based step, and together they show whether they really do."""

from dataclasses import dataclass, field

from scoring.reading.fields import Fields
from scoring.reading.findings import Finding

_MANY = 30
"""Erroneous cases from which on it is odd that none has its first error in the first step."""


@dataclass(eq=False)
class OneBased:
    """The labels of one source, as given: 1 = the first step, -1 = no error.

    `name` is their field and `none` how the format writes "no error". `given` collects (label, number of steps).
    """

    name: str
    none: str = "-1"
    given: list[tuple[int, int]] = field(default_factory=list)

    def step(self, fields: Fields, label: int, n_steps: int) -> int | None:
        """The label as a 0-based step, maybe beyond the last, or -1; None, with a warning, for 0 and below -1."""
        self.given.append((label, n_steps))
        if label >= 1:
            return label - 1
        if label == -1:
            return -1
        fields.note("warning", "bad-label", f"{self.name} {label} names no step; the case has no gold label")
        return None

    def said(self) -> str:
        """How the labels were read, with the evidence."""
        ones, zeros = self._count(1), self._count(0)
        beyond = sum(label > n_steps for label, n_steps in self.given)
        return (
            f"1-based, {self.none} = no error ({ones:,} labels are 1, {zeros:,} are 0, "
            f"{beyond:,} are beyond the last step)"
        )

    def suspicion(self, source: str) -> list[Finding]:
        """A finding where the labels look 0-based, one too high, or as if they counted from 2."""
        ones, zeros = self._count(1), self._count(0)
        erroneous = sum(label >= 1 for label, _ in self.given)
        just_beyond = sum(label == n_steps + 1 for label, n_steps in self.given)
        if not ones and just_beyond:
            message = f"no label is 1 and {just_beyond:,} are one beyond the last step: the labels look one too high"
            return [Finding("warning", "label-base", message, source)]
        if zeros:
            message = f"{zeros:,} labels are 0, which names no step: the labels look 0-based"
            return [Finding("warning", "label-base", message, source)]
        if not ones and erroneous >= _MANY:
            message = f"no label is 1 in {erroneous:,} erroneous cases: the labels may count from 2"
            return [Finding("note", "label-base", message, source)]
        return []

    def _count(self, wanted: int) -> int:
        return sum(label == wanted for label, _ in self.given)
