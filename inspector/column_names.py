"""The columns of a list of cases that a person named."""

from collections.abc import Sequence

import polars as pl

from inspector.case_rows import CaseRows
from inspector.catalogue import REWARDS
from inspector.ordering import column_named
from inspector.selection import Selection
from scoring.errors import UsageError


def columns_table(selection: Selection, words: Sequence[str]) -> pl.DataFrame:
    """The columns that words name for all cases, each once and called by its full name.

    `rewards` and `margin` and the like are those of the one scorer chosen.

    Raises:
        UsageError: no such column, or several.
    """
    found: dict[str, pl.Series] = {}
    for word in words:
        column = _rewards(selection, word) if word.endswith(REWARDS) else None
        if column is None:
            column = selection.column(column_named(selection, word))
        found.setdefault(column.name, column)
    return pl.DataFrame(list(found.values()))


def _rewards(selection: Selection, word: str) -> pl.Series | None:
    """The lists of rewards that a word names; None where it names another column."""
    scorer, _, _ = word.rpartition(".")
    if not scorer and word == REWARDS:
        if len(selection.chosen) != 1:
            raise UsageError(
                "rewards are those of one scorer.", f"Choose it with --scorer: {', '.join(selection.chosen)}."
            )
        scorer = selection.chosen[0]
    if scorer not in {one.scorer.name for one in selection.evaluations} or word in selection.schema:
        return None
    return CaseRows(selection, scorer).get_column(REWARDS).alias(f"{scorer}.{REWARDS}")
