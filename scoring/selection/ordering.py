"""The order of the list: what a sort key means, and the row ids it gives."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Floats, Ints
from scoring.evaluation.evaluated_cases import EvaluatedCases
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.instructive import instructive
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.workspace.filtering.coded_columns import Categories

INSTRUCTIVE = "instructive"
"""The sort key that is not a column: see `scoring.evaluation.instructive`."""
DIRECTIONS = ("asc", "desc")
KEPT = 2
"""Orders that are remembered; one of a million cases takes eight megabytes."""
_SMALL = np.iinfo(np.int16).max


class CaseOrders:
    """Orders of all cases, remembered by key as long as what they are made from stays."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[object, Ints]] = OrderedDict()

    def of(self, cases: EvaluatedCases, chosen: Sequence[Evaluation], sort: str) -> Ints:
        """Return all row ids in an order (n,); ties keep the order of the cases, and nulls come last either way.

        `chosen` are the evaluations that are shown: the first says what is instructive.

        Raises:
            UsageError: no such column, several, or one that has no order.
        """
        if not sort:
            return np.arange(cases.height)
        name, descending = sort_key(cases, chosen, sort)
        owner = _instructing(chosen) if name == INSTRUCTIVE else cases.owner(name)
        key = f"{name}:{descending}"
        known = self._kept.get(key)
        if known is None or known[0] is not owner:
            known = owner, _order(cases, chosen, name, descending=descending)
            self._kept[key] = known
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return known[1]


def sort_key(cases: EvaluatedCases, chosen: Sequence[Evaluation], sort: str) -> tuple[str, bool]:
    """Return the column that a sort key names, in full, or `instructive`; and whether it goes downwards.

    Raises:
        UsageError: no such column, several, or one that has no order.
    """
    word, colon, direction = sort.rpartition(":")
    if not colon or direction not in DIRECTIONS:
        word, direction = sort, "asc"
    if word == INSTRUCTIVE:
        _instructing(chosen)
        return INSTRUCTIVE, direction == "desc"
    name = column_named(cases, chosen, word)
    if isinstance(cases.schema[name], pl.List):
        raise UsageError(f"column {name!r} holds lists and has no order.", "Sort by another column.")
    return name, direction == "desc"


def is_of_scorer(sort: str) -> bool:
    """Return whether a sort key refers to the scorer in focus: without a scorer it has no meaning."""
    word, _, direction = sort.rpartition(":")
    return (word if direction in DIRECTIONS else sort) in {INSTRUCTIVE, *EVERY_COLUMN}


def column_named(cases: EvaluatedCases, chosen: Sequence[Evaluation], word: str) -> str:
    """Find the column that a word names: its name, a unique part of it, or `margin` and the like of the only scorer.

    Raises:
        UsageError: none or several.
    """
    if word in cases.schema:
        return word
    if word in EVERY_COLUMN:
        of = chosen if len(chosen) == 1 else cases.evaluations
        return match_name(word, [f"{evaluation.scorer.name}.{word}" for evaluation in of], "column")
    try:
        return match_name(word, cases.columns, "column")
    except UsageError as error:
        if why := cases.why_missing(word):
            raise UsageError(error.sentence, why) from None
        raise


def _instructing(chosen: Sequence[Evaluation]) -> Evaluation:
    """The evaluation that says what is instructive: that of the first scorer chosen."""
    if not chosen:
        raise UsageError("instructive needs a scorer and there is none.", "Import or compute rewards first.")
    return chosen[0]


def _order(cases: EvaluatedCases, chosen: Sequence[Evaluation], name: str, *, descending: bool) -> Ints:
    if name == INSTRUCTIVE:
        first = _instructing(chosen)
        return instructive(first.margins, first.codes, least_first=descending)
    coded = cases.categories(name) if cases.schema[name] == pl.String() else None
    if coded is not None:
        return sorted_ids(ranks(coded), descending=descending)
    return sorted_ids(cases.column(name), descending=descending)


def ranks(coded: Categories) -> pl.Series:
    """Rank texts that are kept as numbers: the place of each in alphabetical order; null where it is missing."""
    places = {
        value: place
        for place, value in enumerate(sorted(str(category) for category in coded.values if category is not None))
    }
    table = np.array([-1 if value is None else places[str(value)] for value in coded.values] or [-1], dtype=np.int32)
    ranked = table[coded.numbers]
    return pl.Series(ranked).set(pl.Series(ranked < 0), None)


def sorted_ids(column: pl.Series, *, descending: bool = False) -> Ints:
    """Sort the row ids of a column: ties in their old order, nulls last, also downwards; NaN counts as null."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
    missing = column.is_null().to_numpy()
    keys = _keys(column)
    if keys is None:
        ids = pl.DataFrame({"value": column, "row": np.arange(column.len())})
        return ids.sort("value", descending=descending, nulls_last=True, maintain_order=True)["row"].to_numpy()
    there = np.flatnonzero(~missing)
    kept = keys[there] if there.size < keys.size else keys
    order = there[np.argsort(-kept if descending else kept, kind="stable")]
    return np.concatenate([order, np.flatnonzero(missing)])


def _keys(column: pl.Series) -> "npt.NDArray[np.int16] | npt.NDArray[np.int64] | Floats | None":
    """Numbers that sort as the values do, whatever stands for nulls; None for texts of many values.

    Small whole numbers are by far the fastest to sort.
    """
    if column.dtype == pl.Boolean:
        return column.cast(pl.Int8).fill_null(0).to_numpy().astype(np.int16)
    if column.dtype.is_float():
        return column.fill_null(0.0).to_numpy().astype(np.float64, copy=False)
    if column.dtype.is_integer():
        values = column.fill_null(0).to_numpy()
        small = values.size == 0 or (values.min() >= -_SMALL and values.max() <= _SMALL)
        return values.astype(np.int16) if small else values.astype(np.int64)
    return None


def other_direction(sort: str) -> str:
    """Return the same key the other way."""
    word, colon, direction = sort.rpartition(":")
    if not colon or direction not in DIRECTIONS:
        return f"{sort}:desc"
    return f"{word}:asc" if direction == "desc" else f"{word}:desc"
