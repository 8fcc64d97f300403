"""The case screen: one case on the whole terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.events import DescendantFocus

from inspector.case_page import original_lines, token_lines
from inspector.case_page.case_lines import CaseLines
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop
from inspector.case_page.opening import line_of
from inspector.case_page.vote_page import answer_lines
from inspector.render.texts.phrases import Phrase, name_forms
from inspector.render.texts.sentences import NO_FOLDER, TRUNCATED
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.screens.bodies import Bodies
from inspector.screens.case_job import case_asked, problem_words
from inspector.screens.case_layout import TALL, CaseLayout, layout_for
from inspector.screens.case_scorer import choose_judge
from inspector.screens.critique import Critique
from inspector.screens.curves import Curves
from inspector.screens.export import offer_exports
from inspector.screens.messages import Back, Export, NewRewards, ScoreCase
from inspector.screens.near_cases import NearCases
from inspector.screens.reading import ReadingScreen
from inspector.screens.ready_cases import ReadyCases, ReadyPane
from inspector.screens.screen_context import ScreenContext
from inspector.screens.screen_lines import one_line, place_in_app, state_facts, write_header
from inspector.screens.stepping import PARTS, Hits, StepCursor
from inspector.screens.tagging import Tagging
from inspector.screens.what_if import WhatIf
from inspector.state.case_list.listed import is_of_failures
from inspector.state.kept_answers import kept_answers
from inspector.state.screen_state import ScreenState
from inspector.widgets.critique_pane import CritiquePane
from inspector.widgets.key_table import COMMANDS, bindings_of
from inspector.widgets.key_table.command import Command
from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import Line, LineView, Rail
from inspector.widgets.step_view import StepView
from scoring.data.errors import InspectError
from scoring.data.scorer import Scorer

TITLES = {
    original_lines.MODE: "Original",
    original_lines.REWRITING: "Rewriting",
    token_lines.MODE: "Tokens",
}
"""Titles of the pane of the steps while another body replaces them."""


class CaseScreen(ReadingScreen):
    """Problem, steps with reward bars, marks and gold labels. `row` is the row id of the case."""

    NAME = "case"
    NAMED = False
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("case"))
    ABOUT = (
        "One case, step by step: the rewards, the gold label and the verdict. Other scorers can stand beside it, and "
        "the cases of the list come one after another."
    )

    MARKS = (
        ("✗ x", "beside a reward: the step is judged wrong"),
        ("◂ <", "the predicted step, the first that is judged wrong"),
        ("▼ v", "the reward is lower than the one before by a fifth of the scorer's range or more"),
        ("r", "redundancy, beneath a reward"),
        (TRUNCATED, "a truncated case: what comes after was not scored"),
    )

    marked: Sequence[str] = ()
    """Only cases of a list are marked."""

    def __init__(self, context: ScreenContext, state: ScreenState, row: int) -> None:
        super().__init__(context, state)
        self.row = row
        self.cursor = StepCursor(self)
        self.bodies = Bodies(self)
        self.curves = Curves(self)
        self.critique = Critique(self)
        self.hits = Hits(self)
        self.ready = ReadyCases(self)
        self.near = NearCases(self)
        self.control(self.cursor, self.bodies, self.curves, self.critique, Tagging(self))
        self._place = 0
        self._listed = True
        self._shown_row: int | None = None
        self.case_on_screen: OpenCase | None = None

    def compose(self) -> ComposeResult:
        yield one_line("title")
        yield from self.compose_above()
        with Horizontal(id="case"):
            yield from self.near.compose()
            with Vertical(id="middle"):
                yield StepView(id="problem", classes="pane")
                with Container(id="reading"):
                    yield from self.curves.compose()
                    yield StepView(id="steps", classes="pane")
                    yield from self.critique.compose()
                yield StepView(id="why", classes="pane")
            with Vertical(id="side"):
                yield from self.curves.compose_side()
                yield StepView(id="verdicts", classes="pane")
        yield from self.compose_beneath()
        yield from self.compose_rail()

    def compose_above(self) -> ComposeResult:
        """Compose what stands between the title and the case."""
        yield from ()

    def compose_beneath(self) -> ComposeResult:
        """Compose what stands beneath the case."""
        yield from ()

    @property
    def steps(self) -> StepView:
        """The pane of the case."""
        return self.query_one("#steps", StepView)

    def display_options(self, view: LineView) -> DisplayOptions:
        display = super().display_options(view)
        return replace(display, mode=self.bodies.mode, xray=self.bodies.found, apart=self.panes_now.apart)

    @property
    def panes_now(self) -> CaseLayout:
        """The panes that fit the screen."""
        width, height = self.size
        return layout_for(width, height, wide_body=bool(self.bodies.mode) or self.critique.is_open)

    @property
    def problem_rows(self) -> int:
        """Number of visible lines of the problem."""
        layout = self.panes_now
        return layout.most if Stop("problem") in self.reading.turned else layout.problem

    def _lay_out(self) -> None:
        """Show and hide panes to fit the screen."""
        layout = self.panes_now
        # The rail replaces the reason, so that the steps do not move.
        why_seen = layout.why and not (self.rail_open and self.size.height < TALL)
        for name, there in (("near", layout.cases), ("side", layout.verdicts), ("why", why_seen)):
            self.query_one(f"#{name}").display = there
        self.set_class(layout.cases, "-three")
        frame = 2 if layout.framed else 0
        problem, why = self.query_one("#problem"), self.query_one("#why")
        low = layout.framed and not layout.why
        problem.set_class(low, "-open")
        problem.styles.height = self.problem_rows + (1 if low else frame)
        unfolded = self.reading.facts != (Stop("facts") in self.reading.turned)
        why.styles.height = max(layout.why_height, self.size.height // 2) if unfolded else layout.why_height
        self.curves.lay_out()

    def on_mount(self) -> None:
        self.bodies.begin()
        self._lay_out()
        self.steps.focus()
        self.call_after_refresh(self._show, keep_scroll=False)

    def on_resize(self) -> None:
        self.critique.lay_out()
        self._lay_out()
        self.call_after_refresh(self._show, keep_scroll=True)

    def on_sized_resized(self, event: Sized.Resized) -> None:
        """Wrap the lines for the room there is now: something beside or above the steps came or went."""
        if isinstance(event.view, Rail) or (event.view is self.steps and not self.rail_open):
            self._lay_out()
        if event.view is self.steps and self.cursor.pages:
            self._show(keep_scroll=True)

    def show_state(self, state: ScreenState) -> None:  # noqa: ARG002  # it is self.screen state already
        self._show(keep_scroll=True)

    def _show(self, *, keep_scroll: bool) -> None:
        state = self.state
        self._lay_out()
        places = np.flatnonzero(state.shown == self.row)
        self._place = int(places[0]) if places.size else min(self._place, max(0, state.shown.size - 1))
        view = self.steps
        display = self.display_options(view)
        ready = self.ready.get(state, self.row, display)
        cursor, page = self.cursor, ready.page
        self.case_on_screen = ready.case
        cursor.pages = {"steps": page, **{part: ready.around[part].page for part in PARTS if part in ready.around}}
        scroll: int | None = ready.scroll
        if cursor.stop is None or not keep_scroll:
            cursor.part, cursor.stop = "steps", ready.stop
        elif cursor.part not in cursor.pages:
            # Parts whose pane is hidden follow the steps, or are omitted.
            cursor.part = "steps"
        elif cursor.part == "steps":
            scroll = self._steady(view, cursor.line)
        line = cursor.line if cursor.part == "steps" else None
        same = line == line_of(page, ready.stop)
        lines = ready.lines if same else replace(ready.lines, strips={})
        self._listed = bool(places.size)
        # Told before the steps, the title is painted in one frame with them; told after, in the next one.
        self.show_title()
        if cursor.part != "steps" and keep_scroll:
            scroll = None
        view.show(lines, keep_scroll=True, pinned=page.pinned, cursor=line, scroll=scroll)
        self._caption_steps(page)
        self._show_around(ready.around)
        if state.results.matches is not None:
            # How many hits there are is seen by the lines.
            self.show_title()
        if not keep_scroll:
            self.show_first_hit(view)
            if not view.has_focus and not self.critique.has_focus:
                view.focus(scroll_visible=False)
        self.call_after_refresh(self.curves.show)
        # The steps are on screen before what is said of them.
        self.call_after_refresh(self.critique.show)
        self.near.show_soon()
        self.ready.look_ahead()
        self.bodies.follow()

    def _show_around(self, around: Mapping[str, ReadyPane]) -> None:
        """Show the panes around the steps; scroll them to the top for another case."""
        same, self._shown_row = self._shown_row == self.row, self.row
        for name in ("problem", "verdicts", "why"):
            view, ready = self.query_one(f"#{name}", StepView), around.get(name)
            if ready is None:
                view.show([])
                continue
            cursor = self.cursor.line if name == self.cursor.part else None
            lines = ready.lines if cursor is None else replace(ready.lines, strips={})
            view.show(lines, keep_scroll=True, cursor=cursor, scroll=None if same else 0)
            view.caption(ready.title, ready.status)

    def _caption_steps(self, page: CaseLines) -> None:
        """Write the scorers with their letters, and a hint for Enter, into the frame."""
        tracks = page.scorers
        names = [f"{letter} {name}" if letter else name for letter, name in tracks]
        hint = f"{self.context.keys.of('turn-over')} folds" if page.stops else ""
        self.steps.caption(TITLES.get(self.bodies.mode, "Steps"), "   ".join(names), hint)

    def _steady(self, view: StepView, line: int | None) -> int | None:
        """The line to begin with so that the cursor stays where it is on screen; None where it is not on screen."""
        old = view.cursor
        if line is None or old is None or old not in view.seen or self.cursor.page.pinned > line:
            return None
        return line - (old - view.scroll_offset.y) + self.cursor.page.pinned

    def show_title(self) -> None:
        state = self.state
        short = state.cases["id"][self.row]
        facts = [Phrase(("BLIND",))] if self.reading.blind else []
        facts += [
            Phrase((self.place_words(state), "")),
            Phrase(self.hits.forms, rank=1),
            *state_facts(state, self.context.glyphs),
        ]
        named = Phrase((*dict.fromkeys(name_forms(short, 32, 24, 16)),), rank=2)
        place = Phrase((self.place_name, ""), rank=4)
        write_header(self, [*place_in_app(state), place, named], facts)

    @property
    def place_name(self) -> str:
        """Return the name of the list that contains this case, for the title."""
        return "failures" if is_of_failures(self.state) else "cases"

    def place_words(self, state: ScreenState) -> str:
        """Return which of the cases this one is."""
        return f"{self._place + 1:,} of {state.shown.size:,}" if self._listed else "no longer in the list"

    def lines_beneath(self, state: ScreenState, row: int, display: DisplayOptions) -> Iterator[Line]:
        """Yield what the scorer in focus answered to a case, a line a vote."""
        if state.focus.scorer is None or display.blind:
            return
        try:
            answers = kept_answers(state.results, state.focus.scorer, row)
        except InspectError as error:
            yield from (Line([(line, "bad")]) for line in wrap(clean(str(error)), display.width))
            return
        yield from answer_lines(answers, display)

    def neighbours(self, state: ScreenState) -> list[int]:
        """Return the rows of the cases that may come next, the likeliest first."""
        places = (at for at in (self._place + 1, self._place - 1) if 0 <= at < state.shown.size)
        return [int(state.shown[at]) for at in places]

    # -- keys

    @property
    def case_row(self) -> int:
        """The row id of the case that tags and notes are about."""
        return self.row

    def action_go(self, name: str) -> None:
        """Open a screen of analysis, with this case in it, or go back to the board or the list."""
        self.app_commands.go(name, self.row)

    @property
    def commands(self) -> list[Command]:
        """Those of the answers too, while keys go there."""
        answers = [command for command in COMMANDS if command.in_answers and not command.screens]
        return [*(answers if self.critique.has_focus else ()), *super().commands]

    def action_walk(self, by: int) -> None:
        """Go to the next hit of a search, or the one before; beyond the last, and without a search, to the next case.

        Of the case that comes then, it is the first hit, or going back the last.
        """
        if self.hits.go(by):
            return
        row = self.row
        self.action_turn(by)
        if self.row != row:
            self.hits.go(by, fresh=True)

    def action_turn_over(self) -> None:
        """Choose what the cursor of the answers is on if they have the focus; else fold or unfold at the step."""
        if self.critique.has_focus:
            self.critique.action_choose()
        else:
            self.cursor.turn_over()

    def action_unparsed(self) -> None:
        super().action_unparsed()
        rows = self.state.shown
        if rows.size and self.row not in rows:
            self.row = int(rows[0])
            self.reading = self.reading.kept()
            self._show(keep_scroll=False)

    def action_turn(self, by: int) -> None:
        """Show the next or previous case of the list; at its ends, stay."""
        rows = self.state.shown
        if not rows.size:
            return
        # A case that has left the list under a new threshold: its place is now the next one's.
        gone = rows[min(self._place, rows.size - 1)] != self.row
        target = self._place + by + (-1 if gone and by > 0 else 0)
        self._place = int(min(max(target, 0), rows.size - 1))
        if not gone and self._place != target:
            self.say("This is the last case of the list." if by > 0 else "This is the first case of the list.")
            return
        self.turn_to(int(rows[self._place]))

    def turn_to(self, row: int) -> None:
        """Show another case, from its beginning."""
        self.row = row
        self.reading = self.reading.kept()
        self._show(keep_scroll=False)

    def show_case(self) -> None:
        self._show(keep_scroll=True)

    def on_unmount(self) -> None:
        self.bodies.call_off()

    def action_back(self) -> None:
        """Leave the answers first, then the screen."""
        if not self.critique.leave():
            self.post_message(Back(self.row))

    def on_line_view_clicked(self, event: LineView.Clicked) -> None:
        """Move the cursor to the line that was clicked, if it can go there."""
        part = next((part for part in PARTS if event.view.id == part), None)
        if part is not None:
            self.cursor.go_to_line(part, event.line)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Move the cursor to the pane that got the focus."""
        part = next((part for part in PARTS if event.widget.id == part), None)
        if part is not None and part != self.cursor.part and self.cursor.pages:
            self.cursor.go_into(part)

    def on_critique_pane_pressed(self, event: CritiquePane.Pressed) -> None:
        self.critique.press(event.spot)

    def on_screen_resume(self) -> None:
        """Follow variants that may have come or gone."""
        self.ready.forget()
        if self.cursor.pages:
            self._show(keep_scroll=True)

    def action_what_if(self) -> None:
        """Open the variants of the case, or a new one."""
        state = self.state
        if self.case_at_hand(self.row, self.steps) is None:
            return
        self.close_rail()
        variants = state.results.loaded.workspace.variants
        if variants is None:
            self.say(NO_FOLDER)
            return
        stop = self.cursor.stop
        step = stop.step if stop is not None and stop.step >= 0 else 0
        self.app.push_screen(WhatIf(state, self.row, self.display_options(self.steps).kept(), variants, step))

    def action_score_case(self) -> None:
        """Ask who is to judge the case, and have it done."""
        state = self.state
        self.close_rail()
        server = next(iter(self.context.remembered.left.servers), "")
        choose_judge(self, state, state.cases["case"][self.row], server, self._score_case)

    def _score_case(self, prm: Mapping[str, Any], scorer: Scorer | None) -> None:  # noqa: ARG002  # what is asked says it
        case = self.case_at_hand(self.row, self.steps)
        if case is not None:
            question = case_asked(
                case.case["case"], case.texts, case.texts["steps"], step_messages=case.case["step_messages"]
            )
            self.post_message(ScoreCase(prm, question, self._case_scored))

    def _case_scored(self, event: Mapping[str, Any]) -> None:
        """Say what came of it; the app reads the rewards."""
        if event["event"] == "loading":
            self.notify("Loading the model.", markup=False)
            return
        if problem := problem_words(event):
            self.notify(clean(problem), severity="error", markup=False)
        if event["event"] != "scored":
            return
        name, state = event["scorer"], self.state
        if not problem:
            done = f"scored in {event['seconds']:.2f} s" if event["computed"] else "has its rewards already"
            sentence = ". ".join([f"{event['case']}: {done} by {name}", *event["notes"]])
            self.notify(clean(sentence), markup=False)
        if event["computed"]:
            self.post_message(NewRewards(name))
        elif name in {evaluation.scorer.name for evaluation in state.results.evaluations}:
            self.put(state.focused(name, state.focus.benchmark))

    def action_export(self) -> None:
        self.close_rail()
        offer_exports(self, ((Export("case", "", row=self.row), "This case, a row a step"),))
