"""Stepwise supervision as TRL's PRM trainer reads it: `prompt, completions[], labels[]`, a label a completion.

A label is true where the step is right. Numbers are taken as well: a step is right iff its number is above 0.5, so
that 0 and -1 are wrong. Messages in place of texts stand for their contents. The format has no ids: a case is called
after its file and row.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import polars as pl

from scoring.formats.benchmarks.case_format import CaseFormat, ReadSource, labelled, problem_ids, warn_where
from scoring.formats.reading.fields import SOME, Fields, Layout, as_made, read_by, text
from scoring.formats.reading.findings import Finding

NAME = "stepwise"

_BOUNDARY = 0.5
_TEXTS = ("generator", "subset", "origin")


def recognises(row: Any) -> bool:
    """Return whether a row has a prompt, completions and a label for each."""
    return isinstance(row, Mapping) and {"prompt", "completions", "labels"} <= row.keys()


def _plain(value: Any) -> Any:
    """The text of a message, of several or of a message's parts; whatever is none of these as it is."""
    if isinstance(value, str):
        return value
    texts = list(_contents(value))
    return "\n\n".join(texts) if texts and all(isinstance(text, str) for text in texts) else value


def _contents(value: Any) -> Iterator[Any]:
    for part in value if isinstance(value, list) else [value]:
        content = part.get("content", part.get("text")) if isinstance(part, Mapping) else None
        if isinstance(content, list):
            yield from (element.get("text") if isinstance(element, Mapping) else None for element in content)
        else:
            yield content


def _labels(fields: Fields, name: str) -> list[bool | None] | None:
    labels = fields.value.get(name)
    if not isinstance(labels, list):
        fields.note("warning", "wrong-type", f"{name} is not a list; the case has no gold label")
        return None
    return [_right(fields, index, label) for index, label in enumerate(labels)]


def _right(fields: Fields, index: int, label: Any) -> bool | None:
    if isinstance(label, bool):
        return label
    if _is_number(label):
        return bool(label > _BOUNDARY)
    if index < len(fields.value["completions"]):
        fields.note("warning", "bad-label", f"labels[{index}] is {label!r:.40}, neither true nor false nor a number")
    return None


def _odd_numbers(fields: Fields, _: str) -> int:
    labels, steps = fields.value.get("labels"), fields.value["completions"]
    counted = labels[: len(steps)] if isinstance(labels, list) else []
    return sum(_is_number(label) and label not in {0, 1} for label in counted)


def _is_number(label: Any) -> bool:
    return type(label) is int or (isinstance(label, float) and not math.isnan(label))


def _prompt(fields: Fields, name: str) -> str | None:
    return fields.of({name: _plain(fields.value.get(name))}).text(name, required=True)


def _completions(fields: Fields, name: str) -> list[str] | None:
    steps = fields.value.get(name)
    return fields.of({name: [_plain(part) for part in steps] if isinstance(steps, list) else steps}).solution(name)


def _holds_messages(fields: Fields, _: str) -> bool:
    return not all(isinstance(text, str) for text in (fields.value["prompt"], *fields.value["completions"]))


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    words = "labels of steps: true = right"
    if numbers := read.tallies["numbers"]:
        words += f"; {numbers:,} are neither true nor false, neither 0 nor 1: right iff above {_BOUNDARY}"
    if not (conversations := read.tallies["conversations"]):
        return words, read.findings
    message = f"{conversations:,} cases hold messages: their contents are taken, joined by a blank line"
    return words, [*read.findings, Finding("note", "conversation", message, read.source)]


_STEPS = pl.col("completions").list.len()
_EARLIEST, _ERRORS = labelled(pl.col("labels"), _STEPS)
_MESSAGES, _NUMBERS = "(messages)", "(numbers)"
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "prompt": read_by(pl.String(), _prompt, str, needed=True, required=True),
            "completions": read_by(
                pl.List(pl.String()), _completions, Annotated[list[str], SOME], needed=True, required=True, steps=True
            ),
            "labels": read_by(pl.List(pl.Boolean()), _labels, list[bool], needed=True),
            **{name: text() for name in _TEXTS},
            _MESSAGES: as_made(pl.Boolean(), _holds_messages),
            _NUMBERS: as_made(pl.Int64(), _odd_numbers),
        },
        content=("prompt", "completions"),
        name=Fields.row_name,
    ),
    columns={
        **{name: pl.col(name) for name in _TEXTS},
        "problem_id": problem_ids("prompt"),
        "earliest_error": _EARLIEST,
        "error_steps": _ERRORS,
    },
    checks=(
        warn_where(
            "label-count",
            pl.col("labels").list.len() != _STEPS,
            "{} labels for {} steps; the surplus ones count for nothing",
            pl.col("labels").list.len(),
            _STEPS,
        ),
    ),
    tallies={"numbers": pl.col(_NUMBERS).sum(), "conversations": pl.col(_MESSAGES).sum()},
    conclude=_concluded,
)
load = FORMAT.load
