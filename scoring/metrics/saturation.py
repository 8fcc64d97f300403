"""Saturation of notes: do further notes still bring new categories, or has what there is to find been found?"""

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Ints

LAST = 20
"""Of so many notes at the end it is told how many were the first of their category."""


class Saturation(Struct, frozen=True, eq=False):
    """Of n notes in the order in which they were written, each in a category: which of them met a new one.

    `new` (n,) says which notes are the first of their category.
    """

    new: Bools
    codes: Ints

    @property
    def n(self) -> int:
        """How many notes there are."""
        return self.new.size

    @property
    def distinct(self) -> Ints:
        """How many categories there were after each note, shape (n,); it never falls."""
        return np.cumsum(self.new)

    @property
    def categories(self) -> int:
        """How many categories there are."""
        return int(self.new.sum())

    def new_in_last(self, last: int = LAST) -> int | None:
        """Count those of the last notes that were the first of their category; None where there are fewer notes than
        that.
        """
        return int(self.new[-last:].sum()) if self.n >= last > 0 else None

    @property
    def once(self) -> int:
        """How many categories have one note alone."""
        return int((np.bincount(self.codes) == 1).sum()) if self.n else 0

    @property
    def unseen(self) -> float | None:
        """The chance that a further note is of a category not met yet, were it drawn as these were; None of no notes.

        Good-Turing (I. J. Good, "The population frequencies of species and the estimation of population parameters",
        Biometrika 40, 1953): the share of notes whose category has no other.
        """
        return self.once / self.n if self.n else None


def saturation(codes: Ints) -> Saturation:
    """Return how categories came, of notes in the order in which they were written.

    Args:
        codes: (n,) number of each note's category, 0-based. Notes in no category are left out by the caller.
    """
    codes = np.asarray(codes, dtype=np.int64)
    new = np.zeros(codes.size, dtype=np.bool_)
    new[np.unique(codes, return_index=True)[1]] = True
    return Saturation(new, codes)
