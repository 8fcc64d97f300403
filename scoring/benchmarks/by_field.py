"""A format's way to read rows field by field, and what it says about all of them in the end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from scoring.benchmarks.imported import Imported, cases_frame
from scoring.reading.fields import Fields, each_case
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows


@dataclass(frozen=True, eq=False)
class ByField:
    """Reads one source; a format makes a new one for each, so that it may count what it sees.

    `case_of` makes a row's fields a case or None; `concluded` is asked last, with all cases' metadata and the source,
    how the labels were read and what only all cases together show; `identify` gives a row's id.
    """

    case_of: Callable[[Fields], dict[str, Any] | None]
    concluded: Callable[[pl.DataFrame, str], tuple[str, list[Finding]]]
    identify: Callable[[Fields], str] = Fields.identifier

    def load(self, name: str, rows: Rows) -> Imported:
        """All rows of a source as the cases of the benchmark of this name."""
        findings = list(rows.findings)
        frame = cases_frame(name, rows.source, each_case(rows, findings, self.case_of, self.identify))
        label_base, noticed = self.concluded(frame, rows.source)
        return Imported(name, rows.source, rows.format, label_base, rows.read, frame, tuple(findings + noticed))
