"""Which PRM is to score the case at hand: one of the workspace's, or a checkpoint."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.case_job import prm_asked, prm_at, prms_there
from inspector.inspection import Inspection
from inspector.screens.dialog import Dialog
from inspector.text import clean
from inspector.widgets.pick_list import Pick, PickList
from inspector.widgets.typing_line import TypingLine
from scoring.errors import InspectError
from scoring.scorer import Scorer


class CaseScorerDialog(Dialog[int | str | None]):
    """The place of a pick (0-based), or the checkpoint that was typed; None where nothing is to be scored."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", "Score"), ("escape", "dismiss(None)", "Close")]

    def __init__(self, title: str, picks: Sequence[Pick], cursor: int = 0) -> None:
        """`cursor` is the pick (0-based) where the cursor begins."""
        super().__init__()
        self._title, self._picks, self._cursor = title, tuple(picks), cursor

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(clean(self._title)), classes="strong")
            if self._picks:
                yield PickList()
            with Horizontal(classes="asked"):
                yield Static(Content("or PRM" if self._picks else "PRM"), classes="name")
                yield TypingLine(placeholder="a checkpoint's folder, or ORG/NAME of the hub", compact=True)
            tab = "Tab goes to the line below the list, " if self._picks else ""
            yield Static(Content(f"Enter scores it, {tab}Esc closes"), classes="dim")

    def on_mount(self) -> None:
        for picks in self.query(PickList):
            picks.show(self._picks, self._cursor)
        self.query_one(PickList if self._picks else Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if place := event.value.strip():
            self.dismiss(place)

    def action_take(self) -> None:
        for picks in self.query(PickList):
            if picks.key is not None:
                self.dismiss(int(picks.key))

    def on_pick_list_clicked(self) -> None:
        self.action_take()


Chosen = Callable[[Mapping[str, Any], Scorer | None], None]
"""Takes how the PRM is asked for, and the scorer that it is where that is known."""


def choose_case_scorer(screen: Screen[Any], inspection: Inspection, title: str, chosen: Chosen) -> None:
    """Ask which PRM is to score a case; the cursor begins on the scorer in focus.

    `screen` asks, and is told of a scorer that cannot be asked.
    """
    there = prms_there(inspection)
    names = [scorer.name for scorer, _ in there]

    def answered(answer: int | str | None) -> None:
        if isinstance(answer, str):
            chosen(prm_at(answer), None)
        elif answer is not None:
            scorer, folder = there[answer]
            try:
                asked = prm_asked(scorer, folder, inspection.selection.workspace.root)
            except InspectError as error:
                screen.notify(clean(error.words), severity="warning", markup=False)
                return
            chosen(asked, scorer)

    at = names.index(inspection.scorer) if inspection.scorer in names else 0
    picks = [Pick(str(place), scorer.name, scorer.family) for place, (scorer, _) in enumerate(there)]
    screen.app.push_screen(CaseScorerDialog(title, picks, at), answered)
