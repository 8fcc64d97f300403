"""The triage screen: one case after the other, and a key for what it is."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from inspector.case_page.open_case import DisplayOptions
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import clean
from inspector.screens.case import CaseScreen
from inspector.screens.contested_label import CONTESTED, Contesting
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_lines import one_line, write_phrases
from inspector.screens.tagged_alike import ALIKE, TaggedAlike
from inspector.state.screen_state import ScreenState
from inspector.state.triage.queue import end_forms, first_row, place_words, progress_words, row_of, ruling_forms
from inspector.widgets.key_table import bindings_of
from inspector.widgets.line_view import LineView
from scoring.data.errors import InspectError
from scoring.workspace.triage.actions import (
    DEFER,
    GOLD_WRONG,
    RATE,
    RULE,
    RULINGS,
    SKIP,
    Action,
    JournalChange,
    content_of,
)
from scoring.workspace.triage.annotations import Annotation, words_of
from scoring.workspace.triage.journal import Journal
from scoring.workspace.triage.queues import Queue

PROGRESS = 10
"""Width of the bar, in cells."""


class TriageScreen(CaseScreen, inherit_bindings=False):
    """A case of the queue with the rulings beneath it. A ruling brings the next case that waits.

    Blind, gold labels and all that scorers say are hidden, so that a ruling is one's own: it shows them first, and the
    key for the next case goes on. Why the label is contested stands above the case, where it is.
    """

    NAME = "triage"
    # Not after those of a case: what one came here for is listed first.
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("triage"),
        Binding("ctrl+c,super+c", "screen.copy_text", "Copy selected text", show=False, system=True),
    ]
    ABOUT = (
        "One case after another: a digit rules on it and brings the next one. Everything is on the disk at once, and "
        "can be undone ruling by ruling. While you work blind, gold labels and scorers are hidden until you have ruled."
    )

    def __init__(self, context: ScreenContext, state: ScreenState, row: int) -> None:
        super().__init__(context, state, row)
        self._contesting = Contesting(self)
        self._alike = TaggedAlike(self)
        self._revealed = False
        self._last: tuple[str, ...] = ("",)

    def compose_above(self) -> ComposeResult:
        yield one_line("queue")
        why = one_line(CONTESTED)
        why.display = False
        yield why
        alike = one_line(ALIKE)
        alike.display = False
        yield alike

    def compose_beneath(self) -> ComposeResult:
        yield one_line("rulings")

    # -- what there is

    @property
    def journal(self) -> Journal | None:
        """Where rulings are written."""
        return self.state.results.labels.journal

    @property
    def queue(self) -> Queue | None:
        """The queue and how far it is."""
        return None if self.journal is None else self.journal.queue

    def _case(self, state: ScreenState) -> str:
        return str(state.cases["case"][self.row])

    # -- showing

    @property
    def blind(self) -> bool:
        return super().blind and not self._revealed

    def display_options(self, view: LineView) -> DisplayOptions:
        return replace(super().display_options(view), blind=self.blind, unscored=self.blind)

    def show_title(self) -> None:
        super().show_title()
        state, queue, journal = self.state, self.queue, self.journal
        if journal is None:
            return
        who, rulings = journal.author.who, journal.triage.rulings
        phrases = []
        if queue is not None:
            bar, words = self._progress(queue), progress_words(queue)
            phrases = [Phrase((f"{bar} {words}", words))]
            if not queue.waiting:
                mine = {case: of[who] for case, of in rulings.items() if who in of}
                phrases = [Phrase(end_forms(queue, mine))]
            phrases.append(Phrase(self._last, rank=1))
            phrases.append(Phrase((clean(queue.words), ""), rank=2))
        write_phrases(self, "queue", [phrase for phrase in phrases if phrase.forms[0]], "dim")
        now = rulings.get(self._case(state), {}).get(who)
        write_phrases(self, "rulings", [Phrase(ruling_forms(now))], "strong" if now else "")
        self._contesting.show(self.row, hidden=self.blind)
        self._alike.show(self.row, hidden=self.blind)

    def _progress(self, queue: Queue) -> str:
        """Draw the decided share of the queue as a bar."""
        glyphs, done = self.context.glyphs, len(queue.ruled) + len(queue.skipped)
        bar, _ = glyphs.bar(done / max(1, len(queue.cases)), PROGRESS)
        return bar if glyphs.ascii_only else bar.replace(" ", "░")

    @property
    def place_name(self) -> str:
        return "triage"

    def place_words(self, state: ScreenState) -> str:
        queue = self.queue
        return super().place_words(state) if queue is None else place_words(queue, self._case(state))

    def neighbours(self, state: ScreenState) -> list[int]:
        """Return the first cases that wait, but not this one."""
        waiting = () if self.queue is None else self.queue.waiting[:3]
        rows = (row_of(state, case) for case in waiting if case != self._case(state))
        return [row for row in rows if row is not None][:2]

    # -- deciding

    def action_rule(self, number: int) -> None:
        """Rule on the case (0-based in RULINGS; -1 takes the ruling away) and go to the next one that waits."""
        ruling = RULINGS[number] if number >= 0 else ""
        mine = self._mine
        if not ruling and not mine.ruling and not mine.outdated:
            self.say("There is no ruling of yours to take away.")
            return
        if ruling and not self._waits and mine.ruling == ruling:
            self.say("That is your ruling already.")
            return
        shows_first = bool(ruling) and self.blind
        # Without ratings it is not known what the label should be: one goes back for them.
        unrated = ruling == GOLD_WRONG and not mine.ratings
        words = f"{ruling}{' (no step rated)' if unrated else ''} on" if ruling else "no ruling on"
        self._do([(RULE, self._here, ruling)], words, stay=shows_first or not ruling or not self._waits)
        if shows_first:
            self._revealed = True
            self.show_case()

    def action_take_away(self) -> None:
        """Take one's ruling away; where there is none, leave the case out of the queue."""
        mine = self._mine
        if self._waits and not mine.ruling and not mine.outdated:
            self.action_skip()
        else:
            self.action_rule(-1)

    def action_skip(self) -> None:
        self._put_aside(SKIP, "skipped")

    def action_defer(self) -> None:
        self._put_aside(DEFER, "deferred")

    def _put_aside(self, kind: str, words: str) -> None:
        if self._waits:
            self._do([(kind, self._here, "")], words, stay=False)
        else:
            self.say("This case does not wait in the queue.")

    def action_rate(self, rating: int) -> None:
        """Rate the step under the cursor; the same rating once more takes it away.

        With the cursor elsewhere +1 is for every step without a rating of one's own.
        """
        stop = self.cursor.stop
        mine = self._mine.ratings
        if stop is None or (stop.kind != "step" and rating < 1):
            self.say("Put the cursor on a step to rate it.")
        elif stop.kind != "step":
            unrated = [step for step in range(self.state.cases["n_steps"][self.row]) if step not in mine]
            if unrated:
                words = f"{counted(len(unrated), 'step')} rated +1 on"
                self._do([(RATE, self._here, f"{step} 1") for step in unrated], words, stay=True)
            else:
                self.say("You have rated every step.")
        else:
            value = "" if mine.get(stop.step) == rating else f"{rating}"
            rated = f"rated {rating:+d}" if rating else "rated 0"
            words = f"step {stop.step} {rated if value else 'no longer rated'} on"
            self._do([(RATE, self._here, f"{stop.step} {value}")], words, stay=True)

    @property
    def _here(self) -> tuple[str, ...]:
        return (self._case(self.state),)

    @property
    def _waits(self) -> bool:
        return self.queue is not None and self.queue.waits(self._here[0])

    @property
    def _mine(self) -> Annotation:
        """What one says of the case oneself, as it is here: not what was said of another text of it."""
        state, journal = self.state, self.journal
        if journal is None:
            return Annotation("", "")
        who, case = journal.author.who, self._here[0]
        own = words_of(case, (entry for entry in journal.of_case(case) if entry[0].who == who))
        return own[0].of(state.cases["key"][self.row]) if own else Annotation(case, who)

    def _do(self, changes: Sequence[JournalChange], words: str, *, stay: bool) -> None:
        """Write it, show it, and unless told to `stay` go to the next case that waits."""
        state, journal = self.state, self.journal
        if journal is None:
            return
        try:
            journal.do(changes, content_of(state.cases["key"][self.row]))
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False)
            return
        case = clean(self._here[0])
        self._last = f"{words} {case}", f"{words} {short_name(case, 24)}", words.removesuffix(" on"), ""
        now = state.triaged()
        self.ready.keep(now, self.row)
        if not stay:
            self._turn_to(self._waiting(now))
        self.put(now)

    def _waiting(self, state: ScreenState) -> int | None:
        return None if self.queue is None else first_row(state, self.queue)

    def go_through(self, row: int) -> None:
        """Begin another queue here."""
        self._last = ("",)
        self._turn_to(row)
        self._show(keep_scroll=False)

    def _turn_to(self, row: int | None) -> None:
        """Another case, from its beginning, at the next showing."""
        if row is not None:
            self.row, self.cursor.stop, self._revealed = row, None, False
            self.reading = self.reading.kept()

    def say_done(self, sentence: str, *, failed: bool = False, brief: str = "") -> None:
        """Say above the case what was done: a toast would cover the rulings."""
        if failed:
            super().say_done(sentence, failed=True)
        else:
            self._last = clean(sentence), clean(brief) or short_name(clean(sentence), 40), ""
            self.show_title()

    def say(self, sentence: str) -> None:
        self.say_done(sentence)

    # -- going through the queue

    def action_turn(self, by: int) -> None:
        """Show the next or previous case of the queue; after a ruling that showed the labels, the next that waits."""
        state, queue = self.state, self.queue
        if queue is None:
            super().action_turn(by)
            return
        here = self._here[0]
        if by > 0 and self._revealed and queue.waiting:
            rows: Iterable[str] = queue.waiting
        else:
            at = queue.cases.index(here) if here in queue.cases else -1
            rows = queue.cases[at + 1 :] if by > 0 else reversed(queue.cases[: max(0, at)])
        row = next((row for case in rows if (row := row_of(state, case)) is not None), None)
        if row is None:
            self.say(f"This is the {'last' if by > 0 else 'first'} case of the queue.")
            return
        self._last = ("",)
        self._turn_to(row)
        self._show(keep_scroll=False)

    def show_reversed(self, batch: Sequence[Action]) -> None:
        """Go to the case that what was undone or done again is about."""
        case = next((act.cases[0] for act in batch if act.kind in {RULE, SKIP, DEFER, RATE} and act.cases), None)
        row = None if case is None else row_of(self.state, case)
        if row is not None and row != self.row:
            self._turn_to(row)
            self._show(keep_scroll=False)
