"""Pages for people: lines as wide as the terminal, styled where it is one, and through a pager if they are long."""

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from inspector.render.texts.text import clean
from inspector.render.texts.wrap import hung
from inspector.state.programs import run_program
from inspector.state.visit import HERE

NARROWEST = 40
"""Cells that a page has at least."""
WARNING = "bold yellow"


def width_of(piped: int) -> int:
    """Return the cells of a line: those of the terminal, or what COLUMNS says; in a pipe `piped`."""
    return max(NARROWEST, shutil.get_terminal_size((piped, 24)).columns)


def print_page(lines: Iterable[RenderableType], width: int, *, pager: bool = False) -> None:
    """Print lines that are made for this width. Colours and weights are left out where they would not be seen."""
    console = Console(width=width, highlight=False, emoji=False, markup=False)
    # Written by ourselves: a reader of a pipe that has had enough is Python's own error, which the command knows.
    with console.capture() as captured:
        for line in lines:
            console.print(line, soft_wrap=isinstance(line, Text))
    put_page(captured.get(), pager=pager)


def put_page(text: str, *, pager: bool = False) -> None:
    """Write a page to stdout; with `pager`, one that is longer than a terminal's screen through $PAGER."""
    # A pager writes where this process does, whatever stands in for its stdout.
    on_terminal = sys.stdout.isatty() and os.isatty(1)
    if pager and on_terminal and text.count("\n") >= shutil.get_terminal_size().lines and _paged(text):
        return
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def _paged(text: str) -> bool:
    """Show a text in the pager until its reader leaves it; false where there is none that can be started."""
    words = shlex.split(os.environ.get("PAGER", "less -R"))
    if not words or not shutil.which(words[0]) or os.environ.get("TERM", "dumb") == "dumb":
        return False
    # Colours are escape sequences, which less shows as they are unless it is told to let them through.
    environment = {"LESS": "R", **os.environ}
    # The pager has Ctrl+C for itself; unhandled here, it would end us, and leave the pager without its terminal.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        run_program(HERE, words, data=text.encode("utf-8", "replace"), env=environment)
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True


def hanging(
    label: str, text: str, width: int, *, indent: int, style: str = "", label_style: str = ""
) -> Iterator[Text]:
    """Yield a label and a text beside it, whose further lines begin at cell `indent`.

    Both may be data: nothing in them acts. A label that is too long for its place moves the text on.
    """
    (first, start), *rest = hung(clean(label), clean(text), width, indent)
    yield Text.assemble((first, label_style), (start, style))
    yield from (Text(left + line, style) for left, line in rest)
