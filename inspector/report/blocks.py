"""What a report is made of, before it is HTML or Markdown: sections of tables, charts, cases and sentences.

All texts are as they are in the data; whoever renders a block escapes them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from inspector.report.elements import Element
from scoring.export import shown

DASH = "–"
"""Stands where there is no value."""
_NUMBER = re.compile(r"[-+<~ ]*\d[\d.,]*( *[\[(].*)?")
"""A number as tables write it, with what follows in brackets."""


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    `note` stands small beneath the text, and `why`, a sentence that may take several lines, beneath that; `value` is
    the number behind the text, unrounded; `shade` (0 to 1) darkens the ground; `small` marks what few cases say;
    `strong` is set in bold. A label may hold for `rows` rows, its own and those beneath, whose cells there have 0.
    """

    text: str
    note: str = ""
    value: float | None = None
    shade: float | None = None
    small: bool = False
    strong: bool = False
    rows: int = 1
    why: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells under heads. `right` says which columns are set to the right; `heat` that cells are shaded.

    The first `labels` cells of a row say what it is about.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: tuple[bool, ...] = ()
    labels: int = 1
    heat: bool = False


@dataclass(frozen=True)
class Sentence:
    """A paragraph; `kind` is "" or `warning`, `quiet` or `lead`."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names and what they are."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Command:
    """A command line, and what it gives."""

    line: str
    gives: str = "The same numbers"


@dataclass(frozen=True)
class Chart:
    """A picture and the table of the same numbers; `described` says in words what is to be seen.

    There is no `table` where it stands above already.
    """

    title: str
    described: str
    picture: Element
    table: Table | None


@dataclass(frozen=True)
class Judged:
    """What one scorer says of one step: its words, where on its range that is (0 to 1), and what follows from it."""

    text: str
    share: float | None
    wrong: bool
    verdict: bool


@dataclass(frozen=True)
class Step:
    """A step of a case (0-based): its text, what gold says of it, and a judgement a scorer."""

    number: int
    text: str
    gold: str | None
    judged: tuple[Judged, ...]


@dataclass(frozen=True)
class CaseBlock:
    """One case. `scorers` have a column beside the steps; `outcomes` are theirs: name, glyph, and what happened.

    `others` says in few words what the other scorers made of it. `written` are the texts that are shown otherwise than
    they were written, by name; where they are left out, `command` prints them.
    """

    title: str
    facts: tuple[str, ...]
    problem: str
    steps: tuple[Step, ...]
    scorers: tuple[str, ...]
    verdicts: tuple[str, ...]
    outcomes: tuple[tuple[str, str, str], ...]
    gold: str
    others: str = ""
    reason: str = ""
    reason_note: str = ""
    written: tuple[tuple[str, str], ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Fold:
    """Blocks behind one line that opens them."""

    summary: str
    blocks: tuple["Block", ...]


Block = Sentence | Bullets | Facts | Command | Table | Chart | CaseBlock | Fold


@dataclass(frozen=True)
class Section:
    """A part of the report, with an anchor of its own, which holds no text of the data."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = ()
    parts: tuple["Section", ...] = ()


@dataclass(frozen=True)
class Report:
    """All of it; `about` stands beneath the title."""

    title: str
    about: tuple[Block, ...]
    sections: tuple[Section, ...]


def table_of(frame: pl.DataFrame, caption: str, without: Sequence[str] = (), labels: int = 1) -> Table:
    """The rows of a frame as a table, less some columns and those that say nothing."""
    empty = {name for name in frame.columns if frame.height and frame[name].null_count() == frame.height}
    kept = frame.select(name for name in frame.columns if name not in {*without, *empty})
    rows = tuple(tuple(Cell(shown(value)) for value in row) for row in kept.iter_rows())
    right = tuple(any(_NUMBER.fullmatch(row[at].text) for row in rows) for at in range(kept.width))
    return Table(caption, tuple(name.replace("_", " ") for name in kept.columns), rows, right, labels)
