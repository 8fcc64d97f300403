"""Documents on stdout or in a file, words on stderr."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from inspector.render.documents.row_documents import Document, footer
from inspector.render.texts.text import clean, escaped_json, for_stderr
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
    # A document in a form needs none of these, and is written sooner.
    from inspector.cli.actions.view_page import print_view
    from inspector.render.blocks import Section
    from inspector.render.table_blocks import table_of
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
