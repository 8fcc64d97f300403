"""The flags of `prms` and of `show --explain`, without anything of weight."""

import argparse

from scoring.arguments import add_prm_arguments


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Add what the token X-ray of a case takes."""
    parser.epilog = """Exit codes: 0 shown (a refused case too, with its reason); 2 no such case or checkpoint, or wrong
    usage: one sentence says what to do; 130 interrupted."""
    words = "the tokens where a PRM reads each step, logits, reward"
    parser.add_argument("--explain", action="store_true", help=words)
    parser.add_argument("--all-tokens", action="store_true", help="list every token below (with --explain)")
    parser.add_argument("--tokens-only", action="store_true", help="run nothing, so no logits (with --explain)")
    add_prm_arguments(parser, required=False)


def add_prms(parser: argparse.ArgumentParser) -> None:
    """Add what the list of PRMs and the test of an adapter take."""
    parser.usage = """prm-inspect prms [NAME|FILE.py] [options]
       prm-inspect prms check NAME|FILE.py [options]"""
    parser.epilog = """Exit codes: 0 done, and no check failed (skipped ones say why); 1 a check failed; 2 could not, or
    wrong usage: one sentence says what to do; 130 interrupted."""
    what = "a family, or an adapter of your own (by its name or a part of it; default: list all)"
    parser.add_argument("action", nargs="?", metavar="NAME|FILE.py", help=what)
    parser.add_argument("name", nargs="?", metavar="check NAME|FILE.py", help="the adapter to test")
    parser.add_argument("--cases", metavar="FILE", help="a benchmark's file with cases to try (of check)")
    add_prm_arguments(parser, "--weights", required=False)
