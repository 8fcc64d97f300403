"""`report`: the figures, comparisons and chosen cases of a workspace as one file for somebody else."""

import argparse
from pathlib import Path

from inspector.loading import load
from inspector.report.document import Choices, report_document
from inspector.request import request_of
from inspector.shell.output import put_bytes, say
from scoring.errors import UnwritableWorkspace, UsageError

ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


def run(args: argparse.Namespace) -> int:
    """Write the report; Markdown may go to stdout."""
    form = _form(args)
    if args.output and not Path(args.output).parent.is_dir():
        raise UnwritableWorkspace(f"there is no folder {Path(args.output).parent}.", "Make it, or name another file.")
    selection = load(request_of(args))
    document = report_document(selection, Choices(args.cases, args.title, args.analyses), form)
    say(selection.problems, args)
    if not selection.chosen:
        say(["No scorer has rewards here yet: the report holds statistics and cases."], args)
    if not selection.shown.size:
        say(["No case is left by the filter: the report says so, and holds no figure."], args)
    if not args.output:
        put_bytes(document.render(form).encode("utf-8", errors="replace"), json=False)
        return 0
    document.write(Path(args.output), form)
    say([f"Wrote {args.output}, {Path(args.output).stat().st_size / 1e6:.1f} MB"], args)
    return 0


def _form(args: argparse.Namespace) -> str:
    """`html` or `markdown`, as asked or as the file's ending says.

    Raises:
        UsageError: there is no file for the HTML, or its ending says that it is something else.
    """
    if not args.output:
        if args.form == "markdown":
            return "markdown"
        raise UsageError("a report is a file.", "Name it: -o report.html, or -o report.md; --markdown alone prints it.")
    ending = Path(args.output).suffix.lower()
    form = ENDINGS.get(ending)
    if form is None or (args.form == "markdown" and form == "html"):
        wanted = "markdown" if args.form == "markdown" else "HTML or Markdown"
        advice = "A browser prints report.html as PDF." if ending == ".pdf" else "Name it report.html or report.md."
        raise UsageError(f"{args.output}: a report is {wanted}, and that is no name for it.", advice)
    return form
