"""Values of results at the steps of their cases, which only the cases can tell.

How a critic's answers are read, which number verdicts give the first step, and whether numbers are of steps, of their
sub-steps or of messages.
"""

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import polars as pl
from msgspec.structs import replace

from scoring.data.schema import VOTES
from scoring.formats.reading.critic_answers import Reading
from scoring.formats.reading.findings import Finding
from scoring.formats.results.result_format import ExternalResults
from scoring.formats.tables.label_bases import Evidence, base_note, label_base
from scoring.models.critics.answer_parsers import read_answer, version
from scoring.models.critics.protocols import PROTOCOLS

_READ = ("ballot", "verdict", "rewards", "redundancy", "reason", "reader")
_NAMED = 6
"""Steps without a label that a reason lists."""
_PLAIN = "processbench"
"""Whose parser reads answers about cases of a benchmark that states none."""
# A step is as good as its worst sub-step, and as redundant as its most redundant one.
_OF_SUB_STEPS = {"rewards": min, "redundancy": max, "labels": all, "redundancy_labels": any}


def judged(results: ExternalResults, whole: pl.DataFrame) -> tuple[ExternalResults, pl.DataFrame]:
    """Read what needs the cases.

    Args:
        results: the results.
        whole: its rows with columns of the case beside them, `benchmark`, `n_steps` and `earliest_error` among them.

    Returns:
        The results with what was found out about the scorer, and the rows with verdicts that count from 0.
    """
    if results.reads_answers:
        return _answers_read(results, whole)
    return _settled(results, whole) if results.open_base else (results, whole)


def _answers_read(results: ExternalResults, whole: pl.DataFrame) -> tuple[ExternalResults, pl.DataFrame]:

    names = [name if name in PROTOCOLS else _PLAIN for name in whole["benchmark"].unique(maintain_order=True)]
    protocols = {name: PROTOCOLS[name] for name in names}
    read: list[dict[str, Any]] = []
    for answer, benchmark, steps, reason in whole.select("answer", "benchmark", "n_steps", "reason").iter_rows():
        reader = protocols[benchmark if benchmark in protocols else _PLAIN].read
        reading = Reading(reason=reason) if answer is None else read_answer(reader, answer, steps)
        read.append({name: getattr(reading, name) for name in _READ[:-1]} | {"reader": version(reader)})
    columns = pl.DataFrame(read, schema={name: VOTES[name] for name in _READ}, orient="row")
    scale = next((protocol.scale for protocol in protocols.values() if protocol.scale), None)
    words = " and ".join(f"as {name}'s parser reads them" for name in protocols)
    known = replace(results, label_base=words, settings={**results.settings, "protocol": " and ".join(protocols)})
    if scale:
        known = replace(known, **scale)
    return known, whole.with_columns(columns.get_columns())


def _settled(results: ExternalResults, whole: pl.DataFrame) -> tuple[ExternalResults, pl.DataFrame]:
    """Verdicts whose base nobody stated, counted from 1 where the steps of the cases show that they do."""
    counted = pl.col("ballot").cast(pl.Int64, strict=False)
    pairs = whole.select(label=counted, n=pl.col("n_steps").cast(pl.Int64))
    marked = bool(whole.select((counted == -1).any()).item())
    base = label_base(None, Evidence.of(pairs), marked=marked, source=results.source, option="verdict_base")
    # What was assumed before the cases were known is said with what is known now.
    findings = [finding for finding in results.findings if finding.code != "label-base"]
    known = replace(results, label_base=f"verdicts are {base.words}, -1 = no error")
    if base.finding is not None:
        known = replace(known, findings=(*findings, base.finding))
        return known, whole
    findings.append(base_note(base, results.source))
    known = replace(known, findings=tuple(findings))
    if base.base == 0:
        return known, whole
    moved = pl.when(counted >= 1).then(counted - 1).when(counted == -1).then(-1).otherwise(-2)
    verdict = pl.when(counted.is_not_null()).then(moved).cast(VOTES["verdict"])
    return known, whole.with_columns(verdict=verdict)


def at_steps(rows: pl.DataFrame, source: str) -> tuple[pl.DataFrame, list[Finding]]:
    """Put numbers that a file gives to messages of a trajectory at the steps that these messages are.

    A row in which steps have none is refused: its numbers stay with it, null where there is none. A number for a
    message that is no step is left out; where that is the first that the row calls wrong, the verdict is that it names
    no step (-2), and what is said of steps stands beside it.

    Args:
        rows: columns of RESULT_COLUMNS and of the case, and `_numbers`, how many numbers a row has.
        source: the file.
    """
    where = rows["messages"].is_not_null()
    if not where.any():
        return rows, []
    strays, lacking = 0, 0
    made: list[dict[str, Any]] = []
    columns = ("rewards", "messages", "step_messages", "verdict", "reason", "n_steps")
    for numbers, messages, places, verdict, reason, n_steps in rows.select(columns).iter_rows():
        if messages is None:
            made.append({"rewards": numbers, "verdict": verdict, "reason": reason, "_numbers": None})
            continue
        of_message = dict(zip(messages, numbers or [], strict=True))
        at = [of_message.get(place) for place in places or ()]
        outside = {message: number for message, number in of_message.items() if message not in set(places or ())}
        strays += bool(outside)
        missing, why = [step for step, number in enumerate(at) if number is None], reason
        if missing and not reason:
            lacking += 1
            why = f"{len(missing)} of {n_steps} steps have no label: {', '.join(map(str, missing[:_NAMED]))}"
        wrong = [place for place, number in of_message.items() if number is not None and number < 0]
        names_none = bool(wrong) and min(wrong) in outside
        rated = at if any(number is not None for number in at) else None
        made.append({"rewards": rated, "verdict": -2 if names_none else verdict, "reason": why, "_numbers": n_steps})
    schema = {name: rows.schema[name] for name in ("rewards", "verdict", "reason", "_numbers")}
    placed = pl.DataFrame(made, schema=schema, orient="row")
    counts = pl.when(where).then(placed["_numbers"]).otherwise(rows["_numbers"])
    rows = rows.with_columns(placed.get_columns()).with_columns(_numbers=counts)
    findings = []
    if strays:
        message = f"{strays:,} results have labels for messages that are no steps; these are left out"
        findings.append(Finding("warning", "label-of-no-step", message, source))
    if lacking:
        message = f"{lacking:,} results have no label for some steps; they count as unparsed"
        findings.append(Finding("warning", "no-label", message, source))
    return rows, findings


def grouped(rows: pl.DataFrame, source: str) -> tuple[pl.DataFrame, list[Finding]]:
    """Group numbers where they are one a sub-step and not one a step, and say so.

    Args:
        rows: columns of RESULT_COLUMNS and of the case (`key`, `n_steps`, `sub_steps`), and `_numbers`, how many
            numbers a row has.
        source: the file.
    """
    by_sub_step = (
        pl.col("sub_steps").is_not_null()
        & (pl.col("_numbers") != pl.col("n_steps"))
        & (pl.col("_numbers") == pl.col("sub_steps").list.sum())
    ).fill_null(value=False)
    where = rows.select(by_sub_step.alias("_grouped"))["_grouped"]
    if not where.any():
        return rows, []
    changed = rows.filter(where)
    sizes = changed["sub_steps"].to_list()
    for name, combine in _OF_SUB_STEPS.items():
        values = [_by_step(row, size, combine) for row, size in zip(changed[name].to_list(), sizes, strict=True)]
        changed = changed.with_columns(pl.Series(name, values, dtype=changed.schema[name]))
    changed = changed.with_columns(_numbers=pl.col("n_steps").cast(pl.Int64))
    whole = pl.concat([rows.filter(~where), changed]).sort("_row")
    message = (
        f"{changed['key'].n_unique():,} cases have one number a sub-step: each step takes the lowest of its sub-steps' "
        "rewards (of redundancy the highest)"
    )
    return whole, [Finding("note", "grouped-sub-steps", message, source)]


def _by_step(values: Sequence[Any] | None, sizes: Sequence[int], combine: Any) -> list[Any] | None:
    if values is None or len(values) != sum(sizes):
        return None if values is None else list(values)
    parts = [values[start:end] for start, end in pairwise(accumulate(sizes, initial=0))]
    # A step without any sub-step was not judged, and a number that is not finite must not hide behind its neighbours.
    return [
        None if None in part or not part else combine(part) if all(map(math.isfinite, part)) else math.nan
        for part in parts
    ]
