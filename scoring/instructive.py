"""The order in which failures teach most."""

import numpy as np

from scoring.step_rewards import Floats, Ints
from scoring.verdicts import RIGHT, WRONG, Codes


def instructive(margins: Floats, codes: Codes, *, least_first: bool = False) -> Ints:
    """Row ids of n cases, most instructive first; with `least_first` the other way round.

    Wrong cases that some threshold would make right, the largest miss first; then wrong ones that no threshold mends;
    then right ones, the narrowest first. Either way cases without an outcome come last, and ties keep the order of the
    cases.
    """
    near = np.isfinite(margins)
    # Codes tell right from wrong, since a case on the edge has margin 0 either way.
    right, wrong = np.isin(codes, RIGHT), np.isin(codes, WRONG)
    group = np.select([wrong & near, wrong, right], [2, 1, 0] if least_first else [0, 1, 2], 3)
    within = np.where(near, -margins if least_first else margins, 0.0)
    order: Ints = np.lexsort((within, group))
    return order
