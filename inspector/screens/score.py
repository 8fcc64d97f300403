"""The score dialog: which PRM to run, and what to do with cases that are too long for it."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.messages import Score
from inspector.text import clean

TRUNCATE = "score the first steps of too long cases (--truncate)"


class Tick(Static, can_focus=True):
    """A line that is ticked or not: `[x]` or `[ ]`, so that no colour is needed to see which."""

    BINDINGS: ClassVar[list[BindingType]] = [("space", "tick", "Tick")]
    ticked: reactive[bool] = reactive(default=False)

    def __init__(self, words: str, *, id: str) -> None:  # noqa: A002  # a widget's own word
        super().__init__(id=id)
        self._words = words

    def watch_ticked(self, ticked: bool) -> None:
        self.update(Content(f"[{'x' if ticked else ' '}] {self._words}"))

    def action_tick(self) -> None:
        self.ticked = not self.ticked

    def on_click(self) -> None:
        self.action_tick()


class ScoreDialog(ModalScreen[Score | None]):
    """Asks for a checkpoint; the value is the message that runs it, None if nothing is to be run."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close"), ("enter", "start", "Start")]

    def __init__(self, benchmark: str) -> None:
        super().__init__()
        self._benchmark = benchmark

    def compose(self) -> ComposeResult:
        words = f"Score {self._benchmark} with the PRM in this checkpoint (a folder, or ORG/NAME of the hub)"
        yield Static(Content(clean(words)), id="question")
        yield Input(placeholder="path/to/checkpoint", id="model")
        yield Tick(TRUNCATE, id="truncate")
        yield Static(Content("Enter starts it, Tab and Space tick, Esc closes"), id="hint")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        model = self.query_one(Input).value.strip()
        self.dismiss(Score(model, self.query_one(Tick).ticked) if model else None)
