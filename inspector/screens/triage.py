"""The triage screen: one case after the other, and a key for what it is."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from inspector.case_view.manner import Manner
from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.phrases import Phrase
from inspector.screens import contesting, tagged_alike
from inspector.screens.case import CaseScreen
from inspector.screens.contesting import Contesting
from inspector.screens.tagged_alike import TaggedAlike
from inspector.sentences import counted
from inspector.short_names import short_name
from inspector.text import clean
from inspector.triage.queue_cases import first_row, row_of
from inspector.triage.queue_words import end_forms, place_words, progress_words, ruling_forms
from inspector.widgets.line_view import LineView
from scoring.errors import InspectError
from scoring.triage.actions import DEFER, GOLD_WRONG, RATE, RULE, RULINGS, SKIP, Action, Change, content_of
from scoring.triage.history import Queue
from scoring.triage.journal import Journal
from scoring.triage.words import Words, words_of


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

    def __init__(self, brush: Brush, row: int) -> None:
        super().__init__(brush, row)
        self._contesting = Contesting(self)
        self._alike = TaggedAlike(self)
        self._revealed = False
        self._last: tuple[str, ...] = ("",)

    def compose_above(self) -> ComposeResult:
        yield self.one_line("queue")
        why = self.one_line(contesting.LINE)
        why.display = False
        yield why
        alike = self.one_line(tagged_alike.LINE)
        alike.display = False
        yield alike

    def compose_beneath(self) -> ComposeResult:
        yield self.one_line("rulings")

    # -- what there is

    @property
    def journal(self) -> Journal | None:
        """Where rulings are written."""
        return None if self.inspection is None else self.inspection.selection.journal

    @property
    def queue(self) -> Queue | None:
        """The queue and how far it is."""
        return None if self.journal is None else self.journal.queue

    def _case(self, inspection: Inspection) -> str:
        return str(inspection.cases["case"][self.row])

    # -- showing

    @property
    def blind(self) -> bool:
        return super().blind and not self._revealed

    def manner(self, view: LineView) -> Manner:
        return replace(super().manner(view), blind=self.blind, unscored=self.blind)

    def show_title(self) -> None:
        super().show_title()
        inspection, queue, journal = self.inspection, self.queue, self.journal
        if inspection is None or journal is None:
            return
        who, rulings = journal.author.who, journal.triage.rulings
        phrases = []
        if queue is not None:
            phrases = [Phrase((progress_words(queue),))]
            if not queue.waiting:
                mine = {case: of[who] for case, of in rulings.items() if who in of}
                phrases = [Phrase(end_forms(queue, mine))]
            phrases.append(Phrase(self._last, rank=1))
            phrases.append(Phrase((clean(queue.words), ""), rank=2))
        self.tell("queue", [one for one in phrases if one.forms[0]], "dim")
        now = rulings.get(self._case(inspection), {}).get(who)
        self.tell("rulings", [Phrase(ruling_forms(now))], "strong" if now else "")
        self._contesting.show(self.row, hidden=self.blind)
        self._alike.show(self.row, hidden=self.blind)

    def place_words(self, inspection: Inspection) -> str:
        queue = self.queue
        return super().place_words(inspection) if queue is None else place_words(queue, self._case(inspection))

    def neighbours(self, inspection: Inspection) -> list[int]:
        """The first cases that wait but this one."""
        waiting = () if self.queue is None else self.queue.waiting[:3]
        rows = (row_of(inspection, case) for case in waiting if case != self._case(inspection))
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
        said = f"{ruling}{' (no step rated)' if unrated else ''} on" if ruling else "no ruling on"
        self._do([(RULE, self._here, ruling)], said, stay=shows_first or not ruling or not self._waits)
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

    def _put_aside(self, kind: str, said: str) -> None:
        if self._waits:
            self._do([(kind, self._here, "")], said, stay=False)
        else:
            self.say("This case does not wait in the queue.")

    def action_rate(self, rating: int) -> None:
        """Rate the step under the cursor; the same rating once more takes it away.

        With the cursor elsewhere +1 is for every step without a rating of one's own.
        """
        stop = self.cursor.stop
        if self.inspection is None:
            return
        mine = self._mine.ratings
        if stop is None or (stop.kind != "step" and rating < 1):
            self.say("Put the cursor on a step to rate it.")
        elif stop.kind != "step":
            unrated = [step for step in range(self.inspection.cases["n_steps"][self.row]) if step not in mine]
            if unrated:
                said = f"{counted(len(unrated), 'step')} rated +1 on"
                self._do([(RATE, self._here, f"{step} 1") for step in unrated], said, stay=True)
            else:
                self.say("You have rated every step.")
        else:
            value = "" if mine.get(stop.step) == rating else f"{rating}"
            rated = f"rated {rating:+d}" if rating else "rated 0"
            said = f"step {stop.step} {rated if value else 'no longer rated'} on"
            self._do([(RATE, self._here, f"{stop.step} {value}")], said, stay=True)

    @property
    def _here(self) -> tuple[str, ...]:
        return () if self.inspection is None else (self._case(self.inspection),)

    @property
    def _waits(self) -> bool:
        return self.queue is not None and self.queue.waits(self._here[0])

    @property
    def _mine(self) -> Words:
        """What one says of the case oneself, as it is here: not what was said of another text of it."""
        inspection, journal = self.inspection, self.journal
        if inspection is None or journal is None:
            return Words("", "")
        who, case = journal.author.who, self._here[0]
        said = words_of(case, (told for told in journal.of_case(case) if told[0].who == who))
        return said[0].of(inspection.cases["key"][self.row]) if said else Words(case, who)

    def _do(self, changes: Sequence[Change], said: str, *, stay: bool) -> None:
        """Write it, show it, and unless told to `stay` go to the next case that waits."""
        inspection, journal = self.inspection, self.journal
        if inspection is None or journal is None:
            return
        try:
            journal.do(changes, content_of(inspection.cases["key"][self.row]))
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False)
            return
        case = clean(self._here[0])
        self._last = f"{said} {case}", f"{said} {short_name(case, 24)}", said.removesuffix(" on"), ""
        now = inspection.triaged()
        self.ready.keep(now, self.row)
        if not stay:
            self._turn_to(self._waiting(now))
        self.put(now)

    def _waiting(self, inspection: Inspection) -> int | None:
        return None if self.queue is None else first_row(inspection, self.queue)

    def go_through(self, row: int) -> None:
        """Another queue, begun here."""
        self._last = ("",)
        self._turn_to(row)
        self._show(keep_scroll=False)

    def _turn_to(self, row: int | None) -> None:
        """Another case, from its beginning, at the next showing."""
        if row is not None:
            self.row, self.cursor.stop, self._revealed = row, None, False
            self.reading = self.reading.kept()

    def say_done(self, sentence: str, *, failed: bool = False, brief: str = "") -> None:
        """What was done stands above the case: a toast would cover the rulings."""
        if failed:
            super().say_done(sentence, failed=True)
        else:
            self._last = clean(sentence), clean(brief) or short_name(clean(sentence), 40), ""
            self.show_title()

    def say(self, sentence: str) -> None:
        self.say_done(sentence)

    # -- going through the queue

    def action_turn(self, by: int) -> None:
        """The next or previous case of the queue; after a ruling that showed the labels, the next that waits."""
        inspection, queue = self.inspection, self.queue
        if inspection is None or queue is None:
            super().action_turn(by)
            return
        here = self._here[0]
        if by > 0 and self._revealed and queue.waiting:
            rows: Iterable[str] = queue.waiting
        else:
            at = queue.cases.index(here) if here in queue.cases else -1
            rows = queue.cases[at + 1 :] if by > 0 else reversed(queue.cases[: max(0, at)])
        row = next((row for case in rows if (row := row_of(inspection, case)) is not None), None)
        if row is None:
            self.say(f"This is the {'last' if by > 0 else 'first'} case of the queue.")
            return
        self._last = ("",)
        self._turn_to(row)
        self._show(keep_scroll=False)

    def show_reversed(self, batch: Sequence[Action]) -> None:
        """To the case that what was undone or done again is about."""
        case = next((one.cases[0] for one in batch if one.kind in {RULE, SKIP, DEFER, RATE} and one.cases), None)
        row = None if case is None or self.inspection is None else row_of(self.inspection, case)
        if row is not None and row != self.row:
            self._turn_to(row)
            self._show(keep_scroll=False)
