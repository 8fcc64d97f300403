"""The export menu: what to save or copy, chosen with the cursor or by a letter, and into which file."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Key
from textual.widgets import Input, Static

from inspector.render.texts.text import clean
from inspector.screens.controller import ControlledScreen
from inspector.screens.dialog import Dialog
from inspector.screens.messages import ENDINGS, Export
from inspector.widgets.pick_list import Pick, PickList, natural_width
from inspector.widgets.text_editor import TypingLine

_FORMS = (
    ("c", "csv", "CSV file"),
    ("j", "json", "JSON file"),
    ("m", "markdown", "Markdown, to the clipboard"),
    ("l", "latex", "LaTeX, to the clipboard"),
)
_COPIED = {"markdown", "latex"}

_REPORT = "h"
ROOM_FOR_PATH = 60
"""Width of the line for the file name, in cells."""


class ExportMenu(Dialog[Export | None]):
    """Choose the form of one or two tables; the first takes small letters, the second capitals. Or a whole report."""

    ENTER = "Write"
    HINT = "a letter or Enter writes it   Esc closes"
    # Letters are forms until the file's name is changed.
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", "Write"),
        ("escape,e,q", "dismiss(None)", "Close"),
        ("tab", "name_file", "Another file"),
        Binding("down", "move(1)", "Next", show=False),
        Binding("up", "move(-1)", "Previous", show=False),
    ]

    def __init__(
        self,
        choices: tuple[tuple[Export, str], ...],
        report: Export | None = None,
        place: Callable[[Export], str] | None = None,
    ) -> None:
        """Offer tables and a report.

        Args:
            choices: each table (its `form` does not matter) with the words that say what it holds.
            report: the one that can be had, whole; None = none.
            place: gives the path of a file where nobody chooses another one; None: nobody may choose.
        """
        super().__init__("Export")
        self._place = place
        self._exports: dict[str, Export] = {}
        self._picks: list[Pick] = []
        for index, (export, words) in enumerate(choices):
            self._head(words)
            for small, form, text in _FORMS:
                key = small.upper() if index else small
                self._exports[key] = replace(export, form=form, copy=form in _COPIED)
                self._picks.append(Pick(key, f"   {key}   {text}"))
        if report is not None:
            self._exports[_REPORT] = report
            self._head("Board, comparison, breakdown and cases in one file")
            self._picks.append(Pick(_REPORT, f"   {_REPORT}   HTML report, to mail"))
        self._usual = ""

    def _head(self, words: str) -> None:
        self._picks.append(Pick("", clean(words), heading=True))

    @property
    def content_width(self) -> int:
        return max(natural_width(self._picks), 0 if self._place is None else ROOM_FOR_PATH)

    def compose_panel(self) -> ComposeResult:
        picks = PickList()
        # A letter is a form here, none of the keys of a list.
        picks.can_focus = False
        yield picks
        if self._place is not None:
            with Horizontal(classes="asked"):
                yield Static(Content("into"), classes="name")
                yield TypingLine(id="into", compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        picks = self.query_one(PickList)
        picks.show(self._picks, 1)
        self._show_place()

    def _show_place(self) -> None:
        """The file of the form under the cursor. A name that a person gave stays, with the ending of the form."""
        key = self.query_one(PickList).key
        if self._place is None or key not in self._exports:
            return
        # As it stands in the line, so that a line that nobody changed is known.
        line, usual = self.query_one(Input), clean(self._place(self._exports[key]))
        changed = line.value not in {"", self._usual}
        if changed and PurePath(line.value).suffix == PurePath(self._usual).suffix:
            line.value = str(PurePath(line.value).with_suffix(PurePath(usual).suffix))
        elif not changed:
            line.value = usual
        self._usual = usual
        line.cursor_position = len(line.value)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key works: where nobody may choose a file there is no line for one."""
        return super().check_action(action, parameters) if action != "name_file" else self._place is not None

    def action_name_file(self) -> None:
        self.query_one(Input).focus()

    def action_move(self, by: int) -> None:
        self.query_one(PickList).action_move(by)
        self._show_place()

    def action_take(self) -> None:
        self._take(self.query_one(PickList).key)

    def on_input_submitted(self) -> None:
        self.action_take()

    def on_pick_list_clicked(self, event: PickList.Clicked) -> None:
        self._take(event.key)

    def on_key(self, event: Key) -> None:
        if event.character in self._exports:
            # It is no key of the screen below.
            event.stop()
            self._take(event.character)

    def _take(self, key: str | None) -> None:
        if key not in self._exports:
            return
        picks = self.query_one(PickList)
        picks.cursor = next(at for at, pick in enumerate(self._picks) if pick.key == key)
        self._show_place()
        line = next(iter(self.query(Input)), None)
        into = "" if line is None or line.value == self._usual else line.value.strip()
        named, ending = PurePath(into).suffix, PurePath(self._usual).suffix
        if named != ending and named in {f".{other}" for other in ENDINGS.values()}:
            self.notify(f"This form is written into {ending} files: choose the one for {named}.", markup=False)
        else:
            self.dismiss(replace(self._exports[key], into=into))


def offer_exports(
    screen: ControlledScreen, choices: tuple[tuple[Export, str], ...], report: Export | None = None
) -> None:
    """Ask which of these tables is to be saved or copied, and into which file, and have the app do it."""

    def take(chosen: Export | None) -> None:
        if chosen is not None:
            screen.post_message(chosen)

    screen.app.push_screen(ExportMenu(choices, report, screen.context.export_path), take)
