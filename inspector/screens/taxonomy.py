"""The taxonomy screen: notes in categories, put there, merged and renamed without leaving the keyboard."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import is_not
from typing import Any, ClassVar

import numpy as np
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.widget import Widget

from inspector.analyses import Params
from inspector.analyses.taxonomy import NOTES, taxonomy
from inspector.render.blocks import Block
from inspector.render.blocks import Note as Paragraph
from inspector.render.documents.row_documents import Document
from inspector.render.lines import PieceRow, Sheet, paragraph
from inspector.render.terminal import Terminal
from inspector.render.texts.frame_edges import THREE_COLUMNS
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import counted
from inspector.screens.dialog import Picking
from inspector.screens.list_cursors import ListCursors
from inspector.screens.note_sorting import NO_NOTE, Sorting, notes_shown
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_lines import one_line, write_phrases
from inspector.screens.sheet import SheetScreen, Tables
from inspector.screens.tagging import Tagging
from inspector.screens.taxonomy_dialogs import TickDialog
from inspector.state.focusing import covering
from inspector.state.screen_state import ScreenState
from inspector.state.subject import subject
from inspector.state.triage.category_cases import IN_NONE, CategoryCases, scorers_of_category, values_of_category
from inspector.state.triage.gathered_notes import GatheredNotes, saturation_phrases
from inspector.widgets.key_table import bindings_of
from inspector.widgets.pick_list import Pick, TextList
from inspector.widgets.sheet_view import SheetView
from scoring.data.schema import Bools
from scoring.evaluation.similar import clusters
from scoring.workspace.triage.actions import Action
from scoring.workspace.triage.case_notes import CaseNote

PAGE, MANY = 10, 1_000_000
"""Lines of a page, and more lines than there are."""


_NEW, _OLD, _NONE = "n", "o", "-"
"""How keys of lines begin: a new category, one that there is, none."""


_EVERYBODY = ""
COLUMNS = ("pattern", "error_type", "subset", "generator")
"""By what else the cases of a category are counted, where it is known of any."""
NOTE_LINES = 3
"""Lines of a note that is longer than its line in the list."""
NOTHING = "Cases of the selected category, with the scorers that fail on them and their common properties."


class TaxonomyScreen(SheetScreen):
    """Categories, the notes of the one under the cursor, and whose cases these are; each of the three has the keys."""

    NAME = "taxonomy"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("taxonomy"))
    ABOUT = (
        "Notes become a taxonomy: on the left categories, beside them the notes of the one under the cursor, beneath "
        "them who has their cases wrong. What is ticked, or else the note or the whole category under the cursor, is "
        "put into another category: into one that is there it is merged, under a new name it is renamed. Only your own "
        "notes move."
    )

    marked: Sequence[str] = ()
    """Only cases of a list are marked."""

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__(context, state)
        self.tagging = Tagging(self)
        self.control(ListCursors(self), Sorting(self), self.tagging)
        self.notes: GatheredNotes | None = None
        self.category: CategoryCases | None = None
        self.ticked: frozenset[tuple[str, str]] = frozenset()
        self._who = _EVERYBODY
        self._kept: tuple[Sequence[object], Bools, GatheredNotes] | None = None

    def compose(self) -> ComposeResult:
        yield one_line("title")
        pages = one_line("pages")
        pages.display = False
        yield pages
        with Container(id="taxonomy"):
            with Horizontal(id="lists"):
                yield TextList(id="categories", classes="pane")
                yield TextList(id="notes", classes="pane")
            yield SheetView(id="sheet", classes="pane")
        yield one_line("behind")
        yield from self.compose_rail()

    @property
    def first_pane(self) -> Widget:
        return self._categories

    @property
    def _categories(self) -> TextList:
        return self.query_one("#categories", TextList)

    @property
    def _notes(self) -> TextList:
        return self.query_one("#notes", TextList)

    @property
    def lists(self) -> tuple[TextList, ...]:
        return self._categories, self._notes

    def on_mount(self) -> None:
        note, put = (self.context.keys.of(name) for name in ("note", "put"))
        self._categories.empty = f"No categories yet. {put} puts a note into one."
        self._notes.empty = (
            f"No case here has a note yet. Press {note} on a case to write the first one: "
            "what went wrong first, in your own words."
        )

    def on_resize(self) -> None:
        self.query_one("#taxonomy").set_class(self.app.size.width >= THREE_COLUMNS, "-wide")

    # -- showing

    def show_state(self, state: ScreenState) -> None:
        everybody = self._gathered(state)
        if self._who not in everybody.people:
            self._who = _EVERYBODY
        self.notes = everybody.of(self._who) if self._who else everybody
        there = {(note.case, note.who) for note in self.notes.notes}
        self.ticked &= there
        self._show_categories(state)
        super().show_state(state)

    def _gathered(self, state: ScreenState) -> GatheredNotes:
        """The notes of everybody; while nobody writes and the cases stay, a threshold that moves changes none."""
        journal = state.results.labels.journal
        owners = (None if journal is None else journal.triage, state.cases)
        kept = self._kept
        if kept is None or any(map(is_not, kept[0], owners)) or not np.array_equal(kept[1], state.slice):
            kept = self._kept = (owners, state.slice, notes_shown(state))
        return kept[2]

    def _show_categories(self, state: ScreenState) -> None:
        """The categories; the cursor stays on its own, or at its place where that has gone."""
        assert self.notes is not None  # noqa: S101  # it is made before
        view, names = self._categories, list(self.notes.by_category)
        before = self.category.name if self.category else ""
        at = names.index(before) if before in names else min(view.cursor, max(0, len(names) - 1))
        picks = [
            Pick(f"={name}", name or IN_NONE, f"{len(notes):,}", strong=not name)
            for name, notes in self.notes.by_category.items()
        ]
        view.caption("Categories", f"{len(self.notes.names)}", f"{self.context.keys.of('put')} puts notes into one")
        view.show(picks, at)
        self._turn(state, names[at] if names else None)

    def _turn(self, state: ScreenState, category: str | None) -> None:
        """Show the notes of a category."""
        assert self.notes is not None  # noqa: S101  # it is made before
        same = self.category is not None and self.category.name == category
        self.category = None if category is None else category_of(state, self.notes, category)
        self._show_notes(self._notes.cursor if same else 0)

    def _show_notes(self, at: int) -> None:
        notes = self.category.own if self.category else ()
        several = self.notes is not None and len(self.notes.people) > 1
        picks = [
            Pick(
                str(number),
                note.text or "(no words)",
                f"{note.case} {note.who}" if several else note.case,
                ticked=(note.case, note.who) in self.ticked,
            )
            for number, note in enumerate(notes)
        ]
        title = f"Notes: {self.category.words}" if self.category else "Notes"
        self._notes.caption(title, counted(len(notes), "note"), f"{self.context.keys.of('tick')} ticks")
        self._notes.show(picks, at)
        opens = f"{self.context.keys.of('drill')} lists them" if notes else ""
        self.query_one(SheetView).caption("Their cases", self.category.words if self.category else "", opens)

    def lay_out(self, state: ScreenState, figures: Any, width: int, height: int) -> Sheet:  # noqa: ARG002
        if self.category is None:
            return Sheet(tuple(paragraph(NOTHING, width)))
        terminal = Terminal(width, self.context.glyphs, height)
        note = self.note_here if self.focused is self._notes else None
        blocks = category_blocks(state, self.category)
        return Sheet((*_note_lines(terminal, note), *terminal.blocks(tuple(blocks))))

    def behind(self, state: ScreenState) -> tuple[Sequence[object], Callable[[], Any]] | None:  # noqa: ARG002
        return None

    def subject(self, state: ScreenState) -> list[Phrase]:
        if self.notes is None:
            return []
        counts = f"{counted(len(self.notes.notes), 'note')} in {len(self.notes.names)}"
        ticked = [Phrase((f"{len(self.ticked)} ticked",))] if self.ticked else []
        who = [Phrase((f"of {self._who}", ""), rank=2)] if self._who else []
        return [
            Phrase((f"{counts} categor{'y' if len(self.notes.names) == 1 else 'ies'}",)),
            *who,
            *ticked,
            *super().subject(state),
        ]

    def tell_behind(self, view: SheetView) -> None:
        """Say what the number under the cursor opens while that pane has the keys, else show the saturation meter."""
        if self.focused is view or self.notes is None:
            super().tell_behind(view)
        else:
            write_phrases(self, "behind", saturation_phrases(self.notes), "dim")

    def tables(self, state: ScreenState) -> Tables:
        if self.notes is None or not self.notes.notes:
            return ()
        return (
            (partial(self._document, state, ""), "The categories"),
            (partial(self._document, state, NOTES), "The notes, in the order written"),
        )

    def _document(self, state: ScreenState, page: str, form: str) -> Document:
        who = {"who": self._who} if self._who else {}
        return taxonomy.view(subject(state), Params(page, who, form))

    def on_text_list_moved(self, message: TextList.Moved) -> None:
        if message.texts is self._categories:
            self.settle()
        if self.notes is not None:
            self.show_sheet(self.state)

    def settle(self) -> None:
        key = self._categories.key
        category = None if key is None else key[1:]
        if self.notes is not None and category != (self.category and self.category.name):
            self._turn(self.state, category)

    def on_descendant_focus(self) -> None:
        if self.notes is not None:
            self.show_sheet(self.state)

    # -- what is under the cursor

    @property
    def note_here(self) -> CaseNote | None:
        """The note under the cursor; None where there is none."""
        self.settle()
        notes = self.category.own if self.category else ()
        return notes[self._notes.cursor] if notes else None

    @property
    def blind(self) -> bool:
        """Whether what others wrote is hidden: the screen is about their notes too."""
        return False

    def show_reversed(self, batch: Sequence[Action]) -> None:
        """Stay: the notes are on screen."""

    @property
    def case_row(self) -> int | None:
        """The row id of the case of this note."""
        note = self.note_here
        if note is None or self.notes is None:
            return None
        return int(self.notes.rows[self.notes.notes.index(note)])

    @property
    def chosen(self) -> tuple[CaseNote, ...]:
        """The notes that are ticked; else the one under the cursor, or all of the category where that has the keys."""
        self.settle()
        if self.notes is not None and self.ticked:
            return tuple(note for note in self.notes.notes if (note.case, note.who) in self.ticked)
        if self.focused is self._notes:
            return (self.note_here,) if self.note_here else ()
        return self.category.own if self.category else ()

    # -- keys

    def action_tick(self) -> None:
        """Tick the note under the cursor, or no more; the next one comes under the cursor."""
        note = self.note_here
        if note is None:
            self.say(NO_NOTE)
            return
        self.ticked ^= {(note.case, note.who)}
        self.set_focus(self._notes)
        self._show_notes(self._notes.cursor + 1)
        self._tell_ticks()

    def action_tick_with(self) -> None:
        """Tick the notes of this category that hold some words, or some that are alike."""
        self.settle()
        if self.category is None or not self.category.own:
            self.say(NO_NOTE)
            return
        notes = self.category.own
        self.app.push_screen(
            TickDialog(f"Tick notes in {self.category.words}", notes, clusters(notes)), self._tick_these
        )

    def _tick_these(self, chosen: tuple[CaseNote, ...] | None) -> None:
        if chosen is None or self.category is None:
            return
        self.ticked = frozenset((note.case, note.who) for note in chosen)
        self._show_notes(self._notes.cursor)
        self._tell_ticks()

    def _tell_ticks(self) -> None:
        self.show_title(self.state)
        self.show_sheet(self.state)

    def follow(self, category: str) -> None:
        names = list(self.notes.by_category) if self.notes else []
        if category in names:
            self._categories.cursor = names.index(category)

    def action_whose(self) -> None:
        """Choose whose notes are shown."""
        everybody = self._gathered(self.state)
        counts = {who: sum(note.who == who for note in everybody.notes) for who in everybody.people}
        picks = [Pick(_EVERYBODY, "everybody", counted(len(everybody.notes), "note"), strong=not self._who)]
        picks += [Pick(who, who, counted(n, "note"), strong=who == self._who) for who, n in counts.items()]
        now = [pick.key for pick in picks].index(self._who) if self._who in counts else 0
        self.app.push_screen(Picking("Whose notes", picks, now), self._choose)

    def _choose(self, who: str | None) -> None:
        if who is not None:
            self._who = who
            self.show_state(self.state)

    def action_drill(self) -> None:
        """Open the case of the note, or all cases of the category, under the cursor."""
        self.settle()
        if self.focused is self._notes:
            self._open_case()
        elif self.focused is self._categories and self.category is not None:
            self.drill(self.category.link())
        else:
            super().action_drill()

    def action_back(self) -> None:
        """Take the ticks away first, then leave the screen."""
        if self.ticked:
            self.ticked = frozenset()
            self._show_notes(self._notes.cursor)
            self._tell_ticks()
        else:
            self.app_commands.action_back()

    def _open_case(self) -> None:
        row = self.case_row
        if row is None or self.category is None:
            self.say(NO_NOTE)
        else:
            # Beneath the case lies the list of its category, through which its keys go on and back.
            self.drill(self.category.link(), row)


def category_of(state: ScreenState, notes: GatheredNotes, name: str) -> CategoryCases:
    """Return the cases of a category of these notes in the slice of a screen state."""
    unparsed = {state.focus.benchmark: state.unparsed}
    return CategoryCases(state.results, state.slice, notes, name, unparsed)


def category_blocks(state: ScreenState, category: CategoryCases) -> Iterator[Block]:
    """Show whose cases those of a category are: which scorers have them wrong, and what is known of them."""
    notes, cases = counted(len(category.own), "note"), counted(category.rows.size, "case")
    yield Paragraph(f"{category.words}: {notes} on {cases}", "lead")
    scorers = [state.results.evaluation(name) for name in covering(state)]
    if scorers:
        yield scorers_of_category(category, scorers, state.unparsed)
    values = values_of_category(category, COLUMNS)
    if values.rows:
        yield values


def _note_lines(terminal: Terminal, note: CaseNote | None) -> Iterator[PieceRow]:
    """The note under the cursor in full, as far as there is room beside what is said of its category."""
    if note is None:
        return
    yield from terminal.blocks([Paragraph(f"{note.case}, {note.who}, {note.time[:10]}", "quiet")])
    lines = list(terminal.blocks([Paragraph(note.text or "a category without a note")]))
    yield from lines[:NOTE_LINES]
    if more := lines[NOTE_LINES:]:
        yield from terminal.blocks([Paragraph(f"({counted(len(more), 'more line')})", "quiet")])
