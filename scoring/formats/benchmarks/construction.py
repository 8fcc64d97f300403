"""The rules by which the benchmarks were made, held against the cases: what breaks one deserves a look.

ProcessBench's authors discarded solutions with a wrong final answer in which annotators found no error (paper, section
3); in PRMBench's and Socratic-PRMBench's layout the wrong steps are among those that were modified, so that a solution
with one differs from its original. Everywhere a label names a step that is there, and equal contents have equal labels.
"""

from collections.abc import Iterator
from typing import Any

import polars as pl
from msgspec import Struct

from scoring.formats.reading.findings import Finding, some_of

RULES = {
    "wrong-answer-clean": "the final answer is wrong, yet no step is labelled wrong",
    "unmodified-error": "a step is labelled wrong that was not modified",
    "label-beyond-end": "a step is labelled wrong that is beyond the last",
    "no-error-in-range": "steps are labelled wrong, and none of them is there",
    "unchanged-process": "steps are labelled wrong, yet all are as in the original",
    "other-label": "another case has the same problem and steps, and another gold label",
}
"""Code -> what breaks the rule. What is noted of it while a file is read has the same code."""
OF_TEXTS = ("steps", "original_steps", "modified_steps")
"""The columns of `scoring.data.schema.TEXTS` that the rules read."""
_NAMED = 3
"""Cases of equal content that are named."""

Label = tuple[int | None, tuple[int, ...] | None]
"""Earliest error and error steps."""


class Broken(Struct, frozen=True):
    """A rule that a case breaks: the case's row (0-based), the rule's code, what is wrong. Steps are 0-based."""

    row: int
    code: str
    words: str


def broken_rules(cases: pl.DataFrame) -> list[Finding]:
    """Warn of each rule that a case breaks, of the two that nothing notes while a file is read.

    Null labels break nothing. Steps are named 0-based, as in the frame.

    Args:
        cases: the columns of `scoring.data.schema.CASES`.
    """
    places = cases.select("source", "line", "id")
    breaks = (*_wrong_answers_without_error(cases), *_errors_in_unmodified_steps(cases))
    return [Finding("warning", broken.code, broken.words, *places.row(broken.row)) for broken in breaks]


def broken_by_case(cases: pl.DataFrame) -> dict[int, tuple[Broken, ...]]:
    """Find the rules that cases break, by row, ascending; of one case in the order of RULES.

    Args:
        cases: all cases of one benchmark, with the columns of `scoring.data.schema.METADATA` and OF_TEXTS. Null labels
            and null texts break nothing.
    """
    by_row: dict[int, list[Broken]] = {}
    for rule in _IN_ORDER:
        for broken in rule(cases):
            by_row.setdefault(broken.row, []).append(broken)
    return {row: tuple(by_row[row]) for row in sorted(by_row)}


def _plain(cases: pl.DataFrame, code: str, condition: pl.Expr) -> Iterator[Broken]:
    return (Broken(row, code, RULES[code]) for (row,) in _where(cases, condition))


def _wrong_answers_without_error(cases: pl.DataFrame) -> Iterator[Broken]:
    return _plain(cases, "wrong-answer-clean", ~pl.col("final_answer_correct") & (pl.col("earliest_error") == -1))


def _errors_in_unmodified_steps(cases: pl.DataFrame) -> Iterator[Broken]:
    outside = pl.col("error_steps").list.set_difference("modified_steps").list.sort()
    for row, steps in _where(cases, outside.list.len() > 0, outside):
        yield Broken(row, "unmodified-error", f"steps {steps} are labelled wrong, not modified")


def _labels_beyond_the_end(cases: pl.DataFrame) -> Iterator[Broken]:
    labels = pl.coalesce("error_steps", pl.concat_list("earliest_error")).list.drop_nulls()
    beyond = pl.col("n_steps") <= labels.list.max()
    for row, steps, n_steps in _where(cases, beyond, labels, pl.col("n_steps")):
        there = f"beyond the last step ({n_steps - 1})" if n_steps else "not there, as no step is"
        named = [step for step in steps if step >= n_steps]
        yield Broken(row, "label-beyond-end", f"steps {named} are labelled wrong and {there}")


def _no_errors_in_range(cases: pl.DataFrame) -> Iterator[Broken]:
    named = pl.col("error_steps").list.len() > 0
    return _plain(cases, "no-error-in-range", named & pl.col("earliest_error").is_null())


def _unchanged_processes(cases: pl.DataFrame) -> Iterator[Broken]:
    wrong = (pl.col("error_steps").list.len() > 0).fill_null(value=False) | (pl.col("earliest_error") >= 0)
    return _plain(cases, "unchanged-process", wrong & (pl.col("steps") == pl.col("original_steps")))


def _other_labels(cases: pl.DataFrame) -> Iterator[Broken]:
    """The cases of equal content whose labels differ in what both of them say."""
    labelled = pl.col("earliest_error").is_not_null() | pl.col("error_steps").is_not_null()
    named = cases.select("key", "case", "earliest_error", "error_steps", _labelled=labelled).with_row_index("_row")
    alike = named.filter("_labelled").filter(pl.col("key").is_duplicated())
    for _, group in alike.group_by("key", maintain_order=True):
        by_label: dict[Label, list[tuple[int, str]]] = {}
        for row, case, earliest, steps in group.select("_row", "case", "earliest_error", "error_steps").iter_rows():
            by_label.setdefault((earliest, None if steps is None else tuple(steps)), []).append((row, case))
        for label, members in by_label.items():
            differing = [other for other in by_label if _differ(label, other)]
            others = [f"{case} ({_label(other)})" for other in differing for _, case in by_label[other]]
            if others:
                words = f"the same problem and steps have another gold label in {some_of(others, _NAMED)}"
                yield from (Broken(row, "other-label", words) for row, _ in members)


def _differ(label: Label, other: Label) -> bool:
    # Null contradicts nothing.
    return any(left != right for left, right in zip(label, other, strict=True) if None not in (left, right))


def _label(label: Label) -> str:
    earliest, steps = label
    if steps:
        return f"steps {list(steps)}"
    return "no wrong step" if earliest in {None, -1} else f"step {earliest}"


def _where(cases: pl.DataFrame, condition: pl.Expr, *columns: pl.Expr) -> Iterator[tuple[Any, ...]]:
    """The number of every row that fulfils a condition, with what else is asked of it; null does not fulfil it."""
    named = {f"_{number}": column for number, column in enumerate(columns)}
    selected = cases.select(_condition=condition, **named).with_row_index("_row")
    yield from selected.filter("_condition").drop("_condition").iter_rows()


_IN_ORDER = (
    _wrong_answers_without_error,
    _errors_in_unmodified_steps,
    _labels_beyond_the_end,
    _no_errors_in_range,
    _unchanged_processes,
    _other_labels,
)
"""What finds the breaks of each of RULES, in their order."""
