"""`help`: what the flags that commands share mean, all that a command takes, or the list of commands."""

import argparse
from difflib import get_close_matches

from inspector.command_flags import commands, parser_of
from inspector.common_flags import common_help
from inspector.shell.page import put_page
from scoring.errors import UsageError

FLAGS = "flags"


def run(args: argparse.Namespace) -> int:
    """Print it, through a pager where it is longer than the screen."""
    about = args.about
    if about not in {None, FLAGS, *commands()}:
        near = get_close_matches(about, [FLAGS, *commands()], n=1)
        meant = f"; did you mean {near[0]}?" if near else "."
        raise UsageError(f"there is no command {about!r}{meant}", "prm-inspect --help lists the commands.")
    text = common_help() if about == FLAGS else _of_command(about)
    put_page(text, pager=not args.quiet)
    return 0


def _of_command(command: str | None) -> str:
    parser = parser_of(command or "")
    return parser.format_full_help() if command else parser.format_help()
