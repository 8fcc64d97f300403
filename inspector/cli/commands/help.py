"""What the flags that commands share mean; of a command, all that it takes."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    about = "flags, for those that commands share, or a command (default: the list of commands)"
    parser.add_argument("about", nargs="?", metavar="flags|COMMAND", help=about)


VERB = Verb(
    ("prm-inspect help flags", "prm-inspect help metrics"),
    _flags,
    takes=(),
    document=False,
)


FLAGS = "flags"


def run(args: argparse.Namespace) -> int:
    """Print it, through a pager where it is longer than the screen."""
    from difflib import get_close_matches

    from inspector.cli.actions.paging import put_page
    from inspector.cli.command_flags import commands
    from inspector.state.common_flags import common_help
    from scoring.data.errors import UsageError
    from scoring.data.names import near_names

    about = args.about
    if about not in {None, FLAGS, *commands()}:
        near = get_close_matches(about, [FLAGS, *commands()], n=1)
        meant = f"; did you mean {near[0]}?" if near else "."
        others = near_names(about, near, "command")
        raise UsageError(
            f"there is no command {about!r}{meant}", "prm-inspect --help lists the commands.", instead=others
        )
    text = common_help() if about == FLAGS else _of_command(about)
    put_page(text, pager=not args.quiet)
    return 0


def _of_command(command: str | None) -> str:
    from inspector.cli.command_flags import parser_of

    parser = parser_of(command or "")
    return parser.format_full_help() if command else parser.format_help()
