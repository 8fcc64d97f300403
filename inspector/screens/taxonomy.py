"""The taxonomy screen: notes in categories, put there, merged and renamed without leaving the keyboard."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import is_not
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from inspector.analyses import Params
from inspector.analyses.taxonomy import NOTES, taxonomy
from inspector.render.blocks import Block
from inspector.render.blocks import Note as Paragraph
from inspector.render.documents.row_documents import Document
from inspector.render.lines import PieceRow, Sheet, paragraph
from inspector.render.terminal import Terminal
from inspector.render.texts.sentences import counted
from inspector.render.texts.wrap import Phrase
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.dialog import Narrowing, Picking, WordsDialog
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
from scoring.data.errors import UsageError
from scoring.evaluation.similar import NoteCluster, clusters
from scoring.workspace.triage.history import Action
from scoring.workspace.triage.words import CaseNote

if TYPE_CHECKING:
    from scoring.data.schema import Bools


# -- several panes on one screen: which of them has the keys, and its cursor


PAGE, MANY = 10, 1_000_000
"""Lines of a page, and more lines than there are."""


class PanedScreen(ControlledScreen, Protocol):
    """What moving between panes uses of the taxonomy screen."""

    @property
    def panes(self) -> tuple[Widget, ...]: ...
    @property
    def focused(self) -> Widget | None: ...


class Panes(Controller[PanedScreen]):
    """Moves the cursors of several lists and a sheet by the screen's own keys, which no other can overtake."""

    def action_pane(self, by: int) -> None:
        """Go to the next pane, or the one before; round and round."""
        panes = self.screen.panes
        at = panes.index(self.screen.focused) if self.screen.focused in panes else 0
        self.screen.set_focus(panes[(at + by) % len(panes)])

    def _in(self, texts: Callable[[TextList], None], sheet: Callable[[SheetView], None]) -> None:
        """Do the one in a list that has the keys, else the other in the sheet."""
        pane = self.screen.focused
        if isinstance(pane, TextList):
            texts(pane)
        else:
            sheet(self.screen.query_one(SheetView))

    def action_cursor(self, by: int) -> None:
        self._in(lambda texts: texts.action_move(by), lambda sheet: sheet.action_line(by))

    def action_end(self, to: int) -> None:
        self._in(lambda texts: texts.action_move(MANY if to else -MANY), lambda sheet: sheet.action_edge(to))

    def action_turn(self, by: float) -> None:
        self._in(lambda texts: texts.action_move(int(by * PAGE)), lambda sheet: sheet.action_page(by))

    def action_sideways(self, by: int) -> None:
        self._in(lambda texts: self._beside(texts, by), lambda sheet: sheet.action_place(by))

    def _beside(self, texts: TextList, by: int) -> None:
        """To the list at the side, if there is one."""
        lists = [pane for pane in self.screen.panes if isinstance(pane, TextList)]
        self.screen.set_focus(lists[min(max(lists.index(texts) + by, 0), len(lists) - 1)])


# -- the lists of the taxonomy in which one types: of categories to put notes into, and of notes to tick


_NEW, _OLD, _NONE = "n", "o", "-"
"""How keys of lines begin: a new category, one that there is, none."""
_TYPED = "typed"
"""The key of the line of notes that hold what was typed; those of clusters are their numbers."""


class CategoryDialog(Narrowing[str]):
    """Asks for a category, there or new; "" takes notes out of theirs, None leaves them where they are."""

    PLACEHOLDER: ClassVar[str] = "a part of a category's name, or a new one"
    ENTER = "Put it there"

    def __init__(self, title: str, present: Mapping[str, int], *, out: bool) -> None:
        """`title` says what is put there, `present` the categories with their notes; `out` offers none as well."""
        super().__init__(title)
        self._present, self._out = present, out

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        names = list(self._present)
        picks = [
            Pick(f"{_OLD}{name}", name, counted(self._present[name], "note")) for name in ranked(names, clean(typed))
        ]
        if clean(typed).strip() and typed_category(typed, names) not in self._present:
            picks.append(Pick(f"{_NEW}{category_name(typed)}", category_name(typed), "a new category"))
        elif not clean(typed).strip() and self._out:
            picks.append(Pick(_NONE, "(in none)", "take them out of their category"))
        return picks, 0

    def answer(self, key: str) -> str:
        return key[1:]


class TickDialog(Narrowing[tuple[CaseNote, ...]]):
    """Ends with the notes to tick, which may be none; None where it was only closed."""

    PLACEHOLDER: ClassVar[str] = "a word or more; nothing unticks all"
    ENTER = "Tick them"

    def __init__(self, title: str, notes: Sequence[CaseNote], clusters: Sequence[NoteCluster]) -> None:
        """`notes` are those that can be ticked, `clusters` those of them that are alike."""
        super().__init__(title)
        self._notes, self._clusters = notes, clusters
        self._held: tuple[CaseNote, ...] = ()

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        words = clean(typed).strip().casefold()
        self._held = tuple(note for note in self._notes if words and words in note.text.casefold())
        label = f"those that hold {words}" if words else "none"
        alike = (
            Pick(f"{at}", ", ".join(cluster.words) or "alike in rare words", counted(len(cluster.notes), "note"))
            for at, cluster in enumerate(self._clusters)
            if any(words in note.text.casefold() for note in cluster.notes)
        )
        return (Pick(_TYPED, label, counted(len(self._held), "note") if words else ""), *alike), 0

    def whole(self, pick: Pick) -> str:
        if pick.key == _TYPED:
            return ""
        cluster = self._clusters[int(pick.key)]
        return f"{pick.note} alike in words: {' / '.join(note.text for note in cluster.notes[:3])}"

    def answer(self, key: str) -> tuple[CaseNote, ...]:
        return self._held if key == _TYPED else self._clusters[int(key)].notes


# -- putting notes into categories, and giving categories other names; each is undone as one


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
    journal = state.results.journal
    if journal is None:
        return GatheredNotes((), np.zeros(0, dtype=np.int64))
    rows = np.flatnonzero(state.slice)
    return notes_among(journal, state.cases["case"], rows, everything=False)


_EVERYBODY = ""
COLUMNS = ("pattern", "error_type", "subset", "generator")
"""By what else the cases of a category are counted, where it is known of any."""
NOTE_LINES = 3
"""Lines of a note that is longer than its line in the list."""
NOTHING = (
    "No case here has a note yet. In the list of cases, on a case and in triage a key writes one: the first thing that "
    "went wrong, in your own words. Here notes are then put into categories."
)


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
        self.control(Panes(self), Sorting(self), self.tagging)
        self.notes: GatheredNotes | None = None
        self.category: CategoryCases | None = None
        self.ticked: frozenset[tuple[str, str]] = frozenset()
        self._who = _EVERYBODY
        self._kept: tuple[Sequence[object], Bools, GatheredNotes] | None = None

    def compose(self) -> ComposeResult:
        yield one_line("title")
        yield one_line("filter")
        pages = one_line("pages")
        pages.display = False
        yield pages
        with Horizontal(id="taxonomy"):
            yield TextList(id="categories")
            yield TextList(id="notes")
        yield SheetView(id="sheet")
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
    def panes(self) -> tuple[Widget, ...]:
        return self._categories, self._notes, self.query_one(SheetView)

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
        self._notes.show(picks, at)

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
