"""The flags of `prms`, without anything of weight."""

import argparse

from scoring.arguments import add_prm_arguments

PRMS_USAGE = """prm-inspect prms [NAME|FILE.py] [options]
       prm-inspect prms check NAME|FILE.py [--weights DIR_OR_ID] [--cases FILE]
                              [options]"""
PRMS_EXAMPLES = """examples:
  prm-inspect prms
      every family: what is read, its range, when a step is wrong
  prm-inspect prms qwen
      one: its options and what they do, thresholds in use, models
  prm-inspect prms check qwen --weights ~/Qwen2.5-Math-PRM-7B
      the contract, on these weights
  prm-inspect prms check qwen --weights ~/Qwen2.5-Math-PRM-7B --cases gsm8k.json
      also the rewards that the model card prints
  prm-inspect prms check ./mine.py --weights ~/mine
      an adapter of your own

exit codes: 0 done, and no check failed (skipped ones say why); 1 a check
failed; 2 could not, or wrong usage: one sentence says what to do; 130
interrupted"""


def add_prms(parser: argparse.ArgumentParser) -> None:
    """Add what the list of PRMs and the test of an adapter take."""
    parser.usage, parser.epilog = PRMS_USAGE, PRMS_EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = "a family, by its name or a part of it, or an adapter of your own (default: list all)"
    parser.add_argument("action", nargs="?", metavar="NAME|FILE.py", help=what)
    parser.add_argument("name", nargs="?", metavar="check NAME|FILE.py", help="the adapter to test")
    parser.add_argument("--cases", metavar="FILE", help="check: a benchmark's file with cases to try")
    add_prm_arguments(parser, "--weights", required=False)
