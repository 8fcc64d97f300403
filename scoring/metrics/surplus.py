"""Labels beyond the last step of their case, which PRMBench's toolkit counts as labels of steps.

`mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench walks through the labels, however many steps there are: a
step that is in the list of error steps is wrong, any other is right, whether it is there or not.
"""

from typing import NamedTuple

import numpy as np

from scoring.gold import Gold
from scoring.judged_steps import JudgedSteps
from scoring.step_rewards import Bools, Ints


class Surplus(NamedTuple):
    """What the labels beyond the last steps of n cases add to its figures.

    `counts` (n, 4) are TP, FN, FP, TN; `first` (n) marks cases whose lowest error step is among them,
    `hit` (n) those of them where it is judged wrong.
    """

    counts: Ints
    hit: Bools
    first: Bools


def surplus(judged: JudgedSteps, gold: Gold) -> Surplus:
    """Count what is beyond. Of a case whose error steps are not listed, and that is not clean, nothing counts."""
    n = judged.rows.size
    found = Surplus(np.zeros((n, 4), np.int64), np.zeros(n, np.bool_), np.zeros(n, np.bool_))
    beyond = judged.beyond
    if not beyond.cases.size:
        return found
    rows, errors = gold.listed_errors
    width = 1 + max(int(beyond.steps.max()), int(errors.max(initial=0)))
    wrong = np.isin(width * beyond.cases + beyond.steps, width * rows + errors)
    known = (gold.listed | (gold.known & (gold.earliest == -1)))[beyond.cases]
    kind = 2 * wrong + beyond.values
    counts = np.bincount((4 * beyond.cases + kind)[known], minlength=4 * n).reshape(n, 4)
    lowest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(lowest, rows, errors)
    first = beyond.steps == lowest[beyond.cases]
    found.first[beyond.cases[first]] = True
    found.hit[beyond.cases[first & beyond.values]] = True
    return found._replace(counts=counts)
