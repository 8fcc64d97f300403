"""Cases, rewards, triage or variants as rows for other programs."""

import argparse

from inspector.cli.commands import Verb

FOREIGN = ("processbench", "prmbench", "prm800k", "trl", "grben", "mr_eval", "csv", "jsonl")
"""Formats of `export`."""


def _flags(parser: argparse.ArgumentParser) -> None:
    things = ("cases", "rewards", "triage", "variants")
    what = "what is written (cases, one scorer's rewards for them, people's words, variants tried in the app)"
    parser.add_argument("what", choices=things, metavar="|".join(things), help=what)
    formats = (
        "what reads them (cases: processbench, prmbench, trl, grben; rewards: grben, mr_eval; triage: processbench, "
        "with the labels after triage, prm800k and trl, people's ratings of steps, csv, jsonl, all that was said; "
        "variants: jsonl)"
    )
    parser.add_argument("--to", metavar="FORMAT", choices=FOREIGN, required=True, help=formats)
    parser.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all (default: stdout)")
    parser.add_argument("--name", metavar="NAME", help="of mr_eval: the model_name (which is its own --model)")
    who = "of triage: only this person's words (a name or a unique part of it; default: all; where they differ, none)"
    parser.add_argument("--who", default="", metavar="NAME", help=who)
    parser.add_argument("--raw", action="store_true", help="CSV: do not guard cells that look like formulas")


VERB = Verb(
    (
        "prm-inspect export cases --benchmark demo --to prmbench -o cases.jsonl",
        "prm-inspect export rewards --scorer my-prm --to mr_eval --name mine",
    ),
    _flags,
    module="inspector.cli.actions.exporting",
    document=False,
)
