"""Charts of views as plain data: curves, histograms, reliability, columns, and pictures with their tables."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from inspector.render.elements import Element
from inspector.render.lines import CaseLink, joined_link
from inspector.render.table_blocks import Cell, Kind, Table

NumberSequence = Sequence[float] | npt.NDArray[np.float64]


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

    `score` is the height of the curve there, None where that is not told. `name` says which threshold it is where
    screens mark it otherwise (`default`, `now` or `best`), and `source` where that comes from.
    """

    at: float | None
    letter: str
    words: str
    style: str = "strong"
    drill: CaseLink | None = None
    score: float | None = None
    name: str = ""
    source: str = ""


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

    @property
    def fitted(self) -> "Curve":
        """Return the curve with a vertical axis that ends at a multiple of 10% above all values."""
        if self.upward != (0.0, 1.0) or self.kind is not Kind.SHARE:
            return self
        drawn = [ys for line in self.series for ys in (line.ys, line.high) if ys is not None]
        values = np.concatenate([np.asarray(ys, dtype=np.float64) for ys in drawn] or [np.zeros(0)])
        values = values[np.isfinite(values)]
        top = math.ceil(10 * float(values.max(initial=0.0)) - 1e-9) / 10
        return replace(self, upward=(0.0, min(1.0, max(0.1, top))))


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


class SquareSide(Struct, frozen=True):
    """Titles of the two rows (or columns) of a 2x2 square."""

    first: str
    second: str


class Square(Struct, frozen=True):
    """Counts of cases by two yes-or-no questions, in a 2x2 square whose cells open their cases.

    `cells` holds the first row from left to right, then the second row.
    """

    title: str
    rows: SquareSide
    columns: SquareSide
    cells: tuple[Cell, Cell, Cell, Cell]


Chart = Curve | Histogram | Reliability | Columns | Square
"""What is drawn where there is room for a picture, and stands elsewhere as a table of its numbers."""


class Picture(Struct, frozen=True):
    """A chart that is drawn already, and the table of its numbers; `described` says in words what is to be seen.

    There is no `table` where it stands above already.
    """

    title: str
    described: str
    picture: Element
    table: Table | None
