"""The mapping dialog: which column of a table is what, how its first case would look, and how many rows join."""

import shlex
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath
from typing import ClassVar

from msgspec.structs import asdict, replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from inspector.render.texts.text import clean
from inspector.screens.dialog import Dialog, Picking
from inspector.screens.exporting import export_path
from inspector.screens.mapping_words import FIELDS, claim_words, claimed, preview_lines, refusal_words
from inspector.screens.question_dialogs import WordsDialog
from inspector.widgets.key_table.command import EXPORT
from inspector.widgets.pick_list import Pick, PickList
from scoring.data.errors import InspectError
from scoring.formats.tables.cell_values import NO_NAME
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.column_readings import Choice, ColumnReading
from scoring.importing.proposal import OpenTable, Proposal

BESIDE = 100
"""Columns of the terminal from which on the preview stands beside the columns, and not beneath them."""
_IMPORT, _READING, _COLUMN = "import", "reading ", "column "
_NOTHING = "nothing of these"
_TRYING = "Trying it on the first rows ..."


class MappingDialog(Dialog[ColumnMapping | None]):
    """Ends with the mapping to import with; None where nothing is to be imported.

    Whatever is changed is tried on the first rows at once, in a thread.
    """

    HINT = "Enter changes a line, and imports on the first one"
    SHARE, WIDEST = 0.96, 180
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", "Import, or change"),
        ("escape", "dismiss(None)", "Leave it"),
        (EXPORT, "export", "Save the mapping"),
    ]

    def __init__(self, table: OpenTable, folder: Path | None = None) -> None:
        """`table` is not looked at before the dialog stands there.

        The mapping may be saved in `folder`; None: it may not.
        """
        super().__init__(f"{PurePath(table.source).name}: which column is what")
        self._table, self._folder = table, folder
        self._mapping: ColumnMapping | None = None
        self._proposal: Proposal | None = None
        self._readings: dict[str, ColumnReading] = {}
        self._chosen: dict[str, Choice] = {}
        self._problem = ""
        self._trying = True

    def compose_panel(self) -> ComposeResult:
        with Horizontal(id="mapping"):
            yield PickList()
            with VerticalScroll(can_focus=False, id="preview"):
                yield Static(id="seen")
        yield Static(id="whole", classes="dim")

    def on_mount(self) -> None:
        picks = self.query_one(PickList)
        self.watch(picks, "cursor", self._show_whole, init=False)
        picks.focus()
        self._try(None)

    def on_resize(self, event: Resize) -> None:
        self.query_one("#mapping").styles.layout = "horizontal" if event.size.width >= BESIDE else "vertical"

    # -- trying a mapping

    def _try(self, mapping: ColumnMapping | None) -> None:
        """Try a mapping, or the one that the columns suggest. What was chosen stays where it is not enough yet."""
        self._mapping, self._trying = mapping, True
        self._show()
        work = partial(self._work, mapping)
        self.run_worker(work, thread=True, exclusive=True, group="mapping", description="mapping")

    def _work(self, mapping: ColumnMapping | None) -> None:
        """In a thread: labels may have to be looked through to the last row."""
        try:
            proposal = self._table.proposal(mapping) or self._unguessed()
            problem = "" if proposal is None else proposal.refusal
        except InspectError as error:
            proposal, problem = self._unguessed() if mapping is None else None, refusal_words(error)
        self.show_if_open(self._take_in, proposal, problem)

    def _unguessed(self) -> Proposal | None:
        """All columns, none of them taken for anything."""
        return OpenTable(self._table.rows).proposal(ColumnMapping())

    def _take_in(self, proposal: Proposal | None, problem: str) -> None:
        self._problem, self._trying = problem, False
        if proposal is not None:
            self._mapping = self._mapping or proposal.mapping
            self._proposal = proposal
            self._readings |= {reading.question: reading for reading in proposal.readings}
            required = [reading for reading in proposal.readings if reading.is_required]
            for reading in (reading for reading in required if reading.question not in self._chosen):
                # What the line shows is what Enter imports.
                self._read_as(reading.question, reading.choices[0])
                return
        self._show()

    # -- what is on screen

    def _show(self) -> None:
        picks, lines = self.query_one(PickList), list(self._picks())
        # The cursor stays on its line, which others may come before.
        picks.show(lines, next((at for at, line in enumerate(lines) if line.key == picks.key), 0))
        self._show_whole()
        self.query_one("#seen", Static).update(Content("\n".join(map(clean, self._preview()))))

    def _show_whole(self) -> None:
        """The line under the cursor again: it may be cut in the list."""
        pick = self.query_one(PickList).pick
        words = "" if pick is None else ": ".join(filter(None, (pick.label, pick.note)))
        self.query_one("#whole", Static).update(Content(clean(words)))

    def _picks(self) -> Iterator[Pick]:
        yield Pick(_IMPORT, "Import it", self._held(), strong=not self._problem and not self._trying)
        for question, reading in self._readings.items():
            yield Pick(f"{_READING}{question}", question, self._chosen.get(question, reading.choices[0]).words)
        proposal, mapping = self._proposal, self._mapping
        if proposal is None or mapping is None:
            return
        for column in sorted(proposal.columns, key=lambda column: self._table.place(column.name)):
            claim = claim_words(mapping, column.name)
            rest = "kept with the case" if column.fate == "metadata" else "left out"
            note = claim or f"{rest}, such as {self._table.example(column.name)}"
            yield Pick(f"{_COLUMN}{column.name}", column.name or NO_NAME, note, strong=bool(claim))

    def _held(self) -> str:
        """What the line that imports says of it."""
        proposal = self._proposal
        if self._trying:
            return ""
        if self._problem or proposal is None:
            return "not yet: see what is missing"
        held = [] if proposal.first is None else [f"cases of {proposal.mapping.benchmark}"]
        held += [f"results of {' and '.join(_names(proposal.mapping))}"] if proposal.mapping.scorers else []
        return " and ".join(held)

    def _preview(self) -> Iterator[str]:
        if self._trying:
            yield _TRYING
        elif self._problem:
            yield self._problem
        elif self._proposal is not None:
            yield from preview_lines(self._proposal)

    # -- what keys do

    def on_pick_list_clicked(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        """Import, take the next reading, or ask what the column under the cursor is."""
        key = self.query_one(PickList).key or ""
        if key == _IMPORT:
            self._import()
        elif key.startswith(_READING):
            self._read_otherwise(key.removeprefix(_READING))
        elif key.startswith(_COLUMN):
            self._ask(key.removeprefix(_COLUMN))

    def _import(self) -> None:
        if self._usable:
            self.dismiss(self._mapping)

    @property
    def _usable(self) -> bool:
        """Whether there is a mapping to import with; where there is none, say why."""
        usable = not (self._trying or self._problem or self._mapping is None)
        if not usable:
            self.notify(clean(_TRYING if self._trying else self._problem), severity="warning", markup=False)
        return usable

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key works: a visitor has no folder here."""
        return super().check_action(action, parameters) if action != "export" else self._folder is not None

    def action_export(self) -> None:
        """Ask for the file into which the mapping is to be saved, for the next table of this shape."""
        if not self._usable or self._mapping is None:
            return
        usual = f"{PurePath(self._table.source).stem}.mapping.json"
        dialog = WordsDialog("Save the mapping into", usual, "a file; --mapping takes it")
        self.app.push_screen(dialog, partial(self._save, self._mapping, usual))

    def _save(self, mapping: ColumnMapping, usual: str, into: str | None) -> None:
        if not into or self._folder is None:
            return

        try:
            path = export_path(self._folder, usual, into)
            mapping.save(path)
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False)
        else:
            again = f"prm-inspect import FILE --mapping {shlex.quote(str(path))} reads a table of these columns"
            self.notify(clean(f"Saved as {path}: {again}."), markup=False)

    def _read_otherwise(self, question: str) -> None:
        choices = self._readings[question].choices
        at = choices.index(self._chosen.get(question, choices[0]))
        self._read_as(question, choices[(at + 1) % len(choices)])

    def _read_as(self, question: str, chosen: Choice) -> None:
        self._chosen[question] = chosen
        if self._mapping is not None:
            # A choice may leave open what another one states.
            stated = {
                name
                for choice in self._readings[question].choices
                for name, value in asdict(choice.states).items()
                if value not in (None, {})
            }
            opened = {name: getattr(ColumnMapping(), name) for name in stated}
            self._try(replace(self._mapping, **opened).overridden(chosen.states))

    def _ask(self, column: str) -> None:
        if self._mapping is None:
            return
        if not column:
            words = "A mapping names columns, and this one has no name: give it one in the file, if it is needed."
            self.notify(words, severity="warning", markup=False)
            return
        now = [what.partition(" of ")[0] for what, of in self._mapping.named if of == column]
        picks = [Pick(name, words, strong=name in now) for name, words in FIELDS.items()]
        picks = [Pick("", _NOTHING, strong=not now), *picks]
        cursor = next((at for at, pick in enumerate(picks) if pick.strong), 0)
        self.app.push_screen(Picking(f"What is in {column}?", picks, cursor), partial(self._claim, column))

    def _claim(self, column: str, what: str | None) -> None:
        if what is None or self._mapping is None:
            return
        self._readings.clear()
        self._chosen.clear()
        # What labels count from was found in another column.
        afresh = replace(self._mapping, label_base=None, clean=None)
        self._try(claimed(afresh, column, what, self._table.source))


def _names(mapping: ColumnMapping) -> list[str]:
    kinds: tuple[Mapping[str, str], ...] = (mapping.rewards, mapping.verdicts, mapping.answers)
    return list(dict.fromkeys(name for kind in kinds for name in kind))
