"""The step cursor of the case screen: going from step to step, folding them, copying them."""

from bisect import bisect_left
from typing import Protocol

from msgspec.structs import replace

from inspector.case_page.case_lines import CaseLines
from inspector.case_page.copied_text import copied, whole_case
from inspector.case_page.images import open_outside
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop, images_of
from inspector.case_page.opening import line_of, stop_at
from inspector.case_page.prose import FOUND
from inspector.case_page.step_folds import FEWEST, prefix
from inspector.render.texts.sentences import counted
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.messages import Copy
from inspector.screens.panes import Panes
from inspector.widgets.line_view import LineView
from inspector.widgets.step_view import StepView


class CasePage(ControlledScreen, Protocol):
    """A screen with one case on it: the row id of the case, the pane with its steps and the cursor there."""

    row: int
    reading: DisplayOptions
    cursor: "StepCursor"
    panes: Panes

    @property
    def blind(self) -> bool: ...
    @property
    def steps(self) -> StepView: ...
    def case_at_hand(self, row: int, view: LineView) -> OpenCase | None: ...
    def display_options(self, view: LineView) -> DisplayOptions: ...
    def read(self, display: DisplayOptions) -> None: ...
    def show_case(self) -> None: ...
    def show_title(self) -> None: ...
    def action_reason(self) -> None: ...


class StepCursor(Controller[CasePage]):
    """The cursor on the steps, and on the problem, the gold labels and the facts, of the case on screen."""

    page = CaseLines((), ())
    """What is on screen."""
    stop: Stop | None = None
    """Where the cursor stands."""

    @property
    def steps(self) -> StepView:
        """The pane of the case."""
        return self.screen.steps

    @property
    def line(self) -> int | None:
        """The line on which the cursor stands."""
        return line_of(self.page, self.stop)

    def action_step(self, by: int) -> None:
        """Move to the next or previous stop; never past lines that were not on screen yet.

        A step longer than the screen takes several presses.
        """
        view, lines = self.steps, [line for _, line in self.page.stops]
        seen, page = view.seen, max(1, len(view.seen) - 1)
        here = self.line
        if here is None or not seen:
            return
        if here not in seen and self._leave_unseen(here, by):
            return
        if by > 0:
            following = min((line for line in lines if line > here), default=None)
            if following is None or following >= seen.stop:
                unseen = page if following is None else following - seen.stop + 1
                view.scroll_to(y=view.scroll_offset.y + min(page, unseen), force=True)
        else:
            following = max((line for line in lines if line < here), default=None)
            if following is None or following < seen.start:
                above = seen.start if following is None else seen.start - following
                view.scroll_to(y=max(0, view.scroll_offset.y - min(page, above)), force=True)
        if following is not None and following in view.seen:
            self._stand(following)

    def action_half(self, by: int) -> None:
        """Scroll half a page on or back; the cursor stays on its step, and comes along with the next key."""
        view = self.steps
        view.scroll_to(y=view.scroll_offset.y + by * max(1, len(view.seen) // 2), force=True)

    def _leave_unseen(self, here: int, by: int) -> bool:
        """The cursor was left behind by scrolling: go to the first stop on screen, or to the last one upwards.

        False where the part that it stands on is still being read.
        """
        seen = self.steps.seen
        on_screen = [line for _, line in self.page.stops if line in seen]
        if not on_screen:
            self.stop = stop_at(self.page, seen.start)
            return False
        reading = stop_at(self.page, seen.start) == stop_at(self.page, here)
        if reading and by < 0:
            return False
        self._stand(on_screen[0] if by > 0 else on_screen[-1])
        return True

    def _stand(self, line: int) -> None:
        """Put the cursor on the stop of a line, and show as much of what stands there as fits."""
        self.stop = stop_at(self.page, line)
        view = self.steps
        ends = [at for _, at in self.page.stops if at > line]
        end = ends[0] if ends else self.page.length
        if end > view.seen.stop:
            room = line - view.seen.start
            view.scroll_to(y=view.scroll_offset.y + min(end - view.seen.stop, room), force=True)
        view.put_cursor(line)

    def go_to_step(self, step: int) -> None:
        """Bring a step (0-based) of the case to the top, with the cursor on it; a step that is folded stays so."""
        if step < len(self.page.starts):
            line = self.page.starts[step]
            self.steps.scroll_to_line(line, top=True)
            self._stand(line)

    def action_end(self, last: bool) -> None:
        """Go to the problem, or the last stop; with all that is above or below it."""
        if not self.page.stops:
            return
        self.stop, line = self.page.stops[-1 if last else 0]
        self.steps.scroll_to(y=self.page.length if last else 0, force=True)
        self.steps.put_cursor(line)

    def turn_over(self) -> None:
        """Fold or unfold what the cursor stands on."""
        if self.stop is None:
            return
        if self.stop.kind == "gold":
            self.screen.action_reason()
            return
        if self.stop.kind == "image":
            self._open_image(self.stop.step)
            return
        before = self.page
        self.screen.reading = self.screen.reading.turn(self.stop)
        self.screen.show_case()
        if self.page.length == before.length:
            self.screen.notify("Too short to fold.", markup=False)
        # What was unfolded may lie beneath what is on screen.
        if (line := self.line) is not None:
            self.stop = stop_at(self.page, line)
            self._stand(line)

    def _open_image(self, number: int) -> None:
        """Open the image of this number (0-based) in the platform's program for images, or say why not."""
        case = self.screen.case_at_hand(self.screen.row, self.steps)
        images = () if case is None else images_of(case)
        if number < len(images):
            words, opening = open_outside(images[number], self.context.visit)
            self.screen.notify(words, severity="information" if opening else "warning", markup=False)

    def action_prefix(self) -> None:
        """Fold the steps before the first one that gold or a scorer names, or unfold them."""
        case = self.screen.case_at_hand(self.screen.row, self.steps)
        if case is None:
            return
        if not self.screen.reading.prefix and len(prefix(case)) < FEWEST:
            reason = "that would tell where the error is" if self.screen.blind else "fewer than two steps come before"
            self.screen.notify(f"Nothing to fold: {reason}.", markup=False)
            return
        turned = frozenset(stop for stop in self.screen.reading.turned if stop.kind != "run")
        # As if the case was opened anew: where the steps were, there are others now.
        self.stop = None
        self.screen.read(replace(self.screen.reading, prefix=not self.screen.reading.prefix, turned=turned))

    def action_facts(self) -> None:
        """Unfold everything else that is known of the case, or fold it again."""
        facts = Stop("facts")
        unfolded = self.screen.reading.facts != (facts in self.screen.reading.turned)
        self.screen.read(replace(self.screen.reading, facts=not unfolded, turned=self.screen.reading.turned - {facts}))
        if self.screen.reading.facts and self.page.stops:
            self.stop, line = self.page.stops[-1]
            self.steps.scroll_to_line(self.page.length - 1)
            self.steps.scroll_to_line(line)
            self.steps.put_cursor(line)

    def action_yank(self, everything: bool) -> None:
        """Copy what the cursor stands on, or the whole case, as it was given."""
        case = self.screen.case_at_hand(self.screen.row, self.steps)
        if case is None:
            return
        self.screen.post_message(Copy(*(whole_case(case) if everything else copied(case, self.stop))))

    def go_to_line(self, line: int) -> None:
        """Go where the mouse was pressed, if the cursor can go there."""
        if (stop := stop_at(self.page, line)) is not None:
            self.stop = stop
            self.steps.put_cursor(self.line)


# -- going from hit to hit of a search within one case


class Hits(Controller[CasePage]):
    """The lines of the case on screen in which what is searched for stands."""

    _hit: tuple[list[int], int] = ([], -1)

    @property
    def forms(self) -> tuple[str, ...]:
        """How many lines have a hit and on which one the reader is, for the title; "" where nothing is searched for."""
        if self.state.results.matches is None:
            return ("",)
        hits = self.screen.steps.lines_with(FOUND)
        known, place = self._hit
        if hits and known == hits:
            return (f"hit {place + 1} of {len(hits)}", "")
        return (f"{counted(len(hits), 'line')} with hits", "") if hits else ("no hit in these texts", "")

    def go(self, by: int, *, fresh: bool = False) -> bool:
        """Go to the next line with a hit, or the one before, at first the first on screen; return whether there is one.

        Of a `fresh` case it is the first of all, or going back the last.
        """
        view = self.screen.steps
        hits = [] if self.state.results.matches is None else view.lines_with(FOUND)
        known, place = self._hit
        if fresh:
            place = 0 if by > 0 else len(hits) - 1
        elif known == hits:
            place += by
        else:
            below = bisect_left(hits, view.scroll_offset.y)
            place = below if by > 0 else below - 1
        if not 0 <= place < len(hits):
            return False
        self._hit = (hits, place)
        view.scroll_to_line(hits[place])
        self.screen.cursor.go_to_line(hits[place])
        self.screen.show_title()
        return True
