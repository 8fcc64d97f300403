"""Putting notes into categories, and giving categories other names; each is undone as one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from inspector.inspection import Inspection
from inspector.screens.controller import Controller
from inspector.screens.note_lists import CategoryDialog
from inspector.screens.words import WordsDialog
from inspector.sentences import counted
from inspector.triage.categories import Changed, put, rename, typed_category
from inspector.triage.notes import GatheredNotes, notes_among
from scoring.errors import UsageError
from scoring.triage.words import Note

if TYPE_CHECKING:
    from inspector.screens.taxonomy import TaxonomyScreen

NO_NOTE = "There is no note here."


class Sorting(Controller):
    """Puts the notes that are chosen on the taxonomy screen into categories, and renames categories."""

    screen: "TaxonomyScreen"

    def action_put(self) -> None:
        """Ask for the category of what is chosen."""
        chosen, journal = self.screen.chosen, self.screen.tagging.journal()
        if journal is None or self.screen.notes is None:
            return
        if not chosen:
            self.screen.say(NO_NOTE)
            return
        own = [one for one in chosen if one.who == journal.author.who]
        if not own:
            self.screen.say(f"This is no note of yours ({journal.author.who}): a category is its author's word.")
            return
        present = {name: len(notes) for name, notes in self.screen.notes.by_category.items() if name}
        others = len(chosen) - len(own)
        stay = f" ({counted(others, 'note')} of others {'stays' if others == 1 else 'stay'})" if others else ""
        title = f"Put {counted(len(own), 'note')} into{stay}"
        dialog = CategoryDialog(title, present, out=any(one.category for one in own))
        self.screen.app.push_screen(dialog, partial(self._put, own))

    def _put(self, chosen: Sequence[Note], category: str | None) -> None:
        journal = self.screen.tagging.journal()
        if category is not None and journal is not None:
            self._do(lambda: put(chosen, journal.author.who, category))

    def action_rename(self) -> None:
        """Ask for another name of the category under the cursor."""
        journal = self.screen.tagging.journal()
        if journal is None:
            return
        self.screen.settle()
        if self.screen.category is None or not self.screen.category.name:
            self.screen.say("There is no category here to rename.")
            return
        category = self.screen.category.name
        dialog = WordsDialog(f"Rename {category}", category, "another name")
        self.screen.app.push_screen(dialog, partial(self._rename, category))

    def _rename(self, category: str, typed: str | None) -> None:
        journal, inspection = self.screen.tagging.journal(), self.inspection
        if typed is None or journal is None or inspection is None:
            return
        # The name is told of by everybody's notes, whosever are shown.
        if self._do(lambda: rename(notes_shown(inspection), journal.author.who, category, typed)):
            self.screen.follow(typed_category(typed, self.screen.notes.names if self.screen.notes else ()))

    def _do(self, make: Callable[[], Changed]) -> bool:
        """Write what is to be changed, and whether there was anything; ticks have done their work then."""
        journal = self.screen.tagging.journal()
        if journal is None:
            return False
        try:
            changed = make()
        except UsageError as error:
            self.screen.say(f"{error.sentence[:1].upper()}{error.sentence[1:]} {error.next_step}".rstrip())
            return False
        if not changed.changes:
            self.screen.say(changed.words)
            return False

        def act() -> None:
            journal.do(changed.changes)
            self.screen.ticked = frozenset()

        self.screen.tagging.write(act, f"{changed.words}; {self.screen.keys.of('undo')} undoes it.")
        return True


def notes_shown(inspection: Inspection) -> GatheredNotes:
    """Gather the notes on the slice of an inspection; none where there is no folder that could hold any."""
    journal = inspection.selection.journal
    if journal is None:
        return GatheredNotes((), np.zeros(0, dtype=np.int64))
    rows = np.flatnonzero(inspection.slice)
    return notes_among(journal, inspection.cases["case"], rows, everything=False)
