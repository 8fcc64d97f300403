"""What conditions select, counted on the columns of cases and of scorers as a list of cases has them."""

import polars as pl

from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.workspace.filtering.filters import passing


def beside(*evaluations):
    """The cases with every column of these scorers."""
    columns = [one.column(name) for one in evaluations for name in EVERY_COLUMN]
    return pl.concat([evaluations[0].gold.cases, pl.DataFrame(columns)], how="horizontal")


def selected(frame, *conditions):
    """The row ids that all conditions keep."""
    return [row for row, kept in enumerate(passing(frame, list(conditions))) if kept]
