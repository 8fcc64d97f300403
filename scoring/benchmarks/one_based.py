"""Labels that count steps from 1: each becomes a 0-based step, and together they show whether they really do."""

from dataclasses import dataclass

import polars as pl

from scoring.benchmarks.base import Check, Read
from scoring.reading.findings import Finding
from scoring.schema import STEP_INDEX

_MANY = 30
"""Erroneous cases from which on it is odd that none has its first error in the first step."""


@dataclass(frozen=True, eq=False)
class OneBased:
    """A field that names the first wrong step: 1 = the first step, -1 = no error.

    Attributes:
        name: The field, a whole number.
        steps: The field with the steps.
        none: How the format writes "no error".
    """

    name: str
    steps: str = "steps"
    none: str = "-1"

    @property
    def n_steps(self) -> pl.Expr:
        """The number of steps, as Int64."""
        return pl.col(self.steps).list.len().cast(pl.Int64)

    @property
    def beyond(self) -> pl.Expr:
        """Whether the label is beyond the last step."""
        return pl.col(self.name) > self.n_steps

    def step(self) -> pl.Expr:
        """Read the label as a 0-based step, maybe beyond the last, or -1; null for 0 and below -1."""
        label = pl.col(self.name)
        return pl.when(label >= 1).then(label - 1).when(label == -1).then(-1).cast(STEP_INDEX)

    def check(self) -> Check:
        """Check that the label names a step or none."""
        label = pl.col(self.name)
        message = pl.format(f"{self.name} {{}} names no step; the case has no gold label", label)
        return Check((label < -1) | (label == 0), "warning", "bad-label", message)

    def tallies(self) -> dict[str, pl.Expr]:
        """Count what shows the base, over all rows with a label."""
        label = pl.col(self.name)
        return {
            "ones": (label == 1).sum(),
            "zeros": (label == 0).sum(),
            "erroneous": (label >= 1).sum(),
            "beyond": self.beyond.sum(),
            "just beyond": (label == self.n_steps + 1).sum(),
        }

    def concluded(self, read: Read) -> tuple[str, list[Finding]]:
        """How the labels were read, with the evidence, and a finding where that is for another base than 1.

        They may look 0-based, one too high, or as if they counted from 2.
        """
        ones, zeros, erroneous, beyond, just_beyond = (read.tallies[name] for name in self.tallies())
        label_base = (
            f"1-based, {self.none} = no error ({ones:,} labels are 1, {zeros:,} are 0, "
            f"{beyond:,} are beyond the last step)"
        )
        if not ones and just_beyond:
            message = f"no label is 1 and {just_beyond:,} are one beyond the last step: the labels look one too high"
            return label_base, [Finding("warning", "label-base", message, read.source)]
        if zeros:
            message = f"{zeros:,} labels are 0, which names no step: the labels look 0-based"
            return label_base, [Finding("warning", "label-base", message, read.source)]
        if not ones and erroneous >= _MANY:
            message = f"no label is 1 in {erroneous:,} erroneous cases: the labels may count from 2"
            return label_base, [Finding("note", "label-base", message, read.source)]
        return label_base, []
