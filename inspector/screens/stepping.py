"""The step cursor of the case screen: going from step to step, folding them, copying them."""

from bisect import bisect_left
from typing import Literal, Protocol

from msgspec.structs import replace
from textual.widget import Widget

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
    def focused(self) -> Widget | None: ...
    @property
    def steps(self) -> StepView: ...
    def case_at_hand(self, row: int, view: LineView) -> OpenCase | None: ...
    def display_options(self, view: LineView) -> DisplayOptions: ...
    def read(self, display: DisplayOptions) -> None: ...
    def show_case(self) -> None: ...
    def show_title(self) -> None: ...
    def action_reason(self) -> None: ...


Part = Literal["problem", "steps", "why"]
PARTS: tuple[Part, ...] = ("problem", "steps", "why")
"""Panes that can hold the cursor, from top to bottom."""
_NOTHING = CaseLines((), ())


class StepCursor(Controller[CasePage]):
    """The cursor on the steps, and on the problem, the gold labels and the facts, of the case on screen."""

    stop: Stop | None = None
    """Where the cursor stands."""
    part: Part = "steps"
    """The pane that holds the cursor."""

    def __init__(self, screen: CasePage) -> None:
        super().__init__(screen)
        self.pages: dict[Part, CaseLines] = {}

    @property
    def page(self) -> CaseLines:
        """The page in the pane of the cursor."""
        return self.pages.get(self.part, _NOTHING)

    @property
    def steps(self) -> StepView:
        """The pane of the cursor."""
        return self.view_of(self.part)

    def view_of(self, part: Part) -> StepView:
        """Return the pane of a part of the case."""
        return self.screen.query_one(f"#{part}", StepView)

    @property
    def parts(self) -> list[Part]:
        """The panes with stops for the cursor, from top to bottom."""
        return [part for part in PARTS if self.view_of(part).display and self.pages.get(part, _NOTHING).stops]

    def go_into(self, part: Part, stop: Stop | None = None, *, focus: bool = True) -> None:
        """Move the cursor, and by default the focus, to a stop of another pane (None = its first stop)."""
        stops = self.pages.get(part, _NOTHING).stops
        if part != self.part:
            self.steps.put_cursor(None)
            self.part = part
        if stops:
            self.stop = stops[0][0] if stop is None else stop
            self._stand(line_of(self.page, self.stop) or 0)
        if focus and not self.steps.has_focus:
            self.steps.focus(scroll_visible=False)

    def _cross(self, by: int) -> None:
        """Move the cursor to the next or previous pane, if any."""
        parts = self.parts
        at = (parts.index(self.part) if self.part in parts else 0) + by
        if 0 <= at < len(parts):
            stops = self.pages[parts[at]].stops
            self.go_into(parts[at], stops[0 if by > 0 else -1][0])

    @property
    def line(self) -> int | None:
        """The line on which the cursor stands."""
        return line_of(self.page, self.stop)

    def action_step(self, by: int) -> None:
        """Move to the next or previous stop; never past lines that were not on screen yet.

        A step longer than the screen takes several presses.
        """
        if self._scroll_verdicts(by):
            return
        view, lines = self.steps, [line for _, line in self.page.stops]
        seen, page = view.seen, max(1, len(view.seen) - 1)
        here = self.line
        if here is None or not seen:
            return
        at_end = seen.stop >= view.line_count if by > 0 else seen.start <= view.fixed_lines
        if at_end and here in seen and not any(line > here if by > 0 else line < here for line in lines):
            self._cross(by)
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

    def _scroll_verdicts(self, by: int) -> bool:
        """Scroll a focused pane without stops; if all of it is visible, focus the pane of the cursor.

        Return whether it scrolled.
        """
        pane = self.screen.focused
        if not isinstance(pane, StepView) or pane.id in PARTS:
            return False
        if pane.max_scroll_y:
            pane.scroll_to(y=pane.scroll_offset.y + by, force=True)
            return True
        self.steps.focus(scroll_visible=False)
        return False

    def action_half(self, by: int) -> None:
        """Scroll half a page on or back; the cursor stays on its step, and comes along with the next key."""
        pane = self.screen.focused
        if isinstance(pane, StepView) and self._scroll_verdicts(by * max(1, len(pane.seen) // 2)):
            return
        view = self.view_of("why" if self.part == "why" else "steps")
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
        """Bring a step (0-based) of the case to the top, with the cursor on it; a folded step stays folded.

        The focus stays, so that keys keep scrolling an open answer.
        """
        if step < len(self.pages.get("steps", _NOTHING).starts):
            self.go_into("steps", focus=False)
            line = self.page.starts[step]
            self.steps.scroll_to_line(line, top=True)
            self._stand(line)

    def action_end(self, last: bool) -> None:
        """Go to the problem or the last stop, and scroll all panes to that end."""
        if not (parts := self.parts):
            return
        part = parts[-1 if last else 0]
        self.go_into(part, self.pages[part].stops[-1 if last else 0][0])
        # The problem stays visible.
        for other in (pane for pane in parts if not last or pane != "problem"):
            self.view_of(other).scroll_to(y=self.pages[other].length if last else 0, force=True)

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
        if self.screen.reading.facts and (parts := self.parts):
            self.go_into(parts[-1])
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

    def go_to_line(self, part: Part, line: int) -> None:
        """Go where the mouse was pressed, if the cursor can go there."""
        if (stop := stop_at(self.pages.get(part, _NOTHING), line)) is not None:
            self.go_into(part, stop)


# -- going from hit to hit of a search within one case


class Hits(Controller[CasePage]):
    """The lines of the case on screen in which what is searched for stands."""

    _hit: tuple[list[tuple[Part, int]], int] = ([], -1)

    @property
    def _hits(self) -> list[tuple[Part, int]]:
        """Return the lines with a hit and their panes."""
        if self.state.results.matches is None:
            return []
        cursor = self.screen.cursor
        views = [(part, cursor.view_of(part)) for part in PARTS]
        return [(part, line) for part, view in views if view.display for line in view.lines_with(FOUND)]

    @property
    def forms(self) -> tuple[str, ...]:
        """How many lines have a hit and on which one the reader is, for the title; "" where nothing is searched for."""
        if self.state.results.matches is None:
            return ("",)
        hits = self._hits
        known, place = self._hit
        if hits and known == hits:
            return (f"hit {place + 1} of {len(hits)}", "")
        return (f"{counted(len(hits), 'line')} with hits", "") if hits else ("no hit in these texts", "")

    def go(self, by: int, *, fresh: bool = False) -> bool:
        """Go to the next line with a hit, or the one before, at first the first on screen; return whether there is one.

        Of a `fresh` case it is the first of all, or going back the last.
        """
        hits, cursor = self._hits, self.screen.cursor
        known, place = self._hit
        if fresh:
            place = 0 if by > 0 else len(hits) - 1
        elif known == hits:
            place += by
        else:
            top = PARTS.index(cursor.part), cursor.steps.scroll_offset.y
            below = bisect_left([(PARTS.index(part), line) for part, line in hits], top)
            place = below if by > 0 else below - 1
        if not 0 <= place < len(hits):
            return False
        self._hit = (hits, place)
        part, line = hits[place]
        cursor.view_of(part).scroll_to_line(line)
        cursor.go_to_line(part, line)
        cursor.view_of(part).scroll_to_line(line)
        self.screen.show_title()
        return True
