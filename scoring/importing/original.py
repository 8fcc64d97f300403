"""The row of the file that a case was made of, as it stands there."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scoring.benchmarks.registry import MODULES, benchmark_module
from scoring.errors import InspectError, UnreadableFile
from scoring.importing.bringing import Brought, bring_again
from scoring.reading.file_bytes import decoded_as
from scoring.reading.rows import Row, Rows, json_lines, read_rows
from scoring.workspace import Workspace


def original_row(workspace: Workspace, case: Mapping[str, Any]) -> Any:
    """The value of the row that a case was imported from, read from its file again.

    Args:
        workspace: where the case is.
        case: columns of METADATA.

    Raises:
        UnreadableFile: it came from no file, the file has gone, or the row there is another one by now.
        DamagedWorkspace: the report of its import cannot be read.
    """
    name = case["case"]
    imports = workspace.imports(case["benchmark"])
    paths = [one["path"] for one in imports if one["source"] == case["source"] and one.get("path")]
    if not paths or case["line"] is None:
        raise UnreadableFile(f"{name} was not imported from a file.", "Only files can be read again.")
    with TemporaryDirectory(prefix="prm-inspect-") as folder:
        for brought in bring_again(paths[-1], Path(folder)):
            for row in _rows(brought, case["line"]):
                if _is(row, case, brought.name):
                    return row.value
    raise UnreadableFile(
        f"line {case['line']} of {paths[-1]} is not the row of {name} any more.", "Import the file again."
    )


def _rows(brought: Brought, line: int) -> Iterator[Row]:
    """The rows on a line (1-based) of a file: several where an array stands on one line."""
    rows = read_rows(brought.path, brought.name)
    if not rows.streamed:
        yield from (row for row in rows.rows if row.line == line)
        return
    for block in rows.blocks():
        if line < block.line + len(block.lines):
            text = block.lines[line - block.line]
            yield from json_lines(*decoded_as("utf-8", text, brought.name), brought.name).rows
            return


def _is(row: Row, case: Mapping[str, Any], name: str) -> bool:
    """Whether a row gives this case; a table of the user's own has no reader to ask."""
    if case["benchmark"] not in MODULES:
        return True
    rows = Rows(name, "one row", [Row(row.number, row.line, row.value)], read=1)
    try:
        made = benchmark_module(case["benchmark"]).load(rows).cases
    except InspectError:
        return False
    return bool(made.height) and made["key"][0] == case["key"]
