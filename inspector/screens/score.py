"""The score dialog: which PRM to run, and what to do with cases that are too long for it; or which critic to ask."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from inspector.messages import Score
from inspector.scoring_flags import flags_in
from inspector.screens.dialog import Dialog
from inspector.text import clean
from inspector.widgets.typing_line import TypingLine
from scoring.critic_arguments import PROTOCOLS
from scoring.errors import UsageError

TRUNCATE = "the first steps of too long cases (--truncate)"


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


class ScoreDialog(Dialog[Score | None]):
    """Asks for a checkpoint, or for a critic; the value is the message that runs it, None if nothing is to be run."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close"), ("enter", "start", "Start")]

    def __init__(self, benchmark: str) -> None:
        super().__init__()
        self._benchmark = benchmark

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(clean(f"Score {self._benchmark} with a PRM")), classes="strong")
            yield _asked("PRM", "its checkpoint: a folder, or ORG/NAME of the hub", id="model")
            yield Tick(TRUNCATE, id="truncate")
            yield Static(Content("or ask a critic: a language model that judges the steps"), classes="strong")
            yield _asked("protocol", f"one of {', '.join(PROTOCOLS)}", id="critic")
            yield _asked("server", "where it runs, such as http://127.0.0.1:8000", id="server")
            yield _asked("votes", "a case, if more than one", id="votes", type="integer")
            yield Static(Content("with more flags of prm-inspect score, if any"), classes="strong")
            yield _asked("flags", "such as --adapter ./mine.py", id="flags")
            yield Static(Content("Enter starts it, Tab goes on, Space ticks, Esc closes"), classes="dim")

    def on_mount(self) -> None:
        self.query_one("#model", Input).focus()

    def on_input_submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        model, critic, server, votes, more = (
            self.query_one(f"#{name}", Input).value.strip() for name in ("model", "critic", "server", "votes", "flags")
        )
        if problem := _problem(model, critic, server):
            self.notify(problem, severity="warning", markup=False)
            return
        named = {"critic": critic, "server": server, "votes": votes}
        try:
            flags = [*(f"--{name}={value}" for name, value in named.items() if value), *flags_in(more)]
        except UsageError as error:
            self.notify(clean(str(error)), severity="warning", markup=False)
            return
        truncate = ["--truncate"] if self.query_one(Tick).ticked else []
        self.dismiss(Score(model, (*truncate, *flags)) if model or server else None)


def _asked(name: str, placeholder: str, **told: Any) -> Horizontal:
    return Horizontal(
        Static(Content(name), classes="name"),
        TypingLine(placeholder=placeholder, compact=True, **told),
        classes="asked",
    )


def _problem(model: str, critic: str, server: str) -> str:
    """Why nothing can be started with what was given; "" where it can."""
    if critic and critic not in PROTOCOLS:
        return f"A critic is asked by one of {', '.join(PROTOCOLS)}."
    if critic and not (server or model):
        return "A critic needs its server, or above a model to run here with vLLM."
    if server and not (critic or model):
        return "A server needs a critic's protocol; for a PRM, above the checkpoint with its tokenizer."
    return ""
