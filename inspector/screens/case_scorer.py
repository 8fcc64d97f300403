"""Who is to judge the case at hand: a PRM or a critic of the workspace's, or a checkpoint."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.render.texts.text import clean
from inspector.screens.case_job import critic_asked, critics_there, prm_asked, prm_at, prms_there
from inspector.screens.dialog import Dialog
from inspector.screens.question_dialogs import WordsDialog
from inspector.state.screen_state import ScreenState
from inspector.widgets.pick_list import Pick, PickList, natural_width
from inspector.widgets.text_editor import TypingLine
from scoring.data.errors import InspectError
from scoring.data.scorer import Scorer

ROOM_FOR_PATH = 60
"""Width of the line for a checkpoint and its name, in cells."""


class CaseScorerDialog(Dialog[int | str | None]):
    """The place of a pick (0-based), or the checkpoint that was typed; None where nothing is to be scored."""

    ENTER = "Score"
    HINT = "Enter scores   Esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", "Score"),
        ("escape", "dismiss(None)", "Close"),
        ("tab", "name_checkpoint", "Another checkpoint"),
    ]

    def __init__(self, title: str, picks: Sequence[Pick], cursor: int = 0) -> None:
        """`cursor` is the pick (0-based) where the cursor begins."""
        super().__init__(title)
        self._picks, self._cursor = tuple(picks), cursor

    @property
    def content_width(self) -> int:
        return max(natural_width(self._picks), ROOM_FOR_PATH)

    def compose_panel(self) -> ComposeResult:
        if self._picks:
            yield PickList()
        with Horizontal(classes="asked"):
            yield Static(Content("or PRM" if self._picks else "PRM"), classes="name")
            yield TypingLine(placeholder="a checkpoint's folder, or ORG/NAME of the hub", compact=True)

    def on_mount(self) -> None:
        for picks in self.query(PickList):
            picks.show(self._picks, self._cursor)
        self.query_one(PickList if self._picks else Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if place := event.value.strip():
            self.dismiss(place)

    def action_name_checkpoint(self) -> None:
        """Move from the list to the line, and back."""
        self.focus_next()

    def action_take(self) -> None:
        for picks in self.query(PickList):
            if picks.key is not None:
                self.dismiss(int(picks.key))

    def on_pick_list_clicked(self) -> None:
        self.action_take()


ScoreCallback = Callable[[Mapping[str, Any], Scorer | None], None]
"""Takes how the PRM is asked for, and the scorer that it is where that is known."""


def choose_case_scorer(screen: Screen[Any], state: ScreenState, title: str, chosen: ScoreCallback) -> None:
    """Ask which PRM is to score a case; the cursor begins on the scorer in focus.

    `screen` asks, and is told of a scorer that cannot be asked.
    """
    there = prms_there(state)

    def answered(answer: int | str | None) -> None:
        if isinstance(answer, str):
            chosen(prm_at(answer), None)
        elif answer is not None:
            _ask_prm(screen, state, there[answer], chosen)

    _choose(screen, state, title, [scorer for scorer, _ in there], answered)


def choose_judge(screen: Screen[Any], state: ScreenState, case: str, server: str, chosen: ScoreCallback) -> None:
    """Ask which PRM, critic or generative PRM is to judge a case of the workspace.

    A critic is asked by a run like any other, of this one case. `server` is where one was asked the last time.
    """
    prms, critics = prms_there(state), critics_there(state)

    def answered(answer: int | str | None) -> None:
        if isinstance(answer, str):
            chosen(prm_at(answer), None)
        elif answer is not None and answer < len(prms):
            _ask_prm(screen, state, prms[answer], chosen)
        elif answer is not None:
            _ask_critic(screen, state, critics[answer - len(prms)], case, server)

    _choose(screen, state, f"Score {case} with", [scorer for scorer, _ in (*prms, *critics)], answered)


def _choose(
    screen: Screen[Any],
    state: ScreenState,
    title: str,
    scorers: Sequence[Scorer],
    answered: Callable[[int | str | None], None],
) -> None:
    names = [scorer.name for scorer in scorers]
    at = names.index(state.focus.scorer) if state.focus.scorer in names else 0
    picks = [Pick(str(place), scorer.name, scorer.about or scorer.family) for place, scorer in enumerate(scorers)]
    screen.app.push_screen(CaseScorerDialog(title, picks, at), answered)


def _ask_prm(screen: Screen[Any], state: ScreenState, prm: tuple[Scorer, Path], chosen: ScoreCallback) -> None:
    try:
        query = prm_asked(*prm, state.results.loaded.workspace.root)
    except InspectError as error:
        screen.notify(clean(error.words), severity="warning", markup=False)
        return
    chosen(query, prm[0])


def _ask_critic(screen: Screen[Any], state: ScreenState, critic: tuple[Scorer, Path], case: str, server: str) -> None:
    """Have it asked: one that is run here at once, another where a person says that it runs."""

    def asked_at(address: str | None) -> None:
        if address is None:
            return
        if not address and "weights" not in scorer.settings:
            screen.notify("Nothing is asked without an address.", severity="warning", markup=False)
            return
        try:
            screen.post_message(critic_asked(*critic, state, case, address))
        except InspectError as error:
            screen.notify(clean(error.words), severity="warning", markup=False)

    scorer, _ = critic
    if "weights" in scorer.settings:
        asked_at("")
    else:
        title = f"Where is {scorer.settings['model']} to be asked?"
        screen.app.push_screen(WordsDialog(title, server, "such as http://127.0.0.1:8000"), asked_at)
