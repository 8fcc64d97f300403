"""The notes on the shown cases, by category, and whether further notes still bring new ones."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.render.cells import share
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import counted
from inspector.state.triage.annotations import journal_of
from scoring.data.schema import Ints
from scoring.metrics.saturation import LAST, Saturation, saturation
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet
from scoring.workspace.triage.case_notes import CaseNote, categories, notes
from scoring.workspace.triage.journal import Journal

NOTED = "noted anything on"
"""What nobody has done to these cases where there is no folder for it."""


class GatheredNotes(Struct, frozen=True, eq=False, dict=True):
    """Notes in the order in which they were written, and how many were left out.

    `rows` (n,) are the rows of their cases, -1 of a case that is in no benchmark here. `elsewhere` counts notes on such
    cases that are left out, since not all cases were asked for.
    """

    notes: tuple[CaseNote, ...]
    rows: Ints
    elsewhere: int = 0

    @cached_property
    def by_category(self) -> dict[str, tuple[CaseNote, ...]]:
        """The notes by category, see `scoring.workspace.triage.case_notes.categories`."""
        return categories(self.notes)

    @property
    def names(self) -> tuple[str, ...]:
        """The categories, in that order."""
        return tuple(name for name in self.by_category if name)

    @property
    def people(self) -> tuple[str, ...]:
        """Who wrote them, in alphabetical order."""
        return tuple(sorted({note.who for note in self.notes}))

    @property
    def sorted(self) -> tuple[CaseNote, ...]:
        """The notes that are in a category."""
        return tuple(note for note in self.notes if note.category)

    @cached_property
    def saturation(self) -> Saturation:
        """How categories came, of the sorted notes in the order in which they were written."""
        numbers = {name: number for number, name in enumerate(self.names)}
        return saturation(np.array([numbers[note.category] for note in self.sorted], dtype=np.int64))

    def rows_of(self, category: str) -> Ints:
        """Return the rows of the cases of a category, each once, in file order; "" of the notes in none."""
        chosen = np.array([note.category == category for note in self.notes], dtype=np.bool_)
        return np.unique(self.rows[chosen & (self.rows >= 0)])

    def of(self, who: str) -> "GatheredNotes":
        """Return the notes of one person alone."""
        chosen = np.array([note.who == who for note in self.notes], dtype=np.bool_)
        return GatheredNotes(tuple(note for note in self.notes if note.who == who), self.rows[chosen], self.elsewhere)


def gathered_notes(results: ResultSet) -> GatheredNotes:
    """Gather the notes on the shown cases; where all cases were asked for, also those on cases that have gone since.

    Raises:
        UsageError: there is no folder that could hold notes.
    """
    journal = journal_of(results, NOTED)
    return notes_among(journal, results.cases["case"], results.shown, everything=_all(results.query))


def notes_among(journal: Journal, cases: pl.Series, listed: Ints, *, everything: bool) -> GatheredNotes:
    """Gather the notes on these cases; with `everything` also those a journal knows of cases that `cases` lacks."""
    triage = journal.triage
    named = pl.Series("case", list(dict.fromkeys((*triage.notes, *triage.categories))), dtype=pl.String)
    # Notes are few among perhaps a million cases.
    places = cases.is_in(named.implode()).arg_true()
    where = dict(zip(cases.gather(places), places, strict=True))
    kept = set(listed[np.isin(listed, places.to_numpy())].tolist())
    gone = [case for case in named if case not in where]
    chosen = [case for case in named if where.get(case) in kept] + (gone if everything else [])
    written = notes(journal.of_case, chosen)
    rows = np.array([where.get(note.case, -1) for note in written], dtype=np.int64)
    return GatheredNotes(written, rows, 0 if everything else len(notes(journal.of_case, gone)))


def _all(query: Query) -> bool:
    """Whether all cases of the workspace were asked for."""
    return not (query.benchmarks or query.subsets or query.where or query.slices or query.search)


def saturation_words(gathered: GatheredNotes) -> str:
    """Say in one sentence how many of the last notes brought a new category, and what that says of others."""
    return "; ".join(phrase.forms[0] for phrase in saturation_phrases(gathered))


def saturation_phrases(gathered: GatheredNotes) -> list[Phrase]:
    """Say the same in phrases, for a line of a screen."""
    met = gathered.saturation
    if not met.n:
        return [Phrase((f"no note is in a category yet, of {len(gathered.notes):,}",))]
    new, left = met.new_in_last(), len(gathered.notes) - met.n
    recent = "too few to speak of saturation" if new is None else f"last {LAST} notes: {_categories(new, 'new ')}"
    many, chance = _categories(met.categories), f"{share(met.unseen or 0, 0)}%"
    of_a_new = f"about {chance} of further notes would be of a new one (Good-Turing)"
    forms = of_a_new, f"about {chance} of further notes of a new one", f"Good-Turing {chance}"
    return [
        Phrase((recent,)),
        Phrase((f"{many} in {counted(met.n, 'sorted note')}", many), rank=2),
        *([Phrase(forms, rank=3)] if new is not None else []),
        *([Phrase((f"{counted(left, 'note')} in none", f"{left:,} in none", ""), rank=1)] if left else []),
    ]


def _categories(count: int, kind: str = "") -> str:
    return f"{count:,} {kind}categor{'y' if count == 1 else 'ies'}"


def named_categories(names: Sequence[str], limit: int = 12) -> str:
    """List categories as a sentence does."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return f"{', '.join(names[:limit]) or 'none'}{more}"
