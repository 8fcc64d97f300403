"""Flags of a scoring run as a person types them in one line."""

import argparse
import shlex
from typing import NoReturn

from scoring.arguments import add_arguments
from scoring.errors import UsageError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}.", "`prm-inspect score --help` lists the flags.")


def flags_in(line: str) -> tuple[str, ...]:
    """The words of a line such as `--adapter ./mine.py --option joiner=blank-line`, read as a shell reads them.

    Raises:
        UsageError: the run does not know one of them or its value, or it is about what to run, which is asked for in
            lines of its own.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{str(error).lower()} in the flags.", "Close it.") from error
    parser = _Parser(add_help=False)
    add_arguments(parser)
    # argparse takes words without a dash for benchmarks.
    args = parser.parse_args(["benchmark", *words])
    if args.benchmarks != ["benchmark"]:
        raise UsageError(f"{args.benchmarks[1]} is no flag.", "Flags begin with --.")
    if args.model or args.critic or args.server:
        raise UsageError("checkpoint, critic and server have lines of their own.", "Move them there.")
    return tuple(words)
