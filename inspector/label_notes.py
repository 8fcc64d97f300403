"""Notes about labels that are more or fewer than the steps they are of."""

from collections.abc import Iterator

import numpy as np

from inspector.selection import Selection
from scoring.step_rewards import Bools, Ints, StepLabels


def label_notes(selection: Selection) -> Iterator[str]:
    """How many of the shown cases have such labels, a sentence for every chosen scorer and kind."""
    shown = selection.mask
    for one in selection.chosen_evaluations:
        both = (one.rewards.labels, one.rewards.redundant)
        fewer = np.any([_fewer(labels, one.gold.n_steps) for labels in both], axis=0) & shown
        more = np.any([_more(labels) for labels in both], axis=0) & shown
        if fewer.any():
            told = "steps without one are not judged, and where no label is wrong there is no verdict"
            yield f"{one.scorer.name}: fewer labels than steps on {int(fewer.sum())} of the cases; {told}"
        if more.any():
            told = "those beyond the last step count in official figures of steps alone"
            yield f"{one.scorer.name}: more labels than steps on {int(more.sum())} of the cases; {told}"


def _fewer(labels: StepLabels, n_steps: Ints) -> Bools:
    rows: Bools = labels.given & (np.diff(labels.offsets) < n_steps)
    return rows


def _more(labels: StepLabels) -> Bools:
    rows = np.zeros(labels.given.size, dtype=np.bool_)
    rows[labels.beyond.cases] = True
    return rows
