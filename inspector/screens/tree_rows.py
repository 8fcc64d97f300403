"""The lines of a tree of a search, and what is said of a node."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from inspector.render.charts.glyphs import Glyphs
from inspector.render.mathtext import unicode_math
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.widgets.columns import SPARE, TableColumn, TableRow
from inspector.widgets.line_view import Line
from scoring.data.schema import Bools
from scoring.metrics.trees.figures import DOUBTED, LOST, tree_row, wrong_prunings
from scoring.metrics.trees.search_tree import KEPT, NO_NODE, ROUNDS, UNKNOWN, SearchTree, first_drops

if TYPE_CHECKING:
    from numpy.typing import NDArray


BAR, VALUE = 6, 7
"""Cells of the bar of a value, and of its digits."""
SHOWN, READ = 400, 20_000
"""Characters of a step that a line may need, and that stand beside the tree."""
LEVELS = 16
"""Branchings of which the guides stand before a step: of a deeper one those next to it."""
DROPPED = 18
"""Cells of when a node was dropped, in words; in fewer it is the round alone."""


class TreeRows:
    """The nodes of a tree as a source of a table's rows; ids are places in preorder. `folded` may be changed."""

    def __init__(self, tree: SearchTree, glyphs: Glyphs) -> None:
        self.tree = tree
        self.prunings = wrong_prunings(tree)
        self.figures = tree_row(tree, self.prunings)
        self.wrong = {row["place"]: row for row in self.prunings.iter_rows(named=True)}
        self.folded: Bools = np.zeros(tree.size, dtype=np.bool_)
        self._cut = first_drops(tree)[0] < ROUNDS
        self._right, self._judged = tree.below(tree.right), tree.below(tree.right | tree.wrong)
        known = tree.values[~np.isnan(tree.values)]
        self.low = min(0.0, float(known.min())) if len(known) else 0.0
        self.high = max(1.0, float(known.max())) if len(known) else 1.0
        several = tree.children() > 1
        # The line of a node that has no brothers or sisters goes on from that of its parent: it is moved in no further.
        self._branch = [0]
        for place, parent in enumerate(tree.parents.tolist()[1:], start=1):
            self._branch.append(place if several[parent] else self._branch[parent])
        self._signs = (
            ("v", ">", ".", "| ", "|-", "`-", "~") if glyphs.ascii_only else ("▾", "▸", "·", "│ ", "├╴", "└╴", "…")
        )

    # -- what is to be seen of it

    @property
    def visible(self) -> "NDArray[np.int32]":
        """The places of the nodes that nothing above them folds away."""
        folds = np.flatnonzero(self.folded)
        change = np.zeros(self.tree.size + 1, dtype=np.int64)
        np.add.at(change, folds + 1, 1)
        np.add.at(change, self.tree.ends[folds], -1)
        return np.flatnonzero(np.cumsum(change[:-1]) == 0).astype(np.int32)

    def show_view(self, name: str) -> None:
        """Fold what one of VIEWS folds, and unfold the rest."""
        tree = self.tree
        inner = ~tree.leaves
        if name == "kept":
            self.folded = inner & (tree.rounds != KEPT)
        elif name == "wrong":
            marked = tree.right.copy()
            marked[[place for place in (*self.wrong, tree.chosen) if place != NO_NODE]] = True
            self.folded = inner & (tree.below(marked) - marked == 0)
        elif name == "first":
            several = np.flatnonzero(tree.children() > 1)
            self.folded = inner & (tree.parents == (several[0] if len(several) else NO_NODE))
        else:
            self.folded = np.zeros(tree.size, dtype=np.bool_)

    def unfold_to(self, place: int) -> bool:
        """Unfold everything above a node; return whether anything was folded there."""
        above = self.tree.path(place)[:-1]
        folded = bool(self.folded[above].any())
        self.folded[above] = False
        return folded

    # -- as a source of rows

    @property
    def schema(self) -> Mapping[str, pl.DataType]:
        """Names and types of the columns."""
        kinds: dict[str, pl.DataType] = dict.fromkeys(("step", "value", "right", "dropped"), pl.Object())
        return {"place": pl.Int64(), "visits": pl.Int64(), **kinds}

    def get_column(self, name: str) -> pl.Series:
        """Return the column that says which row is which."""
        if name != "place":
            raise pl.exceptions.ColumnNotFoundError(name)
        return pl.Series("place", np.arange(self.tree.size))

    def rows(self, names: Sequence[str], ids: "NDArray[np.int32]") -> list[TableRow]:
        """Make the cells of these nodes."""
        makers: dict[str, Callable[[int], Any]] = {
            "place": int,
            "step": self._step,
            "value": self._value,
            "visits": self._visits,
            "right": self._answer,
            "dropped": self._dropped,
        }
        return [tuple(makers[name](place) for name in names) for place in ids.tolist()]

    def _step(self, place: int) -> tuple[str, str, str, str]:
        """Guides, how much is folded away, the text as it was given, and its style."""
        tree, (open_sign, closed, leaf, *_) = self.tree, self._signs
        below = int(tree.ends[place]) - place - 1
        folded = below > 0 and bool(self.folded[place])
        sign = leaf if not below else closed if folded else open_sign
        text = tree.texts[place] or ("" if place else tree.problem)
        style = "dim" if self._cut[place] else "strong" if place == tree.chosen else ""
        return f"{self._guides(place)}{sign} ", f"+{below:,} " if folded else "", text[:SHOWN], style

    def _guides(self, place: int) -> str:
        """A guide for each branching above, as far as there is room."""
        tree, guides = self.tree, ""
        _, _, _, going_on, child, last_child, more = self._signs
        branch = self._branch[place]
        for level in range(LEVELS):
            if branch == 0:
                return guides
            last = tree.ends[branch] == tree.ends[tree.parents[branch]]
            sign = (last_child if last else child) if branch == place else "  " if last else going_on
            guides = (sign if level < LEVELS - 1 else f"{more} ") + guides
            branch = self._branch[tree.parents[branch]]
        return guides

    def _value(self, place: int) -> float | None:
        value = float(self.tree.values[place])
        return None if np.isnan(value) else value

    def _visits(self, place: int) -> int | None:
        visits = int(self.tree.visits[place])
        return None if visits == UNKNOWN else visits

    def _answer(self, place: int) -> tuple[int, int, int, bool]:
        """Of a leaf whether its answer is right, else how many below it are, and of how many; and if it was chosen."""
        leaf = int(self.tree.ends[place]) == place + 1
        correct = int(self.tree.correct[place]) if leaf else NO_NODE - 1
        return correct, int(self._right[place]), int(self._judged[place]), place == self.tree.chosen

    def _dropped(self, place: int) -> tuple[int, str, int]:
        """In which round, of which kind that was, and how many right answers it lost."""
        wrong = self.wrong.get(place)
        return (int(self.tree.rounds[place]), *(("", 0) if wrong is None else (wrong["kind"], wrong["right_lost"])))


@lru_cache(maxsize=4096)
def step_words(text: str) -> str:
    """Write a step on one line: formulas readable, line breaks as blanks, nothing that could act."""
    return " ".join(clean(unicode_math(text)).split())


def tree_columns(rows: TreeRows, glyphs: Glyphs) -> tuple[TableColumn, ...]:
    """Return the columns of a tree: those that would say nothing of any node are left out."""
    tree, right, wrong, chosen = rows.tree, *(("+", "x", "*") if glyphs.ascii_only else ("✓", "✗", "◆"))
    span = rows.high - rows.low

    def step(value: Any, width: int) -> Sequence[TextPart]:
        guides, hidden, text, style = value
        # Of a text only what may be seen is made readable: a formula takes more characters than cells.
        return (guides, "dim"), (hidden, "strong"), (step_words(text[: 4 * width]), style)

    def bar(value: Any, width: int) -> Sequence[TextPart]:
        if value is None:
            return (("-" if glyphs.ascii_only else "–", "dim"),)
        drawn = f"{glyphs.bar((value - rows.low) / span, BAR)[0]} " if width >= BAR + VALUE else ""
        return (drawn, ""), (f"{value:.3f}", "")

    def answer(value: Any, width: int) -> Sequence[TextPart]:
        correct, n_right, judged, is_chosen = value
        mark = (f" {chosen}", "strong") if is_chosen else ("", "")
        if correct == 1:
            return (f"{right} right", "good"), mark
        if correct == 0:
            return (f"{wrong} wrong", "bad"), mark
        words = f"{n_right} of {judged}" if judged and correct < UNKNOWN else ""
        words = words.replace(" of ", "/") if len(words) > width else words
        return (words, "dim" if not n_right else ""), mark

    def dropped(value: Any, width: int) -> Sequence[TextPart]:
        number, kind, lost = value
        if number == KEPT:
            return (("", ""),)
        words, losing = ("round ", "lost ") if width >= DROPPED else ("", "")
        marks = {LOST: (f" ! {losing}{lost}", "bad strong"), DOUBTED: (" ?", "early")}
        return (f"{words}{number}", "dim" if not kind else ""), marks.get(kind, ("", ""))

    columns = [
        TableColumn("step", "step", 36, paint=step, flex=1, start=True, least=20),
        TableColumn("value", "value", BAR + VALUE, paint=bar, leave=2, least=VALUE),
        TableColumn("visits", "visits", 6, right=True, leave=SPARE),
        TableColumn("right", "right", 9, paint=answer, leave=3),
        TableColumn("dropped", "dropped", DROPPED, paint=dropped, leave=1, least=8),
    ]
    has = {
        "value": not np.isnan(tree.values).all(),
        "visits": bool((tree.visits != UNKNOWN).any()),
        "right": rows.figures["judged"] > 0 or tree.chosen != NO_NODE,
        "dropped": rows.figures["dropped"] > 0,
    }
    return tuple(column for column in columns if has.get(column.name, True))


def node_lines(rows: TreeRows, place: int, width: int) -> list[Line]:
    """Say what is known of a node, then its step; of the root the problem and what the search came to."""
    tree, lines = rows.tree, list[Line]()

    def add(words: str, style: str = "") -> None:
        lines.extend(Line([(line, style)]) for line in wrap(clean(words, lines=True), max(10, width)))

    add(", ".join(_facts(rows, place)), "dim")
    for words, style in _remarks(rows, place):
        add(words, style)
    lines.append(Line([]))
    text = tree.texts[place] if place else "\n\n".join(dict.fromkeys((tree.problem, tree.texts[0]))).strip()
    add(unicode_math(text[:READ]) if text.strip() else "This step has no text.", "" if text.strip() else "dim")
    if len(text) > READ:
        add(f"{len(text) - READ:,} characters more.", "dim")
    return lines


def _facts(rows: TreeRows, place: int) -> list[str]:
    tree = rows.tree
    facts = [f"node {tree.names[place]}", f"{counted(int(tree.depths[place]), 'step')} from the root"]
    if not np.isnan(tree.values[place]):
        facts.append(f"value {tree.values[place]:.4g}")
    if tree.visits[place] != UNKNOWN:
        facts.append(counted(int(tree.visits[place]), "visit"))
    below = int(tree.ends[place]) - place - 1
    return [*facts, *([f"{counted(below, 'node')} below it"] if below else [])]


def _remarks(rows: TreeRows, place: int) -> list[tuple[str, str]]:
    """Sentences on what became of a node, with their styles."""
    tree, wrong, remarks = rows.tree, rows.wrong.get(place), list[tuple[str, str]]()
    if tree.rounds[place] != KEPT:
        beside = None if wrong is None else wrong["kept_value"]
        best = "" if beside is None else f" The best that was kept beside it has the value {beside:.4g}."
        remarks.append((f"Dropped in round {tree.rounds[place]}.{best}", ""))
    if wrong is not None and wrong["kind"] == LOST:
        answers = counted(wrong["right_lost"], "right answer")
        remarks.append((f"That lost {answers}; {wrong['right_left']} left after this round.", "bad"))
    elif wrong is not None:
        remarks.append(("What was kept beside it ended wrong, and nobody knows where this would have led.", "early"))
    if place == tree.chosen:
        remarks.append((f"The answer of the search: {tree.chosen_by}.", "strong"))
    if place == 0:
        remarks.extend((sentence, "") for sentence in _summary(rows))
    return remarks


def _summary(rows: TreeRows) -> list[str]:
    figures, words = rows.figures, {True: "yes", False: "no", None: "not known"}
    judged = f"{figures['judged']:,} are judged and {figures['right']:,} right"
    leaves = f"{figures['leaves']:,} of them leaves, of which {judged}"
    kept, reached = words[figures["right_kept"]], words[figures["right_reached"]]
    answers = f"Chosen answer right: {words[figures['chosen_right']]}. A right answer kept: {kept}; reached: {reached}."
    sentences = [
        f"{counted(figures['nodes'], 'node')}, {leaves}; {figures['dropped']:,} were dropped.",
        answers + (f" ({figures['reason']})" if figures["reason"] else ""),
    ]
    if not np.isnan(rows.tree.values).all():
        sentences.append(f"The value of a step is {rows.tree.value_is}.")
    if rows.tree.reference_answer:
        sentences.append(f"Reference answer: {rows.tree.reference_answer}")
    return sentences
