"""Bins of steps by where they stand in their solutions: absolute with a stated last bin, or relative to the length."""

from functools import cached_property
from typing import Literal

import numpy as np
from msgspec import Struct

from scoring.data.schema import Ints

LEFT_OUT, BEYOND, NO_STEP_WRONG, NAMES_NO_STEP = "left out", "beyond the last step", "no step", "names no step"
"""Bins of what has no place: outside the preset's range, in no solution, a verdict of -1, a verdict of -2."""
TENTHS = 10


class StepBins(Struct, frozen=True, dict=True):
    """How steps are put into bins.

    `first` and `last` (0-based, both within) are the steps that have a bin; with `rest` the last bin holds all later
    ones too, without it they are LEFT_OUT. `base` is what the first step is called in a bin's name. With `relative`
    the bins are tenths of the solution, and the rest of this does not matter. `errors` says whether the paper's figure
    is of the earliest errors or of all error steps.
    """

    name: str
    base: Literal[0, 1] = 0
    first: int = 0
    last: int = 16
    rest: bool = True
    relative: bool = False
    errors: Literal["first", "all"] = "first"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of all bins; the last four are LEFT_OUT, BEYOND, NO_STEP_WRONG and NAMES_NO_STEP."""
        apart = (LEFT_OUT, BEYOND, NO_STEP_WRONG, NAMES_NO_STEP)
        if self.relative:
            return (*(f"{10 * tenth}% to {10 * tenth + 10}%" for tenth in range(TENTHS)), *apart)
        names = [str(step + self.base) for step in range(self.first, self.last + 1)]
        return (*names[:-1], f"{names[-1]} or more" if self.rest else names[-1], *apart)

    @property
    def words(self) -> str:
        """The binning in a sentence."""
        if self.relative:
            return "positions are relative: 0-based step / number of steps, in tenths"
        beyond = "in the last bin" if self.rest else f"{LEFT_OUT!r}, and in the denominator of shares"
        return f"positions of preset {self.name} count from {self.base}; steps outside its bins are {beyond}"

    def of(self, steps: Ints, n_steps: Ints) -> Ints:
        """Return the number of each step's bin.

        Args:
            steps: 0-based; -1 no step is wrong, -2 an answer that names none. Any shape.
            n_steps: of their cases, the same shape.
        """
        outside = len(self.labels) - 4
        if self.relative:
            place = TENTHS * steps // np.maximum(n_steps, 1)
        else:
            within = np.minimum(steps, self.last) if self.rest else steps
            place = np.where((within >= self.first) & (within <= self.last), within - self.first, outside)
        apart = [steps < -1, steps == -1, steps >= n_steps]
        return np.select(apart, [outside + 3, outside + 2, outside + 1], place).astype(np.int64)

    def sql(self, number: int, column: str) -> str:
        """Return the condition that puts a case into a bin by a column (as it stands in SQL) that names a step."""
        place = number - (len(self.labels) - 4)
        apart = (None, f"{column} >= n_steps", f"{column} = -1", f"{column} < -1")
        if place > 0:
            return str(apart[place])
        inside = f"{column} >= 0 AND {column} < n_steps"
        if self.relative:
            return f"{inside} AND {column} * 10 >= {number} * n_steps AND {column} * 10 < {number + 1} * n_steps"
        if place == 0:
            later = "" if self.rest else f" OR {column} > {self.last}"
            return f"{inside} AND ({column} < {self.first}{later})"
        step = number + self.first
        if self.rest and step == self.last:
            return f"{inside} AND {column} >= {step}"
        return f"{column} = {step} AND {column} < n_steps"


PRESETS = {
    bins.name: bins
    for bins in (
        # arXiv 2412.06559, Figure 3.
        StepBins("processbench"),
        # arXiv 2501.03124, Figures 3 and 4: steps 1 to 16, and 2 to 11.
        StepBins("prmbench", base=1, last=15, rest=False, errors="all"),
        StepBins("prmbench-figure4", base=1, first=1, last=10, rest=False, errors="all"),
        # Socratic-PRMBench, Figure 4: steps 1 to 12.
        StepBins("socratic", base=1, last=11, rest=False, errors="all"),
        StepBins("relative", relative=True),
    )
}
"""The bins of each paper's figures, and tenths of the solution."""
