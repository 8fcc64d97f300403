"""What a benchmark says about its figures, where single steps are scored and not first errors."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StepLabelled:
    """How a benchmark makes PRMScore and the figures beside it.

    `group` is the column of cases by which classes (`error_type`) are grouped: a group's figure is the plain mean of
    its classes'. Classes in `without_errors` hold no wrong step, so that their cell is the F1 of right steps alone. In
    the classes of `by_redundancy` "not redundant" stands for "right", of scorers that judge redundancy. `twins` says
    whether there are unharmed originals to compare with.
    """

    group: str
    without_errors: frozenset[str] = frozenset()
    by_redundancy: frozenset[str] = frozenset()
    twins: bool = False
