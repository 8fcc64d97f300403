"""What people said of the cases, as columns beside them."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import polars as pl

from scoring.benchmarks.registry import error_type_of
from scoring.triage.history import Triage

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


_SOURCES = {
    "tags": "tags",
    "note": "notes",
    "ruling": "rulings",
    "category": "categories",
    "our_error_type": "tags",
}
"""Which part of what was said each column is made from."""


class TriageColumns(Mapping[str, pl.Series]):
    """The columns of DTYPES for n cases, each made when it is asked for, which most are not after most rulings."""

    def __init__(self, triage: Triage, cases: pl.Series, made: Mapping[str, pl.Series] | None = None) -> None:
        """For the cases with these identities (n,), in their order; `made` are columns that are known already."""
        self._triage = triage
        self._cases = cases
        self._made = dict(made or {})

    def __getitem__(self, name: str) -> pl.Series:
        if name not in DTYPES:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = _column(name, *_said(self._triage, name), self._cases)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(DTYPES)

    def __len__(self) -> int:
        return len(DTYPES)

    def after(self, triage: Triage) -> "TriageColumns":
        """The same where this was said; a column of which nothing was said anew is the same Series."""
        kept = {name: column for name, column in self._made.items() if _source(triage, name) is self._source_of(name)}
        return TriageColumns(triage, self._cases, kept)

    def _source_of(self, name: str) -> object:
        return _source(self._triage, name)


def _source(triage: Triage, name: str) -> object:
    """What a column is made from: as long as it is the same object, so is the column."""
    found: object = getattr(triage, _SOURCES[name])
    return found


def _said(triage: Triage, name: str) -> tuple[Mapping[str, object], object]:
    """The values of a column by case, and that of all other cases."""
    match name:
        case "tags":
            return triage.tags, []
        case "note":
            return {case: triage.note(case) for case in triage.notes}, None
        case "ruling":
            return {case: _ruling(of.values()) for case, of in triage.rulings.items()}, None
        case "category":
            return {case: tuple(sorted({*of.values()})) for case, of in triage.categories.items()}, []
        case _:
            types = {tags: _types(tags) for tags in dict.fromkeys(triage.tags.values())}
            return {case: types[tags] for case, tags in triage.tags.items() if types[tags]}, []


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
