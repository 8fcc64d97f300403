"""What a person chose to see on the breakdown screen, and its pages."""

from dataclasses import dataclass
from typing import Literal

CELLS, TYPES, PLACES, OFFSETS, ALIGNED, STEPS, COLUMN = (
    *("cells", "types", "places", "offsets", "aligned", "steps", "column"),
)
NONE = "-"
"""Chosen instead of a second column: there is none."""


@dataclass(frozen=True)
class Choice:
    """Of everything "" is the usual one of the benchmark.

    `rows`, `cols` and `figure` are those of the map, and `other` is the scorer whose figures are subtracted; `types`
    and `column` are the columns of the pages of these names, `step_figure` is what stands in the bars by step, `preset`
    and `errors` say how positions are put in bins and which errors are counted.
    """

    rows: str = ""
    cols: str = ""
    figure: str = ""
    other: str = ""
    types: str = ""
    column: str = ""
    step_figure: str = "acc"
    preset: str = ""
    errors: Literal["first", "all", ""] = ""
