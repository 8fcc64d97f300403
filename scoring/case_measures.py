"""Columns made of what all scorers said of a case together; made when they are asked for."""

from collections.abc import Sequence

import polars as pl

from scoring.disagreement import disagreement
from scoring.evaluation import Evaluation

MEASURES: dict[str, pl.DataType] = {"disagreement": pl.Float64()}
"""Names and dtypes; undefined is null.

`disagreement`: see `scoring.disagreement`; over all scorers but the baselines, which look at nothing.
"""


class CaseMeasures:
    """The measures, remembered as long as the evaluations that they are made from stay."""

    def __init__(self) -> None:
        self._made: tuple[object, pl.Series] | None = None

    def column(self, name: str, evaluations: Sequence[Evaluation], n: int) -> pl.Series:
        """One of MEASURES for all n cases. Raises KeyError for another name."""
        _ = MEASURES[name]
        if self._made is None or self._made[0] is not evaluations:
            looking = [one for one in evaluations if one.scorer.kind != "baseline"]
            found = disagreement([one.verdicts for one in looking], n)
            self._made = evaluations, pl.Series(name, found).fill_nan(None)
        return self._made[1]
