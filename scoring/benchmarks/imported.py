"""What reading one source gave: the cases frame, and everything a person should know about how it came to be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from scoring.metadata_columns import ColumnFates
from scoring.reading.findings import Finding
from scoring.schema import CASES, content_key
from scoring.texts import Texts


@dataclass(frozen=True, eq=False)
class Imported:
    """One source as cases.

    `cases` has the columns of `scoring.schema.CASES`; of a source too large for memory, whose texts were `spilled`,
    those of METADATA. `label_base` says in words which index base the labels had and how that was seen. `read` is the
    number of rows in the source, kept ones or not.
    """

    benchmark: str
    source: str
    format: str
    label_base: str
    read: int
    cases: pl.DataFrame
    findings: tuple[Finding, ...]
    # Unharmed originals of some of the cases, with the same columns and `twin_of`: scored, never listed or counted.
    twins: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=CASES))
    # Where the texts of `cases` are instead.
    spilled: "Spilled | None" = None
    # The file's absolute path, so that a row can be looked up again from anywhere. Empty = no file.
    path: str = ""
    # Which column was read as what, where a person said so. Empty = the format says it.
    mapping: str = ""
    # The metadata columns of `cases`, row for row (`scoring.metadata_columns`); without rows where there is none.
    metadata: pl.DataFrame = field(default_factory=pl.DataFrame)
    # What became of every column of the file; None where nobody looked.
    fates: ColumnFates | None = None

    @property
    def erroneous(self) -> int:
        """Cases whose earliest error is a step."""
        return int((self.cases["earliest_error"] >= 0).sum())

    @property
    def clean(self) -> int:
        """Cases labelled as having no wrong step."""
        return int((self.cases["earliest_error"] == -1).sum())


@dataclass(frozen=True, eq=False)
class Spilled:
    """Texts of n cases in files, and the digests of those that `key` does not cover (null = there are none)."""

    texts: Texts
    rest: Sequence[str | None]


def cases_frame(benchmark: str, source: str, cases: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The cases frame of rows that hold at least id, problem, steps, earliest_error and line.

    Fills in `case`, `key`, `benchmark`, `n_steps` and `source`; absent columns are null.
    """
    rows = [
        {
            **case,
            "case": f"{benchmark}/{case['id']}",
            "key": content_key(case["problem"], case["steps"]),
            "benchmark": benchmark,
            "n_steps": len(case["steps"]),
            "source": source,
        }
        for case in cases
    ]
    return pl.DataFrame(rows, schema=CASES, orient="row") if rows else pl.DataFrame(schema=CASES)
