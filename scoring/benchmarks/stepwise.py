"""Stepwise supervision as TRL's PRM trainer reads it: `prompt, completions[], labels[]`, a label a completion.

A label is true where the step is right. Numbers are taken as well: a step is right iff its number is above 0.5, so
that 0 and -1 are wrong. Messages in place of texts stand for their contents. The format has no ids: a case is called
after its file and row.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from scoring.benchmarks.by_field import ByField
from scoring.benchmarks.imported import Imported
from scoring.benchmarks.plain_rows import PlainRows
from scoring.benchmarks.step_labels import gold, problem_id
from scoring.reading.fields import Fields, row_name
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows

NAME = "stepwise"
TITLE = "TRL stepwise supervision"
PAPER = "TRL, dataset formats: stepwise supervision"
LICENCE = "that of the data set"
HUB_NAME = None

_BOUNDARY = 0.5
_TEXTS = ("generator", "subset", "origin")


@dataclass(eq=False)
class _Seen:
    """What is normal for the format, counted to be said once for the whole source."""

    numbers: int = 0
    conversations: int = 0


CLAIMED = frozenset({"prompt", "completions", "labels", *_TEXTS})
"""Keys of a row that are read: what they hold is in columns of ours."""


def recognises(row: Any) -> bool:
    """Whether a row has a prompt, completions and a label for each."""
    return isinstance(row, Mapping) and {"prompt", "completions", "labels"} <= row.keys()


def load(rows: Rows) -> Imported:
    """The cases of a source of stepwise supervision.

    A row without usable text is left out with a finding of severity error; labels that are too few, too many or of
    the wrong type are warnings, and their steps count as not labelled.
    """
    return by_field().load(NAME, rows)


def by_field() -> ByField:
    """How one source is read field by field."""
    seen = _Seen()
    return ByField(partial(_case, seen), partial(_concluded, seen), Fields.row_name)


def _concluded(seen: _Seen, _: pl.DataFrame, source: str) -> tuple[str, list[Finding]]:
    """How the labels are read, and how many rows held messages."""
    said = "labels of steps: true = right"
    if seen.numbers:
        said += f"; {seen.numbers:,} are neither true nor false, neither 0 nor 1: right iff above {_BOUNDARY}"
    if not seen.conversations:
        return said, []
    message = f"{seen.conversations:,} cases hold messages: their contents are taken, joined by a blank line"
    return said, [Finding("note", "conversation", message, source)]


def _case(seen: _Seen, fields: Fields) -> dict[str, Any] | None:
    prompt, completions = fields.value.get("prompt"), fields.value.get("completions")
    plain = fields.of(
        {
            "prompt": _plain(prompt),
            "completions": [_plain(part) for part in completions] if isinstance(completions, list) else completions,
        }
    )
    problem = plain.text("prompt", required=True)
    steps = plain.solution("completions")
    if problem is None or steps is None:
        return None
    seen.conversations += plain.value != {"prompt": prompt, "completions": completions}
    return {
        "problem": problem,
        "problem_id": problem_id(problem),
        "steps": steps,
        **gold(_labels(seen, fields, len(steps))),
        **{name: fields.text(name) for name in _TEXTS},
    }


def _plain(value: Any) -> Any:
    """The text of a message, of several or of a message's parts; whatever is none of these as it is."""
    if isinstance(value, str):
        return value
    texts = list(_contents(value))
    return "\n\n".join(texts) if texts and all(isinstance(text, str) for text in texts) else value


def _contents(value: Any) -> Iterator[Any]:
    """The contents of messages, in their order; None for what holds none."""
    for part in value if isinstance(value, list) else [value]:
        content = part.get("content", part.get("text")) if isinstance(part, Mapping) else None
        if isinstance(content, list):
            yield from (one.get("text") if isinstance(one, Mapping) else None for one in content)
        else:
            yield content


def _labels(seen: _Seen, fields: Fields, n_steps: int) -> list[bool | None]:
    """For each step whether it is right; None where that is not said."""
    given = fields.value.get("labels")
    if not isinstance(given, list):
        fields.note("warning", "wrong-type", "labels is not a list; the case has no gold label")
        return [None] * n_steps
    if len(given) != n_steps:
        message = f"{len(given)} labels for {n_steps} steps; the surplus ones count for nothing"
        fields.note("warning", "label-count", message)
    right = [_right(seen, fields, index, label) for index, label in enumerate(given[:n_steps])]
    return right + [None] * (n_steps - len(right))


def _right(seen: _Seen, fields: Fields, index: int, label: Any) -> bool | None:
    if isinstance(label, bool):
        return label
    if isinstance(label, int) or (isinstance(label, float) and not math.isnan(label)):
        seen.numbers += label not in {0, 1}
        return label > _BOUNDARY
    fields.note("warning", "bad-label", f"labels[{index}] is {label!r:.40}, neither true nor false nor a number")
    return None


def _plain_cases(rows: pl.DataFrame, source: str) -> pl.DataFrame:
    wrong = pl.col("labels").list.eval(pl.element().not_().arg_true()).cast(pl.List(pl.Int32))
    return rows.select(
        (pl.lit(row_name(source, "")) + pl.col("number").cast(pl.String)).alias("id"),
        "key",
        "line",
        *_TEXTS,
        pl.col("prompt").alias("problem"),
        pl.Series("problem_id", map(problem_id, rows["prompt"].to_list()), dtype=pl.String),
        pl.col("completions").alias("steps"),
        wrong.list.first().fill_null(-1).alias("earliest_error"),
        wrong.alias("error_steps"),
    )


PLAIN = PlainRows(
    required={"prompt": pl.String(), "completions": pl.List(pl.String()), "labels": pl.List(pl.Boolean())},
    optional=dict.fromkeys(_TEXTS, pl.String()),
    problem="prompt",
    steps="completions",
    cases=_plain_cases,
    plain=pl.col("labels").list.len() == pl.col("completions").list.len(),
)
"""How rows are read where there are very many."""
