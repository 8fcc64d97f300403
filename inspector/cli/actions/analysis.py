"""The commands of analyses: a query is loaded, and the view of what it selects is printed or written."""

import argparse
import sys
from collections.abc import Iterator

from msgspec.structs import replace

from inspector.analyses import load
from inspector.cli.actions.output import form_of, put, say, say_facts
from inspector.cli.actions.progress import ReadingProgress
from inspector.cli.actions.view_page import print_view
from inspector.cli.query_arguments import query_from
from inspector.render.texts.text import clean
from inspector.render.view import View
from scoring.data.progress import told_to
from scoring.selection.query import Query


def run(args: argparse.Namespace) -> int:
    """Print or write the view of `args.command`."""
    with ReadingProgress(args.command, quiet=args.quiet) as progress, told_to(progress):
        view, problems = _view(args)
    put_view(replace_raw(view, args), args, problems)
    # What decides the exit code is said even where quiet was asked for, as every other reason for a 2 is.
    for sentence in view.because if view.exit_code or not args.quiet else ():
        print(clean(sentence), file=sys.stderr)
    return view.exit_code


def _view(args: argparse.Namespace) -> tuple[View, tuple[str, ...]]:
    """Give the view of `args.command`, and what could not be read."""
    query = query_from(args)
    analysis = load(args.command)
    if query.labels == "both":
        # Imported only for who asks: the others start sooner.
        from inspector.analyses.metrics.both_labels import both_view, load_both

        own, adjudicated = load_both(query)
        problems = tuple(dict.fromkeys((*own.problems, *adjudicated.problems)))
        return both_view(own, adjudicated, form_of(args)), problems
    params = analysis.params(args, form_of(args))
    scorers = (*getattr(args, "scorers", ()), *query.scorers)
    results = analysis.load(replace(query, scorers=scorers), params)
    return analysis.view(results, params), results.problems


def replace_raw(view: View, args: argparse.Namespace) -> View:
    """Return the view with what `--raw` says."""
    if not args.raw:
        return view
    return replace(view, provenance={**view.provenance, "command": f"{view.provenance['command']} --raw"}, raw=True)


def put_view(view: View, args: argparse.Namespace, problems: tuple[str, ...] = ()) -> None:
    """Print the view in the form asked for or write it to `-o FILE`; without a form, as a page for people."""
    if form_of(args) or args.output:
        put(view, args, (*problems, *([view.empty] if view.empty else [])))
        return
    say(problems, args)
    if view.empty:
        say([view.empty], args)
        return
    print_view(view, ascii_only=args.ascii, pager=not args.quiet)
    say_facts(view.provenance, args)
    say(_flip_lists(view, query_from(args)), args)


def _flip_lists(view: View, query: Query) -> Iterator[str]:
    """How the cases that flip are listed, of one scorer; of several that would be too many words."""
    wheres: dict[str, dict[str, str | None]] = view.provenance.get("where") or {}
    flips = [conditions for conditions in wheres.values() if conditions]
    for flip, where in flips[0].items() if len(flips) == 1 else ():
        if where is not None:
            yield f"{flip}: {replace(query, where=(*query.where, where)).command('cases')}"
    if len(flips) > 1:
        yield "The conditions that open these cases are in --json."
