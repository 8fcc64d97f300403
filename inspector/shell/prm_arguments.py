"""The flags of `prms` and of `show --explain`, without anything of weight."""

import argparse

from scoring.arguments import add_prm_arguments

SHOW_USAGE = """prm-inspect show CASE [--scorer NAME] [--row] [options]
       prm-inspect show CASE --explain --model DIR_OR_ID [options]"""
SHOW_EXAMPLES = """examples:
  prm-inspect show gsm8k-0
      steps, gold and the rewards of every scorer
  prm-inspect show gsm8k-0 --explain --model ~/prm
      the tokens around each place that is read, logits, reward
  prm-inspect show gsm8k-0 --explain --model ~/prm --all-tokens --tokens-only
      every token, and nothing is run

exit codes: 0 shown (a refused case too, with its reason); 2 no such case or
checkpoint, or wrong usage: one sentence says what to do; 130 interrupted"""

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


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Add what the token X-ray of a case takes."""
    parser.usage, parser.epilog = SHOW_USAGE, SHOW_EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    words = "for each step the tokens where a PRM reads it, the logits there, and the reward they make"
    parser.add_argument("--explain", action="store_true", help=words)
    parser.add_argument("--all-tokens", action="store_true", help="with --explain: list every token below")
    parser.add_argument("--tokens-only", action="store_true", help="with --explain: run nothing, so no logits")
    add_prm_arguments(parser, required=False)


def add_prms(parser: argparse.ArgumentParser) -> None:
    """Add what the list of PRMs and the test of an adapter take."""
    parser.usage, parser.epilog = PRMS_USAGE, PRMS_EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = "a family, by its name or a part of it, or an adapter of your own (default: list all)"
    parser.add_argument("action", nargs="?", metavar="NAME|FILE.py", help=what)
    parser.add_argument("name", nargs="?", metavar="check NAME|FILE.py", help="the adapter to test")
    parser.add_argument("--cases", metavar="FILE", help="check: a benchmark's file with cases to try")
    add_prm_arguments(parser, "--weights", required=False)
