"""What `stress` does besides showing its analysis: it scores the rewritings that the scorer was not given yet."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    from scoring.runs.arguments import add_prm_arguments

    add_prm_arguments(parser, required=False)
    run = parser.add_argument_group("what is scored")
    run.add_argument("--server", metavar="URL", default="", help="the server that a critic is asked on")
    elsewhere = "write what is missing as JSON lines (for a scorer that is not run here), and score nothing"
    run.add_argument("--write", metavar="FILE", default="", help=elsewhere)
    run.add_argument("--read", metavar="FILE", default="", help="read these lines again, each with `rewards`")


VERB = Verb(flags=_flags, module="inspector.cli.actions.stressing")
