"""What of a table can be read in two ways: which way was taken, and what to say for the other.

A reading that only a person can decide is never taken without a word: it is a note of the import, and on a terminal a
question.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.tables.cells import at, listed, number, steps, text
from scoring.tables.column_guess import may_be_solutions, sampled, settles
from scoring.tables.column_mapping import ColumnMapping
from scoring.tables.table import gold_base

_BREAK = "\n"


@dataclass(frozen=True)
class Choice:
    """One way to read something: in words, with the flags that state it and what they state."""

    words: str
    flags: str
    states: ColumnMapping


@dataclass(frozen=True)
class Reading:
    """Something that can be read in several ways.

    Attributes:
        question: What is to be decided, as a question.
        choices: The ways, at least two; the first one is taken where nobody says anything.
        told: Whether a finding of the reader says it already.
    """

    question: str
    choices: tuple[Choice, ...]
    told: bool = False

    def finding(self, source: str) -> Finding:
        """Say which way was taken, and the flags for the others."""
        taken, *others = self.choices
        instead = "; ".join(f"{other.flags} = {other.words}" for other in others)
        return Finding("note", "two-readings", f"{taken.words} was assumed; {instead}", source)


def readings(
    rows: Rows, mapping: ColumnMapping, stated: ColumnMapping | None = None, *, told: bool = True
) -> tuple[Reading, ...]:
    """Everything in a table that the mapping reads in one of several ways, and that nobody decided.

    Args:
        rows: the table's; all of them are read where labels have to show what they count from.
        mapping: which of its columns is what.
        stated: what of it a person said.
        told: whether also those are wanted of which a finding of the reader tells.
    """
    stated = stated or ColumnMapping()
    sample = sampled(rows)
    found: list[Reading] = []
    if mapping.steps is not None and mapping.problem is not None and mapping.step is None:
        if stated.separator is None:
            found += _separators(sample, mapping)
        if stated.steps is None:
            found += _solutions(sample, mapping)
        if told and (mapping.earliest_error is not None or mapping.error_steps is not None):
            found += _bases(rows, sample, mapping)
        if told and mapping.step_labels is not None and mapping.wrong_below is None:
            found += _ratings(sample, mapping)
    return tuple(found)


def _separators(sample: list[Mapping[str, Any]], mapping: ColumnMapping) -> Iterator[Reading]:
    """One text of steps can be split at blank lines or at every line break, unless labels or rewards show which."""
    assert mapping.steps is not None  # noqa: S101  # whoever asks knows it
    cells = [at(value, mapping.steps) for value in sample]
    texts = [cell for cell in cells if isinstance(cell, str) and isinstance(listed(cell), str)]
    if mapping.separator not in {None, _BREAK} or settles(sample, mapping):
        return
    differing = sum(_filled(cell, None) != _filled(cell, _BREAK) for cell in texts)
    if not differing:
        return
    ways = (
        Choice(
            "one step a paragraph (a blank line between two)", r"--separator '\n\n'", ColumnMapping(separator="\n\n")
        ),
        Choice("one step a line", r"--separator '\n'", ColumnMapping(separator=_BREAK)),
    )
    taken = ways if mapping.separator is None else ways[::-1]
    yield Reading(f"What is a step in the column {mapping.steps!r}?", taken)


def _filled(cell: str, separator: str | None) -> list[str]:
    """The parts of a text that are not blank."""
    return [part.strip() for part in steps(cell, separator)[0] if part.strip()]


def _solutions(sample: list[Mapping[str, Any]], mapping: ColumnMapping) -> Iterator[Reading]:
    """A column of texts in several parts may be the solution that was judged, or a reference."""
    for column in may_be_solutions(sample, mapping):
        taken = Choice(
            f"solutions in {mapping.steps!r}", f"--steps {mapping.steps}", ColumnMapping(steps=mapping.steps)
        )
        other = Choice(f"solutions in {column!r}", f"--steps {column}", ColumnMapping(steps=column))
        yield Reading("Which column holds the solutions that were judged?", (taken, other))


def _bases(rows: Rows, sample: list[Mapping[str, Any]], mapping: ColumnMapping) -> Iterator[Reading]:
    base = gold_base(rows, mapping)
    if mapping.label_base is not None or base.finding is None:
        return
    column = mapping.earliest_error or mapping.error_steps
    zero = Choice("labels counted from 0", "--label-base 0", ColumnMapping(label_base=0))
    one = Choice("labels counted from 1", "--label-base 1", ColumnMapping(label_base=1))
    cells = [cell for value in sample for cell in _each(at(value, column or ""))]
    if mapping.earliest_error is not None and any(text(cell) == "0" for cell in cells):
        states = ColumnMapping(label_base=1, clean="0")
        one = Choice("labels counted from 1, and 0 where no step is wrong", "--label-base 1 --clean 0", states)
    yield Reading(f"What does the column {column!r} call the first step?", (zero, one), told=True)


def _each(cell: Any) -> list[Any]:
    found = listed(cell)
    return found if isinstance(found, list) else [found]


def _ratings(sample: list[Mapping[str, Any]], mapping: ColumnMapping) -> Iterator[Reading]:
    cells = [listed(at(value, mapping.step_labels or "")) for value in sample]
    ratings = [number(part) for cell in cells if isinstance(cell, list) for part in cell if not isinstance(part, bool)]
    numbers = [rating for rating in ratings if isinstance(rating, float)]
    if any(rating < 0 for rating in numbers) and 0 in numbers:
        wrong = Choice("a rating of 0 as wrong", "--wrong-below 0.5", ColumnMapping(wrong_below=0.5))
        right = Choice("a rating of 0 as right", "--wrong-below 0", ColumnMapping(wrong_below=0.0))
        yield Reading("Some ratings are below 0 and others 0: what is a rating of 0?", (wrong, right), told=True)
