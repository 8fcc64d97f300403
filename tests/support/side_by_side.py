"""Scorers side by side, in letters: `E` erroneous, `C` clean; `1` right, `0` wrong, `x` refused, `-` not tried."""

import numpy as np
from msgspec.structs import force_setattr

import making
from reference import Case
from scoring.metrics.aligned import align_scorers
from scoring.metrics.ensembles import together_rows
from scoring.metrics.paired import case_comparison_rows

REWARDS = {("E", "1"): (0.9, 0.1), ("E", "0"): (0.9, 0.9), ("C", "1"): (0.9, 0.9), ("C", "0"): (0.9, 0.1)}
"""Two steps, of which the second is wrong where there is an error, decided at 0.5."""


def cases(gold, marks, subsets=None):
    """The cases of one scorer. `gold` and `marks` have a letter a case, spaces aside."""
    made = []
    for row, (side, mark) in enumerate(zip(gold.replace(" ", ""), marks.replace(" ", ""), strict=True)):
        label, subset = (1 if side == "E" else -1), (subsets[row] if subsets else "one")
        refused = "over length" if mark == "x" else ""
        made.append(Case(2, label, REWARDS.get((side, mark)), refused, subset))
    return made


def evaluations(gold, *scorers, subsets=None, families=(), **columns):
    """One evaluation a scorer, called a, b, c and so on."""
    found = []
    for number, marks in enumerate(scorers):
        made = making.evaluation(cases(gold, marks, subsets), name="abcdefghijkl"[number], **columns)
        if families:
            force_setattr(made.scorer, "family", families[number])
        found.append(made)
    return found


def aligned(gold, *scorers, unparsed="wrong", **options):
    """The same as a aligned over all cases."""
    return of(evaluations(gold, *scorers, **options), unparsed)


def of(found, unparsed="wrong"):
    return align_scorers(found, np.ones(found[0].codes.size, dtype=bool), unparsed)


def compared(made, seed=0):
    """Every row of a comparison."""
    return [*case_comparison_rows(made, seed), *together_rows(made, seed)]
