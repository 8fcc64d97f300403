"""The arguments of a scoring run, for every command that starts one; nothing of weight is imported here."""

import argparse

DTYPES = ("auto", "float32", "bfloat16", "float16")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of a scoring run that are its own, for every command that starts one."""
    parser.add_argument("benchmarks", nargs="+", metavar="BENCHMARK", help="benchmarks of the workspace, or demo")
    which = parser.add_argument_group("the PRM")
    which.add_argument(
        "--model", required=True, metavar="DIR_OR_ID", help="a checkpoint's folder, or ORG/NAME of the hub"
    )
    which.add_argument("--revision", metavar="REV", help="a branch, tag or commit of the hub's model")
    which.add_argument("--adapter", metavar="NAME", help="the PRM's family (default: seen from the checkpoint)")
    which.add_argument("--name", metavar="NAME", help="what to call the scorer (default: the folder's or model's name)")
    which.add_argument(
        "--dtype", choices=DTYPES, default="auto", help="auto: float32 up to 1 GiB of weights, else as stored"
    )
    which.add_argument("--device", default="auto", metavar="DEVICE", help="cpu, cuda, cuda:N, or auto (default)")
    which.add_argument("--token-budget", type=_above_zero, metavar="N", help="tokens of a batch, padding included")
    what = parser.add_argument_group("what to score")
    some = what.add_mutually_exclusive_group()
    some.add_argument("--limit", type=count, metavar="N", help="only the first N cases")
    some.add_argument("--sample", type=count, metavar="N", help="N cases by chance; a larger N keeps the smaller ones")
    what.add_argument("--stratify", metavar="COL", help="with --sample: each value of this column has its share")
    what.add_argument("--retry-refused", action="store_true", help="try again what an earlier run refused")
    what.add_argument("--dry-run", action="store_true", help="tell what would be done, and run nothing")


def count(text: str) -> int:
    """A whole number, 0 or more."""
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{number} is below 0")
    return number


def _above_zero(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number
