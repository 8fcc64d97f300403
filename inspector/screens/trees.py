"""Trees of searches: steps as lines that fold, their values, what was dropped, and where that was wrong."""

from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content

from inspector.render.charts.glyphs import Glyphs
from inspector.render.documents.row_documents import Document
from inspector.render.mathtext import unicode_math
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.screens.dialog import Dialog, Picking
from inspector.screens.exporting import export_path
from inspector.screens.help_pages import TextPage
from inspector.screens.question_dialogs import WordsDialog
from inspector.screens.tree_rows import READ, TreeRows, node_lines, tree_columns
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_line import KeyLine
from inspector.widgets.key_table.command import (
    BEFORE,
    COPY,
    EXPORT,
    FIRST,
    LEFT,
    NEXT,
    PAGE,
    PAGE_BEFORE,
    PANE,
    PANE_BEFORE,
    RIGHT,
    VIEW,
)
from inspector.widgets.line_view import LineView, PhraseLine
from inspector.widgets.pick_list import Pick
from scoring.data.errors import InspectError
from scoring.metrics.trees.search_tree import SearchTree

if TYPE_CHECKING:
    from textual.timer import Timer


WIDE = 110
"""Columns of the terminal from which on the text of a step stands beside the tree, and not beneath it."""
REST = 0.03
"""Seconds after a key until the text of the node under the cursor follows it."""
VIEWS = (
    ("all", "Everything", "every node"),
    ("kept", "What was kept", "what is below dropped nodes is folded"),
    ("wrong", "Wrong prunings", "folded where none, no right answer and not the chosen one is below"),
    ("first", "First branches", "folded below the first node with several children"),
)


class StepTable(FrameTable):
    """A table whose lines fold: left folds or goes to the parent, right unfolds or goes to the first child."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(LEFT, "screen.fold(-1)", "Fold, or to the parent", show=False, id="tree.fold"),
        Binding(RIGHT, "screen.fold(1)", "Unfold, or to the child", show=False, id="tree.unfold"),
        Binding(f"g,{FIRST}", "first", "First row", show=False, id="tree.first"),
    ]


class TreeScreen(Dialog[None]):
    """The trees of some files, one at a time, on the whole screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(NEXT, "pruning(1)", "Wrong pruning", tooltip="The next wrong pruning of this tree"),
        Binding(BEFORE, "pruning(-1)", "Previous pruning", show=False, tooltip="The previous wrong pruning"),
        Binding(PAGE, "turn(1)", "Next problem", tooltip="The tree of the next problem"),
        Binding(PAGE_BEFORE, "turn(-1)", "Previous problem", show=False, tooltip="The tree of the previous problem"),
        Binding(PANE, "pane", "Next pane", tooltip="To the text of the node, and back"),
        Binding(PANE_BEFORE, "pane", "Previous pane", show=False, tooltip="To the text of the node, and back"),
        Binding(VIEW, "view", "View", tooltip="Choose what is unfolded"),
        Binding(COPY, "copy", "Copy", tooltip="Copy the step under the cursor, as it was given"),
        Binding(EXPORT, "export", "Export", tooltip="Save the wrong prunings of all trees"),
        Binding("escape,q", "dismiss(None)", "Quit"),
    ]

    def __init__(
        self,
        trees: Sequence[SearchTree],
        source: str,
        *,
        ascii_only: bool = False,
        document: Callable[[str], Document] | None = None,
        folder: Path | None = None,
    ) -> None:
        """`document` makes the wrong prunings in a form, for who saves them in `folder`; `source` names the files."""
        super().__init__(source)
        self._trees, self._glyphs = trees, Glyphs(ascii_only)
        self._document, self._folder = document, folder or Path()
        self._at = 0
        self._rows = TreeRows(trees[0], self._glyphs)
        self._cursors: dict[int, int] = {}
        self._waits: Timer | None = None

    def compose(self) -> ComposeResult:
        yield PhraseLine(id="title", classes="one-line")
        with Horizontal(id="tree"):
            plain = self._glyphs.ascii_only
            yield StepTable(id="tree-steps", mark=">", null="-") if plain else StepTable(id="tree-steps")
            yield LineView(id="tree-node", classes="pane")
        yield KeyLine(titles={"table.open": "Read"}, first=("enter", NEXT))

    def on_mount(self) -> None:
        self.query_one("#title").can_focus = False
        self._steps.add_class("pane")
        self._steps.focus()
        self._lay_out()
        self._show_tree()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        beside = self.app.size.width >= WIDE
        pane = self.query_one("#tree")
        pane.set_class(beside, "-beside")
        pane.set_class(not beside, "-beneath")

    @property
    def _steps(self) -> StepTable:
        return self.query_one("#tree-steps", StepTable)

    @property
    def place(self) -> int:
        """The place of the node under the cursor, in preorder."""
        return self._steps.row_id or 0

    # -- what is shown

    def _show_tree(self) -> None:
        rows, steps = self._rows, self._steps
        steps.show(rows, rows.visible, tree_columns(rows, self._glyphs), key="place")
        steps.go_to(self._cursors.get(self._at, 0))
        at = f"{self._at + 1} of {len(self._trees)}" if len(self._trees) > 1 else ""
        steps.caption("Tree", at, "n next wrong pruning")
        figures = rows.figures
        wrong = counted(figures["lost"] + figures["doubted"], "wrong pruning")
        answer = {True: "chosen answer right", False: "chosen answer wrong", None: ""}[figures["chosen_right"]]
        path = [Phrase((PurePath(rows.tree.source).name, ""), rank=4), Phrase((clean(rows.tree.id), ""), rank=3)]
        facts = [
            Phrase((f"problem {self._at + 1} of {len(self._trees)}", f"{self._at + 1} of {len(self._trees)}")),
            Phrase((counted(rows.tree.size, "node"), ""), rank=2),
            Phrase((f"{wrong}, {figures['lost']} known", wrong)),
            Phrase((answer, ""), rank=1),
        ]
        between = " > " if self._glyphs.ascii_only else " ▸ "
        self.query_one("#title", PhraseLine).tell_path(path, between, facts)
        self._show_node()

    def _show_node(self) -> None:
        self._waits = None
        pane, rows, place = self.query_one("#tree-node", LineView), self._rows, self.place
        pane.scroll_to(0, 0, force=True)
        pane.caption(f"Node {rows.tree.names[place]}", "", "Enter shows the full path")
        pane.flow(lambda width: node_lines(rows, place, width))

    def on_frame_table_highlighted(self) -> None:
        """Show what is known of the node under the cursor, once the keys rest: the cursor does not wait for it."""
        self._cursors[self._at] = self.place
        if self._waits is None:
            self._waits = self.set_timer(REST, self._show_node)

    def _refold(self, place: int) -> None:
        """Show what is folded now, with the cursor on a node or on what hides it."""
        visible = self._rows.visible
        self._steps.show(self._rows, visible, key="place")
        # Of the nodes before it the last one that is to be seen hides it, or is it.
        self._steps.go_to(int(visible[np.searchsorted(visible, place, side="right") - 1]))

    # -- keys

    def action_fold(self, way: int) -> None:
        """Fold or unfold the node under the cursor; where that is done, go to its parent or its first child."""
        rows, place = self._rows, self.place
        inner = int(rows.tree.ends[place]) > place + 1
        if inner and bool(rows.folded[place]) == (way > 0):
            rows.folded[place] = way < 0
            self._refold(place)
        elif way < 0 and place:
            self._steps.go_to(int(rows.tree.parents[place]))
        elif way > 0 and inner:
            self._steps.go_to(place + 1)

    def action_pane(self) -> None:
        """Move to the other pane."""
        node = self.query_one("#tree-node", LineView)
        self.set_focus(self._steps if node.has_focus else node)

    def action_pruning(self, by: int) -> None:
        """Go to the next wrong pruning of this tree, or the one before; past the last, to those of the next tree."""
        places = self._rows.prunings["place"].to_list()
        beyond = [place for place in places if (place - self.place) * by > 0]
        if not beyond:
            words = "after this node" if by > 0 else "before this node"
            there = f"There is no wrong pruning {words}" if places else "This tree has no wrong pruning"
            self._say(f"{there}." if len(self._trees) < 2 else f"{there}; ] and [ go to other problems.")
            return
        place = beyond[0] if by > 0 else beyond[-1]
        if self._rows.unfold_to(place):
            self._refold(place)
        else:
            self._steps.go_to(place)

    def action_turn(self, by: int) -> None:
        """Show the next tree, or the one before."""
        at = self._at + by
        if not 0 <= at < len(self._trees):
            self._say(f"This is the {'last' if by > 0 else 'first'} problem.")
            return
        self._at = at
        self._rows = TreeRows(self._trees[at], self._glyphs)
        self._show_tree()

    def action_view(self) -> None:
        """Choose what is unfolded."""
        picks = [Pick(name, title, about) for name, title, about in VIEWS]
        self.app.push_screen(Picking("Unfold", picks), self._take_view)

    def _take_view(self, name: str | None) -> None:
        if name is not None:
            place = self.place
            self._rows.show_view(name)
            self._refold(place)

    def on_frame_table_opened(self) -> None:
        """Show the whole way to the node under the cursor, step by step."""
        tree = self._rows.tree
        parts = [tree.problem, *(tree.texts[place] for place in tree.path(self.place) if tree.texts[place])]
        text = "\n\n".join(
            clean(unicode_math(part[:READ]), lines=True).strip() for part in dict.fromkeys(parts) if part
        )
        self.app.push_screen(
            TextPage(Content(text or "The nodes of this path have no text."), f"Path to node {tree.names[self.place]}")
        )

    def action_copy(self) -> None:
        """Copy the step under the cursor as it was given."""
        text = self._rows.tree.texts[self.place] or ("" if self.place else self._rows.tree.problem)
        self.app.copy_to_clipboard(text)
        self._say(f"Copied {len(text):,} characters.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key works: where nothing can be saved there is no export."""
        return self._document is not None if action == "export" else super().check_action(action, parameters)

    def action_export(self) -> None:
        """Ask for the file into which the wrong prunings of all trees go."""
        usual = f"{PurePath(self._trees[0].source).stem}-prunings.csv"
        self.app.push_screen(WordsDialog("Save all wrong prunings into", usual, "a file"), self._save)

    def _save(self, into: str | None) -> None:
        if not into or self._document is None:
            return

        try:
            path = export_path(self._folder, PurePath(into).name, into)
            form = {".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex"}.get(path.suffix, "csv")
            self._document(form).write(path, form)
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False)
        else:
            self._say(f"Saved as {path}.")

    def _say(self, sentence: str) -> None:
        self.notify(clean(sentence), markup=False)
