"""What screens and widgets say upwards."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from inspector.case_page.open_case import DisplayOptions
    from inspector.render.documents.row_documents import Document
    from inspector.render.lines import CaseLink
    from inspector.state.screen_state import ScreenState
    from inspector.widgets.line_view import Line


@dataclass
class Inspected(Message):
    """A screen made a new value of what is inspected."""

    state: "ScreenState"


@dataclass
class Reads(Message):
    """Cases are shown so from now on, on every screen."""

    display: "DisplayOptions"


@dataclass
class Copy(Message):
    """Put a raw text on the clipboard; `what` says in words what it is."""

    text: str
    what: str


@dataclass
class Go(Message):
    """Open another screen on top, by its name in the table of commands. `row` is the case to show there.

    With `beneath` the one that is open further down comes to light again, if there is one.
    """

    to: str
    row: int = -1
    beneath: bool = False


@dataclass
class Computed(Message):
    """Figures that took longer are there, or the error that there are none; `owners` are what they depend on."""

    owners: "Sequence[object]"
    made: Any


@dataclass
class CasesFound(Message):
    """First cases behind a number, with one line of text each."""

    link: "CaseLink"
    rows: tuple[int, ...]
    lines: "Sequence[Line]"


@dataclass
class Back(Message):
    """Leave this screen; `row` is the case that was shown last, -1 for none."""

    row: int = -1


ENDINGS = {"csv": "csv", "json": "json", "jsonl": "jsonl", "markdown": "md", "latex": "tex", "html": "html"}
"""What the files of each form end with."""


@dataclass
class Export(Message):
    """Save or copy a table. `what` is the table, `form` one of `inspector.render.documents.row_documents.FORMS`, `copy`
    to the clipboard; a `report` is in `html`.

    `metrics` are those of the cases that a list's headline speaks of, `all-metrics` those behind the board.
    `make` gives the document in a form where the screen knows more of it than the screen state does. `into` is the file
    as a person typed it, "" for the usual one.
    """

    what: str
    form: str
    copy: bool = False
    row: int = -1
    make: "Callable[[str], Document] | None" = None
    into: str = ""


@dataclass
class Score(Message):
    """Run the PRM in this checkpoint's folder (or of this hub name) on a benchmark, or ask a critic.

    Of a critic on a server `model` may be empty: it is then the server's only one. `flags` are further words of
    `score`, such as `--truncate`. Without a `benchmark` it is the one in focus.
    """

    model: str
    flags: tuple[str, ...] = ()
    benchmark: str = ""


class Import(Message):
    """Ask for a file, and import it."""


@dataclass
class StopScoring(Message):
    """Stop the run; what it computed is saved."""


@dataclass
class ScoreCase(Message):
    """Score one case; `prm`, `case` and what `answer` hears are those of `scoring.runs.case_scoring`."""

    prm: "Mapping[str, Any]"
    case: "Mapping[str, Any]"
    answer: "Callable[[Mapping[str, Any]], object]"


@dataclass
class NewRewards(Message):
    """Rewards were saved: they are to be read now, and the case shown through their scorer."""

    scorer: str
