"""The cases that are like the one that is looked at: nearest in text, or in the course of its rewards."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.analyses.similar import alike, outcome_of, tags_of
from inspector.render.cells import share
from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.render.texts.text import clean
from inspector.screens.dialog import Dialog
from inspector.state.screen_state import ScreenState
from inspector.widgets.pick_list import Pick, PickList
from scoring.data.errors import InspectError
from scoring.evaluation.similar import SimilarCase

_LOOKING = "Looking for them ..."


class SimilarDialog(Dialog[int | None]):
    """Ends with the row id of the case to open; None where it was only closed. They are looked for in a thread."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", "Open it"), ("escape,q", "dismiss(None)", "Close")]

    def __init__(self, state: ScreenState, row: int, *, blind: bool = False) -> None:
        """`row` is the case; while labels are hidden (`blind`), so are outcomes, and what others said."""
        super().__init__(f"Like {state.cases['case'][row]}")
        names = () if state.focus.scorer is None else (state.focus.scorer,)
        self._results = replace(state.results, chosen=names)
        self._row, self._blind = row, blind

    def compose_panel(self) -> ComposeResult:
        yield PickList()
        yield Static(_LOOKING, id="whole", classes="dim")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self.run_worker(self._look, thread=True, exclusive=True, group="similar", description="similar")

    def _look(self) -> None:
        """In a thread: all texts are read the first time."""
        try:
            picks = list(self._picks())
            message = "" if picks else "No other case that the filter keeps is like it."
        except InspectError as error:
            picks, message = [], str(error)
        self.show_if_open(self._show, picks, message)

    def _show(self, picks: list[Pick], message: str) -> None:
        self.query_one(PickList).show(picks)
        self.query_one("#whole", Static).update(Content(clean(message)))

    def _picks(self) -> Iterator[Pick]:
        results = self._results
        for scorer, other in alike(results, self._row):
            yield Pick(f"{scorer} {other.row}", results.cases["case"][other.row], self._why(scorer, other))

    def _why(self, scorer: str | None, other: SimilarCase) -> str:
        """How much it is like it and by what, what the scorer makes of it, and how it was tagged."""
        results = self._results
        parts = [f"{'text' if scorer is None else 'rewards'} {share(other.likeness, 0)}%"]
        outcome = None if self._blind else outcome_of(results, scorer, other.row)
        parts += [f"{GLYPHS[outcome]} {WORDS[outcome]}"] if outcome in GLYPHS else []
        tags = () if self._blind else tags_of(results, results.cases["case"][other.row])
        parts += [f"[{', '.join(tags)}]"] if tags else []
        return "  ".join([*parts, *([" ".join(other.shared)] if other.shared else [])])

    def on_pick_list_clicked(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        key = self.query_one(PickList).key
        if key is not None:
            self.dismiss(int(key.rpartition(" ")[2]))
