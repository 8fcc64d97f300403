"""How erroneous cases are got wrong, by type of error: GR-Ben's FP, FN and exact (its table by error type).

FP is a verdict before the earliest error, FN none or one after it; the official table leaves it there. Here FN is also
told apart into late (after it) and missed (no step at all).
"""

from collections.abc import Iterator

import numpy as np

from scoring.evaluation import Evaluation
from scoring.metrics.first_error import Unparsed
from scoring.metrics.shares import NO_ERRONEOUS, Share, members
from scoring.verdicts import EARLY, EXACT, LATE, MISSED, OUTCOMES, REFUSED, UNPARSED

FAMILY: dict[str, tuple[int, ...]] = {
    "fp": (EARLY,),
    "fn": (LATE, MISSED),
    "late": (LATE,),
    "missed": (MISSED,),
    "exact": (EXACT,),
    "unanswered": (UNPARSED, REFUSED),
}
"""Metric -> the outcomes it counts. fp, fn, exact and unanswered add up to 1, and late and missed to fn."""


def error_type_shares(evaluation: Evaluation, unparsed: Unparsed) -> Iterator[Share]:
    """The metrics of FAMILY, each among the erroneous cases in the denominators.

    An answer that names no step (-2) counts as early and one beyond the last step as late, as their outcomes do. With
    `drop`, which is what GR-Ben does, cases without a verdict are left out and `unanswered` is 0.
    """
    among = members(evaluation, unparsed) & (evaluation.gold.earliest >= 0)
    for name, codes in FAMILY.items():
        counted = np.zeros(len(OUTCOMES), dtype=np.bool_)
        counted[list(codes)] = True
        hits = among & counted[evaluation.codes]
        yield Share(name, hits, among, evaluation.nothing or NO_ERRONEOUS)
