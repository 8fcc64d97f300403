"""Blocks that views and reports consist of, as plain data: tables, charts, sentences, cases.

Texts are unescaped, as they are in the data: each renderer escapes them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.render.documents.row_documents import shown
from inspector.render.elements import Element
from inspector.render.lines import CaseLink, joined_link

NumberSequence = Sequence[float] | npt.NDArray[np.float64]


class Kind(Enum):
    """How a value is written: see `inspector.render.cells`."""

    TEXT = "text"
    COUNT = "count"
    SHARE = "share"
    """A fraction, in percent."""
    POINTS = "points"
    """A signed difference of fractions, in percentage points."""
    P = "p"
    MEAN = "mean"
    """With two digits after the point."""
    REWARD = "reward"
    """With three."""
    NUMBER = "number"
    """A threshold, or what else has no unit."""


class Cell(Struct, frozen=True):
    """One cell of a table: a value of a kind, and what is to be known of it.

    `value` is a text for TEXT, else a number, None where there is none: then `reason` says why; `waiting` that it is
    still being computed. `low` and `high` are its 95% interval, `sd` the standard deviation over `runs`; `n` is of how
    many, where that stands with it. `small` marks what few cases say, `optimistic` what was tuned on them. `note` are
    few words behind the value, `remark` a sentence that may take several lines. `shade` (0 to 1) darkens the ground,
    `style` is one of the styles of `widgets.line_scroll`. A label may hold for `rows` rows, its own and those beneath,
    whose cells there have 0.
    """

    value: str | float | None = None
    kind: Kind = Kind.TEXT
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    runs: int = 1
    n: int | None = None
    small: bool = False
    optimistic: bool = False
    reason: str = ""
    note: str = ""
    remark: str = ""
    link: CaseLink | None = None
    style: str = ""
    shade: float | None = None
    rows: int = 1
    waiting: bool = False

    @property
    def key(self) -> object:
        """What tells rows apart that this cell is the label of."""
        return self.value, self.note


class Column(Struct, frozen=True):
    """A column of a table. Where there is no room, one of rank 1 goes without intervals, and one of rank 2 is left out.

    `right` sets it to the right; None = if it holds a number. Texts of one that `wraps` take several lines there.
    """

    title: str
    rank: int = 0
    right: bool | None = None
    wraps: bool = False


class Table(Struct, frozen=True):
    """Rows of cells under columns. The first `labels` cells of a row say what it is about, and name it.

    `heat` says that cells are compared by their shade, `bars` that the values of the first column after the labels are
    drawn where there are charts; `counted` what n counts there.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    labels: int = 1
    heat: bool = False
    bars: bool = False
    counted: str = "cases"


def table(
    title: str, columns: Sequence[str | Column], rows: Sequence[Sequence[Cell]], labels: int = 1, **more: Any
) -> Table:
    """Make a table; columns may be given by their titles, and those that say nothing in any row are left out."""
    heads = [Column(column) if isinstance(column, str) else column for column in columns]
    said_by = [at < labels or any(_says(row[at]) for row in rows) for at in range(len(heads))]
    return Table(
        title,
        tuple(head for head, kept in zip(heads, said_by, strict=True) if kept),
        tuple(tuple(cell for cell, kept in zip(row, said_by, strict=True) if kept) for row in rows),
        labels,
        **more,
    )


def _says(cell: Cell) -> bool:
    undefined = cell.kind in {Kind.SHARE, Kind.POINTS}
    return cell.value not in {None, ""} or undefined or bool(cell.note or cell.reason or cell.remark or cell.waiting)


# -- charts


class Series(Struct, frozen=True, eq=False):
    """A curve through (k,) points, `xs` ascending; where `ys` is NaN it has a gap, and so has its band (`low`, `high`).

    `stepped` says that a value holds until the next x, else points are joined.
    """

    name: str
    letter: str
    style: str
    xs: NumberSequence
    ys: NumberSequence
    low: NumberSequence | None = None
    high: NumberSequence | None = None
    stepped: bool = False


class Tick(Struct, frozen=True):
    """A value on the horizontal axis with a letter, and the words that the legend has for it.

    `score` is the height of the curve there, None where that is not told.
    """

    at: float | None
    letter: str
    words: str
    style: str = "strong"
    drill: CaseLink | None = None
    score: float | None = None


class Curve(Struct, frozen=True, eq=False):
    """Values of a kind over one axis: `across` it goes from one end to the other, `upward` likewise.

    With `whole` the axis is told by whole numbers: those that the first series has points at. With `doubling` each
    doubling of x, which is above 0, takes as much room as another.
    """

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    ticks: tuple[Tick, ...] = ()
    across: tuple[float, float] = (0.0, 1.0)
    upward: tuple[float, float] = (0.0, 1.0)
    kind: Kind = Kind.SHARE
    whole: bool = False
    doubling: bool = False


class Bin(Struct, frozen=True):
    """How many of each of two classes lie from `low` to `high`, and what each count opens.

    One that is no range of an axis is called by its `name`.
    """

    low: float
    high: float
    counts: tuple[int, int]
    drills: tuple[CaseLink | None, CaseLink | None] = (None, None)
    name: str = ""

    @property
    def words(self) -> str:
        """Its name, or from where to where it goes."""
        return self.name or f"{self.low:.4g} to {self.high:.4g}"


Classes = tuple[tuple[str, str], tuple[str, str]]
"""Word and style of the class above (or left) and of the one below (or right)."""


class Histogram(Struct, frozen=True):
    """How two classes lie over one axis: ascending bins of equal width. `counted` says what is counted."""

    title: str
    bins: tuple[Bin, ...]
    classes: Classes
    ticks: tuple[Tick, ...] = ()
    counted: str = "cases"


class CalibrationBin(Struct, frozen=True):
    """What was given a probability from `low` to `high`: their mean, and the share that is right."""

    low: float
    high: float
    mean: float | None
    share: Cell


class Reliability(Struct, frozen=True):
    """How often what was given a probability is right, by ascending bins; an empty one has no mean."""

    title: str
    bins: tuple[CalibrationBin, ...]
    counted: str = "cases"


class Counted(Struct, frozen=True):
    """How many there are of something, `name` in a few letters and `words` in full; `style` is that of its column.

    `at` is its place on the axis, None where it has none and stands apart.
    """

    name: str
    words: str
    n: int
    style: str = ""
    link: CaseLink | None = None
    at: int | None = None


class Columns(Struct, frozen=True):
    """Counts beside each other, in the order of an axis; `counted` says what is counted."""

    title: str
    columns: tuple[Counted, ...]
    counted: str = "cases"

    def folded(self, most: int) -> "Columns":
        """Return at most so many columns, as far as that can be: those furthest out on the axis join the next ones."""
        apart = sum(column.at is None for column in self.columns)
        reach = max((abs(column.at) for column in self.columns if column.at is not None), default=0)
        while (
            reach > 1
            and sum(column.at is not None and abs(column.at) <= reach for column in self.columns) > most - apart
        ):
            reach -= 1
        groups: dict[object, list[Counted]] = {}
        for number, column in enumerate(self.columns):
            key: object = ("apart", number) if column.at is None else min(reach, max(-reach, column.at))
            groups.setdefault(key, []).append(column)
        return replace(self, columns=tuple(_joined(group) for group in groups.values()))


def _joined(group: Sequence[Counted]) -> Counted:
    """One column for several beside each other, called after the one that is next to the middle."""
    if len(group) == 1:
        return group[0]
    nearest = min(group, key=lambda column: abs(column.at or 0))
    name = f"{'<=' if (nearest.at or 0) < 0 else '>='}{nearest.name}"
    links = [column.link for column in group if column.link is not None]
    words = f"{nearest.words} or further"
    link = joined_link(links, words) if links else None
    return replace(nearest, name=name, words=words, n=sum(column.n for column in group), link=link)


Chart = Curve | Histogram | Reliability | Columns
"""What is drawn where there is room for a picture, and stands elsewhere as a table of its numbers."""


class Picture(Struct, frozen=True):
    """A chart that is drawn already, and the table of its numbers; `described` says in words what is to be seen.

    There is no `table` where it stands above already.
    """

    title: str
    described: str
    picture: Element
    table: Table | None


# -- sentences, and what holds other blocks


class Note(Struct, frozen=True):
    """A paragraph; `level` is "", `warning`, `quiet`, or `lead` for one that stands out."""

    text: str
    level: str = ""


def quiet_notes(sentences: Iterable[str]) -> Iterator[Note]:
    """Make a quiet paragraph of each sentence; the full stop is added."""
    return (Note(f"{sentence}.", "quiet") for sentence in sentences)


class Bullets(Struct, frozen=True):
    """A list of sentences."""

    items: tuple[str, ...]


class Facts(Struct, frozen=True):
    """Names and what they are."""

    items: tuple[tuple[str, str], ...]


class CommandLine(Struct, frozen=True):
    """A command line, and what it gives."""

    line: str
    gives: str = "The same numbers"


BESIDE = 3
"""Up to so many scorers stand beside texts under their names where lines are narrow; more have numbers."""


class Judged(Struct, frozen=True):
    """What one scorer says of one step: its words, where on its range that is (0 to 1), and what follows from it.

    `truncated` marks a reward of a case whose later steps were cut off.
    """

    text: str
    share: float | None
    wrong: bool
    verdict: bool
    truncated: bool = False


class Step(Struct, frozen=True):
    """A step of a case (0-based): its text, what gold says of it, and a judgement a scorer."""

    number: int
    text: str
    gold: str | None
    judged: tuple[Judged, ...]


class CaseBlock(Struct, frozen=True):
    """One case. `scorers` have a column beside the steps, and a verdict and a step accuracy in words.

    `outcomes` are theirs: name, glyph, and what happened.

    `others` says in few words what the other scorers made of it. `written` are the texts that are shown otherwise than
    they were written, by name; where they are left out, `command` prints them.
    """

    title: str
    facts: tuple[str, ...]
    problem: str
    steps: tuple[Step, ...]
    scorers: tuple[str, ...]
    verdicts: tuple[str, ...]
    accuracies: tuple[str, ...]
    outcomes: tuple[tuple[str, str, str], ...]
    gold: str
    others: str = ""
    reason: str = ""
    reason_note: str = ""
    written: tuple[tuple[str, str], ...] = ()
    command: str = ""


class Verbatim(Struct, frozen=True):
    """A text as it was written, line by line, and what it is."""

    title: str
    text: str


class Token(Struct, frozen=True):
    """A token: its text, its place in its sequence (0-based), its id, and whether a PRM reads it.

    One of the layout is of no text of the case.
    """

    text: str
    place: int
    id: int
    read: bool = False
    layout: bool = False


class Tokens(Struct, frozen=True):
    """Tokens in their order: those around the one at `at`, as far as there is room, with a mark and `words` beneath it.

    Where `at` is None they are all listed, each with its place and id. `facts` are of what is read there.
    """

    title: str
    tokens: tuple[Token, ...]
    at: int | None = None
    words: str = ""
    facts: tuple[tuple[str, str], ...] = ()


class Fold(Struct, frozen=True):
    """Blocks behind one line that opens them."""

    summary: str
    blocks: tuple["Block", ...]


Block = Note | Bullets | Facts | CommandLine | Verbatim | Table | Chart | Picture | CaseBlock | Tokens | Fold


class Section(Struct, frozen=True):
    """A part of a view or report, with an anchor of its own, which holds no text of the data."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = ()
    parts: tuple["Section", ...] = ()


class Report(Struct, frozen=True):
    """Several sections as one page; `about` stands beneath the title."""

    title: str
    about: tuple[Block, ...]
    sections: tuple[Section, ...]


def links_of(block: Block) -> Iterator[CaseLink]:
    """Yield all links that the numbers of a table or chart have."""
    links: list[CaseLink | None] = []
    if isinstance(block, Table):
        links = [cell.link for row in block.rows for cell in row]
    elif isinstance(block, Reliability):
        links = [reward_bin.share.link for reward_bin in block.bins]
    elif isinstance(block, Histogram):
        links = [
            *(link for reward_bin in block.bins for link in reward_bin.drills),
            *(tick.drill for tick in block.ticks),
        ]
    elif isinstance(block, Columns):
        links = [column.link for column in block.columns]
    elif isinstance(block, Curve):
        links = [tick.drill for tick in block.ticks]
    yield from (link for link in links if link is not None)


# -- cells


def text(value: str | None, style: str = "", link: CaseLink | None = None, *, remark: str = "") -> Cell:
    """Make a cell of words."""
    return Cell(value, style=style, link=link, remark=remark)


def count(value: int | None, link: CaseLink | None = None, style: str = "", note: str = "") -> Cell:
    """Make a cell of a number of cases or steps, which opens the cases; 0 is dim, and opens nothing."""
    return Cell(value, Kind.COUNT, link=link if value else None, style=style if value else "dim", note=note)


def figure(
    row: Mapping[str, Any] | None, kind: Kind = Kind.SHARE, link: CaseLink | None = None, style: str = ""
) -> Cell:
    """Make a cell of a row: `value, low, high, reason`, perhaps `sd, runs, small, optimistic`; None = is awaited."""
    if row is None:
        return Cell(None, kind, link=link, waiting=True)
    return Cell(
        row["value"],
        kind,
        row["low"],
        row["high"],
        row.get("sd"),
        row.get("runs") or 1,
        small=bool(row.get("small")),
        optimistic=bool(row.get("optimistic")),
        reason=row.get("reason") or "",
        link=link,
        style=style,
    )


def points(row: Mapping[str, Any] | None, link: CaseLink | None = None) -> Cell:
    """Make a cell of a signed difference; strong where its interval leaves 0 out."""
    made = figure(row, Kind.POINTS, link)
    apart = made.low is not None and made.high is not None and (made.low > 0 or made.high < 0)
    return figure(row, Kind.POINTS, link, "strong") if apart else made


def p_value(p: float | None, *, waiting: bool = False) -> Cell:
    """Make a cell of a p-value; strong below 0.05."""
    return Cell(p, Kind.P, style="strong" if p is not None and p < 0.05 else "", waiting=waiting and p is None)


def number(value: float | None, note: str = "", style: str = "") -> Cell:
    """Make a cell of a threshold or a reward."""
    return Cell(value, Kind.NUMBER, note=note, style=style)


_LONG = 30
"""Characters of a text that may take several lines."""


def table_of(frame: pl.DataFrame, title: str, without: Sequence[str] = (), labels: int = 1) -> Table:
    """Make a table of the rows of a frame, less some columns and those that say nothing."""
    kept = frame.select(name for name in frame.columns if name not in without)
    rows = [[Cell(shown(value)) for value in row] for row in kept.iter_rows()]
    longest = [max((len(str(row[at].value or "")) for row in rows), default=0) for at in range(kept.width)]
    columns = [
        Column(name.replace("_", " "), wraps=at >= labels and longest[at] > _LONG)
        for at, name in enumerate(kept.columns)
    ]
    return table(title, columns, rows, labels)
