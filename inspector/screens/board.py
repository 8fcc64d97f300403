"""The board: which scorer is how good, and what its mistakes are made of."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.board import NAME_WIDTH, SEPARATOR, board_columns, board_frame, metrics_of, scored_width
from inspector.commands import bindings_of
from inspector.filtering.searching import search_words
from inspector.headline import F1, PRMSCORE
from inspector.inspection import Inspection
from inspector.messages import Copy, Export, Go, Score, StopScoring
from inspector.paint import Brush
from inspector.phrases import Phrase
from inspector.screens.common_cases import CommonCases
from inspector.screens.export import ExportMenu
from inspector.screens.score import ScoreDialog
from inspector.sentences import GLYPHS, WORDS, counted
from inspector.text import clean
from inspector.widgets.frame_table import FrameTable
from inspector.yanking import score_facts

if TYPE_CHECKING:
    import polars as pl

    from inspector.widgets.columns import Column

NO_SCORER = "No scorer has rewards for these cases yet: {score} runs one, prm-inspect import PATH reads results."
ALWAYS = ("exact", "early", "late", "missed", "clean", "false_alarm")
WHERE_PRESENT = ("refused", "unparsed")
EXPLAINED = {
    F1: "F1 in percent: harmonic mean of the accuracies on erroneous and on clean cases",
    PRMSCORE: "PRMScore in percent: mean of the F1s of right and of wrong steps, pooled",
}
SIDES = "on wrong, on right: accuracy on wrong and on right steps"
BOTH_SIDES = "on wrong, on right: accuracy on such cases (F1) or on such steps (PRMScore)"
LEGEND_WIDTH = 78


def legend(frame: "pl.DataFrame") -> str:
    """The outcomes' glyphs with their words, as lines: those that say why there is no verdict only where some do."""
    names = [*ALWAYS, *(name for name in WHERE_PRESENT if frame[name].sum())]
    words = [f"{GLYPHS[name]} {WORDS[name]}" for name in names]
    line = "  ".join(words)
    if len(line) > LEGEND_WIDTH:
        line = "  ".join(words[:-1]) + "\n" + words[-1]
    metrics = metrics_of(frame)
    sides = {(PRMSCORE,): SIDES, (F1, PRMSCORE): BOTH_SIDES}.get(metrics)
    return "\n".join([line, *(EXPLAINED[metric] for metric in metrics), *([sides] if sides else [])])


class BoardScreen(CommonCases):
    """A row a scorer and benchmark."""

    NAME = "board"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("board"),
        # Elsewhere Esc goes back, and closes them first.
        Binding("escape", "close_keys", "Close", show=False, system=True),
    ]
    HELP = (
        "Scorers by the official metric. From each one gets to its failures and to all cases.\n\n"
        "The key that opened this turns its page; the one that goes back closes it."
    )

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._columns: dict[tuple[bool, bool, tuple[str, ...], int], list[Column]] = {}

    def compose(self) -> ComposeResult:
        yield self.one_line("title")
        warning = self.one_line("banner")
        warning.display = False
        yield warning
        yield self.table("board", NO_SCORER.format(score=self.keys.of("score")))
        job = self.one_line("job")
        job.display = False
        yield job
        yield Static(Content(""), id="about")
        yield Static(Content(""), id="legend")
        yield from self.compose_rail()

    def on_mount(self) -> None:
        self.query_one(FrameTable).focus()
        if self.inspection is not None:
            self.show_inspection(self.inspection)

    def show_inspection(self, inspection: Inspection) -> None:
        frame = board_frame(inspection.selection, inspection.base, inspection.base_search)
        several = inspection.cases["benchmark"].n_unique() > 1
        table = self.query_one(FrameTable)
        view = np.arange(frame.height, dtype=np.int32)
        # The same column objects while they are right: new ones would have every row painted again.
        long_names = bool((frame["scorer"].str.len_chars() > NAME_WIDTH).any())
        metrics = metrics_of(frame)
        kind = (several, long_names, metrics, scored_width(frame))
        if kind not in self._columns:
            self._columns[kind] = board_columns(
                self.brush, several=several, long_names=long_names, metrics=metrics, scored_width=kind[-1]
            )
        first = not table.row_count
        self._frame = frame
        self.query_one("#legend", Static).update(Content(legend(frame)))
        table.show(frame, view, self._columns[kind], key="row")
        if first:
            self._follow(inspection)
        kinds = frame["over"].unique().to_list() if len(metrics) == 1 else []
        names = inspection.cases["benchmark"].unique(maintain_order=True).to_list()
        phrases = [
            Phrase(("prm-inspect", ""), rank=4),
            Phrase((", ".join(names) or "no benchmark", counted(len(names), "benchmark"), ""), rank=3),
            Phrase((counted(inspection.cases.height, "case"),)),
            Phrase((counted(frame["scorer"].n_unique(), "scorer"), ""), rank=1),
        ]
        if len(kinds) == 1:
            phrases.append(Phrase((f"{metrics[0]}: {kinds[0]}", ""), rank=5))
        given = (*inspection.base, *search_words(inspection.base_search))
        if given:
            phrases.append(Phrase(("filter " + " AND ".join(given), "filtered"), rank=2))
        self.tell("title", phrases, "strong")
        self.show_banner(inspection)
        self._describe()

    def on_screen_resume(self) -> None:
        if self.inspection is not None:
            self._follow(self.inspection)

    def _follow(self, inspection: Inspection) -> None:
        """Put the cursor on the scorer in focus: at the start, and after another screen went to another scorer."""
        self.query_one(FrameTable).go_to(f"{inspection.scorer}{SEPARATOR}{inspection.benchmark}")

    def on_frame_table_highlighted(self) -> None:
        """The row under the cursor is the scorer in focus.

        Asked of the table now: the message may be older than where the cursor is.
        """
        row = self.query_one(FrameTable).row_id
        if row is not None and self.inspection is not None:
            scorer, benchmark = self._frame["scorer"][row], self._frame["benchmark"][row]
            if (scorer, benchmark) != (self.inspection.scorer, self.inspection.benchmark):
                self.close_rail()
                self.put(self.inspection.focused(scorer, benchmark))
        self._describe()

    def _describe(self) -> None:
        row = self.query_one(FrameTable).row_id
        about = "" if row is None else self._frame["about"][row] or ""
        if row is not None and (unseen := self._unseen(row)):
            about = f"{unseen}. {about}"
        if row is not None and (reason := self._frame["reason"][row]):
            about = f"No {self._frame['metric'][row]}: {reason}. {about}"
        if row is not None and len(name := self._frame["scorer"][row]) > NAME_WIDTH:
            # The table may have cut it.
            about = f"{name}: {about}"
        self.query_one("#about", Static).update(Content(clean(about)))

    def _unseen(self, row: int) -> str:
        """Threshold and coverage of a row in words, where the table has no room for them."""
        table, words = self.query_one(FrameTable), []
        line = self._frame.row(row, named=True)
        at = "" if line["threshold"] is None else f"{line['threshold']:.3f}"
        # Before the first size is known no column is shown.
        if table.columns_shown and table.width_of("threshold") < cell_len(f"{at} {line['threshold_source']}".strip()):
            words.append(f"{f'threshold {at}, ' if at else ''}{line['threshold_source']}")
        if table.columns_shown and not table.width_of("coverage"):
            words.append(f"{line['scored']:,} of {counted(line['cases'], 'case')} scored")
        said = "; ".join(words)
        return said[:1].upper() + said[1:]

    def on_resize(self) -> None:
        super().on_resize()
        # The table says which columns it has room for when it has been laid out.
        self.call_after_refresh(self._describe)

    def on_frame_table_opened(self) -> None:
        self.action_failures()

    def action_failures(self) -> None:
        self.close_rail()
        if self.inspection is not None and self.inspection.scorer is not None:
            self.put(self.inspection.failures())
            self.post_message(Go("cases"))
        else:
            cases, score = self.keys.of("open-cases"), self.keys.of("score")
            self.say(f"There is no scorer whose failures could be shown; {cases} shows all cases, {score} scores them.")

    def action_go(self, name: str) -> None:
        """Open a screen of analysis: on all cases, as the board is."""
        self.close_rail()
        if self.inspection is not None:
            self.put(self.inspection.cleared())
        super().action_go(name)

    def action_all_cases(self) -> None:
        self.close_rail()
        if self.inspection is not None:
            self.put(self.inspection.cleared())
            self.post_message(Go("cases"))

    def action_score(self) -> None:
        """Ask for a checkpoint and run it."""
        inspection = self.inspection
        if inspection is None:
            return
        if inspection.selection.workspace.root is None:
            self.notify(
                "The demo has no workspace to save rewards in. Run: prm-inspect score demo --model DIR", markup=False
            )
            return

        def answered(asked: Score | None) -> None:
            if asked is not None:
                self.post_message(asked)

        self.app.push_screen(ScoreDialog(inspection.benchmark), answered)

    def action_yank_row(self) -> None:
        """Copy the row under the cursor."""
        row = self.query_one(FrameTable).row_id
        if row is None or self.inspection is None:
            self.say("There is no row to copy.")
            return
        facts = self._frame.row(row, named=True)
        self.post_message(Copy(score_facts(self.inspection, facts), f"the row of {facts['scorer']}"))

    def action_stop_scoring(self) -> None:
        self.post_message(StopScoring())

    def show_job(self, words: str) -> None:
        """Say how far the scoring run is; nothing if there is none. A screen on its way out has no place for it."""
        if not self.query("#job"):
            return
        self.write("job", words, "strong")
        self.query_one("#job").display = bool(words)

    def action_export(self) -> None:
        self.close_rail()
        if self.inspection is not None:
            menu = ExportMenu(((Export("board", ""), "The metrics of all scorers, by subset"),))
            self.app.push_screen(menu, self.export)
