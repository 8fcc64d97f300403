"""Trees of searches: their figures, and wrongly dropped steps."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.usage = "prm-inspect trees FILE [FILE ...] [options]"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a tree a row, in our form or another (OpenR's OmegaPRM, ReST-MCTS*, search-and-learn)",
    )
    parser.add_argument("--prunings", action="store_true", help="a row a wrong pruning (default: a row a tree)")
    parser.add_argument("--no-app", action="store_true", help="print them, and do not open the screen of trees")
    parser.epilog = """Our form is a JSON object a line: {"id": "p1", "problem": "...", "nodes": [{"id": "0", "parent":
    null}, {"id": "1", "parent": "0", "text": "...", "value": 0.8, "visits": 3, "pruned": 2, "correct": true}]};
    prm-inspect guide trees says what each field means. Exit codes: 0 done, 1 some rows are not trees and were left out,
    2 could not."""


VERB = Verb(
    ("prm-inspect trees search.jsonl", "prm-inspect trees search.jsonl --prunings --csv"),
    _flags,
    module="inspector.cli.actions.tree_pages",
    takes=("--no-mouse",),
    rank=40,
)
