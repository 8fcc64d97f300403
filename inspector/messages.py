"""What screens and widgets say upwards."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.selection import Selection


@dataclass
class Loaded(Message):
    """The workspace was read."""

    selection: "Selection"
    inspection: "Inspection"


@dataclass
class Failed(Message):
    """Something expected went wrong; the sentence is for the person."""

    sentence: str


@dataclass
class Inspected(Message):
    """A screen made a new value of what is inspected."""

    inspection: "Inspection"


@dataclass
class Go(Message):
    """Open another screen on top. `row` is the case to show there."""

    to: Literal["cases", "case"]
    row: int = -1


@dataclass
class Back(Message):
    """Leave this screen; `row` is the case that was shown last, -1 for none. `top` goes to the first screen."""

    row: int = -1
    top: bool = False


@dataclass
class Export(Message):
    """Save or copy a table. `what` is the table, `form` one of `scoring.export.FORMS`, `copy` to the clipboard."""

    what: Literal["board", "metrics", "cases", "case"]
    form: str
    copy: bool = False
    row: int = -1
