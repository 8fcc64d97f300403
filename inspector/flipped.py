"""How many cases a moved threshold turned right or wrong."""

from typing import NamedTuple

import numpy as np

from inspector.inspection import Inspection
from scoring.verdicts import OUTCOMES, RIGHT

_IS_RIGHT = np.isin(np.arange(len(OUTCOMES)), RIGHT)
"""By outcome code whether it is right."""


class Changes(NamedTuple):
    """How many cases a moved threshold turned right, turned wrong, and left wrong in another way."""

    right: int = 0
    wrong: int = 0
    other: int = 0

    @classmethod
    def between(cls, before: Inspection, now: Inspection) -> "Changes":
        """Of the cases of the slice of `now`; none where either has no scorer in focus."""
        if now.evaluation is None or before.evaluation is None:
            return cls()
        codes, old = now.evaluation.codes[now.slice], before.evaluation.codes[now.slice]
        is_right, was_right = _IS_RIGHT.take(codes), _IS_RIGHT.take(old)
        right, wrong = int((is_right & ~was_right).sum()), int((was_right & ~is_right).sum())
        return cls(right, wrong, int((codes != old).sum()) - right - wrong)
