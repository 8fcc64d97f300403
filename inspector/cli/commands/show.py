"""The row of the file that a case was made of, which is no table, besides the analysis of the case."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--row", action="store_true", help="the row of its file (as it stands there, and nothing else)")


VERB = Verb(flags=_flags)


def run(args: argparse.Namespace) -> int:
    """Print or write one case, or print the row of the file as it stands there."""
    from inspector.analyses import Params
    from inspector.analyses.show.show import load_case, row_of
    from inspector.cli.actions import analysis
    from inspector.cli.corrected_commands import print_corrections
    from inspector.cli.query_arguments import query_from
    from inspector.render.texts.text import json_text
    from inspector.state.processes.prm_question import Unanswered
    from scoring.importing.imported_files import original_row

    if args.row:
        results = load_case(query_from(args), Params("", {"case": args.told_case}))
        case = results.cases.row(row_of(results, args.told_case), named=True)
        print(json_text(original_row(results.loaded.workspace, case)))
        return 0
    try:
        return analysis.run(args)
    except Unanswered as unanswered:
        # The process has said why.
        print_corrections(args.command_line, unanswered)
        return unanswered.code
