"""A metric of one's own, in one file: how often a verdict is within a step of the earliest error."""

import numpy as np

from scoring.api import metric


def share(sums):
    return sums["near"] / sums["erroneous"]


@metric("near", title="within a step", counts=("near", "erroneous"), score=share, cases="erroneous")
def near(decided):
    erroneous = decided.members & (decided.earliest >= 0)
    close = np.abs(decided.verdicts - decided.earliest) <= 1
    return np.column_stack([erroneous & close & (decided.verdicts >= 0), erroneous])
