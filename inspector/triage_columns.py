"""What people said of the cases, as columns beside them."""

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from scoring.benchmarks.error_types import error_type_of
from scoring.triage.said import Triage

DTYPES: dict[str, pl.DataType] = {
    "tags": pl.List(pl.String()),
    "note": pl.String(),
    "ruling": pl.String(),
    "category": pl.List(pl.String()),
    "our_error_type": pl.List(pl.String()),
}
"""Lists are in alphabetical order, [] where nothing was said, so that a condition that one is missing holds there; the
others are null there. `our_error_type` are the tags that are error types of a taxonomy, spelt as there."""
DIFFERING = "people differ"
"""The ruling on a case of which people said different things."""


def triage_columns(triage: Triage, cases: pl.Series) -> dict[str, pl.Series]:
    """The columns of DTYPES for the cases with these identities, in their order."""
    types = {tags: _types(tags) for tags in dict.fromkeys(triage.tags.values())}
    said: dict[str, tuple[Mapping[str, object], object]] = {
        "tags": (triage.tags, []),
        "note": ({case: triage.note(case) for case in triage.notes}, None),
        "ruling": ({case: _ruling(of.values()) for case, of in triage.rulings.items()}, None),
        "category": ({case: tuple(sorted({*of.values()})) for case, of in triage.categories.items()}, []),
        "our_error_type": ({case: types[tags] for case, tags in triage.tags.items() if types[tags]}, []),
    }
    return {name: _column(name, of, otherwise, cases) for name, (of, otherwise) in said.items()}


def _types(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({word for tag in tags if (word := error_type_of(tag)) is not None}))


def _ruling(rulings: Iterable[str]) -> str:
    first, *others = dict.fromkeys(rulings)
    return DIFFERING if others else first


def _column(name: str, said: Mapping[str, object], otherwise: object, cases: pl.Series) -> pl.Series:
    """What was said of each case. Few are spoken of among perhaps a million, and many are told the same."""
    places = np.zeros(cases.len(), dtype=np.uint32)
    distinct = dict.fromkeys(said.values())
    if said:
        numbers = {value: number for number, value in enumerate(distinct, 1)}
        spoken = pl.DataFrame({"case": list(said), "place": [numbers[value] for value in said.values()]})
        rows = cases.is_in(spoken["case"].implode()).arg_true()
        found = pl.DataFrame({"case": cases.gather(rows), "row": rows}).join(spoken, on="case")
        places[found["row"].to_numpy()] = found["place"].to_numpy()
    values = [otherwise, *(list(one) if isinstance(one, tuple) else one for one in distinct)]
    return pl.Series(name, values, dtype=DTYPES[name]).gather(places)
