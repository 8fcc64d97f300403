"""The files of earlier imports, looked at again: the row that a case was made of, and columns that were not kept."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scoring.data.errors import InspectError, UnreadableFile
from scoring.data.metadata_columns import metadata_name
from scoring.data.storage.parquet import parquet_schema
from scoring.formats.benchmarks.benchmark_registry import MODULES, benchmark_module
from scoring.formats.reading.compressed_streams import start_of
from scoring.formats.reading.file_bytes import PARQUET, decoded_as, printable
from scoring.formats.reading.rows import Rows, SourceRow, json_lines, read_rows
from scoring.formats.tables.cell_values import columns_of
from scoring.importing.bringing import opened_files
from scoring.importing.local_files import INSIDE, LocalFile
from scoring.importing.source_locations import STDIN, is_source_address
from scoring.workspace.workspace import Workspace

_LISTED = 3
"""Files that a sentence names."""


def original_row(workspace: Workspace, case: Mapping[str, Any]) -> Any:
    """Read the value of the row that a case was imported from, from its file again.

    Args:
        workspace: where the case is.
        case: columns of METADATA.

    Raises:
        UnreadableFile: it came from no file, the file has gone, or the row there is another one by now.
        DamagedWorkspace: the report of its import cannot be read.
    """
    name = case["case"]
    imports = workspace.imports(case["benchmark"])
    paths = [report["path"] for report in imports if report["source"] == case["source"] and report.get("path")]
    if not paths or case["line"] is None:
        raise UnreadableFile(f"{name} was not imported from a file.", "Only files can be read again.")
    with TemporaryDirectory(prefix="prm-inspect-") as folder:
        for brought in _brought_again(paths[-1], Path(folder)):
            for row in _rows_on(brought, case["line"]):
                if _gives(row, case, brought.name):
                    return row.value
    raise UnreadableFile(
        f"line {case['line']} of {paths[-1]} is not the row of {name} any more.", "Import the file again."
    )


def _rows_on(brought: LocalFile, line: int) -> Iterator[SourceRow]:
    rows = read_rows(brought.path, brought.name)
    if not rows.streamed:
        yield from (row for row in rows.rows if row.line == line)
        return
    for block in rows.blocks():
        if line < block.line + len(block.lines):
            text = block.lines[line - block.line]
            yield from json_lines(*decoded_as("utf-8", text, brought.name), brought.name).rows
            return


def _gives(row: SourceRow, case: Mapping[str, Any], name: str) -> bool:
    """Whether a row gives this case; a table of the user's own has no reader to ask."""
    if case["benchmark"] not in MODULES:
        return True
    rows = Rows(name, "one row", [SourceRow(row.number, row.line, row.value)], read=1)
    try:
        made = benchmark_module(case["benchmark"]).load(rows).cases
    except InspectError:
        return False
    return bool(made.height) and made["key"][0] == case["key"]


def _brought_again(place: str, folder: Path) -> Iterator[LocalFile]:
    # Those of files are absolute.
    piped = place.partition(INSIDE)[0] == STDIN
    if piped or is_source_address(place):
        where = "standard input" if piped else place
        raise UnreadableFile(f"it was read from {where}.", "Only files can be read again.")
    ends = [match.start() for match in re.finditer(INSIDE, place)]
    file = next((place[:end] for end in [len(place), *ends] if os.path.isfile(place[:end])), place)  # noqa: PTH113
    member = place[len(file) + 1 :] or None
    path = Path(file)
    for brought in opened_files(LocalFile(printable(path), file, path), folder, member):
        if brought.refusal is not None:
            raise brought.refusal
        yield brought
        return
    raise UnreadableFile(f"{printable(file)} holds no {printable(member or 'file')} any more.", "Import it again.")


def missing_column(workspace: Workspace, benchmarks: Iterable[str], name: str) -> tuple[str, bool]:
    """Return why a column of an imported file is not there, and what brings it, and whether that is sure.

    The sentence is "" where no file has it; it is not sure where a file that may have it cannot be read.

    Args:
        workspace: where the cases are.
        benchmarks: whose cases they are.
        name: the column, as a person typed it.
    """
    holding, unread = [], []
    for report in _imports(workspace, benchmarks):
        columns = report.get("columns")
        if columns is not None and (why := columns["left_out"].get(name)):
            return f"The import of {printable(report['source'])} left it out: {why}.", True
        if columns is None and report.get("path"):
            holds = _holds(report["path"], name)
            holding += [report["path"]] if holds else []
            unread += [report["path"]] if holds is None else []
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
        if start_of(Path(path)).startswith(PARQUET):
            return frozenset(map(metadata_name, parquet_schema(Path(path))[0]))
        values = read_rows(Path(path)).sample()
    except (OSError, InspectError):
        return None
    names = (name for value in values if isinstance(value, Mapping) for name in columns_of(value))
    return frozenset(spelt for name in names for spelt in (name, metadata_name(name)))
