"""The order of cases from which failures are learned fastest."""

import numpy as np

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.verdicts import RIGHT, WRONG, Codes


def instructive(margins: Floats, codes: Codes, *, least_first: bool = False) -> Ints:
    """Return the row ids of n cases, most instructive first; with `least_first` the other way round.

    Wrong cases that some threshold would make right, their outcomes in turns and of each the largest miss first; then
    wrong ones that no threshold mends, in turns too; then right ones, the narrowest first. Either way cases without an
    outcome come last, and ties keep the order of the cases.
    """
    near = np.isfinite(margins)
    # Codes tell right from wrong, since a case on the edge has margin 0 either way.
    right, wrong = np.isin(codes, RIGHT), np.isin(codes, WRONG)
    group = np.select([wrong & near, wrong, right], [2, 1, 0] if least_first else [0, 1, 2], 3)
    within = np.where(near, -margins if least_first else margins, 0.0)
    turn = _turns(codes, wrong & near, np.where(near, margins, 0.0)) + _turns(codes, wrong & ~near, np.zeros(near.size))
    order: Ints = np.lexsort((within, -turn if least_first else turn, group))
    return order


def _turns(codes: Codes, rows: Bools, margins: Floats) -> Ints:
    """The place of each of these rows (n) among those of its outcome, by margin and row id; 0 elsewhere.

    Forty equal false alarms in a row would teach no more than the first of them.
    """
    turns = np.zeros(codes.size, dtype=np.int64)
    for code in WRONG:
        of = np.flatnonzero(rows & (codes == code))
        turns[of[np.argsort(margins[of], kind="stable")]] = np.arange(of.size)
    return turns
