"""Results as a foreign file holds them: rewards, labels, verdicts or answers, before they are joined to cases.

A reader of `scoring.results` turns rows into these. Indices of steps are 0-based here already: a reader converts them,
and nothing after it does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import polars as pl

from scoring.reading.findings import Finding
from scoring.schema import STEP_INDEX
from scoring.scorer import Comparison, Kind, On

Judges = Literal["", "errors", "redundancy"]
"""What judgements are of; empty = the file does not say."""

NO_INDICES = "no indices"
"""What is said of the index base of results that name no step."""

FOREIGN: dict[str, pl.DataType] = {
    # 1-based line (or row) of the file.
    "line": pl.Int64(),
    # The case as the file names it. Null = it names none.
    "id": pl.String(),
    "subset": pl.String(),
    # What was judged, where the file repeats it. Null = it does not.
    "problem": pl.String(),
    "steps": pl.List(pl.String()),
    # The earliest error that the file says is gold, 0-based, -1 = none: only compared, never taken over. Null = unsaid.
    "gold": STEP_INDEX,
    # One of several sampled answers that are combined, and one of several repetitions.
    "vote": pl.Int32(),
    "run": pl.Int32(),
    # One number a step, or a sub-step; a second one for redundancy; whether each is judged right, or redundant.
    "rewards": pl.List(pl.Float64()),
    "redundancy": pl.List(pl.Float64()),
    "labels": pl.List(pl.Boolean()),
    "redundancy_labels": pl.List(pl.Boolean()),
    # One number for the whole solution.
    "solution": pl.Float64(),
    # A critic's answer: as it came, the reasoning before it, the words it votes with, the earliest error these name
    # (0-based, -1 = none, -2 = a number that names no step).
    "answer": pl.String(),
    "reasoning": pl.String(),
    "finish_reason": pl.String(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    "ballot": pl.String(),
    "verdict": STEP_INDEX,
    # Every step that the answer names as wrong (or redundant), 0-based; it takes all others for right. [] = none is.
    # Null = it does not speak of all steps.
    "named_steps": pl.List(STEP_INDEX),
    # Why there is nothing of these, or nothing readable. Null = there is.
    "reason": pl.String(),
}
"""Columns of foreign results. A row has rewards, labels, a solution's number, an answer or verdict, or a reason."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """One scorer's results out of one source.

    `rows` has the columns of FOREIGN. `name` is what the scorer is called unless the user says otherwise; the fields
    after it are those of `scoring.scorer.Scorer`. `benchmark` is set where the format itself says which benchmark's
    ids these are. `label_base` says in words how indices were read, `read` counts the source's rows, usable or not.
    Where it `reads_answers`, its answers were not read yet: whoever joins them does, by the benchmark's own parser.
    Where the base of verdicts is `open_base`, it was only assumed, and the cases may tell it.
    Where `labels_explained`, labels beside rewards are just what the threshold says of these: joining drops them where
    the rewards are as many as the steps, and the rewards where they are not. `judges` is set where the file says what
    its judgements are of: those of errors do not join a benchmark of redundant steps by ids, nor the other way round.
    `in_order` has the same rows read as one row a step in the order of the file, where they look like that: whether
    these are as many as the steps, whoever joins them finds out.
    """

    format: str
    source: str
    name: str
    rows: pl.DataFrame
    read: int
    label_base: str = NO_INDICES
    benchmark: str | None = None
    judges: Judges = ""
    kind: Kind = "prm"
    family: str = ""
    about: str = ""
    threshold: float = 0.5
    threshold_source: str = "default"
    comparison: Comparison = "<"
    on: On = "rewards"
    labels_explained: bool = False
    reads_answers: bool = False
    open_base: bool = False
    in_order: pl.DataFrame | None = None
    low: float = 0.0
    high: float = 1.0
    redundancy_threshold: float | None = None
    redundancy_threshold_source: str = ""
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    findings: tuple[Finding, ...] = ()
    # Where the source is, as it is known from one import to the next. Empty = the path that `source` is.
    place: str = ""


def foreign_frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The frame of rows that hold at least `line`; absent columns are null, absent votes and runs are 0."""
    filled = [{"vote": 0, "run": 0, **row} for row in rows]
    return pl.DataFrame(filled, schema=FOREIGN, orient="row") if filled else pl.DataFrame(schema=FOREIGN)
