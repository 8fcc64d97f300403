"""What if: a variant of the case, changed step by step and scored again, beside the case."""

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from inspector.analyses import Params
from inspector.analyses.show.show import VARIANTS, show
from inspector.case_page.case_lines import PINNED_SHARE, problem_lines
from inspector.case_page.open_case import DisplayOptions, Stop, open_case
from inspector.case_page.original_lines import variant_lines
from inspector.case_page.page import StopLine
from inspector.case_page.variant_track import ScoredVariant, variant_beside
from inspector.render.texts.phrases import Phrase, name_forms
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.screens.case_job import case_asked, prm_asked, prms_there, problem_words
from inspector.screens.case_scorer import choose_case_scorer
from inspector.screens.dialog import Dialog
from inspector.screens.messages import Export, ScoreCase
from inspector.state.screen_state import ScreenState
from inspector.widgets.key_line import KeyLine
from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import Line, LineView, PhraseLine
from inspector.widgets.step_view import StepView
from inspector.widgets.text_editor import TextEditor
from scoring.data.errors import InspectError
from scoring.data.scorer import Scorer
from scoring.workspace.variants import REWARDS, Edit, Variant, Variants, placed_steps

PROBLEM = -1
"""The cursor's place on the problem, before step 0."""
_WAIT = 0.2
"""Seconds between two words on what is waited for."""


class WhatIf(Dialog[None]):
    """A case and a variant of it on the whole screen. Every edit is kept at once; a variant without any is none."""

    # Keys are the screen's until the text of a step is written.
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "edit", "Edit"),
        ("plus", "insert", "Insert"),
        ("minus,delete", "delete", "Delete"),
        ("x", "swap", "Swap"),
        ("vertical_line", "cut", "Cut"),
        ("S", "score", "Score"),
        ("u", "undo", "Undo"),
        ("escape,q", "leave", "Back"),
        ("ctrl+r", "redo", "Redo"),
        ("space", "mark", "Mark to swap"),
        ("n", "turn(1)", "Next variant"),
        ("N", "turn(-1)", "Variant before"),
        ("o", "scorer", "Scorer"),
        ("e", "export", "Export"),
        Binding("j,down", "move(1)", "Next step", show=False),
        Binding("k,up", "move(-1)", "Step back", show=False),
        Binding("g,home", "go(-1)", "Problem", show=False),
        Binding("G,end", "go(100000)", "Last step", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
    ]

    def __init__(self, state: ScreenState, row: int, display: DisplayOptions, variants: Variants, step: int) -> None:
        """The newest variant of the case in this row is opened, or a new one; the cursor begins on this step."""
        super().__init__()
        self._state, self._row, self._manner, self._kept = state, row, display, variants
        self._case, self._key = state.cases["case"][row], state.cases["key"][row]
        self._variant = (variants.of(self._key) or (self._new(),))[-1]
        self._redo: list[Edit] = []
        self._at, self._marked = step, -1
        self._stops: dict[Stop, int] = {}
        self._writing: Edit | None = None
        self._scorer: Scorer | None = None
        self._prm: Mapping[str, Any] | None = None
        self._tried: ScoredVariant | None = None
        self._notes: tuple[str, ...] = ()
        self._asked, self._waiting, self._words = 0.0, 0, ""

    def _new(self) -> Variant:
        return Variant(self._key, self._case)

    def compose(self) -> ComposeResult:
        yield PhraseLine(id="title", classes="one-line")
        yield StepView(id="tried", classes="pane")
        yield TextEditor(id="step-text")
        yield PhraseLine(id="job", classes="one-line")
        yield KeyLine(first=("enter",))

    def on_mount(self) -> None:
        for name in ("#title", "#tried", "#job"):
            self.query_one(name).can_focus = False
        self._show_editor(visible=False)
        self._begin_with_focus()
        self.set_interval(_WAIT, self._tell_waiting)
        self.call_after_refresh(self._show)

    def _begin_with_focus(self) -> None:
        """Look through the scorer in focus, if it is one that can be asked here."""
        evaluation = self._state.evaluation
        if evaluation is None:
            return
        self._scorer = evaluation.scorer
        root = self._state.results.loaded.workspace.root
        for scorer, folder in prms_there(self._state):
            if scorer.fingerprint == evaluation.scorer.fingerprint:
                try:
                    self._prm = prm_asked(scorer, folder, root)
                except InspectError:
                    # Who scores is then asked for.
                    self._prm = None

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def on_sized_resized(self, event: Sized.Resized) -> None:
        """Wrap the lines for the room there is now."""
        if isinstance(event.view, StepView) and self._tried is not None:
            self._show()

    # -- what is shown

    def _read(self) -> ScoredVariant:
        """The variant beside the case, with the rewards that are saved of both."""
        results, scorer = self._state.results, self._scorer
        # A checkpoint may have the name of another scorer.
        mark = scorer.fingerprint if scorer else None
        seen = next((evaluation for evaluation in results.evaluations if evaluation.scorer.fingerprint == mark), None)
        return variant_beside(results, self._row, self._variant, scorer, seen)

    def _show(self) -> None:
        view = self.query_one("#tried", StepView)
        width, height = view.viewport
        if width < 1:
            return
        stop = Stop("problem") if self._at == PROBLEM else Stop("step", self._at)
        display = replace(self._manner, width=max(20, width), height=max(1, height), turned=frozenset({stop}), mode="")
        try:
            self._tried = trial = self._read()
            case = open_case(self._state, self._row, display)
        except InspectError as error:
            view.show([Line([(line, "bad")]) for line in wrap(clean(str(error)), max(20, width))])
            return
        self._at = min(self._at, len(trial.steps) - 1)
        head = self._head(trial, display)
        pinned = len(head) if len(head) * PINNED_SHARE <= height else 0
        lines = [*head, *problem_lines(case), Line([]), *variant_lines(case, trial)]
        self._stops = stops = {line.stop: at for at, line in enumerate(lines) if isinstance(line, StopLine)}
        cursor = stops.get(Stop("problem") if self._at == PROBLEM else Stop("step", self._at))
        if self._marked in range(len(trial.steps)):
            marked = stops[Stop("step", self._marked)]
            lines[marked] = replace(lines[marked], parts=[("*", "match strong"), *_without_first(lines[marked])])
        view.show(lines, keep_scroll=True, pinned=pinned, cursor=cursor)
        if cursor is not None:
            following = [at for at in stops.values() if at > cursor]
            view.scroll_to_line(min([*following, len(lines)]) - 1)
            view.scroll_to_line(pinned if self._at == PROBLEM else cursor)
        self._show_title(trial)
        view.caption("Case and variant", counted(len(self._variant.edits), "edit"), "Enter edits a step   S scores")

    def _head(self, trial: ScoredVariant, display: DisplayOptions) -> list[Line]:
        """What was done, what the scorer makes of it, and what is to be known of that."""
        edits = self._variant.edits
        done = f"{counted(len(edits), 'edit')}: {self._variant.words}" if edits else "Nothing is changed yet."
        sentences = [(done, "dim"), *((words, "strong") for words in trial.words() if not display.blind)]
        sentences += [(words, "dim") for words in trial.moved]
        if trial.unplaced:
            sentences.append((trial.unplaced, "strong" if trial.refused else "dim"))
        if edits and not trial.rewards[1] and not trial.refused:
            by = self._scorer.name if self._scorer and self._prm else "a PRM that you choose"
            sentences.append((f"Not scored as it is: S scores it with {by}.", "strong"))
        sentences += [(f"! {note}", "bad") for note in self._notes]
        return [Line([(line, style)]) for words, style in sentences for line in wrap(clean(words), display.width)]

    def _show_title(self, trial: ScoredVariant) -> None:
        every = [variant.id for variant in self._kept.of(self._key)]
        number = every.index(self._variant.id) + 1 if self._variant.id in every else len(every) + 1
        named = f"variant {number} of {max(number, len(every))}"
        names = name_forms(self._state.cases["id"][self._row], 32, 24, 16)
        path = [Phrase((self._case, *names), rank=2), Phrase(("what if", ""))]
        facts = [
            Phrase((named,)),
            Phrase((counted(len(trial.steps), "step"), ""), rank=3),
            Phrase((trial.scorer.name if trial.scorer else "no scorer", ""), rank=1),
        ]
        between = " > " if self._manner.glyphs.ascii_only else " ▸ "
        self.query_one("#title", PhraseLine).tell_path(path, between, facts)
        self.query_one("#job", PhraseLine).tell([Phrase((self._words,))], style="dim")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key works: while a step is written the keys are those of its text."""
        return super().check_action(action, parameters) if self._writing is None else False

    def _say(self, sentence: str) -> None:
        self.notify(clean(sentence), markup=False)

    # -- moving

    def action_move(self, by: int) -> None:
        self.action_go(self._at + by)

    def action_go(self, to: int) -> None:
        last = len(self._tried.steps) - 1 if self._tried else PROBLEM
        self._at = max(PROBLEM, min(to, last))
        self._show()

    def action_page(self, by: int) -> None:
        view = self.query_one("#tried", StepView)
        view.scroll_to(y=view.scroll_offset.y + by * max(1, view.viewport.height - 1), force=True)

    def on_line_view_clicked(self, event: LineView.Clicked) -> None:
        """Move the cursor to the line that was clicked, if it can go there."""
        above = [stop.step for stop, line in self._stops.items() if line <= event.line]
        if event.view is self.query_one("#tried") and above and self._writing is None:
            self.action_go(above[-1])

    def action_leave(self) -> None:
        self.dismiss(None)

    # -- editing

    def _step(self) -> int | None:
        """The step under the cursor; None, and said, on the problem."""
        if self._tried is None or self._at == PROBLEM:
            self._say("The problem stays as it is: the cursor has to stand on a step.")
            return None
        return self._at

    def _edit(self, edit: Edit) -> bool:
        """Make an edit and keep it; whether it could be made."""
        if self._tried is None:
            return False
        try:
            variant = self._variant.edited(edit, self._tried.before)
            # A critic in focus is not who is asked here; and what has no place already is said above the steps.
            reads = self._scorer.reads if self._scorer is not None and self._scorer.kind == "prm" else ()
            if "context" in reads and not self._tried.unplaced:
                results = self._state.results
                about = results.cases.row(self._row, named=True)
                placed_steps(about, results.loaded.texts.row(self._row), variant.edits)
            self._put(variant)
        except InspectError as error:
            self.notify(clean(error.words), severity="warning", markup=False)
            return False
        self._redo.clear()
        return True

    def _put(self, variant: Variant) -> None:
        """Keep a variant and show it. Raises UnwritableWorkspace."""
        self._kept.save(variant)
        self._variant, self._notes, self._words, self._marked = variant, (), "", -1
        self._show()

    def action_edit(self) -> None:
        if (step := self._step()) is not None and self._tried is not None:
            self._write(Edit("replace", step), f"Step {step}", self._tried.steps[step].text)

    def action_insert(self) -> None:
        self._write(Edit("insert", self._at + 1), f"New step {self._at + 1}", "")

    def action_cut(self) -> None:
        if (step := self._step()) is not None and self._tried is not None:
            title = f"Step {step}: put the cursor where the second part begins"
            self._write(Edit("cut", step), title, self._tried.steps[step].text)

    def action_delete(self) -> None:
        if (step := self._step()) is not None:
            self._edit(Edit("delete", step))

    def action_mark(self) -> None:
        if (step := self._step()) is not None:
            self._marked = -1 if self._marked == step else step
            self._show()

    def action_swap(self) -> None:
        """Swap the step with the marked one, else with the next one, where the cursor goes with it."""
        step = self._step()
        if step is None or self._tried is None:
            return
        other = self._marked if self._marked not in {PROBLEM, step} else step + 1
        if other >= len(self._tried.steps):
            self._say("There is no step behind it: Space marks the one to swap it with.")
        elif self._edit(Edit("swap", min(step, other), other=max(step, other))):
            self.action_go(other)

    def action_undo(self) -> None:
        if not self._variant.edits:
            self._say("There is nothing to undo.")
            return
        edit = self._variant.edits[-1]
        self._turn_to(self._variant.undone, f"Undone: {edit.words}.")
        self._redo.append(edit)

    def action_redo(self) -> None:
        if not self._redo:
            self._say("There is nothing to redo.")
            return
        edit = self._redo.pop()
        self._turn_to(replace(self._variant, edits=(*self._variant.edits, edit)), f"Done again: {edit.words}.")

    def _turn_to(self, variant: Variant, message: str) -> None:
        try:
            self._put(variant)
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False)
            return
        self._say(message)

    def action_turn(self, by: int) -> None:
        """Show another variant of the case; behind the last one a new one."""
        every = self._kept.of(self._key)
        ids = [variant.id for variant in every]
        to = (ids.index(self._variant.id) if self._variant.id in ids else len(ids)) + by
        if to < 0 or to > len(ids) or (to == len(ids) and not self._variant.edits):
            self._say("This is the first variant." if by < 0 else "This one is new: nothing is changed in it yet.")
            return
        self._variant, self._notes, self._words, self._marked = [*every, self._new()][to], (), "", -1
        self._redo.clear()
        self._show()

    # -- the text of a step

    def _write(self, edit: Edit, title: str, text: str) -> None:
        self._writing = edit
        self.query_one("#step-text").border_title = Content(clean(title))
        self._show_editor(visible=True)
        self.query_one(TextEditor).begin(text, cutting=edit.kind == "cut")
        self.refresh_bindings()

    def _show_editor(self, *, visible: bool) -> None:
        self.query_one("#step-text").display = visible

    def on_text_editor_left(self) -> None:
        """Go back to the steps."""
        self._writing = None
        self._show_editor(visible=False)
        self.set_focus(None)
        self.refresh_bindings()

    def on_text_editor_kept(self, event: TextEditor.Kept) -> None:
        """Make the edit; where it cannot be made, the text stays to be mended."""
        edit, trial = self._writing, self._tried
        if edit is None or trial is None:
            return
        if edit.kind == "cut":
            edit = replace(edit, at=_place(trial.steps[edit.step].text, event.cut or 0))
        elif edit.kind == "replace" and event.text == clean(trial.steps[edit.step].text, lines=True):
            self.on_text_editor_left()
            return
        else:
            edit = replace(edit, text=event.text)
        if self._edit(edit):
            self.on_text_editor_left()
            self.action_go(edit.step)

    # -- scoring

    def action_scorer(self) -> None:
        choose_case_scorer(self, self._state, "Score this case and its variants with", self._chosen)

    def _chosen(self, prm: Mapping[str, Any], scorer: Scorer | None) -> None:
        self._prm, self._scorer, self._notes = prm, scorer, ()
        self._show()
        self.action_score()

    def action_score(self) -> None:
        """Score the variant, and the case where it has no rewards; who is to do it is asked where it is not known."""
        if self._prm is None:
            self.action_scorer()
            return
        if self._waiting or self._tried is None:
            self._say("What was asked for last is still being scored.")
            return
        if self._tried.refused:
            self.notify(clean(self._tried.refused), severity="warning", markup=False)
            return
        texts = self._state.results.loaded.texts.row(self._row)
        own_places = self._state.cases["step_messages"][self._row]
        places = None if own_places is None else own_places.to_list()
        into = str(self._kept.folder / REWARDS)
        wanted = []
        if not self._tried.rewards[0]:
            apart = {} if self._state.results.loaded.workspace.root else {"into": into}
            wanted.append(case_asked(self._case, texts, texts["steps"], step_messages=places, **apart))
        if self._variant.edits:
            steps = [step.text for step in self._tried.steps]
            made = {"step_messages": self._tried.places, "edited": self._tried.edited}
            wanted.append(case_asked(self._case, texts, steps, into=into, **made))
        if not wanted:
            self._say("Nothing is changed yet, and the case has its rewards.")
            return
        self._asked, self._waiting, self._words = time.monotonic(), len(wanted), "scoring"
        for case in wanted:
            self.post_message(ScoreCase(self._prm, case, partial(self._answered, self._variant, self._prm)))

    def _answered(self, variant: Variant, prm: Mapping[str, Any], event: Mapping[str, Any]) -> None:
        """What came of one of the two; whoever asked may be gone, or have chosen another PRM."""
        if not self.is_attached:
            return
        if event["event"] == "loading":
            self._words = "loading the model"
            return
        self._waiting -= 1
        problem = problem_words(event)
        self._words = "" if problem else f"scored in {time.monotonic() - self._asked:.2f} s"
        if problem:
            self.notify(clean(problem), severity="error", markup=False)
        elif self._scorer is None and prm is self._prm:
            self._scorer = Scorer.load(Path(event["folder"]))
        if variant == self._variant and prm is self._prm:
            self._notes = tuple(dict.fromkeys((*self._notes, *event.get("notes", ()))))
        self._show()

    def _tell_waiting(self) -> None:
        if self._waiting:
            words = f"{self._words} ... {time.monotonic() - self._asked:.0f} s"
            self.query_one("#job", PhraseLine).tell([Phrase((words,))], style="strong")

    def action_export(self) -> None:
        """Write the case's variants, a line a step."""
        results = self._state.results
        make = partial(_document, results, self._case)
        self.post_message(Export("variants", "jsonl", row=self._row, make=make))


def _document(results: Any, case: str, form: str) -> Any:
    return show.view(results, Params(VARIANTS, {"case": case}, form))


def _without_first(line: Line) -> list[tuple[str, str]]:
    """The parts of a line without its first cell."""
    (text, style), *rest = line.parts
    return [(text[1:], style), *rest]


def _place(text: str, place: int) -> int:
    """The character of a text at which this place (0-based) of it lies, as it is written on a terminal."""
    return next((at for at in range(len(text)) if len(clean(text[:at], lines=True)) >= place), len(text))
