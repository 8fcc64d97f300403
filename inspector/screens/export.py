"""The export menu: what to save or copy, chosen with the cursor or by a letter."""

from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

from inspector.messages import Export
from inspector.screens.dialog import Dialog
from inspector.text import clean
from inspector.widgets.pick_list import Pick, PickList

_FORMS = (("c", "csv", "CSV file"), ("j", "json", "JSON file"), ("m", "markdown", "Markdown, to the clipboard"))

_REPORT = "h"


class ExportMenu(Dialog[Export | None]):
    """Choose the form of one or two tables; the first takes small letters, the second capitals. Or a whole report."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("down", "move(1)", "Next"),
        ("up", "move(-1)", "Previous"),
        ("enter", "take", "Take it"),
        ("escape,e,q", "dismiss(None)", "Close"),
    ]

    def __init__(self, choices: tuple[tuple[Export, str], ...], report: Export | None = None) -> None:
        """`choices` pairs each table (its `form` does not matter) with the words that say what it holds.

        `report` is the one that can be had, whole; None = none.
        """
        super().__init__()
        self._exports: dict[str, Export] = {}
        self._picks: list[Pick] = []
        for index, (export, words) in enumerate(choices):
            self._picks.append(Pick("", words))
            for small, form, text in _FORMS:
                key = small.upper() if index else small
                self._exports[key] = replace(export, form=form, copy=form == "markdown")
                self._picks.append(Pick(key, f"   {key}   {text}"))
        if report is not None:
            self._exports[_REPORT] = report
            self._picks.append(Pick("", "Board, comparison, breakdown and cases in one file"))
            self._picks.append(Pick(_REPORT, f"   {_REPORT}   HTML report, to mail"))

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content("Export"), classes="strong")
            picks = PickList()
            # A letter is a form here, none of the keys of a list.
            picks.can_focus = False
            yield picks
            hint = "Enter or a letter writes it into the folder that the app was started in; Esc closes"
            yield Static(Content(hint), classes="dim")

    def on_mount(self) -> None:
        picks = [Pick(one.key, clean(one.label), strong=not one.key) for one in self._picks]
        self.query_one(PickList).show(picks, 1)

    def action_move(self, by: int) -> None:
        """To the next form, or the one before: a heading is none."""
        picks = self.query_one(PickList)
        places = [place for place, one in enumerate(self._picks) if one.key]
        at = places.index(picks.cursor) + by
        picks.cursor = places[max(0, min(at, len(places) - 1))]

    def action_take(self) -> None:
        self._take(self.query_one(PickList).key)

    def on_pick_list_clicked(self, event: PickList.Clicked) -> None:
        self._take(event.key)

    def on_key(self, event: Key) -> None:
        if event.character in self._exports:
            # It is no key of the screen below.
            event.stop()
            self._take(event.character)

    def _take(self, key: str | None) -> None:
        if key in self._exports:
            self.dismiss(self._exports[key])
