"""The formats of other programs that cases and rewards can be written in, as tables of names."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars as pl

    from scoring.foreign_rows.given import Decided
    from scoring.foreign_rows.line import Line
    from scoring.triage.words import Words

CASES: dict[str, str] = {
    "processbench": "scoring.foreign_rows.processbench",
    "prmbench": "scoring.foreign_rows.prmbench",
    "trl": "scoring.foreign_rows.trl",
    "grben": "scoring.foreign_rows.grben",
}
"""Name -> module whose `line(case)` writes one case."""

REWARDS: dict[str, str] = {
    "grben": "scoring.foreign_rows.grben_details",
    "mr_eval": "scoring.foreign_rows.mr_eval",
}
"""Name -> module whose `line(case, given, decided)` writes what a scorer gave one case."""

TRIAGE: dict[str, str] = {
    "processbench": "scoring.foreign_rows.triaged_processbench",
    "prm800k": "scoring.foreign_rows.triaged_prm800k",
    "trl": "scoring.foreign_rows.triaged_trl",
}
"""Name -> module whose `line(case, judged)` writes what people say of one case."""


_INFINITE = (math.inf, -math.inf)


def case_lines(name: str, cases: pl.DataFrame, metadata: pl.DataFrame | None = None) -> Iterator[Line]:
    """A line for every row of a cases frame (`scoring.schema.CASES`).

    `metadata` has the metadata columns of the same rows: each stands as a key of its own, unless the format has a key
    of that name or the value is missing.
    """
    module = import_module(CASES[name])
    lines: Iterator[Line] = map(module.line, cases.iter_rows(named=True))
    if metadata is None or not metadata.width:
        return lines
    return map(_with_metadata, lines, metadata.iter_rows(named=True))


def _with_metadata(line: Line, metadata: Mapping[str, Any]) -> Line:
    if line.value is None:
        return line
    # JSON knows no infinite number.
    there = {name: value for name, value in metadata.items() if value is not None and value not in _INFINITE}
    return replace(line, value={**line.value, **{name: there[name] for name in there if name not in line.value}})


def reward_lines(name: str, cases: pl.DataFrame, rewards: pl.DataFrame, decided: Decided) -> Iterator[Line]:
    """A line for every row of a cases frame (its metadata is enough), with a scorer's rewards frame."""
    from scoring.foreign_rows.given import beside

    module = import_module(REWARDS[name])
    return (module.line(case, given, decided) for case, given in beside(cases, rewards))


def triage_lines(name: str, cases: pl.DataFrame, words: Iterable[Words]) -> Iterator[Line]:
    """A line for every row of a cases frame (`scoring.schema.CASES`) that people rule on or rate a step of."""
    from scoring.foreign_rows.judged import beside_words

    module = import_module(TRIAGE[name])
    return (module.line(case, of) for case, of in beside_words(cases, words))
