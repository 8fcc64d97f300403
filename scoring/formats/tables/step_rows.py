"""A table with one row a step becomes one with a row a case: an id, and a list of numbers for every scorer."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
import polars as pl
from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.formats.reading.chunks import chunks
from scoring.formats.reading.fields import KEPT, LINE, WHOLE, Field, Fields, Layout
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.cell_values import number, single_at, text, whole
from scoring.formats.tables.column_mapping import ColumnMapping

_LONGEST = 8
"""Steps that a finding names."""
_LARGE = 2**62
_ID = Annotated[int, msgspec.Meta(gt=-(10**18), lt=10**18)]
_CASE, _AT, _BASE = "(case)", "(row)", "(base)"
"""The first row of a case, the row itself (0-based among those that name a step), and what the first step is called."""


class GatheredSteps(Struct, frozen=True, eq=False):
    """The rows of every case put together.

    Attributes:
        frame: A row a case, in the order of their first rows: `id`, `LINE` of that row, `KEPT` (true), and for the
            scorer at each place `rewards 0` (a list of finite numbers), `labels 0` (a list of truth values), or else
            `reason 0` and `code 0`, why there is neither.
        findings: What was noticed.
        read: How many cases there are, and rows that are of none.
    """

    frame: pl.DataFrame
    findings: list[Finding]
    read: int


def gathered_steps(rows: Rows, mapping: ColumnMapping) -> GatheredSteps:
    """Gather the rows of a case in the order of their steps; a case stands on the line of its first row.

    Steps count from 0, or from 1 where no case has a step 0. The rewards of a case whose steps have gaps or repeats, or
    whose cell is no number, are null, with a finding.

    Args:
        rows: one row a step.
        mapping: names the columns of the case's id, of the step's index and of step rewards, and no others.

    Raises:
        UsageError: it names no id or no rewards, or what only a row a case has.
    """
    if mapping.id is None or mapping.step is None or not mapping.rewards:
        raise UsageError("a table with one row a step needs an id, a step and rewards.", "Name them: --id, --rewards.")
    other = [name for name, _ in mapping.named if name not in {"id", "step"} and not name.startswith("rewards of ")]
    if other:
        what = f"a table with one row a step holds ids and rewards, and {other[0]} is mapped, too."
        raise UsageError(what, "Leave it out: cases are imported from a table with a row a case.")
    read = list(_in_columns(rows, mapping) if rows.streamed or rows.table is not None else [_in_memory(rows, mapping)])
    findings = [finding for _, noticed, _ in read for finding in noticed]
    every = pl.concat([frame for frame, _, _ in read])
    lost = every.select(lost=pl.col("id").is_null() | pl.col("step").is_null())["lost"]
    message = f"{mapping.id} and {mapping.step} do not say which step of which case the row is of"
    findings += [Finding("error", "broken-row", message, rows.source, line) for line in every.filter(lost)[LINE]]
    cases = _cases(every.filter(~lost), len(mapping.rewards))
    findings += _odd_steps(cases, rows.source)
    strays = sum(count for *_, count in read) - every.height + int(lost.sum())
    return GatheredSteps(cases.select(_kept(len(mapping.rewards))), findings, cases.height + strays)


def steps_in_order(rows: pl.DataFrame) -> pl.DataFrame | None:
    """Gather rows of one number each by their ids, in the order of the file, where they look like one row a step.

    They do where there are at least twice as many rows as ids and the rows of each id stand together; whether each
    case has as many steps, only the cases show.

    Args:
        rows: columns of RESULT_COLUMNS: `solution` holds the numbers.

    Returns:
        A row an id, with the numbers as `rewards`. None where the rows do not look like that.
    """
    ids, ways = rows["id"], rows.select("run", "vote").n_unique()
    if not repeats_ids(rows) or ways > 1 or not rows["solution"].is_finite().fill_null(value=False).all():
        return None
    if ids.rle_id().n_unique() > ids.n_unique():
        return None
    first = pl.all().exclude("id", "solution", "rewards").first()
    gathered = rows.group_by("id", maintain_order=True).agg(first, rewards=pl.col("solution"))
    return gathered.with_columns(solution=pl.lit(None, dtype=rows.schema["solution"])).select(rows.columns)


def repeats_ids(rows: pl.DataFrame) -> bool:
    """Return whether rows of a number each are at least twice as many as their ids."""
    numbers = rows["solution"].count()
    return rows["id"].null_count() == 0 and numbers > 1 and numbers >= 2 * rows["id"].n_unique()


_Part = tuple[pl.DataFrame, list[Finding], int]
"""Rows as `LINE`, `id`, `step`, `reward 0`, ...; what was noticed; how many there are, broken ones too."""


def _schema(count: int) -> dict[str, pl.DataType]:
    """The columns of rows. A reward that is no finite number is NaN, right and wrong are plus and minus infinity."""
    rewards = {f"reward {place}": pl.Float64() for place in range(count)}
    return {LINE: pl.Int64(), "id": pl.String(), "step": pl.Int64(), **rewards}


def _columns(mapping: ColumnMapping) -> dict[str, str]:
    rewards = {f"reward {place}": column for place, column in enumerate(mapping.rewards.values())}
    return {"id": mapping.id or "", "step": mapping.step or "", **rewards}


def _in_columns(rows: Rows, mapping: ColumnMapping) -> Iterator[_Part]:
    columns = _columns(mapping)
    natural: dict[str, Any] = {"id": str | _ID, "step": WHOLE}
    schema = _schema(len(mapping.rewards))

    def as_it_is(fields: Fields, name: str) -> Any:
        return fields.value.get(name)

    def lenient(fields: Fields) -> dict[str, Any]:
        return {name: _READ.get(name, _reward)(single_at(fields.value, column)) for name, column in columns.items()}

    fields = {
        name: Field(schema[name], natural.get(name, float), as_it_is, needed=True, filled=name == "id", key=column)
        for name, column in columns.items()
    }
    layout = Layout(fields, name=lambda _: "", lenient=lenient)
    for chunk in chunks(rows, layout, lambda chunk: chunk):
        yield chunk.frame.select(list(schema)), [finding for _, finding in chunk.findings], chunk.read


def _in_memory(rows: Rows, mapping: ColumnMapping) -> _Part:
    """Rows that were read already, a column at a time."""
    objects = [row for row in rows.rows if isinstance(row.value, Mapping)]
    frame: dict[str, list[Any]] = {LINE: [row.line for row in objects]}
    for name, column in _columns(mapping).items():
        frame[name] = [_READ.get(name, _reward)(single_at(row.value, column)) for row in objects]
    strays = [row.line for row in rows.rows if not isinstance(row.value, Mapping)]
    broken = [Finding("error", "broken-row", "the row is not an object", rows.source, line) for line in strays]
    return pl.DataFrame(frame, schema=_schema(len(mapping.rewards))), [*rows.findings, *broken], rows.read


def _identifier(cell: Any) -> str | None:
    name = text(cell)
    return name if isinstance(name, str) else None


def _index(cell: Any) -> int | None:
    index = whole(cell)
    return index if type(index) is int and abs(index) < _LARGE else None


def _reward(cell: Any) -> float:
    if isinstance(cell, bool):
        return math.inf if cell else -math.inf
    reward = number(cell)
    return reward if isinstance(reward, float) and math.isfinite(reward) else math.nan


_READ = {"id": _identifier, "step": _index}


def _cases(steps: pl.DataFrame, count: int) -> pl.DataFrame:
    """The rows of each case put together, in the order of their steps."""
    base = int(not (steps["step"] == 0).any())
    numbered = steps.with_row_index(_AT).with_columns(pl.col(_AT).first().over("id").alias(_CASE))
    # The rows of a case mostly stand in order; a stable sort by one number costs little where they do.
    in_order = numbered.sort(_CASE, "step", maintain_order=True)
    rewards = {place: pl.col(f"reward {place}") for place in range(count)}
    cases = in_order.group_by(_CASE, maintain_order=True).agg(
        pl.col("id").first(),
        steps=pl.col("step"),
        whole=(pl.col("step") - base == pl.int_range(pl.len())).all(),
        **{f"given {place}": reward for place, reward in rewards.items()},
        **{f"odd {place}": (~reward.is_finite()).cast(pl.UInt8).arg_max() for place, reward in rewards.items()},
        **{f"numbers {place}": reward.is_finite().all() for place, reward in rewards.items()},
        **{f"truths {place}": reward.is_infinite().all() for place, reward in rewards.items()},
    )
    first = steps[LINE].gather(cases[_CASE]) if cases.height else steps[LINE].clear()
    return cases.with_columns(first.alias(LINE), pl.lit(base).alias(_BASE))


def _kept(count: int) -> list[pl.Expr]:
    columns = [pl.col("id"), pl.col(LINE), pl.lit(value=True).alias(KEPT)]
    whole_case = pl.col("whole")
    for place in range(count):
        values = pl.col(f"given {place}")
        numbers, truths = (whole_case & pl.col(f"{name} {place}") for name in ("numbers", "truths"))
        # Only the number of steps of the case shows whether the end is padding.
        odd = pl.col(f"odd {place}")
        padded = whole_case & (odd > 0) & values.list.slice(odd).list.eval(pl.element().is_nan()).list.all()
        bad = pl.format("reward {} (0-based) is not a finite number", odd)
        reason = pl.when(~whole_case).then(pl.lit("there are no rewards here")).when(~(numbers | truths)).then(bad)
        code = pl.when(~whole_case).then(pl.lit("no-rewards")).when(~(numbers | truths)).then(pl.lit("bad-reward"))
        columns += [
            pl.when(numbers | padded).then(values).alias(f"rewards {place}"),
            pl.when(truths).then(values.list.eval(pl.element() > 0)).alias(f"labels {place}"),
            reason.alias(f"reason {place}"),
            code.alias(f"code {place}"),
        ]
    return columns


def _odd_steps(cases: pl.DataFrame, source: str) -> Iterator[Finding]:
    odd = cases.filter(~pl.col("whole")).select("id", LINE, "steps", _BASE)
    for case, line, indices, base in odd.iter_rows():
        named = ", ".join(map(str, indices[:_LONGEST])) + (", ..." if len(indices) > _LONGEST else "")
        message = f"the rows are of steps {named} (counted from {base}): one is missing or there twice"
        yield Finding("warning", "step-rows", message, source, line, case)
