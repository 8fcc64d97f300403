"""Columns that are not there although a file of cases has them: left out, or imported before they were kept."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from scoring.errors import InspectError
from scoring.metadata_columns import metadata_name
from scoring.parquet import parquet_schema
from scoring.reading.file_bytes import PARQUET, printable
from scoring.reading.rows import read_rows
from scoring.tables.cells import columns_of
from scoring.workspace import Workspace

_LISTED = 3
"""Files that a sentence names."""


def missing_column(workspace: Workspace, benchmarks: Iterable[str], name: str) -> tuple[str, bool]:
    """Say why a column of an imported file is not there, and what brings it, and whether that is sure.

    The sentence is "" where no file has it; it is not sure where a file that may have it cannot be read.

    Args:
        workspace: where the cases are.
        benchmarks: whose cases they are.
        name: the column, as a person typed it.
    """
    holding, unread = [], []
    for one in _imports(workspace, benchmarks):
        columns = one.get("columns")
        if columns is not None and (why := columns["left_out"].get(name)):
            return f"The import of {printable(one['source'])} left it out: {why}.", True
        if columns is None and one.get("path"):
            holds = _holds(one["path"], name)
            holding += [one["path"]] if holds else []
            unread += [one["path"]] if holds is None else []
    files = list(dict.fromkeys(holding or unread))
    if not files:
        return "", False
    named = " and ".join(map(printable, files[:_LISTED]))
    more = f" and {len(files) - _LISTED} more files" if len(files) > _LISTED else ""
    if holding:
        return f"It is in {named}{more}, imported when such columns were not kept: import that again.", True
    return f"If {named}{more} has it, which cannot be read now: import that again, for such columns are kept.", False


def _imports(workspace: Workspace, benchmarks: Iterable[str]) -> Iterator[dict[str, Any]]:
    for benchmark in benchmarks:
        try:
            yield from workspace.imports(benchmark)
        except InspectError:
            # Whoever reads the benchmark says so.
            continue


def _holds(path: str, name: str) -> bool | None:
    """Whether one of the first rows of a file has the column; None where it cannot be read."""
    try:
        status = os.stat(path)  # noqa: PTH116  # a path from a report may be anything
    except (OSError, ValueError):
        return None
    columns = _columns(path, status.st_mtime_ns, status.st_size)
    return None if columns is None else name in columns


@lru_cache(maxsize=64)
def _columns(path: str, _time: int, _size: int) -> frozenset[str] | None:
    try:
        with Path(path).open("rb") as file:
            parquet = file.read(len(PARQUET)) == PARQUET
        if parquet:
            return frozenset(map(metadata_name, parquet_schema(Path(path))[0]))
        values = read_rows(Path(path)).sample()
    except (OSError, InspectError):
        return None
    names = (name for value in values if isinstance(value, Mapping) for name in columns_of(value))
    return frozenset(spelt for name in names for spelt in (name, metadata_name(name)))
