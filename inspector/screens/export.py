"""The export menu: one more key says what to save or copy."""

from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

from inspector.messages import Export
from inspector.screens.dialog import Dialog

_FORMS = (("c", "csv", "CSV file"), ("j", "json", "JSON file"), ("m", "markdown", "Markdown, to the clipboard"))

_REPORT = "h"


class ExportMenu(Dialog[Export | None]):
    """Choose the form of one or two tables; the first takes small letters, the second capitals. Or a whole report."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,e,q", "dismiss(None)", "Close")]

    def __init__(self, choices: tuple[tuple[Export, str], ...], report: Export | None = None) -> None:
        """`choices` pairs each table (its `form` does not matter) with the words that say what it holds.

        `report` is the one that can be had, whole; None = none.
        """
        super().__init__()
        self._choices, self._report = choices, report

    def compose(self) -> ComposeResult:
        lines = []
        for index, (_, words) in enumerate(self._choices):
            lines.append(words)
            lines += [f"   {key.upper() if index else key}   {text}" for key, _, text in _FORMS]
        if self._report is not None:
            lines += ["Board, comparison, breakdown and cases in one file", f"   {_REPORT}   HTML report, to mail"]
        lines.append("   Esc closes")
        yield Static(Content("\n".join(lines)), id="menu")

    def on_key(self, event: Key) -> None:
        if event.character == _REPORT and self._report is not None:
            event.stop()
            self.dismiss(self._report)
        for index, (export, _) in enumerate(self._choices):
            for key, form, _ in _FORMS:
                if event.character == (key.upper() if index else key):
                    # It is no key of the screen below.
                    event.stop()
                    self.dismiss(replace(export, form=form, copy=form == "markdown"))
