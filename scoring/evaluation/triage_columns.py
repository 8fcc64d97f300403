"""What people said of cases, as columns beside them."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import polars as pl

from scoring.formats.benchmarks.benchmark_registry import error_type_of
from scoring.workspace.triage.history import Triage

SAID: dict[str, pl.DataType] = {
    "tags": pl.List(pl.String()),
    "note": pl.String(),
    "ruling": pl.String(),
    "category": pl.List(pl.String()),
    "our_error_type": pl.List(pl.String()),
}
"""Lists are in alphabetical order, [] where nothing was said, so that a condition that one is missing holds there; the
others are null there. `our_error_type` are the tags that are error types of a taxonomy, spelt as there."""
DIFFERING = "people differ"
"""The ruling on a case whose rulings differ."""


_SOURCES = {
    "tags": "tags",
    "note": "notes",
    "ruling": "rulings",
    "category": "categories",
    "our_error_type": "tags",
}
"""Which part of what was said each column is made from."""


class TriageColumns(Mapping[str, pl.Series]):
    """The columns of SAID for n cases, each made when it is asked for, which most are not after most rulings."""

    def __init__(self, triage: Triage, cases: pl.DataFrame, made: Mapping[str, pl.Series] | None = None) -> None:
        """For cases (n rows, column `case`), in their order; `made` are columns that are known already."""
        self._triage = triage
        self._cases = cases
        self._made = dict(made or {})

    def __getitem__(self, name: str) -> pl.Series:
        if name not in SAID:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = _column(name, *_said(self._triage, name), self._cases)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SAID)

    def __len__(self) -> int:
        return len(SAID)

    def after(self, triage: Triage) -> "TriageColumns":
        """Return the columns after these statements; an unchanged column stays the same Series."""
        kept = {name: column for name, column in self._made.items() if _source(triage, name) is self._source_of(name)}
        return TriageColumns(triage, self._cases, kept)

    def _source_of(self, name: str) -> object:
        return _source(self._triage, name)


def _source(triage: Triage, name: str) -> object:
    """What a column is made from: as long as it is the same object, so is the column."""
    source: object = getattr(triage, _SOURCES[name])
    return source


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


def _column(name: str, value_of: Mapping[str, object], otherwise: object, cases: pl.DataFrame) -> pl.Series:
    """What was said of each case. Few are spoken of among perhaps a million, and many are told the same."""
    places = np.zeros(cases.height, dtype=np.uint32)
    distinct = dict.fromkeys(value_of.values())
    if value_of:
        numbers = {value: number for number, value in enumerate(distinct, 1)}
        spoken = pl.DataFrame({"case": list(value_of), "place": [numbers[value] for value in value_of.values()]})
        rows = cases["case"].is_in(spoken["case"].implode()).arg_true()
        joined = pl.DataFrame({"case": cases["case"].gather(rows), "row": rows}).join(spoken, on="case")
        places[joined["row"].to_numpy()] = joined["place"].to_numpy()
    values = [otherwise, *(list(value) if isinstance(value, tuple) else value for value in distinct)]
    return pl.Series(name, values, dtype=SAID[name]).gather(places)
