"""What can be read in several ways in a table, and gold labels that were not read.

A reading that only a person can decide is never taken silently: it is a finding of the import, and on a terminal a
question.
"""

import shlex
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from scoring.data.errors import InputError
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.label_checks import outcome_finding, unfit_labels_finding, unread_labels_finding
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.cell_kinds import is_index, is_whole_index
from scoring.formats.tables.cell_values import listed, number, steps
from scoring.formats.tables.column_guess import COLUMN_NAMES, GENERIC_INDICES, GENERIC_LABELS, GOLD_FIELDS, TableSample
from scoring.formats.tables.column_mapping import ColumnMapping, guessed_worse
from scoring.formats.tables.gold_labels import read_gold


def refuse_undirected_labels(rows: Rows, mapping: ColumnMapping) -> None:
    """Refuse to guess which flags mean wrong, where only a column's name says that true does.

    Raises:
        InputError: no column of gold labels is named, and one holds such flags.
    """
    if _has_gold(mapping) or (column := TableSample(rows).wrong_flags(mapping)) is None:
        return
    stated = f"--step-labels {shlex.quote(column)}"
    raise InputError(
        f"{printable(column)!r} holds one flag per step, and its name says that true means wrong.",
        f"State it with {stated} --wrong true.",
        instead=[(f"{stated} --wrong true", "true means wrong"), (f"{stated} --wrong false", "true means right")],
    )


def untaken_labels(rows: Rows, mapping: ColumnMapping) -> Iterator[Finding]:
    """Warn of columns that are called like gold labels and were not taken, where no gold label was found."""
    if _has_gold(mapping) or mapping.steps is None:
        return
    table = TableSample(rows)
    named = {column for _, column in mapping.named}
    free = {name: column for name, column in table.columns.items() if column not in named and table.held(column)}
    for name in (name for name in COLUMN_NAMES["earliest_error"].split() if name in free):
        column, column_name = free[name], printable(free[name])
        held = table.held(column)
        indices = [cell for cell in held if is_whole_index(cell)]
        if table.is_binary(column):
            if mapping.final_answer_correct is None:
                yield outcome_finding(rows.source, column_name)
        elif name not in GENERIC_INDICES or (indices and 2 * len(indices) >= len(held)):
            odd = [cell for cell in held if not is_index(cell)] or [cell for cell in held if not is_whole_index(cell)]
            words = Counter(printable(str(cell).strip().lower()[:40]) for cell in odd)
            flags = f"--earliest-error {shlex.quote(column)} --clean WORD"
            yield unread_labels_finding(rows.source, column_name, words, flags)
    for name in (name for field in GOLD_FIELDS[1:] for name in COLUMN_NAMES[field].split() if name in free):
        column = free[name]
        texts = [cell for cell in table.held(column) if isinstance(cell, str) and cell.lstrip().startswith("[")]
        if name not in GENERIC_LABELS or table.is_per_step(column, mapping) or 2 * len(texts) > len(table.held(column)):
            yield unfit_labels_finding(rows.source, printable(column))


def _has_gold(mapping: ColumnMapping) -> bool:
    return any(getattr(mapping, name) is not None for name in GOLD_FIELDS)


class Choice(Struct, frozen=True):
    """One way to read something: in words, with the flags that state it and what they state."""

    words: str
    flags: str
    states: ColumnMapping


class ColumnReading(Struct, frozen=True):
    """Something that can be read in several ways.

    Attributes:
        question: What is to be decided, as a question.
        choices: The ways, at least two; the first one is taken where nobody says anything.
        already_reported: Whether a finding of the reader says it already.
        is_required: Whether an import is refused where nobody decides.
    """

    question: str
    choices: tuple[Choice, ...]
    already_reported: bool = False
    is_required: bool = False

    def finding(self, source: str) -> Finding:
        """Return which way was taken, and the flags for the others."""
        taken, *others = self.choices
        instead = "; ".join(f"{other.flags} = {other.words}" for other in others)
        return Finding("note", "two-readings", f"{taken.words} was assumed; {instead}", source)


def readings(
    rows: Rows, mapping: ColumnMapping, stated: ColumnMapping | None = None, *, with_findings: bool = True
) -> tuple[ColumnReading, ...]:
    """Find all columns and cells that the mapping reads in one of several ways, where nobody decided.

    Args:
        rows: the table's; all of them are read where labels have to show what they count from.
        mapping: which of its columns is what.
        stated: what of it a person said.
        with_findings: whether readings are wanted that a finding of the reader reports too.
    """
    stated = stated or ColumnMapping()
    several = list(_directions(mapping, stated)) if with_findings else []
    if mapping.steps is None or mapping.problem is None or mapping.step is not None:
        return tuple(several)
    table = TableSample(rows)
    if stated.separator is None:
        several += _separators(table, mapping, mapping.steps)
    if stated.steps is None:
        several += _other_solutions(table, mapping.steps)
    if with_findings and (mapping.earliest_error is not None or mapping.error_steps is not None):
        several += _bases(rows, mapping)
    if with_findings and mapping.step_labels is not None and mapping.wrong_below is None:
        several += _ratings(table, mapping.step_labels)
    return tuple(several)


def _directions(mapping: ColumnMapping, stated: ColumnMapping) -> Iterator[ColumnReading]:
    for column in guessed_worse(mapping, stated)[:1]:
        worse = Choice(
            "it means worse: each reward is 1 - value", "--higher-is worse", ColumnMapping(higher_is="worse")
        )
        better = Choice("it means better", "--higher-is better", ColumnMapping(higher_is="better"))
        question = f"What does a higher value in the column {column!r} mean?"
        yield ColumnReading(question, (worse, better), is_required=True)


def _separators(table: TableSample, mapping: ColumnMapping, column: str) -> Iterator[ColumnReading]:
    counts = table.counts(table.columns, mapping)
    if mapping.separator not in {None, "\n"} or table.confirmed(column, counts, mapping.separator):
        return
    texts = [cell for cell in table.cells(column) if isinstance(cell, str) and isinstance(listed(cell), str)]
    if all(_filled(cell, None) == _filled(cell, "\n") for cell in texts):
        return
    paragraphs = "one step a paragraph (a blank line between two)"
    ways = (
        Choice(paragraphs, r"--separator '\n\n'", ColumnMapping(separator="\n\n")),
        Choice("one step a line", r"--separator '\n'", ColumnMapping(separator="\n")),
    )
    yield ColumnReading(f"What is a step in the column {column!r}?", ways if mapping.separator is None else ways[::-1])


def _filled(cell: str, separator: str | None) -> list[str]:
    return [part.strip() for part in steps(cell, separator)[0] if part.strip()]


def _other_solutions(table: TableSample, column: str) -> Iterator[ColumnReading]:
    others = [table.columns[name] for name in COLUMN_NAMES["steps"].split() if name in table.columns]
    for other in others:
        if other != column and table.is_solutions(other) and table.divided(other):
            ways = [
                Choice(f"solutions in {name!r}", f"--steps {name}", ColumnMapping(steps=name))
                for name in (column, other)
            ]
            yield ColumnReading("Which column holds the solutions that were judged?", tuple(ways))


def _bases(rows: Rows, mapping: ColumnMapping) -> Iterator[ColumnReading]:
    gold = read_gold(rows, mapping)
    if mapping.label_base is not None:
        return
    column = mapping.earliest_error or mapping.error_steps or ""
    zero = Choice("labels counted from 0", "--label-base 0", ColumnMapping(label_base=0))
    first = Choice("labels counted from 1", "--label-base 1", ColumnMapping(label_base=1))
    at_end = Choice(
        "labels counted from 0, and the number of steps where no step is wrong",
        "--label-base 0 --clean steps",
        ColumnMapping(label_base=0, clean="steps"),
    )
    at_zero = Choice(
        "labels counted from 1, and 0 where no step is wrong",
        "--label-base 1 --clean 0",
        ColumnMapping(label_base=1, clean="0"),
    )
    choices: tuple[Choice, ...] = ()
    inferred = gold.mapping.clean if mapping.clean is None else None
    if gold.is_unclear:
        choices = (Choice("the labels are not used", "no flag", ColumnMapping()), at_end, at_zero)
    elif inferred == "0":
        choices = (at_zero, at_end)
    elif inferred == "steps" and not gold.base.base:
        choices = (at_end, at_zero)
    elif gold.base.finding is not None:
        has_zeros = mapping.earliest_error is not None and gold.base.zeros
        choices = (zero, at_zero if has_zeros else first)
    if choices:
        question = f"What does the column {column!r} call the first step?"
        yield ColumnReading(question, choices, already_reported=True)


def _ratings(table: TableSample, column: str) -> Iterator[ColumnReading]:
    cells = [cell for cell in map(listed, table.cells(column)) if isinstance(cell, list)]
    ratings = [number(part) for cell in cells for part in cell if not isinstance(part, bool)]
    numbers = [rating for rating in ratings if isinstance(rating, float)]
    if any(rating < 0 for rating in numbers) and 0 in numbers:
        right = Choice("a rating of 0 as right", "--wrong-below 0", ColumnMapping(wrong_below=0.0))
        wrong = Choice("a rating of 0 as wrong", "--wrong-below 0.5", ColumnMapping(wrong_below=0.5))
        yield ColumnReading(
            "Some ratings are below 0 and others 0: what is a rating of 0?", (right, wrong), already_reported=True
        )
