"""What the taxonomy screen says of the category under the cursor, and of its cases, which its numbers open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from rich.cells import cell_len

from inspector.filtering.facet_columns import column_words
from inspector.filtering.filter_words import value_words
from inspector.inspection import Inspection
from inspector.render.lines import CaseLink, Piece, Row, Sheet, paragraph
from inspector.sentences import counted
from inspector.sheets.words import count
from inspector.subject import covering
from inspector.taxonomy.document import judged
from inspector.taxonomy.gathered import Gathered, found_in
from inspector.text import clean, squeezed
from inspector.wrap import wrap
from scoring.filters import Facet
from scoring.metrics.outcome_conditions import tried, wrong
from scoring.step_rewards import Ints
from scoring.triage.notes import Note, in_category

COLUMNS = ("pattern", "error_type", "subset", "generator")
"""By what else the cases of a category are counted, where it is known of any."""
VALUES = 8
"""Values of a column that are told."""
NOTE_LINES = 3
"""Lines of a note that is longer than its line in the list."""
NAME = 24
IN_NONE = "(in none)"


@dataclass(frozen=True, eq=False)
class Theme:
    """One category of the notes on screen, "" those in none, and its cases in the slice of the inspection."""

    inspection: Inspection
    found: Gathered
    category: str
    shown: tuple[Note, ...] = field(default=())

    @cached_property
    def rows(self) -> Ints:
        """The rows of its cases, each once."""
        return self.found.rows_of(self.category)

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """What selects exactly these cases: the category where that does, else the cases by name."""
        if self.category:
            facet = Facet("category", (self.category,), listed=True).sql
            there = self.inspection.slice & self.inspection.selection.passing((facet,))
            if np.array_equal(np.flatnonzero(there), self.rows):
                return (facet,)
        return (Facet("case", tuple(self.inspection.cases["case"].gather(self.rows))).sql,)

    @property
    def words(self) -> str:
        """What it is called."""
        return self.category or IN_NONE

    def drill(self, words: str = "", *where: str, n: int | None = None, scorer: str | None = None) -> CaseLink:
        """Its cases, or those of them that fulfil more conditions."""
        told = f"{self.words}, {words}" if words else f"category {self.words}"
        return CaseLink((*self.conditions, *where), self.rows.size if n is None else n, told, scorer)


def gathered_on(inspection: Inspection) -> Gathered:
    """The notes on the slice of an inspection; none where there is no folder that could hold any."""
    journal = inspection.selection.journal
    if journal is None:
        return Gathered((), np.zeros(0, dtype=np.int64))
    rows = np.flatnonzero(inspection.slice)
    return found_in(journal, inspection.cases["case"], rows, everything=False)


def theme_of(inspection: Inspection, found: Gathered, category: str) -> Theme:
    """A category of these notes."""
    return Theme(inspection, found, category, in_category(found.notes, category))


def taxonomy_sheet(theme: Theme | None, note: Note | None, width: int) -> Sheet:
    """The category under the cursor, and the note under it in full; without notes, how they come to be."""
    if theme is None:
        return Sheet(tuple(paragraph(NOTHING, width)))
    return Sheet((*_note(note, width), *_lines(theme, width)))


NOTHING = (
    "No case here has a note yet. In the list of cases, on a case and in triage a key writes one: the first thing that "
    "went wrong, in your own words. Here notes are then put into categories."
)


def _note(note: Note | None, width: int) -> Iterator[Row]:
    if note is None:
        return
    yield (Piece(squeezed(f"{note.case}, {note.who}, {note.time[:10]}", width), "dim"),)
    lines = wrap(clean(note.text) or "a category without a note", max(20, width))
    for line in lines[:NOTE_LINES]:
        yield (Piece(line),)
    if len(lines) > NOTE_LINES:
        yield (Piece(f"({counted(len(lines) - NOTE_LINES, 'more line')})", "dim"),)


def _lines(theme: Theme, width: int) -> Iterator[Row]:
    n = theme.rows.size
    notes = counted(len(theme.shown), "note")
    head = (Piece(squeezed(theme.words, max(10, width - 24)), "strong"), Piece(f": {notes} on "))
    yield (*head, count(n, theme.drill()), Piece(" case" if n == 1 else " cases"))
    yield from _flow("wrong", list(_wrong(theme)), width)
    frame = theme.inspection.cases
    for column in COLUMNS:
        if column in frame.columns and frame[column].null_count() < frame.height:
            yield from _flow(column_words(column), list(_values(theme, column)), width)


def _wrong(theme: Theme) -> Iterator[Row]:
    """A phrase a scorer: how many of the cases it has wrong, of those it tried; those who tried none in one."""
    inspection, idle = theme.inspection, []
    for name in covering(inspection):
        evaluation = inspection.selection.evaluation(name)
        n_tried, n_wrong = judged(evaluation, theme.rows, inspection.unparsed)
        if not n_tried:
            idle.append(squeezed(name, NAME))
            continue
        failed = theme.drill(f"wrong of {name}", wrong(name, inspection.unparsed), n=n_wrong, scorer=name)
        of = theme.drill(f"tried by {name}", tried(name, inspection.unparsed), n=n_tried, scorer=name)
        yield (
            Piece(f"{squeezed(name, NAME)} "),
            count(n_wrong, failed),
            Piece(" of ", "dim"),
            count(n_tried, of, "dim"),
        )
    if idle:
        yield (Piece(f"tried none: {idle[0] if len(idle) == 1 else counted(len(idle), 'scorer')}", "dim"),)


def _values(theme: Theme, column: str) -> Iterator[Row]:
    """A phrase a value: how many of the cases have it, the most first."""
    values = theme.inspection.cases[column].gather(theme.rows)
    counts = (
        values.to_frame().group_by(column, maintain_order=True).len().sort("len", descending=True, maintain_order=True)
    )
    for value, n in counts.head(VALUES).iter_rows():
        told = clean(value_words(value))
        drill = theme.drill(f"{column_words(column)} {told}", Facet(column, (value,)).sql, n=n)
        yield (Piece(f"{squeezed(told, NAME)} "), count(n, drill))
    if counts.height > VALUES:
        yield (Piece(f"and {counted(counts.height - VALUES, 'other value')}", "dim"),)


def _flow(title: str, phrases: Sequence[Row], width: int) -> Iterator[Row]:
    """Phrases one after the other behind their title, in lines of `width` cells; a phrase is never broken."""
    if not phrases:
        return
    line: list[Piece] = [Piece(f"{title}: ", "dim")]
    at = indent = cell_len(clean(line[0].text))
    for phrase in phrases:
        cells = sum(cell_len(piece.text) for piece in phrase)
        if at > indent and at + cells > width:
            yield tuple(line)
            line, at, indent = [Piece("  ")], 2, 2
        line += [*phrase, Piece("   ")]
        at += cells + 3
    yield tuple(line[:-1])
