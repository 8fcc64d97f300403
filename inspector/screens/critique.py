"""What the case screen has of the critique pane: one vote of the scorer in focus beside, beneath or over the steps."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from inspector.case_page.critique_page import PageSpot
from inspector.case_page.vote_page import VoteDisplay, VotePage, answers_to, vote_page, without_answers
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.screens.controller import Controller
from inspector.screens.stepping import CasePage
from inspector.state.screen_state import ScreenState
from inspector.widgets.critique_pane import CritiquePane
from inspector.widgets.key_table import bindings_of_answers
from inspector.widgets.line_view import Line
from scoring.data.errors import InspectError

if TYPE_CHECKING:
    from textual.timer import Timer


BESIDE = 120
"""Columns from which steps and answers stand side by side."""
BENEATH = 40
"""Lines from which, with fewer columns, answers stand beneath the steps; with fewer they stand in their place."""
KEPT = 24
"""Votes that are kept ready at most."""
PAUSE = 0.03
"""Seconds for keys between two cases that are made ready."""

Room = Literal["beside", "beneath", "instead"]


def room_for(width: int, height: int, *, zoomed: bool) -> Room:
    """Return where the pane is on a screen of so many columns and lines."""
    if zoomed:
        return "instead"
    return "beside" if width >= BESIDE else "beneath" if height >= BENEATH else "instead"


class AnswersPane(CritiquePane):
    """The pane of the case screen, with what the screen does while it has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of_answers())


class Critique(Controller[CasePage]):
    """The pane of a critic's answers to the case on screen: what is open, which vote, and the cursor in it."""

    def __init__(self, screen: CasePage) -> None:
        super().__init__(screen)
        self._open = False
        self._zoomed = False
        self._vote = 0
        self._answers: list[dict[str, Any]] = []
        self._answers_of: tuple[str | None, int] = (None, -1)
        self._unfolded_blocks: frozenset[int] = frozenset()
        self._chosen_spot: int | None = None
        self._spots = tuple[PageSpot, ...]()
        self._read: dict[tuple[int, int], VotePage] = {}
        self._read_for: tuple[ScreenState, VoteDisplay] | None = None
        self._next_ready: Timer | None = None

    def compose(self) -> ComposeResult:
        """Compose the pane, which is closed."""
        pane = AnswersPane(id="critique", classes="pane")
        pane.display = False
        yield pane

    # -- showing

    @property
    def pane(self) -> CritiquePane:
        return self.screen.query_one("#critique", CritiquePane)

    @property
    def is_open(self) -> bool:
        """Whether the pane is open."""
        return self._open

    @property
    def has_focus(self) -> bool:
        """Whether keys go to the pane."""
        return self.pane.has_focus

    def lay_out(self) -> None:
        """Divide the screen between steps and answers. Widths change: steps have to be shown again after it."""
        room = room_for(self.screen.size.width, self.screen.size.height, zoomed=self._zoomed)
        opened = self._open
        self.pane.display = opened
        self.screen.steps.display = not (opened and room == "instead")
        for name in ("beside", "beneath"):
            self.screen.query_one("#reading", Container).set_class(opened and room == name, f"-{name}")

    def show(self, *, keep_scroll: bool = True) -> None:
        """Show the vote that is looked at; of another case or scorer, the first one."""
        state, pane = self.state, self.pane
        if not self._open:
            return
        if self._answers_of != (state.focus.scorer, self.screen.row):
            self._answers_of = (state.focus.scorer, self.screen.row)
            self._vote = 0
            keep_scroll = False
            self._fold()
        vote, nothing = self._vote_or_why(state)
        if vote is None:
            self._spots = ()
            head = [Line([(line, "dim")]) for line in wrap(clean(nothing), max(20, pane.viewport.width))]
            pane.present(head, (), (), keep_scroll=False)
            return
        page = vote.page(unfolded=self._unfolded_blocks, chosen=self._chosen_spot)
        self._spots = page.spots
        pane.present(vote.head, page.lines, [spot.places for spot in page.spots], keep_scroll=keep_scroll)

    def _vote_or_why(self, state: ScreenState) -> tuple[VotePage | None, str]:
        """The vote that is looked at, or why none is shown."""
        try:
            self._answers = answers_to(state, self.screen.row)
            self._vote = min(self._vote, max(0, len(self._answers) - 1))
            nothing = self._why_nothing(state)
            return (None, nothing) if nothing else (self._read_vote(state), "")
        except InspectError as error:
            return None, str(error)

    def _why_nothing(self, state: ScreenState) -> str:
        """Why no answer is shown; "" where one is."""
        if self.screen.blind:
            key = self.context.keys.of("blind")
            return f"Blind: what a critic answered is hidden, as its verdict is; {key} shows both."
        if state.focus.scorer is None:
            return "There is no scorer."
        if not self._answers:
            following = self.context.keys.of("next-scorer")
            return (
                f"{state.focus.scorer} has no answer to this case in words; {following} looks through the next scorer."
            )
        return ""

    def _read_vote(self, state: ScreenState) -> VotePage:
        """The vote that is looked at; a cursor that moves in it needs no new one."""
        shared = self.screen.display_options(self.pane)
        display = VoteDisplay(
            shared.width, self.context.glyphs, raw=shared.raw, search=shared.searched("answers"), keys=self.context.keys
        )
        if self._read_for is None or self._read_for[0] is not state or self._read_for[1] != display:
            self._read_for, self._read = (state, display), {}
        place = self.screen.row, self._vote
        if place not in self._read:
            self._read[place] = vote_page(state, self.screen.row, self._answers, self._vote, display)
        return self._read[place]

    def prepare(self, rows: Sequence[int]) -> None:
        """Make the first answers to these cases ready, one after the other, so that a key need not wait for all.

        Of many, those of other cases are forgotten.
        """
        if not self._open or self.screen.blind or not rows:
            return
        if len(self._read) > KEPT:
            self._read = {place: page for place, page in self._read.items() if place[0] in {*rows, self.screen.row}}
        self._prepare(rows[0])
        if self._next_ready is not None:
            self._next_ready.stop()
        self._next_ready = self.screen.set_timer(PAUSE, partial(self.prepare, rows[1:])) if rows[1:] else None

    def _prepare(self, row: int) -> None:
        if self._read_for is None or self._read_for[0] is not self.state or (row, 0) in self._read:
            return
        state, display = self._read_for
        try:
            if answers := answers_to(state, row):
                self._read[row, 0] = vote_page(state, row, answers, 0, display)
                # What takes time of it is remembered there.
                self._read[row, 0].page()
        except InspectError:
            # It is said when the case is opened.
            return

    def _fold(self) -> None:
        self._unfolded_blocks, self._chosen_spot = frozenset(), None

    # -- keys

    def action_critique(self) -> None:
        """Open the pane and go there; from there back to the steps, and there again."""
        if not self._open:
            self._set(opened=True)
        elif self.pane.has_focus and self.screen.steps.display:
            self.screen.steps.focus()
        elif self.pane.has_focus:
            self._set(opened=False)
        else:
            self.pane.focus()

    def _set(self, *, opened: bool) -> None:
        if opened and not answers_to(self.state, self.screen.row):
            self.screen.say(without_answers(self.state, self.context.keys))
            return
        self._open = opened
        self.lay_out()
        (self.pane if opened else self.screen.steps).focus()
        self.screen.call_after_refresh(self.screen.show_case)

    def leave(self) -> bool:
        """Close the pane; return whether there was one to close."""
        if self._open:
            self._zoomed = False
            self._set(opened=False)
            return True
        return False

    def _say_closed(self) -> None:
        self.screen.say(f"{self.context.keys.of('answers')} opens a critic's answers.")

    def action_vote(self, by: int) -> None:
        """Show the next or previous answer, round and round; open the pane where it is closed."""
        if not self._open:
            self.action_critique()
            return
        if len(self._answers) < 2:
            self.screen.notify("There is no other answer to this case.", markup=False)
            return
        self._vote = (self._vote + by) % len(self._answers)
        self._fold()
        self.show(keep_scroll=False)

    def action_zoom_critique(self) -> None:
        if not self._open:
            self._say_closed()
            return
        self._zoomed = not self._zoomed
        self.lay_out()
        self.pane.focus()
        self.screen.call_after_refresh(self.screen.show_case)

    def action_mention(self, by: int) -> None:
        """Move the cursor to the next or previous spot of the answer; after the last one, go to the next pane."""
        now = self._chosen_spot
        first = 0 if by > 0 else len(self._spots) - 1
        spot = first if now is None else now + by
        if 0 <= spot < len(self._spots):
            self._choose(spot)
            return
        if now is not None:
            self._chosen_spot = None
            self.show()
        self.screen.panes.action_pane(by)

    def _choose(self, spot: int) -> None:
        self._chosen_spot = spot
        self.show()
        if spot < len(self._spots):
            self.pane.bring(self._spots[spot].places[0][0])

    def action_choose(self) -> None:
        """Go to the step that is named under the cursor; fold or unfold. Without a cursor, the first that folds."""
        if not self._open:
            self._say_closed()
            return
        at = self._chosen_spot
        if at is None:
            folding = [(spot.aside, place) for place, spot in enumerate(self._spots) if spot.fold is not None]
            at = min(folding)[1] if folding else None
        if at is None or at >= len(self._spots):
            self.screen.say(f"{self.context.keys.of('next-mention')} goes to the next step that the answer names.")
            return
        self._press(at)

    def press(self, spot: int) -> None:
        """Do what a spot of the answer (0-based) is for, which was clicked."""
        if spot < len(self._spots):
            self._press(spot)

    def _press(self, at: int) -> None:
        if self._answers_of != (self.state.focus.scorer, self.screen.row):
            # Another case is on its way to the screen: what was pressed belongs to the one before.
            return
        spot = self._spots[at]
        if spot.fold is not None:
            self._unfolded_blocks ^= {spot.fold}
            self._choose(at)
        elif spot.step is not None:
            self._choose(at)
            if not self.screen.steps.display:
                # Where the answer covers the steps, it makes room.
                self.leave()
                self.screen.call_after_refresh(self.screen.call_after_refresh, self.screen.cursor.go_to_step, spot.step)
                return
            self.screen.cursor.go_to_step(spot.step)
