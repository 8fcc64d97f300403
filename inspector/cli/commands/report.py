"""One file for somebody else: board, comparison, breakdown, cases."""

import argparse

from inspector.cli.commands import Verb
from inspector.state.common_flags import Collect, natural


def _flags(parser: argparse.ArgumentParser) -> None:
    file = ".html (one page that needs nothing else) or .md (Markdown); written whole or not at all"
    parser.add_argument("-o", "--output", metavar="FILE", help=file)
    markdown = "Markdown (tables in the place of charts; without -o on stdout)"
    parser.add_argument("--markdown", dest="form", action="store_const", const="markdown", default="", help=markdown)
    cases = "so many cases of each benchmark (the most instructive failures of the best scorer; default 20)"
    parser.add_argument("--cases", type=natural, default=20, metavar="N", help=cases)
    order = "the first cases in this order instead (COLUMN, COLUMN:desc or instructive)"
    parser.add_argument("--sort", default="", metavar="KEY", help=order)
    further = "also this analysis, as it is usually asked (stats, agreement, or one of your own; repeatable)"
    parser.add_argument("--with", dest="analyses", action=Collect, default=(), metavar="NAME", help=further)
    parser.add_argument("--title", default="", metavar="TEXT", help="what the report is called")


VERB = Verb(
    (
        "prm-inspect report --benchmark demo -o report.html",
        'prm-inspect report --cases 50 --title "Our PRM" -o report.md',
    ),
    _flags,
    document=False,
)
ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


def run(args: argparse.Namespace) -> int:
    """Write the report; Markdown may go to stdout."""
    from pathlib import Path

    from inspector.analyses.report.document import Choices, report_document
    from inspector.cli.actions.output import put_bytes, say
    from inspector.cli.query_arguments import query_from
    from scoring.data.errors import UnwritableWorkspace
    from scoring.selection.loading import load

    form = _form(args)
    if args.output and not Path(args.output).parent.is_dir():
        raise UnwritableWorkspace(f"there is no folder {Path(args.output).parent}.", "Make it, or name another file.")
    results = load(query_from(args))
    document = report_document(results, Choices(args.cases, args.title, args.analyses), form)
    say(results.problems, args)
    if not results.chosen:
        say(["No scorer has rewards here yet: the report holds statistics and cases."], args)
    if not results.shown.size:
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
    from pathlib import Path

    from scoring.data.errors import UsageError

    if not args.output:
        if args.form == "markdown":
            return "markdown"
        raise UsageError("a report is a file.", "Name it: -o report.html, or -o report.md; --markdown alone prints it.")
    ending = Path(args.output).suffix.lower()
    form = ENDINGS.get(ending)
    if form is None or (args.form == "markdown" and form == "html"):
        wanted = "markdown" if args.form == "markdown" else "HTML or Markdown"
        advice = "A browser prints report.html as PDF." if ending == ".pdf" else "Name it report.html or report.md."
        raise UsageError(f"{args.output}: a report is {wanted}, and that is not a name for it.", advice)
    return form
