"""Putting notes into categories, and giving categories other names; each is undone as one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.screens.category import CategoryDialog
from inspector.screens.tagging import Tagging
from inspector.screens.words import WordsDialog
from inspector.sentences import counted
from inspector.triage.categories import Changed, put, rename, typed_category
from inspector.triage.notes import GatheredNotes, notes_among
from scoring.errors import UsageError
from scoring.triage.words import Note

if TYPE_CHECKING:
    from inspector.triage.category_cases import CategoryCases

NO_NOTE = "There is no note here."
Key = tuple[str, str]
"""(case, who): which note."""


class Sorting(Tagging):
    """A screen of notes: those that it shows (`notes`), the category that is looked at, and ticked ones."""

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self.notes: GatheredNotes | None = None
        self.category: CategoryCases | None = None
        self.ticked: frozenset[Key] = frozenset()

    @property
    def chosen(self) -> tuple[Note, ...]:
        """What a category is asked for."""
        raise NotImplementedError

    def settle(self) -> None:
        """Look at the category under the cursor: a key may come before the message that the cursor has moved."""
        raise NotImplementedError

    def follow(self, category: str) -> None:
        """Go where the notes of a category stand, if it is there."""
        raise NotImplementedError

    def action_put(self) -> None:
        """Ask for the category of what is chosen."""
        chosen, journal = self.chosen, self._journal()
        if journal is None or self.notes is None:
            return
        if not chosen:
            self.say(NO_NOTE)
            return
        own = [one for one in chosen if one.who == journal.author.who]
        if not own:
            self.say(f"This is no note of yours ({journal.author.who}): a category is its author's word.")
            return
        present = {name: len(notes) for name, notes in self.notes.by_category.items() if name}
        others = len(chosen) - len(own)
        stay = f" ({counted(others, 'note')} of others {'stays' if others == 1 else 'stay'})" if others else ""
        title = f"Put {counted(len(own), 'note')} into{stay}"
        dialog = CategoryDialog(title, present, out=any(one.category for one in own))
        self.app.push_screen(dialog, partial(self._put, own))

    def _put(self, chosen: Sequence[Note], category: str | None) -> None:
        journal = self._journal()
        if category is not None and journal is not None:
            self._do(lambda: put(chosen, journal.author.who, category))

    def action_rename(self) -> None:
        """Ask for another name of the category under the cursor."""
        journal = self._journal()
        if journal is None:
            return
        self.settle()
        if self.category is None or not self.category.name:
            self.say("There is no category here to rename.")
            return
        category = self.category.name
        dialog = WordsDialog(f"Rename {category}", category, "another name")
        self.app.push_screen(dialog, partial(self._rename, category))

    def _rename(self, category: str, typed: str | None) -> None:
        journal, inspection = self._journal(), self.inspection
        if typed is None or journal is None or inspection is None:
            return
        # The name is told of by everybody's notes, whosever are shown.
        if self._do(lambda: rename(notes_shown(inspection), journal.author.who, category, typed)):
            self.follow(typed_category(typed, self.notes.names if self.notes else ()))

    def _do(self, make: Callable[[], Changed]) -> bool:
        """Write what is to be changed, and whether there was anything; ticks have done their work then."""
        journal = self._journal()
        if journal is None:
            return False
        try:
            changed = make()
        except UsageError as error:
            self.say(f"{error.sentence[:1].upper()}{error.sentence[1:]} {error.next_step}".rstrip())
            return False
        if not changed.changes:
            self.say(changed.words)
            return False

        def act() -> None:
            journal.do(changed.changes)
            self.ticked = frozenset()

        self._write(act, f"{changed.words}; {self.keys.of('undo')} undoes it.")
        return True


def notes_shown(inspection: Inspection) -> GatheredNotes:
    """Gather the notes on the slice of an inspection; none where there is no folder that could hold any."""
    journal = inspection.selection.journal
    if journal is None:
        return GatheredNotes((), np.zeros(0, dtype=np.int64))
    rows = np.flatnonzero(inspection.slice)
    return notes_among(journal, inspection.cases["case"], rows, everything=False)
