"""The parser of any command: its own flags, and the common ones that it takes.

Only argparse is imported, and what it imports itself, so that `--help` is quick; an analysis knows its own flags, and
its file is imported for whoever asks for that command. Other commands are the files of `inspector.cli.commands`.
"""

import argparse
from functools import cache

from inspector.cli.command_parser import CommandParser
from inspector.cli.commands import Verb, verbs
from inspector.render.analysis_list import OWN, summaries
from inspector.state.common_flags import ALWAYS, APP, COMMON, FIGURES, add_common_flags
from scoring import __version__

FORMS = ("json", "jsonl", "csv", "markdown", "latex")
ANALYSES = 50
"""The place of analyses among the commands; see `Verb`."""


def _output(parser: argparse.ArgumentParser, *further: str) -> None:
    """The forms of a document; `further` ones are those of pages."""
    group = parser.add_argument_group("output (default: a table)")
    forms = group.add_mutually_exclusive_group()
    parser.set_defaults(pages=bool(further))
    for form in (*FORMS, *further):
        of_all = "a document, not a table" if form == FORMS[0] else None
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, default="", help=of_all)
    group.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all")
    group.add_argument("--raw", action="store_true", help="CSV: do not guard cells that look like formulas")


def _app(parser: argparse.ArgumentParser) -> None:
    parser.usage = "prm-inspect [PATH ...] [options]  |  prm-inspect COMMAND [options]"
    parser.add_argument("paths", nargs="*", metavar="PATH", help="import these, then open the app")
    version = f"prm-inspect {__version__}"
    parser.add_argument("--version", action="version", version=version, help="print the version and exit")
    parser.epilog = """Without a command the app opens on the workspace; PATHs are imported first (write ./demo for a
    path named like a command). Exit codes: 0 done, 1 import had a warning, score refused a case, or check, paper
    --check or prms check found something, 2 could not or wrong usage, 130 interrupted."""


THE_APP = Verb(
    (),
    _app,
    takes=(*FIGURES, *APP),
    document=False,
    most_lines=60,
    line="look inside process reward models",
)
"""What the app takes without a command; `entry` opens it."""
RENAMED = {"reread": "reparse --save"}
"""Commands of version 0.1 that are called otherwise now."""
REMOVED = {"replay": "The app no longer logs what you do, so there is nothing to replay."}
"""Commands of version 0.2 that no longer exist, each with the reason."""


def _of_analysis(name: str, line: str) -> Verb:
    """An analysis as a command: what it takes besides common flags is said where it is, or in a file of its name."""
    more = verbs().get(name, Verb(module="inspector.cli.actions.analysis"))
    return more._replace(line=f"{line[:1].lower()}{line[1:]}", rank=ANALYSES)


@cache
def _of_the_program() -> dict[str, Verb]:
    listed = verbs() | {name: _of_analysis(name, line) for name, line in summaries().items() if name not in OWN}
    return dict(sorted(listed.items(), key=lambda entry: (entry[1].rank, entry[0])))


COMMANDS = _of_the_program()
"""Every command of the program, found by listing folders."""


def commands() -> dict[str, Verb]:
    """Return every command that there is now: an analysis may have come from a file of the user's own."""
    return {**COMMANDS, **{name: _of_analysis(name, line) for name, line in OWN.items()}}


def parser_of(command: str) -> CommandParser:
    """Make the parser of a command, or of the app where it is ""."""
    verb = commands()[command] if command else THE_APP
    parser = CommandParser(command, verb.line, takers)
    takes, parser.instead = verb.takes, verb.instead
    if not command:
        parser.commands = {name: each.line for name, each in commands().items()}
    if verb.flags:
        verb.flags(parser)
    parser.examples = verb.examples
    if command in summaries():
        # Imported only for who asks: an analysis knows its own flags, and no other command waits for it.
        from inspector.analyses import load

        analysis = load(command)
        analysis.add_flags(parser)
        parser.examples, parser.instead = analysis.command_examples, analysis.not_taken
        takes = tuple(flag for flag in takes if flag not in analysis.not_taken)
    if verb.document:
        _output(parser, *(("html",) if command in summaries() else ()))
    shared = add_common_flags(parser, takes, verb.meanings)
    parser.shared = tuple(flag for flag in shared if flag not in APP)
    parser.most_lines = verb.most_lines
    parser.set_defaults(command=command or None)
    return parser


@cache
def _own_flags(command: str) -> frozenset[str]:
    """What only the parser of a command knows, which is made once for all who ask."""
    return frozenset(parser_of(command).own_flags)


def takers(flag: str) -> list[str]:
    """Return the commands that take a flag, `metrics` first where it does; "" is the app."""
    there = {"": THE_APP, **commands()}
    if flag in COMMON:
        names = [name for name, verb in there.items() if flag in {*verb.takes, *verb.meanings, *ALWAYS}]
    else:
        names = [name for name in there if flag in _own_flags(name)]
    return sorted(names, key=lambda name: name != "metrics")
