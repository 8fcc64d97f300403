"""The notes on the shown cases, by category, and whether further notes still bring new ones."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.phrases import Phrase
from inspector.render.cells import share
from inspector.request import Request
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.triage.annotations import journal_of
from scoring.metrics.people import LAST, Saturation, saturation
from scoring.step_rewards import Ints
from scoring.triage.journal import Journal
from scoring.triage.words import Note, categories, notes

NOTED = "noted anything on"
"""What nobody has done to these cases where there is no folder for it."""


class GatheredNotes(Struct, frozen=True, eq=False, dict=True):
    """Notes in the order in which they were written, and how many were left out.

    `rows` (n,) are the rows of their cases, -1 of a case that is in no benchmark here. `elsewhere` counts notes on such
    cases that are left out, since not all cases were asked for.
    """

    notes: tuple[Note, ...]
    rows: Ints
    elsewhere: int = 0

    @cached_property
    def by_category(self) -> dict[str, tuple[Note, ...]]:
        """The notes by category, see `scoring.triage.words.categories`."""
        return categories(self.notes)

    @property
    def names(self) -> tuple[str, ...]:
        """The categories, in that order."""
        return tuple(name for name in self.by_category if name)

    @property
    def people(self) -> tuple[str, ...]:
        """Who wrote them, in alphabetical order."""
        return tuple(sorted({one.who for one in self.notes}))

    @property
    def sorted(self) -> tuple[Note, ...]:
        """The notes that are in a category."""
        return tuple(one for one in self.notes if one.category)

    @cached_property
    def saturation(self) -> Saturation:
        """How categories came, of the sorted notes in the order in which they were written."""
        numbers = {name: number for number, name in enumerate(self.names)}
        return saturation(np.array([numbers[one.category] for one in self.sorted], dtype=np.int64))

    def rows_of(self, category: str) -> Ints:
        """The rows of the cases of a category, each once, in file order; "" of the notes in none."""
        chosen = np.array([one.category == category for one in self.notes], dtype=np.bool_)
        return np.unique(self.rows[chosen & (self.rows >= 0)])

    def of(self, who: str) -> "GatheredNotes":
        """The notes of one person alone."""
        chosen = np.array([one.who == who for one in self.notes], dtype=np.bool_)
        return GatheredNotes(tuple(one for one in self.notes if one.who == who), self.rows[chosen], self.elsewhere)


def gathered_notes(selection: Selection) -> GatheredNotes:
    """Gather the notes on the shown cases; where all cases were asked for, also those on cases that have gone since.

    Raises:
        UsageError: there is no folder that could hold notes.
    """
    journal = journal_of(selection, NOTED)
    return notes_among(journal, selection.cases["case"], selection.shown, everything=_all(selection.request))


def notes_among(journal: Journal, cases: pl.Series, shown: Ints, *, everything: bool) -> GatheredNotes:
    """Gather those on these cases; with `everything` also of those that a journal knows and `cases` does not hold."""
    triage = journal.triage
    named = pl.Series("case", list(dict.fromkeys((*triage.notes, *triage.categories))), dtype=pl.String)
    # Notes are few among perhaps a million cases.
    places = cases.is_in(named.implode()).arg_true()
    where = dict(zip(cases.gather(places), places, strict=True))
    kept = set(shown[np.isin(shown, places.to_numpy())].tolist())
    gone = [case for case in named if case not in where]
    chosen = [case for case in named if where.get(case) in kept] + (gone if everything else [])
    written = notes(journal.of_case, chosen)
    rows = np.array([where.get(one.case, -1) for one in written], dtype=np.int64)
    return GatheredNotes(written, rows, 0 if everything else len(notes(journal.of_case, gone)))


def _all(request: Request) -> bool:
    """Whether all cases of the workspace were asked for."""
    return not (request.benchmarks or request.subsets or request.where or request.slices or request.search)


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
