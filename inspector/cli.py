"""The `prm-inspect` command: its words and flags. Everything of weight is imported by the command that needs it.

Only argparse is imported here, so that `--help` answers at once; a command's work lies in `inspector.shell`.
"""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from inspector.analysis_list import OWN, summaries
from inspector.command_flags import command_flags
from inspector.common_flags import IMPORT_FLAGS, TAKE_A_VALUE, common_flags, plugins_in, together

ACTING = {"taxonomy": "inspector.shell.taxonomy"}
"""The analyses whose commands change something before they answer, by the modules that do."""
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("inspector.shell.demo", "the bundled demo: cases, scorers, nothing to install or download"),
    "import": ("inspector.shell.importing", "read benchmarks, and what scorers gave them, into the workspace"),
    "score": ("inspector.shell.score", "run a PRM or ask a critic on a benchmark; resumes, and keeps what it has"),
    "reread": ("inspector.shell.rereading", "read a critic's kept answers again, with the present reader; no server"),
    "prms": ("inspector.shell.prms", "the PRMs that the program knows; check NAME tests an adapter"),
    "keys": ("inspector.shell.keys", "the commands of the app with their keys, for a keymap file of your own"),
    "doctor": ("inspector.shell.doctor", "what is installed and usable here; with PATHs, what files hold"),
    "benchmarks": ("inspector.shell.listing", "the benchmarks of the workspace and how they were read"),
    "scorers": ("inspector.shell.listing", "the scorers that have rewards in the workspace"),
    "remove": ("inspector.shell.trash", "take a scorer or a benchmark out of the workspace, into its trash"),
    "restore": ("inspector.shell.trash", "bring back what was removed; without a name, list the trash"),
    "prune": ("inspector.shell.trash", "empty the trash: what is in it is gone then"),
    **{
        name: (ACTING.get(name, "inspector.shell.analysis"), f"{line[:1].lower()}{line[1:]}")
        for name, line in summaries().items()
    },
    "show": ("inspector.shell.showing", "one case, a row a step, as a table for a paper with --markdown or --latex"),
    "report": ("inspector.shell.report", "one file for somebody else: board, comparison, breakdown, chosen cases"),
    "replay": ("inspector.shell.replay", "play the log of a session again: do the screens say the same?"),
    "export": ("inspector.shell.exporting", "cases, rewards or triage as the rows that other toolkits read"),
}
"""Command -> the module whose `run(args)` does it, and its line of help."""


def commands() -> dict[str, tuple[str, str]]:
    """Give COMMANDS, and the analyses of the user's own that were loaded."""
    return {**COMMANDS, **{name: ("inspector.shell.analysis", line) for name, line in OWN.items()}}


EPILOG = """Without a command the app opens on the workspace; PATHs are imported first (write ./demo for a path named
like a command). Exit codes: 0 done, 1 import had a warning, score refused a case, or check, paper --check or
prms check found something, 2 could not or wrong usage, 130 interrupted."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the value is the exit code."""
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _close_stdout()
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _close_stdout()
        print("Cannot write the output: No space left where it goes.", file=sys.stderr)
        return 2


def _run(words: list[str]) -> int:
    """The same without what may go wrong with stdout: what is buffered is written here, where it can be told."""
    from scoring.errors import InspectError

    try:
        if files := plugins_in(words):
            # Before the words are read: an analysis of the user's own is a command.
            import_module("inspector.own").load_own(files)
        args = parse(words)
        if args.no_color:
            os.environ["NO_COLOR"] = "1"
        module = commands()[args.command][0] if args.command else "inspector.shell.opening"
        code: int = import_module(module).run(args)
    except SystemExit:
        sys.stdout.flush()
        raise
    except InspectError as error:
        print(_inert(str(error)), file=sys.stderr)
        return 2
    sys.stdout.flush()
    return code


def _close_stdout() -> None:
    """Nobody reads on, or nothing fits: what is left goes nowhere, so that Python does not complain while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _inert(text: str) -> str:
    """A message that may quote data, for a terminal: between words, lines end where the terminal does."""
    from inspector.text import clean

    if not sys.stderr.isatty():
        return clean(text)
    import shutil
    import textwrap

    columns = max(20, shutil.get_terminal_size().columns)
    lines = clean(text).splitlines()
    return "\n".join(textwrap.fill(one, columns, break_on_hyphens=False, break_long_words=False) for one in lines)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command, or of the app where the first word is no command."""
    common = common_flags(argparse.SUPPRESS)
    what = "Look inside process reward models."
    parser = argparse.ArgumentParser("prm-inspect", description=what, epilog=EPILOG, parents=[common_flags(None)])
    command = _command_of(words)
    if command is None:
        parser.usage = "prm-inspect [PATH ...] [options]  |  prm-inspect COMMAND [options]"
        listed = "\n".join(f"  {name:<11} {line}" for name, (_, line) in commands().items())
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.description = f"{what}\n\ncommands (each has its own --help):\n{listed}"
        parser.add_argument("paths", nargs="*", metavar="PATH", help="import these, then open the app")
        parser.add_argument("--version", action="store_true", help="print the version and exit")
        parser.set_defaults(command=None)
        return together(parser.parse_args(words))
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (_, line) in commands().items():
        if name != command:
            parsers.add_parser(name, help=line, add_help=False)
            continue
        shared = common_flags(argparse.SUPPRESS, IMPORT_FLAGS) if name == "import" else common
        command_flags(name, parsers.add_parser(name, help=line, description=line, parents=[shared]))
    return together(parser.parse_args(words))


def _command_of(words: Sequence[str]) -> str | None:
    """The command that the first word names that is neither a flag nor a flag's value; None where it names none."""
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in TAKE_A_VALUE:
            skip = True
        elif not word.startswith("-"):
            return word if word in commands() else None
    return None


if __name__ == "__main__":
    sys.exit(main())
