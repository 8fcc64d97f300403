"""The board's columns: which there are, what they are called, and where their values come from."""

from dataclasses import dataclass, replace

from inspector.board_cells import BoardCells
from inspector.catalogue import Entry
from inspector.paint import Brush
from inspector.widgets.columns import Column
from scoring.verdicts import OUTCOMES

NAME_WIDTH = 14
"""Cells of a scorer's name where there is no room to spare."""
F1 = "F1"
MEANINGS = {
    "scorer": ("scorer", "its name"),
    "benchmark": ("benchmark", "the benchmark"),
    "subset": ("subset", "the benchmark's own partition; all: the whole of it"),
    "metric": ("metric", "what the score is: F1 or PRMScore, whichever the benchmark reports"),
    "score": ("score", "the official metric, marked where it is the best or tied with it"),
    "interval": ("95%", "the interval of the score"),
    "on_wrong": ("on wrong", "accuracy on erroneous cases (F1) or on wrong steps (PRMScore)"),
    "on_right": ("on right", "accuracy on clean cases (F1) or on right steps (PRMScore)"),
    "bias": ("bias", "accuracy on what is right minus on what is wrong, all subsets together"),
    "fp": ("FP%", "erroneous cases called wrong before the earliest error, as GR-Ben counts"),
    "fn": ("FN%", "erroneous cases called wrong after it or not at all, as GR-Ben counts"),
    "outcomes": ("outcomes", "a bar with the share of each outcome"),
    "threshold": ("threshold", "the threshold and where it is from"),
    "coverage": ("scored", "cases with a verdict, of all"),
    "n": ("n", "cases (F1) or steps (PRMScore) in the denominators of the score"),
    "cases": ("cases", "all cases"),
    **{name: (name.replace("_", " "), "cases with this outcome") for name in OUTCOMES},
    "sd": ("sd", "standard deviation of the score over several runs"),
    "runs": ("runs", "independent repetitions that the figures are means of"),
}
"""Titles and meanings of all columns, in the order in which they are offered."""
UNSORTABLE = frozenset({"outcomes"})
SMALLEST_FIRST = frozenset({"scorer", "benchmark", "subset", "metric", "threshold"})
USUAL = ("score", "interval", "on_wrong", "on_right", "bias", "outcomes", "threshold", "coverage")
"""Those shown where none were chosen, beside the names of the rows."""
NAMES = ("scorer", "benchmark", "subset", "metric")
SOURCES: dict[str, tuple[str, ...]] = {
    "interval": ("low", "high"),
    "outcomes": OUTCOMES,
    "threshold": ("threshold", "threshold_source"),
    "coverage": ("scored", "cases"),
    "score": ("score", "standing"),
}
"""The columns of the frame that a column shows; of others the one of its name."""
COMPARED = ("score", "low", "high", "on_wrong", "on_right")
"""Columns of the frame that are differences where there is a reference: they are called `d_` and this."""
SIGNED = 6
"""Cells of a signed number of percentage points."""


@dataclass(frozen=True)
class BoardKind:
    """What decides which columns a board has and what they are called.

    `rows` is how they are grouped (see `inspector.board_arrangement`); `several` says that there are several
    benchmarks, `subsets` that rows are of subsets; `metrics` are those of the rows, `chosen` the columns asked for, ()
    for the usual ones; `against` says that scores are differences; `scored_width` are the cells of the longest of the
    texts `scored/cases`, and `long_names` gives the scorers' names more of the width that is to spare.
    """

    rows: str = "benchmark"
    several: bool = False
    subsets: bool = False
    metrics: tuple[str, ...] = (F1,)
    chosen: tuple[str, ...] = ()
    against: bool = False
    scored_width: int = 7
    long_names: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(key for key in self.chosen if key in MEANINGS) or self.usual

    @property
    def usual(self) -> tuple[str, ...]:
        """Those that are shown where none were chosen."""
        return (*self.names, *USUAL)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that say what a row is of; what it is grouped by stands first."""
        there = {"scorer", *(["benchmark"] if self.several else []), *(["subset"] if self.subsets else [])}
        there |= {"metric"} if len(self.metrics) > 1 else set()
        order = ("benchmark", "subset", "scorer", "metric") if self.rows == "subset" else NAMES
        return tuple(name for name in order if name in there)

    @property
    def group(self) -> str:
        """The column by which rows are grouped; "" where they are not."""
        return {"scorer": "scorer", "subset": "subset"}.get(self.rows, "benchmark" if self.several else "")


def entries(kind: BoardKind) -> tuple[Entry, ...]:
    """Every column as the sort menu and the column menu offer it."""
    return tuple(
        Entry(
            key, title_of(key, kind), meaning, sortable=key not in UNSORTABLE, largest_first=key not in SMALLEST_FIRST
        )
        for key, (_, meaning) in MEANINGS.items()
    )


def title_of(key: str, kind: BoardKind) -> str:
    """What stands above a column, true of all the metrics of the rows."""
    wrong, right = heads(kind.metrics)
    score = kind.metrics[0] if len(kind.metrics) == 1 else "score"
    return {"score": score, "on_wrong": wrong, "on_right": right}.get(key, MEANINGS[key][0])


def heads(metrics: tuple[str, ...]) -> tuple[str, str]:
    """What the columns of the two accuracies are called, true of all the metrics."""
    return ("error", "clean") if metrics == (F1,) else ("on wrong", "on right")


def board_columns(brush: Brush, kind: BoardKind) -> list[Column]:
    """The board's columns on screen."""
    cells = BoardCells(brush)
    made = [_column(key, kind, cells) for key in kind.keys]
    # Columns that were chosen never leave: they scroll.
    return [replace(column, leave=0, least=0) for column in made] if kind.chosen else made


def _column(key: str, kind: BoardKind, cells: BoardCells) -> Column:
    title = title_of(key, kind)
    if kind.against and key in {"score", "interval", "on_wrong", "on_right"}:
        return _difference(key, title, max(5, len(title)), cells)
    if key in NAMES:
        return _name(key, title, kind, cells)
    if key == "score":
        source = (key, "kind", "small", "standing")
        return Column(key, title, max(6, len(title) + 1), right=True, paint=cells.score, source=source, start=True)
    if key == "outcomes":
        return Column(key, title, 10, paint=cells.bar, source=OUTCOMES, flex=4, least=8, leave=3)
    if key == "threshold":
        # Room for "0.550 optimistic" and "labels as given".
        return Column(key, title, 16, paint=cells.cut, source=SOURCES[key], flex=2, leave=4)
    return _number(key, title, kind, cells)


def _number(key: str, title: str, kind: BoardKind, cells: BoardCells) -> Column:
    """A column of numbers, at the right of its width."""
    paint, width, leave = {
        "interval": (cells.interval, 7, 1),
        "coverage": (cells.coverage, kind.scored_width, 5),
        "on_wrong": (cells.percent, 5, 2),
        "on_right": (cells.percent, 5, 2),
        "bias": (cells.points, SIGNED, 6),
        **dict.fromkeys(("fp", "fn", "sd"), (cells.percent, 5, 0)),
    }.get(key, (cells.count, 5, 0))
    source = SOURCES.get(key, (key, "kind"))
    return Column(key, title, max(width, len(title)), right=True, paint=paint, source=source, leave=leave)


def _name(key: str, title: str, kind: BoardKind, cells: BoardCells) -> Column:
    """A column that says what rows are of."""
    grouped = kind.group == key
    paint, source = (cells.group, (key, "kind", "repeated")) if grouped else (cells.name, (key, "kind"))
    if key == "metric":
        return Column(key, title, max(map(len, kind.metrics)), paint=paint, source=source)
    if key == "scorer":
        return Column(key, title, NAME_WIDTH, paint=paint, source=source, flex=3 if kind.long_names else 1, least=10)
    return Column(key, title, 12, paint=paint, source=source, least=9 if key == "subset" else 0)


def _difference(key: str, title: str, wide: int, cells: BoardCells) -> Column:
    """A column of differences to the reference."""
    if key == "score":
        width = max(6, len(title) + 1)
        source = ("d_score", "d_standing")
        return Column(key, title, width, right=True, paint=cells.difference, source=source, start=True)
    if key == "interval":
        return Column(key, title, 12, right=True, paint=cells.span, source=("d_low", "d_high"), leave=1)
    return Column(key, title, wide, right=True, paint=cells.points, source=(f"d_{key}", "kind"), leave=2)
