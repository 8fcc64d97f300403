"""How far scorers disagree on each case."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from scoring.step_rewards import Floats, Ints
from scoring.verdicts import NO_VERDICT


def disagreement(verdicts: Sequence[Ints], n: int) -> Floats:
    """Of the pairs of scorers that both have a verdict on a case, the share whose verdicts differ. Shape (n,).

    Verdicts differ where they are not the same number: another step, or a step and none. NaN where fewer than two
    scorers have one.

    Args:
        verdicts: one array (n,) a scorer, 0-based, -1 no error, -2 no step, NO_VERDICT where there is none.
        n: how many cases there are.
    """
    differing, pairs = np.zeros(n, np.int32), np.zeros(n, np.int32)
    # Half the bytes to go through; verdicts are Int32 wherever they come from.
    narrow = [one.astype(np.int32) for one in verdicts]
    there = [one != NO_VERDICT for one in narrow]
    for first, second in combinations(range(len(narrow)), 2):
        both = there[first] & there[second]
        pairs += both
        differing += both & (narrow[first] != narrow[second])
    return np.where(pairs > 0, differing / np.maximum(pairs, 1), np.nan)
