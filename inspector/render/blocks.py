"""Blocks that views and reports consist of, as plain data: tables, charts, sentences, cases.

Texts are unescaped, as they are in the data: each renderer escapes them.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from inspector.render.chart_blocks import Chart, Columns, Curve, Histogram, Picture, Reliability, Square
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Table


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


Place = Literal["row", "half", "side", "method"]
"""Place of a panel: the full width, half of it, or a column on the right.

A screen shows a panel with the place "method" only on request; printed pages always show it.
"""


class Panel(Struct, frozen=True):
    """Blocks in a frame: a title and a status in its upper edge, a hint in its lower one.

    Small terminals, pages and HTML show the title as a heading. The hint names keys of the app.
    """

    title: str
    blocks: tuple["Block", ...]
    status: str = ""
    hint: str = ""
    place: Place = "row"

    @property
    def heading(self) -> str:
        """The title and status, as printed on a page."""
        return f"{self.title}: {self.status}" if self.status else self.title


Block = Note | Bullets | Facts | CommandLine | Verbatim | Table | Chart | Picture | CaseBlock | Tokens | Fold | Panel


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
    elif isinstance(block, Square):
        links = [cell.link for cell in block.cells]
    elif isinstance(block, Curve):
        links = [tick.drill for tick in block.ticks]
    yield from (link for link in links if link is not None)
