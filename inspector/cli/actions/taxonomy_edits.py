"""What `taxonomy` changes before it counts: one's own notes are merged, renamed or put into a category."""

import argparse

from inspector.analyses.taxonomy import refuse_groups, taxonomy
from inspector.cli.actions.analysis import put_view, replace_raw
from inspector.cli.actions.output import form_of, say
from inspector.cli.query_arguments import query_from
from inspector.state.triage.annotations import journal_of
from inspector.state.triage.categories import CategoryChange, merge, put, rename, typed_category
from inspector.state.triage.gathered_notes import NOTED, gathered_notes
from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.selection.loading import load
from scoring.selection.result_set import ResultSet, triaged


def run(args: argparse.Namespace) -> int:
    """Change what is asked for, then print or write the view."""
    query, params = query_from(args), taxonomy.params(args, form_of(args))
    refuse_groups(params.page, query.by)
    results = load(query)
    changed = _changed(args, results, params.get("who", ""))
    if changed is not None:
        if changed.changes:
            journal_of(results, NOTED).do(changed.changes)
        say([f"{changed.words.rstrip('.')}." + (" u in the app undoes it." if changed.changes else "")], args)
        results = triaged(results)
    view = taxonomy.view(results, params)
    put_view(replace_raw(view, args), args, results.problems)
    return 0


def _changed(args: argparse.Namespace, results: ResultSet, person: str) -> CategoryChange | None:
    """What is to be changed, `person` being whose notes are to be seen; None where nothing is asked for.

    Raises:
        UsageError: it cannot be done, or would change more than was probably meant.
    """
    if args.merge is None and args.rename is None and args.put is None:
        return None
    who = journal_of(results, NOTED).author.who
    if person:
        others = without("--who", meaning="change your own notes")
        sentence = "--who shows one person's notes, and only one's own are changed."
        raise UsageError(sentence, "Leave --who out.", instead=others)
    notes = gathered_notes(results)
    if args.merge is not None:
        return merge(notes, who, *args.merge)
    if args.rename is not None:
        return rename(notes, who, *args.rename)
    query = results.query
    if not (query.where or query.search or query.subsets):
        raise UsageError("--put would put all of your notes there.", "Say which: --where \"note LIKE '%units%'\".")
    return put(notes.notes, who, typed_category(args.put, notes.names) if args.put.strip() else "")
