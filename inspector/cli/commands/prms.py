"""The PRMs that the program knows; check NAME tests an adapter."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    from scoring.runs.arguments import add_prm_arguments

    parser.usage = """prm-inspect prms [NAME|FILE.py] [options]
       prm-inspect prms check NAME|FILE.py [options]"""
    parser.epilog = """Exit codes: 0 done, and no check failed (skipped ones say why); 1 a check failed; 2 could not, or
    wrong usage: one sentence says what to do; 130 interrupted."""
    what = "a family, or an adapter of your own (by its name or a part of it; default: list all)"
    parser.add_argument("action", nargs="?", metavar="NAME|FILE.py", help=what)
    parser.add_argument("name", nargs="?", metavar="check NAME|FILE.py", help="the adapter to test")
    parser.add_argument("--cases", metavar="FILE", help="a benchmark's file with cases to try (of check)")
    add_prm_arguments(parser, "--weights", required=False)


VERB = Verb(
    (
        "prm-inspect prms qwen   (its options, thresholds in use, models)",
        "prm-inspect prms check qwen --weights ~/Qwen2.5-Math-PRM-7B --cases gsm8k.json",
    ),
    _flags,
    module="inspector.cli.actions.prm_list",
    takes=(),
    rank=4,
)
