"""A mapping is proposed and tried on the first rows: what becomes of each column, how the first case looks, what joins.

Plain data: the command prints it, the app's screen shows it while columns are chosen.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InputError
from scoring.data.metadata_columns import ColumnFates
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import ExternalResults
from scoring.formats.tables import table
from scoring.formats.tables.cell_values import at, columns_of, outermost, text
from scoring.formats.tables.column_guess import propose
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.column_readings import ColumnReading, readings
from scoring.formats.tables.gold_labels import read_gold
from scoring.formats.tables.results import results
from scoring.importing.join import join

TRIED = 200
"""Rows on which a mapping is tried."""
_EXAMPLE = 40
OF_RESULTS = "of results nothing but what is named is kept"

Fate = Literal["claimed", "metadata", "left out"]


class ColumnProposal(Struct, frozen=True):
    """What becomes of a column: claimed as what, kept as metadata under which name, or left out and why, in words."""

    name: str
    fate: Fate
    words: str


class FirstCase(Struct, frozen=True):
    """The first case as it would look.

    Attributes:
        case: What it would be called, `benchmark/id`.
        problem: Its problem.
        steps: Its steps.
        earliest_error: 0-based, -1 = no error; None = not known.
        error_steps: All wrong steps, 0-based and ascending; None = not known.
    """

    case: str
    problem: str
    steps: tuple[str, ...]
    earliest_error: int | None
    error_steps: tuple[int, ...] | None


class Proposal(Struct, frozen=True):
    """A mapping with what it makes of the first rows.

    Attributes:
        source: What findings call the source.
        mapping: Which column is what.
        readings: What can be read in another way.
        columns: What becomes of each column, in the order of the table.
        first: The first case; None where the table holds results alone, or no row of it is a case.
        rewards: Scorer -> its first row's step rewards, where the table holds some.
        tried: How many rows it was tried on; of a table with a row a step, how many cases.
        joined: How many of these belong to a case that is known; None = nobody said which are.
        benchmarks: Whose cases they are.
        refusal: Why nothing joins, in a sentence; "" where something does, or nothing has to.
    """

    source: str
    mapping: ColumnMapping
    readings: tuple[ColumnReading, ...]
    columns: tuple[ColumnProposal, ...]
    first: FirstCase | None
    rewards: Mapping[str, tuple[float, ...]]
    tried: int
    joined: int | None
    benchmarks: tuple[str, ...] = ()
    refusal: str = ""


class OpenTable(Struct, frozen=True, eq=False, dict=True):
    """A table of which somebody may decide what its columns are.

    Attributes:
        rows: The table's.
        stated: What is known of the columns already.
        known: Gives the cases that rows may belong to; None = nobody says which are.
    """

    rows: Rows
    stated: ColumnMapping | None = None
    known: Callable[[], pl.DataFrame] | None = None

    @property
    def source(self) -> str:
        """What findings call it."""
        return self.rows.source

    def place(self, column: str) -> int:
        """Return the place (0-based) of a column among the keys of the first rows; of a path, that of its first key."""
        keys = self._keys
        return keys.get(column, keys.get(outermost(column).partition(".")[0], len(keys)))

    @cached_property
    def _keys(self) -> dict[str, int]:
        rows = (row for row in self.rows.sample()[:TRIED] if isinstance(row, Mapping))
        return {name: place for place, name in enumerate(dict.fromkeys(str(key) for row in rows for key in row))}

    def example(self, column: str) -> str:
        """Return the first value of a column as JSON, at most some 40 characters of it; "" where there is none."""
        values = (at(row, column) for row in self.rows.sample()[:TRIED] if isinstance(row, Mapping))
        value = next((value for value in values if value is not None), None)
        words = "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
        return words if len(words) <= _EXAMPLE else f"{words[:_EXAMPLE]}..."

    def proposal(self, mapping: ColumnMapping | None = None) -> Proposal | None:
        """Try a mapping on the first rows, or the one that the columns suggest; see `propose_mapping`."""
        return propose_mapping(self.rows, self.stated, None if self.known is None else self.known(), mapping=mapping)


def propose_mapping(
    rows: Rows,
    stated: ColumnMapping | None = None,
    cases: pl.DataFrame | None = None,
    *,
    mapping: ColumnMapping | None = None,
) -> Proposal | None:
    """Propose a mapping for a table and try it on its first rows.

    Args:
        rows: the table's; all of them are read where labels have to show what they count from.
        stated: what is known of the columns already.
        cases: those that rows may belong to, with the columns that `scoring.importing.join.join` needs. None = not
            known.
        mapping: the whole mapping, where it is not to be proposed.

    Returns:
        None where the columns suggest nothing.

    Raises:
        UsageError: the mapping does not fit the table; the sentence says why.
    """
    mapping = propose(rows, stated) if mapping is None else mapping
    if mapping is None:
        return None
    mapping = replace(mapping, benchmark=mapping.benchmark or table.table_name(rows.source))
    few = _first(rows, mapping)
    # Few labels may not show what they count from; all do as much as can be shown.
    gold = read_gold(rows, mapping)
    tried = replace(gold.mapping, label_base=gold.base.base)
    has_cases = mapping.problem is not None and mapping.steps is not None and mapping.step is None
    imported = table.load(few, tried) if has_cases else None
    scorers = results(few, tried) if mapping.scorers else []
    with_rewards = [(scorer, scorer.rows["rewards"].drop_nulls()) for scorer in scorers]
    joined: int | None = None
    benchmarks: tuple[str, ...] = ()
    refusal = ""
    if imported is None and not scorers:
        refusal = "Nothing is named yet that makes a case (problem and steps) or a result (rewards, verdict, answers)."
    elif cases is not None:
        joined, benchmarks, refusal = _joins(imported, scorers, cases)
    return Proposal(
        rows.source,
        mapping,
        readings(rows, mapping, stated),
        tuple(_columns(rows, mapping, None if imported is None else imported.fates)),
        None if imported is None else _first_case(imported),
        {scorer.name: tuple(rewards[0]) for scorer, rewards in with_rewards if rewards.len()},
        scorers[0].rows.height if mapping.step is not None and scorers else few.read,
        joined,
        benchmarks,
        refusal,
    )


def _first(rows: Rows, mapping: ColumnMapping) -> Rows:
    """The first rows alone; of a table with a row a step, those of whole cases as far as can be told."""
    values: list[Any] = rows.sample()
    kept = values[:TRIED]
    if mapping.step is not None and mapping.id is not None and len(values) > len(kept):
        last = _id(kept[-1], mapping.id)
        whole = [value for value in kept if _id(value, mapping.id) != last]
        kept = whole or kept
    few = Rows(rows.source, rows.format)
    for value in kept:
        few.add(value)
    return few


def _id(value: Any, column: str) -> Any:
    return text(at(value, column)) if isinstance(value, Mapping) else None


def _columns(rows: Rows, mapping: ColumnMapping, fates: ColumnFates | None) -> Iterator[ColumnProposal]:
    """What becomes of each column that the first rows have, and of those inside objects that are named or kept."""
    sample = [value for value in rows.sample() if isinstance(value, Mapping)]
    claimed: dict[str, list[str]] = {}
    for field, column in mapping.named:
        claimed.setdefault(column, []).append(field)
    for name, fields in claimed.items():
        yield ColumnProposal(name, "claimed", " and ".join(fields))
    inside = {outermost(name).partition(".")[0] for name in claimed} | {outermost(name) for name in claimed}
    if fates is None:
        outer = dict.fromkeys(str(key) for value in sample[:TRIED] for key in value)
        for name in outer:
            if name not in claimed and name not in inside:
                yield ColumnProposal(name, "left out", OF_RESULTS)
        return
    known = dict.fromkeys(name for value in sample[:TRIED] for name in columns_of(value) if "[" not in name)
    for name in known:
        if name in fates.kept:
            yield ColumnProposal(name, "metadata", fates.kept[name])
        elif name in fates.left_out and name not in claimed:
            yield ColumnProposal(name, "left out", fates.left_out[name])


def _first_case(imported: Imported) -> FirstCase | None:
    if imported.cases.is_empty():
        return None
    case = imported.cases.row(0, named=True)
    wrong = case["error_steps"]
    return FirstCase(
        case["case"],
        case["problem"],
        tuple(case["steps"]),
        case["earliest_error"],
        None if wrong is None else tuple(wrong),
    )


def _joins(
    imported: Imported | None, scorers: list[ExternalResults], cases: pl.DataFrame
) -> tuple[int, tuple[str, ...], str]:
    if imported is not None:
        known = imported.cases.select("key").join(cases.select("key", "benchmark").unique("key"), on="key")
        return known.height, tuple(known["benchmark"].unique().sort()), ""
    try:
        joined = join(scorers[0], cases)
    except InputError as error:
        return 0, (), str(error)
    return joined.joined, joined.benchmarks, ""
