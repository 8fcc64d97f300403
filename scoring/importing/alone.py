"""Results whose rows repeat the texts and the gold label can be opened alone: their cases are made of these rows.

That is done where no case that is known has one of the texts: else the results belong to that case.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from scoring.benchmarks import registry as benchmarks
from scoring.benchmarks.base import Imported
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.base import ExternalResults
from scoring.results.registry import result_reader
from scoring.schema import content_key

_SAMPLE = 100
_GOLD = ("earliest_error", "error_steps")


def own_cases(rows: Rows, name: str, folder: Path | None) -> tuple[Imported, ...]:
    """Make cases of the rows of a result format, by the reader of the benchmark whose rows they repeat.

    Args:
        rows: the source's, in which results stand beside the fields of a benchmark.
        name: the result format.
        folder: where the texts of a large file go; None = they stay in memory.

    Returns:
        Nothing where the rows, without what the format adds, are no benchmark's.
    """
    reader = result_reader(name)
    added = reader.added
    sample = [_without(value, frozenset(added)) for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping)]
    votes = benchmarks.recognised(sample) if added else {}
    best = max(votes, key=lambda benchmark: votes[benchmark], default="")
    form = benchmarks.case_format(best) if best and votes[best] else None
    if form is None:
        return ()
    imported = form.load(rows, folder, sorted(added))
    labelled = imported.cases.filter(pl.any_horizontal(pl.col(*_GOLD).is_not_null()))
    return (_noted(imported, reader.title),) if labelled.height else ()


def _without(value: Mapping[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if key not in keys}


def _noted(imported: Imported, title: str) -> Imported:
    message = (
        f"no case that is here has one of these texts: the cases were made from the rows of the results ({title}), "
        f"as those of {imported.benchmark}"
    )
    finding = Finding("note", "opened-alone", message, imported.source)
    return replace(imported, findings=(finding, *imported.findings))


def belongs(foreign: Sequence[ExternalResults], keys: Callable[[], pl.Series]) -> bool:
    """Whether a row has the text of a case.

    Args:
        foreign: results of one source.
        keys: gives the keys of the cases that are known; it is not asked where no row has a text.
    """
    for one in foreign:
        texted = one.rows.filter(pl.col("problem").is_not_null() & pl.col("steps").is_not_null())
        pairs = zip(texted["problem"], texted["steps"].to_list(), strict=True)
        found = [content_key(problem, steps) for problem, steps in pairs if None not in steps]
        if found and pl.Series(found).is_in(keys().implode()).any():
            return True
    return False


def has_texts(foreign: Sequence[ExternalResults]) -> bool:
    """Whether some row repeats the problem and the steps."""
    both = pl.col("problem").is_not_null() & pl.col("steps").is_not_null()
    return any(one.rows.select(both.any()).item() for one in foreign)
