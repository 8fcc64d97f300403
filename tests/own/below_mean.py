"""A rule of one's own, in one file: how far a reward lies below the mean of the rewards of its case."""

import numpy as np

from scoring.api import rule


@rule("below-mean", words="its reward less the mean of its case", threshold=-0.2)
def below_mean(values, offsets):
    lengths = np.diff(offsets)
    means = np.add.reduceat(values, offsets[:-1]) / lengths
    return values - np.repeat(means, lengths)
