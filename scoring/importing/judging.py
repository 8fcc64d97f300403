"""What only the cases tell of results: how a critic's answers are read, and what verdicts call the first step."""

from dataclasses import replace
from typing import Any

import polars as pl

from scoring.critics.catalogue import PROTOCOLS
from scoring.critics.readers import read_answer, version
from scoring.critics.reading import Reading
from scoring.results.base import ExternalResults
from scoring.schema import VOTES
from scoring.tables.table import Evidence, base_note, label_base

_READ = ("ballot", "verdict", "rewards", "redundancy", "reason", "reader")
_PLAIN = "processbench"
"""Whose parser reads answers about cases of a benchmark that states none."""


def judged(foreign: ExternalResults, whole: pl.DataFrame) -> tuple[ExternalResults, pl.DataFrame]:
    """Read what needs the cases.

    Args:
        foreign: the results.
        whole: its rows with columns of the case beside them, `benchmark`, `n_steps` and `earliest_error` among them.

    Returns:
        The results with what was found out about the scorer, and the rows with verdicts that count from 0.
    """
    if foreign.reads_answers:
        return _answers_read(foreign, whole)
    return _settled(foreign, whole) if foreign.open_base else (foreign, whole)


def _answers_read(foreign: ExternalResults, whole: pl.DataFrame) -> tuple[ExternalResults, pl.DataFrame]:
    """Every answer as the protocol of its case's benchmark reads it."""
    names = [name if name in PROTOCOLS else _PLAIN for name in whole["benchmark"].unique(maintain_order=True)]
    protocols = {name: PROTOCOLS[name] for name in names}
    read: list[dict[str, Any]] = []
    for answer, benchmark, steps, reason in whole.select("answer", "benchmark", "n_steps", "reason").iter_rows():
        reader = protocols[benchmark if benchmark in protocols else _PLAIN].read
        reading = Reading(reason=reason) if answer is None else read_answer(reader, answer, steps)
        read.append({name: getattr(reading, name) for name in _READ[:-1]} | {"reader": version(reader)})
    columns = pl.DataFrame(read, schema={name: VOTES[name] for name in _READ}, orient="row")
    rated = any(one.gives == "step rewards" for one in protocols.values())
    words = " and ".join(f"as {name}'s parser reads them" for name in protocols)
    told = replace(foreign, label_base=words, settings={**foreign.settings, "protocol": " and ".join(protocols)})
    if rated:
        told = replace(
            told,
            threshold=0.0,
            threshold_source="above 0 is positive",
            comparison="<=",
            low=-1.0,
            high=1.0,
            redundancy_threshold=0.0,
            redundancy_threshold_source="above 0 is redundant",
        )
    return told, whole.with_columns(columns.get_columns())


def _settled(foreign: ExternalResults, whole: pl.DataFrame) -> tuple[ExternalResults, pl.DataFrame]:
    """Verdicts whose base nobody stated, counted from 1 where the steps of the cases show that they do."""
    counted = pl.col("ballot").cast(pl.Int64, strict=False)
    pairs = whole.select(label=counted, n=pl.col("n_steps").cast(pl.Int64))
    marked = bool(whole.select((counted == -1).any()).item())
    found = label_base(None, Evidence.of(pairs), marked=marked, source=foreign.source, option="verdict_base")
    # What was assumed before the cases were known is said with what is known now.
    findings = [one for one in foreign.findings if one.code != "label-base"]
    told = replace(foreign, label_base=f"verdicts are {found.words}, -1 = no error")
    if found.finding is not None:
        told = replace(told, findings=(*findings, found.finding))
        return told, whole
    findings.append(base_note(found, foreign.source))
    told = replace(told, findings=tuple(findings))
    if found.base == 0:
        return told, whole
    moved = pl.when(counted >= 1).then(counted - 1).when(counted == -1).then(-1).otherwise(-2)
    verdict = pl.when(counted.is_not_null()).then(moved).cast(VOTES["verdict"])
    return told, whole.with_columns(verdict=verdict)
