"""`show`: the analysis of one case, and the row of the file that it was made of, which is no table."""

import argparse

from inspector.analyses.show import row_of
from inspector.loading import load
from inspector.prm_job import Unanswered
from inspector.request import request_of
from inspector.shell import analysis
from inspector.text import json_text
from scoring.importing.imported_files import original_row


def run(args: argparse.Namespace) -> int:
    """Print or write one case, or print the row of the file as it stands there."""
    if args.row:
        results = load(request_of(args))
        case = results.cases.row(row_of(results, args.told_case), named=True)
        print(json_text(original_row(results.workspace, case)))
        return 0
    try:
        return analysis.run(args)
    except Unanswered as unanswered:
        # The process has said why.
        return unanswered.code
