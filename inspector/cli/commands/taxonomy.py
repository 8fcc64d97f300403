"""What `taxonomy` does besides showing its analysis."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("first change your own notes on these cases (undone as one, by u in the app)")
    changes = group.add_mutually_exclusive_group()
    changes.add_argument("--merge", nargs=2, metavar=("A", "B"), help="put the notes of category A into category B")
    changes.add_argument("--rename", nargs=2, metavar=("A", "NEW"), help="give category A another name")
    into = "put the notes that are left into a category (by --where, --search or --subset; '' takes them out of theirs)"
    changes.add_argument("--put", metavar="CATEGORY", help=into)


VERB = Verb(flags=_flags, module="inspector.cli.actions.taxonomy_edits")
