"""The order in which failures teach most."""

import numpy as np

from scoring.step_rewards import Floats, Ints
from scoring.verdicts import RIGHT, WRONG, Codes


def instructive(margins: Floats, codes: Codes) -> Ints:
    """Row ids of n cases, most instructive first.

    Wrong cases that some threshold would make right, the largest miss first; then wrong ones that no threshold mends;
    then right ones, the narrowest first; then cases without an outcome. Ties keep the order of the cases.
    """
    near = np.isfinite(margins)
    # Codes tell right from wrong, since a case on the edge has margin 0 either way.
    right, wrong = np.isin(codes, RIGHT), np.isin(codes, WRONG)
    group = np.select([wrong & near, wrong, right], [0, 1, 2], 3)
    order: Ints = np.lexsort((np.where(near, margins, 0.0), group))
    return order
