"""What every screen shares: the inspected value coming down, messages going up, and the threshold rail."""

from collections.abc import Sequence
from typing import ClassVar, cast

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.screen import Screen

from inspector.render.texts.sentences import threshold_name
from inspector.render.texts.text import cell, clean
from inspector.render.texts.wrap import Phrase
from inspector.screens.arranging import Arranging
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.dialog import CommandMenu, Picking, commands_bound
from inspector.screens.messages import Back, Export, Go, Import, Inspected, Score, StopScoring
from inspector.screens.screen_context import ScreenContext
from inspector.screens.threshold_bar.threshold import ThresholdMove
from inspector.screens.two_keys import TwoKeys
from inspector.state.screen_state import ScreenState
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_line import KeyLine
from inspector.widgets.key_table import COMMANDS, RAIL, Command
from inspector.widgets.line_scroll import Sized
from inspector.widgets.line_view import PhraseLine, Rail
from inspector.widgets.pick_list import Pick
from inspector.widgets.textual_compat import Steady
from scoring.evaluation.verdicts import Decision
from scoring.workspace.triage.history import Action

WIDE = 110
"""Columns from which there is room for words that can be left out, and for steps beside the list."""
SHORT = 16
"""Lines below which explanations make room for rows."""
ROOM_FOR_WORDS = 24
"""Lines from which the list of commands has room for what the screen is for."""
LONGEST_SOURCE = 40
"""Cells of the words on where a threshold is from, beside which the scorer's name has room."""
_RAIL_ACTIONS = {command.action.partition("(")[0] for command in RAIL}


class AppScreen(Steady, Screen[None]):
    """A screen that shows an `ScreenState`. Its dialogs are imported only for who asks: the app starts sooner.

    The screen shows `state` in `show_state`, at first that which it is constructed with. A key that changes it calls
    `put`, which shows the new value here at once, so that the next key starts from it, and tells the app.
    """

    NAME: ClassVar[str] = ""
    """The screen's name in the table of commands."""
    ABOUT: ClassVar[str] = ""
    """What it is for."""
    GUIDE: ClassVar[str] = "app"
    """The page of the guide about it."""
    MARKS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Marks that are its own, and what they mean."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]  # noqa: RUF012  # Textual declares it without ClassVar

    # The constructor sets it: no screen ever has this default.
    state: reactive[ScreenState] = reactive(cast("ScreenState", None), init=False, repaint=False)

    arranging: Arranging[ControlledScreen] | None = None
    """Where the screen's table can be sorted and have other columns."""

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__()
        self.context = context
        self.set_reactive(AppScreen.state, state)
        self.threshold = ThresholdMove(self)
        self.two_keys = TwoKeys(self)
        self.control(self.threshold, self.two_keys)
        self._scoring = False

    def control(self, *controllers: Controller[ControlledScreen]) -> None:
        """Give the screen the actions of its controllers, since Textual looks actions up on the screen.

        An action that the screen or an earlier controller has stays.
        """
        for controller in controllers:
            for name in dir(controller):
                if name.startswith("action_") and not hasattr(self, name):
                    setattr(self, name, getattr(controller, name))

    @staticmethod
    def one_line(name: str) -> PhraseLine:
        """Return a line of text at a place of its own; `write` and `tell` change it."""
        line = PhraseLine(id=name, classes="one-line")
        line.can_focus = False
        return line

    def make_table(self, name: str, empty: str) -> FrameTable:
        """Return a table that says `empty` where it has no rows."""
        if self.context.glyphs.ascii_only:
            return FrameTable(id=name, empty=empty, mark=">", chosen=("*", "#"), null="-")
        return FrameTable(id=name, empty=empty)

    def write(self, name: str, text: str, style: str = "") -> None:
        """Put text from anywhere on a line of `one_line`; only cells that change are painted."""
        self.query_one(f"#{name}", PhraseLine).tell([Phrase((text,))], style=style)

    def tell(self, name: str, phrases: Sequence[Phrase], style: str) -> None:
        """Put phrases on a line of `one_line`, in as many words as fit."""
        if name == "title" and self.state.results.adjudicated is not None:
            behind = self.state.results.labels_outdated
            late = ("adjudicated labels without the last rulings", "labels without the last rulings", "earlier labels")
            forms = late if behind else ("adjudicated labels", "adjudicated")
            phrases = [*phrases, Phrase(forms, rank=1 if behind else 2)]
        between = " | " if self.context.glyphs.ascii_only else " · "
        self.query_one(f"#{name}", PhraseLine).tell(phrases, between, style)

    def threshold_forms(self, rule: Decision) -> tuple[str, ...]:
        """Return the threshold and its source, the longest form first; in little room only whether it is optimistic."""
        if rule.threshold is None:
            return rule.source, ""
        # It is a sentence: its beginning says what it is.
        short = cell(rule.source, min(LONGEST_SOURCE, cell_len(clean(rule.source))))
        source = short if self.size.width >= WIDE else "optimistic" if "optimistic" in rule.source else ""
        words = f"{threshold_name(rule)} {rule.threshold:.3f}"
        return (f"{words} ({source})", words, "") if source else (words, "")

    def compose_rail(self) -> ComposeResult:
        """Compose what comes last: how far a scoring run is, the rail and the footer."""
        job = self.one_line("job")
        job.display = False
        yield job
        rail = Rail(id="rail")
        rail.display = False
        yield rail
        yield KeyLine([command.id for command in COMMANDS if command.known_on(self.NAME) and command.worth_showing])

    def show_state(self, state: ScreenState) -> None:
        """Put the value on screen."""
        raise NotImplementedError

    def put(self, state: ScreenState) -> None:
        """Show a value that this screen made, and say so."""
        self.state = state
        self.post_message(Inspected(state))

    def watch_state(self, state: ScreenState) -> None:
        if self.is_mounted:
            self.show_state(state)
            self.threshold.show()

    @property
    def blind(self) -> bool:
        """Whether gold labels, verdicts and what others said of a case are hidden."""
        return False

    def on_screen_suspend(self) -> None:
        """Forget a first key: no second one follows it once something else lay on top."""
        self.two_keys.forget()

    # -- the threshold

    @property
    def rail_open(self) -> bool:
        """Whether the threshold is being moved."""
        return self.threshold.moving

    @property
    def held(self) -> bool:
        """Whether there is a value to go back to, so that nobody else may put another one here."""
        return self.rail_open

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's own
        """Return whether a key works: those of the rail while it is open; what cannot be done now says why."""
        return self.rail_open if action in _RAIL_ACTIONS else True

    def close_rail(self) -> None:
        """Keep the threshold, if one is being moved: what is exported stands in its own order."""
        if self.rail_open:
            self.threshold.action_keep()

    def on_sized_resized(self, event: Sized.Resized) -> None:
        if isinstance(event.view, Rail):
            self.threshold.show()

    def say(self, sentence: str) -> None:
        """Say why a key did nothing; the next such sentence need not wait long."""
        self.notify(clean(sentence), markup=False, timeout=3)

    # -- scoring

    def action_score(self) -> None:
        """Ask for a checkpoint or a critic, and run it; while a run is on, whether it is to stop."""
        state = self.state
        if self._scoring:
            self.close_rail()
            picks = (Pick("stop", "Stop", "what was computed is kept"), Pick("", "Go on"))
            self.app.push_screen(Picking("A run is going on", picks), self._stop_scoring)
            return
        if not state.benchmark:
            self.say("There is no benchmark to score: import one first.")
            return

        def answered(query: Score | None) -> None:
            if query is not None:
                self.post_message(query)

        from inspector.screens.score import ScoreDialog, known_models

        self.close_rail()
        models = known_models(state.benchmark, self.context.remembered.left.models)
        self.app.push_screen(ScoreDialog(state.benchmark, models, self.context.visit), answered)

    def _stop_scoring(self, chosen: str | None) -> None:
        if chosen:
            self.action_stop_scoring()

    def action_stop_scoring(self) -> None:
        self.post_message(StopScoring())

    def show_job(self, words: str, *, scores: bool = True) -> None:
        """Say how far a job is that takes long; nothing if there is none. A screen on its way out has no place for it.

        `scores` says that it is the scoring run, which comes before every other job.
        """
        if not scores and self._scoring:
            return
        self._scoring = scores and bool(words)
        if not self.query("#job"):
            return
        self.write("job", words, "strong")
        self.query_one("#job").display = bool(words)

    # -- through which scorer

    def action_scorers(self) -> None:
        """Choose the scorer that the cases are seen through."""
        state = self.state
        names = state.scorers
        if len(names) < 2:
            self.say("There is no other scorer on this benchmark." if names else "There is no scorer to look through.")
            return
        self.close_rail()
        of = state.results.evaluation
        picks = [Pick(name, name, of(name).scorer.about, strong=name == state.scorer) for name in names]
        cursor = next((at for at, pick in enumerate(picks) if pick.strong), 0)
        self.app.push_screen(Picking("Look through", picks, cursor), self._look_through)

    def action_scorer(self, by: int) -> None:
        """Look through the next scorer, or the one before."""
        if self.state.scorer is None:
            self.say("There is no scorer to look through.")
            return
        following = self.state.next_scorer(by)
        if following.scorer == self.state.scorer:
            self.say("There is no other scorer on this benchmark.")
            return
        self.close_rail()
        self.put(following)

    def _look_through(self, name: str | None) -> None:
        if name is not None:
            self.put(self.state.focused(name, self.state.benchmark))

    # -- leaving

    def action_back(self) -> None:
        self.post_message(Back())

    def action_go(self, name: str) -> None:
        """Open a screen of analysis, or go back to the board or the list."""
        self.close_rail()
        # Another analysis is opened anew: it is of the cases that are listed here.
        self.post_message(Go(name, self.here, beneath=name in {"board", "cases"}))

    @property
    def here(self) -> int:
        """The row of the case that is shown; -1 where there are many."""
        return -1

    # -- what is said of cases

    @property
    def case_row(self) -> int | None:
        """The row id of the case that tags and notes are about; None where there is none."""
        return None

    @property
    def marked(self) -> list[str]:
        """The cases that are marked, in the order of the list: what is done next is done to these."""
        return []

    def say_done(self, sentence: str, *, failed: bool = False, brief: str = "") -> None:  # noqa: ARG002  # a toast has room
        """Say what was written, or why not; `brief` where there is little room."""
        self.notify(clean(sentence), severity="error" if failed else "information", markup=False)

    def listed(self, state: ScreenState) -> ScreenState | None:  # noqa: ARG002  # where there is a list, it is of this
        """Return what a queue is made of: the cases of a list, or those marked. None where there is no list."""
        return None

    def go_through(self, row: int) -> None:
        """Show a queue from this row id on."""
        self.post_message(Go("triage", row))

    def action_triage(self) -> None:
        """Ask for a queue of cases to rule on, and begin it or go on with it."""
        # Imported only for who asks: the app starts sooner.
        from inspector.screens.triaging import choose_queue

        choose_queue(self)

    def show_reversed(self, batch: Sequence[Action]) -> None:
        """Go where what was undone or done again can be seen."""

    def action_import(self) -> None:
        self.close_rail()
        self.post_message(Import())

    def action_guide(self) -> None:
        """Open the page of the guide about this screen."""
        # Imported only for who asks: Markdown takes a while.
        from inspector.screens.help_pages import guide_page

        self.app.push_screen(guide_page(self.GUIDE))

    async def action_leave(self) -> None:
        await self.app.run_action("quit")

    def action_theme(self) -> None:
        self.app.search_themes()

    def action_keys(self) -> None:
        """List everything that can be done here, and do what is chosen."""
        from inspector.screens.help_pages import grouped, outcome_marks

        pane = commands_bound(self, self.active_bindings.values(), whole=False)
        first = [*(RAIL if self.rail_open else ()), *(command for command, _ in pane)]
        taken = {key for command in first for key in command.keys.split(",")}
        others = [
            command
            for command in self.commands
            if command not in first and not taken.issuperset(command.keys.split(","))
        ]
        keys = {command.id: self.context.keys.written(command.id) for command in self.commands}
        keys |= {command.id: written_keys for command, written_keys in pane}
        groups = [
            ("While the threshold moves", RAIL if self.rail_open else ()),
            ("In this pane", [command for command, _ in pane]),
            *grouped(others),
        ]
        listed = CommandMenu(
            "Everything that can be done here",
            groups,
            keys,
            about=self.ABOUT if self.size.height >= ROOM_FOR_WORDS else "",
            marks=[*self.marks_here(), *outcome_marks()],
            columns=[] if self.arranging is None else self.arranging.columns_here(),
        )
        self.app.push_screen(listed, self._run_chosen)

    @property
    def commands(self) -> list[Command]:
        """What can be done here now, of the table of commands."""
        rail = RAIL if self.rail_open else ()
        return [*rail, *(command for command in COMMANDS if command.known_on(self.NAME))]

    async def _run_chosen(self, chosen: Command | None) -> None:
        if chosen is not None:
            await self.run_action(chosen.action)

    def marks_here(self) -> Sequence[tuple[str, str]]:
        """Return the screen's own marks, and what they mean now."""
        return self.MARKS

    def on_frame_table_widths_changed(self) -> None:
        if self.arranging is not None:
            self.arranging.keep_widths()

    def on_frame_table_header_clicked(self, event: FrameTable.HeaderClicked) -> None:
        if self.arranging is not None:
            self.arranging.sort_by(event.column)

    def action_export(self) -> None:
        raise NotImplementedError

    def offer(self, choices: tuple[tuple[Export, str], ...], report: Export | None = None) -> None:
        """Ask which of these tables is to be saved or copied, and into which file."""
        from inspector.screens.export import ExportMenu

        self.app.push_screen(ExportMenu(choices, report, self.context.export_path), self._export)

    def _export(self, chosen: Export | None) -> None:
        if chosen is not None:
            self.post_message(chosen)
