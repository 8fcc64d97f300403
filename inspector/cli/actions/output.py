"""Documents on stdout or in a file, words on stderr."""

import argparse
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console, RenderableType
from rich.text import Text

from inspector.render.documents import Document, footer
from inspector.render.texts.text import clean, escaped_json, for_stderr
from inspector.render.texts.wrap import hung
from inspector.state.programs import run_program
from inspector.state.visit import HERE
from scoring.data.errors import UnwritableWorkspace

JSON = frozenset({"json", "jsonl"})
"""Forms in which a character may stand as its escape."""
_COMMAND = "command: "


def put(
    document: Document, args: argparse.Namespace, problems: Iterable[str] = (), table: pl.DataFrame | None = None
) -> None:
    """Print the document in the form asked for or write it to `-o FILE`; problems go to stderr.

    Without a form a table for people is printed: `table` where it is given, else the document's rows.
    """
    say(problems, args)
    if args.output:
        path = Path(args.output)
        if not path.parent.is_dir():
            raise UnwritableWorkspace(f"there is no folder {path.parent}.", "Make it, or name another file.")
        document.write(path, form_of(args))
        say([f"Wrote {document.rows.height} rows to {path}"], args)
        return
    if args.form:
        put_bytes(document.render(args.form).encode("utf-8", errors="replace"), json=args.form in JSON)
        return
    # Imported only for who asks, and by the commands of analyses.
    from inspector.cli.actions.analysis import print_view
    from inspector.render.blocks import Section, table_of
    from inspector.render.view import View

    rows = document.rows if table is None else table
    view = View(rows, document.provenance, lay_out=lambda: (Section("", "rows", (table_of(rows, ""),)),))
    print_view(view, ascii_only=args.ascii, pager=not args.quiet)
    say_facts(document.provenance, args)


def put_bytes(data: bytes, *, json: bool) -> None:
    """Write bytes of UTF-8 to stdout: as they are, but to a terminal with nothing in them that could act there.

    What is `json` there means the same; of other forms control characters are seen as their pictures.
    """
    # A document is bytes, not words: text that this terminal's encoding lacks must not stop it.
    if sys.stdout.isatty():
        text = data.decode("utf-8", errors="replace")
        data = (escaped_json(text) if json else clean(text, lines=True)).encode("utf-8")
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def form_of(args: argparse.Namespace) -> str:
    """Return the form asked for, or that of the file's ending (JSON where it says nothing); "" is a table."""
    if args.form or not args.output:
        return str(args.form)
    endings = {".csv": "csv", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex"}
    if getattr(args, "pages", False):
        endings |= {".html": "html", ".htm": "html"}
    return endings.get(Path(args.output).suffix.lower(), "json")


def say_facts(provenance: Mapping[str, Any], args: argparse.Namespace) -> None:
    """Say the command that makes a page again; with `-v` everything that its figures depend on."""
    say(footer(provenance if args.verbose else {"command": provenance["command"]}), args)


def say(lines: Iterable[str], args: argparse.Namespace) -> None:
    """Print words for a person on stderr, unless they asked for quiet."""
    for line in lines:
        if not args.quiet:
            # A command is copied: its line is the terminal's to break.
            print(clean(line) if line.startswith(_COMMAND) else for_stderr(line), file=sys.stderr)


# -- pages for people: lines that are no wider than the terminal, styled where it is one, through a pager where long


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
