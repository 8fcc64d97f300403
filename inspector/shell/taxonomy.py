"""`taxonomy`: notes in categories, counted; and putting them there."""

import argparse

from inspector.loading import load
from inspector.request import request_of
from inspector.selection import Selection
from inspector.shell.output import form_of, put, say
from inspector.taxonomy.changing import Changed, merge, rename, typed_category
from inspector.taxonomy.changing import put as put_into
from inspector.taxonomy.document import curve_document, notes_document, taxonomy_document
from inspector.taxonomy.gathered import gathered, journal_of
from inspector.taxonomy.tables import wide_notes, wide_taxonomy
from scoring.errors import UsageError
from scoring.export import Document

VIEWS = {
    "": (taxonomy_document, wide_taxonomy),
    "notes": (notes_document, wide_notes),
    "saturation": (curve_document, None),
}


def run(args: argparse.Namespace) -> int:
    """Change what is asked for, then print or write the document of `args.view`."""
    if args.by and args.view:
        raise UsageError(f"--by groups categories, and --{args.view} lists notes.", "Leave one of them out.")
    selection = load(request_of(args))
    changed = _changed(args, selection)
    if changed is not None:
        if changed.changes:
            journal_of(selection).do(changed.changes)
        say([f"{changed.words.rstrip('.')}." + (" u in the app undoes it." if changed.changes else "")], args)
        selection = selection.triaged()
    make, wide = VIEWS[args.view]
    document = make(selection, args.who, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if not document.rows.height:
        say(["Nobody has noted anything on these cases; in the app N writes a note."], args)
    put(document, args, selection.problems, wide(document.rows) if wide and document.rows.height else None)
    if not args.form:
        say([f"Saturation: {document.provenance['saturation']}."], args)
    return 0


def _changed(args: argparse.Namespace, selection: Selection) -> Changed | None:
    """What is to be changed; None where nothing is asked for.

    Raises:
        UsageError: it cannot be done, or would change more than was probably meant.
    """
    if args.merge is None and args.rename is None and args.put is None:
        return None
    who = journal_of(selection).author.who
    if args.who:
        raise UsageError("--who shows one person's notes, and only one's own are changed.", "Leave --who out.")
    found = gathered(selection)
    if args.merge is not None:
        return merge(found, who, *args.merge)
    if args.rename is not None:
        return rename(found, who, *args.rename)
    if not _chosen(selection):
        raise UsageError("--put would put all of your notes there.", "Say which: --where \"note LIKE '%units%'\".")
    return put_into(found.notes, who, typed_category(args.put, found.names) if args.put.strip() else "")


def _chosen(selection: Selection) -> bool:
    request = selection.request
    return bool(request.where or request.search or request.subsets)
