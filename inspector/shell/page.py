"""Pages for people: lines that are no wider than the terminal, styled where it is one."""

import shutil
import sys
from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from inspector.text import clean
from inspector.wrap import hung

NARROWEST = 40
"""Cells that a page has at least."""
WARNING = "bold yellow"


def width_of(piped: int) -> int:
    """The cells of a line: those of the terminal, or what COLUMNS says; in a pipe `piped`."""
    return max(NARROWEST, shutil.get_terminal_size((piped, 24)).columns)


def print_page(lines: Iterable[RenderableType], width: int) -> None:
    """Print lines that are made for this width. Colours and weights are left out where they would not be seen."""
    console = Console(width=width, highlight=False, emoji=False, markup=False)
    # Written by ourselves: a reader of a pipe that has had enough is Python's own error, which the command knows.
    with console.capture() as captured:
        for line in lines:
            console.print(line, soft_wrap=isinstance(line, Text))
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(captured.get().encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def hanging(
    label: str, text: str, width: int, *, indent: int, style: str = "", label_style: str = ""
) -> Iterator[Text]:
    """A label and a text beside it, whose further lines begin at cell `indent`.

    Both may be data: nothing in them acts. A label that is too long for its place moves the text on.
    """
    (first, start), *rest = hung(clean(label), clean(text), width, indent)
    yield Text.assemble((first, label_style), (start, style))
    yield from (Text(left + line, style) for left, line in rest)
