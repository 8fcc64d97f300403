"""What a person says of cases: tags and notes, with undo."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from inspector.render.texts.sentences import NO_FOLDER, counted
from inspector.render.texts.short_names import short_name
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.history_dialog import HistoryDialog
from inspector.screens.messages import Go
from inspector.screens.question_dialogs import NoteDialog, SureDialog
from inspector.screens.similar_dialog import SimilarDialog
from inspector.screens.tag_dialog import TagDialog, Typed
from inspector.screens.tag_words import batch_words, changes
from inspector.state.focusing import with_case
from inspector.state.triage.annotations import own_tags
from inspector.state.triage.history import history_rows
from scoring.data.errors import InspectError
from scoring.formats.benchmarks.benchmark_registry import taxonomies
from scoring.workspace.triage.actions import TAG, UNTAG, Action
from scoring.workspace.triage.journal import Journal

ASKED_ABOVE = 100
"""More cases than this are tagged at once only after a question."""


class TaggedScreen(ControlledScreen, Protocol):
    """A screen with cases that people can say something of."""

    @property
    def blind(self) -> bool: ...
    @property
    def case_row(self) -> int | None: ...
    @property
    def marked(self) -> Sequence[str]: ...
    def say_done(self, sentence: str, *, failed: bool = False, brief: str = "") -> None: ...
    def show_reversed(self, batch: Sequence[Action]) -> None: ...


class Tagging(Controller[TaggedScreen]):
    """Writes tags and notes on the case that a screen is at (`case_row`), or on those that are marked on it."""

    def action_tag(self) -> None:
        """Ask for tags of the case that is looked at, or of those that are marked."""
        if (pair := self._case_and_journal()) is None:
            return
        case, journal = pair
        tags = own_tags(journal, case) if self.screen.blind else journal.triage.tags.get(case, ())
        cases: Sequence[str] = [case]
        title = f"Tag {case}"
        if marked := self.screen.marked:
            tags, cases, title = (), marked, f"Tag {counted(len(marked), 'marked case')}"
        dialog = TagDialog(title, tags, journal.triage.tags_in_use, self._own_types(case.partition("/")[0]))
        self.screen.app.push_screen(dialog, partial(self._tag, cases))

    def _own_types(self, benchmark: str) -> Sequence[str]:
        """The error types of a benchmark: those of its taxonomy, else those that its cases have, the frequent first."""
        cases = self.state.cases
        if benchmark in taxonomies() or "error_type" not in cases.columns:
            return tuple(taxonomies().get(benchmark, ()))
        own = cases.filter(cases["benchmark"] == benchmark)["error_type"].drop_nulls()
        return own.value_counts().sort(["count", "error_type"], descending=[True, False])["error_type"].to_list()

    def action_note(self) -> None:
        """Ask for the note on the case that is looked at, or one on those that are marked."""
        if (pair := self._case_and_journal()) is not None:
            case, journal = pair
            if cases := self.screen.marked:
                title = f"Note on {counted(len(cases), 'marked case')}, in the place of yours"
                self.screen.app.push_screen(NoteDialog(title, ""), partial(self._note, cases))
                return
            notes = journal.triage.notes.get(case, {})
            mine = notes.get(journal.author.who, "")
            people = () if self.screen.blind else sorted(notes)
            others = "\n".join(f"{who}: {notes[who]}" for who in people if who != journal.author.who)
            self.screen.app.push_screen(NoteDialog(f"Note on {case}", mine, others), partial(self._note, [case]))

    def action_similar(self) -> None:
        """Look for cases that are like the one that is looked at, and open one."""
        state, row = self.state, self.screen.case_row
        if row is None:
            self.screen.say_done("There is no case here.")
            return

        def chosen(other: int | None) -> None:
            if other is not None:
                self.screen.put(with_case(self.state, other))
                self.screen.post_message(Go("case", other))

        self.screen.app.push_screen(SimilarDialog(state, row, blind=self.screen.blind), chosen)

    def action_history(self) -> None:
        """Show what everybody did to the case that is looked at; what others did not, while labels are hidden."""
        if (pair := self._case_and_journal()) is not None:
            case, journal = pair
            hidden, me = self.screen.blind, journal.author.who
            entries = [entry for entry in journal.history.told(case) if not hidden or entry[0].who == me]
            self.screen.app.push_screen(HistoryDialog(case, history_rows(entries), hidden=hidden))

    def action_undo(self) -> None:
        self._reverse("Undone", "undo", Journal.undo)

    def action_redo(self) -> None:
        self._reverse("Done again", "redo", Journal.redo)

    # -- what was chosen in a dialog

    def _tag(self, cases: Sequence[str], typed: Typed | None) -> None:
        journal = self.journal()
        if typed is None or journal is None:
            return
        add, remove = changes(journal.triage, cases, *typed)
        if not add and not remove:
            them = "They are" if len(cases) > 1 else "It is"
            self.screen.say_done(f"{them} tagged like that already.")
            return
        changed = [*((TAG, of, tag) for tag, of in add), *((UNTAG, of, tag) for tag, of in remove)]
        touched = len({case for _, of, _ in changed for case in of})

        def do(sure: bool | None) -> None:
            if sure:
                words = ", ".join([*(tag for tag, _ in add), *(f"-{tag}" for tag, _ in remove)])
                on = cases[0] if len(cases) == 1 else counted(touched, "case")
                self.write(
                    lambda: journal.do(changed), f"Tagged {on}: {words}; {self.context.keys.of('undo')} undoes it."
                )

        if touched > ASKED_ABOVE:
            self.screen.app.push_screen(SureDialog(f"This changes the tags of {counted(touched, 'case')}. Do it?"), do)
        else:
            do(sure=True)

    def _note(self, cases: Sequence[str], text: str | None) -> None:
        journal = self.journal()
        if text is not None and journal is not None:
            on = cases[0] if len(cases) == 1 else counted(len(cases), "case")
            sentence = f"Noted on {on}" if text else f"The note on {on} is gone"
            self.write(lambda: journal.note(cases, text), f"{sentence}; {self.context.keys.of('undo')} undoes it.")

    # -- the journal

    def _reverse(self, done: str, what: str, act: Callable[[Journal], tuple[Action, ...]]) -> None:
        journal = self.journal()
        if journal is None:
            return
        try:
            batch = act(journal)
        except InspectError as error:
            self.screen.say_done(str(error), failed=True)
            return
        if batch:
            self._show_triage()
            self.screen.show_reversed(batch)
        if batch:
            # Where there is little room: the case that it was on comes on screen.
            words = batch_words(batch)
            self.screen.say_done(f"{done}: {words}.", brief=f"{done}: {short_name(words.rpartition(' on ')[0], 30)}")
        else:
            self.screen.say_done(f"There is nothing to {what}.")

    def write(self, act: Callable[[], None], sentence: str) -> None:
        """Write to the journal; what is said of it is on the disk by then."""
        try:
            act()
        except InspectError as error:
            self.screen.say_done(str(error), failed=True)
            return
        self._show_triage()
        self.screen.say_done(sentence)

    def _show_triage(self) -> None:
        self.screen.close_rail()
        self.screen.put(self.state.triaged())

    def journal(self) -> Journal | None:
        """Return where tags and notes are written; None, and said, where there is no such place."""
        journal = self.state.results.labels.journal
        if journal is None:
            self.screen.say_done(NO_FOLDER)
        return journal

    def _case_and_journal(self) -> tuple[str, Journal] | None:
        journal, row = self.journal(), self.screen.case_row
        if journal is None:
            return None
        if row is None:
            self.screen.say_done("There is no case here.")
            return None
        return self.state.cases["case"][row], journal
