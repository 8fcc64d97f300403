"""Putting notes into categories, and giving categories other names; each is undone as one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import numpy as np

from inspector.render.texts.sentences import counted
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.question_dialogs import WordsDialog
from inspector.screens.tagging import Tagging
from inspector.screens.taxonomy_dialogs import CategoryDialog
from inspector.state.screen_state import ScreenState
from inspector.state.triage.categories import CategoryChange, put, rename, typed_category
from inspector.state.triage.category_cases import CategoryCases
from inspector.state.triage.gathered_notes import GatheredNotes, notes_among
from scoring.data.errors import UsageError
from scoring.workspace.triage.case_notes import CaseNote

NO_NOTE = "There is no note here."


class SortedNotes(ControlledScreen, Protocol):
    """What sorting notes uses of the taxonomy screen."""

    notes: GatheredNotes | None
    category: CategoryCases | None
    ticked: frozenset[tuple[str, str]]
    tagging: Tagging

    @property
    def chosen(self) -> tuple[CaseNote, ...]: ...
    def settle(self) -> None: ...
    def follow(self, category: str) -> None: ...


class Sorting(Controller[SortedNotes]):
    """Puts the notes that are chosen on the taxonomy screen into categories, and renames categories."""

    def action_put(self) -> None:
        """Ask for the category of what is chosen."""
        chosen, journal = self.screen.chosen, self.screen.tagging.journal()
        if journal is None or self.screen.notes is None:
            return
        if not chosen:
            self.screen.say(NO_NOTE)
            return
        own = [note for note in chosen if note.who == journal.author.who]
        if not own:
            self.screen.say(f"This is not a note of yours ({journal.author.who}): a category is its author's word.")
            return
        present = {name: len(notes) for name, notes in self.screen.notes.by_category.items() if name}
        others = len(chosen) - len(own)
        stay = f" ({counted(others, 'note')} of others {'stays' if others == 1 else 'stay'})" if others else ""
        title = f"Put {counted(len(own), 'note')} into{stay}"
        dialog = CategoryDialog(title, present, out=any(note.category for note in own))
        self.screen.app.push_screen(dialog, partial(self._put, own))

    def _put(self, chosen: Sequence[CaseNote], category: str | None) -> None:
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
        journal, state = self.screen.tagging.journal(), self.state
        if typed is None or journal is None:
            return
        # The name is told of by everybody's notes, whosever are shown.
        if self._do(lambda: rename(notes_shown(state), journal.author.who, category, typed)):
            self.screen.follow(typed_category(typed, self.screen.notes.names if self.screen.notes else ()))

    def _do(self, make: Callable[[], CategoryChange]) -> bool:
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

        self.screen.tagging.write(act, f"{changed.words}; {self.context.keys.of('undo')} undoes it.")
        return True


def notes_shown(state: ScreenState) -> GatheredNotes:
    """Gather the notes on the slice of a screen state; none where there is no folder that could hold any."""
    journal = state.results.labels.journal
    if journal is None:
        return GatheredNotes((), np.zeros(0, dtype=np.int64))
    rows = np.flatnonzero(state.slice)
    return notes_among(journal, state.cases["case"], rows, everything=False)
