"""The `prm-inspect` command: its words and flags. Everything of weight is imported by the command that needs it.

Only argparse is imported here, so that `--help` answers at once; a command's work lies in `inspector.shell`.
"""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

FORMS = ("json", "jsonl", "csv", "markdown", "latex")
FOREIGN = ("processbench", "prmbench", "trl", "grben", "mr_eval")
"""Formats of `export`."""
_REPEATABLE = ("benchmark", "subset", "scorer", "where", "threshold", "rule")

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("inspector.shell.demo", "the bundled demo: cases, scorers, nothing to install or download"),
    "import": ("inspector.shell.importing", "read benchmark files into the workspace"),
    "score": ("inspector.shell.score", "run a PRM on a benchmark; resumes, and keeps what it has when stopped"),
    "doctor": ("inspector.shell.doctor", "what is installed and usable here; with PATHs, what files hold"),
    "benchmarks": ("inspector.shell.listing", "the benchmarks of the workspace and how they were read"),
    "scorers": ("inspector.shell.listing", "the scorers that have rewards in the workspace"),
    "stats": ("inspector.shell.numbers", "statistics of a benchmark, without scorers"),
    "metrics": ("inspector.shell.numbers", "official metrics of scorers on benchmarks"),
    "thresholds": ("inspector.shell.thresholds", "what every way to choose a threshold gives, and what it turns over"),
    "compare": ("inspector.shell.comparing", "scorers on the cases they share: differences, tests, agreement"),
    "paper": ("inspector.shell.paper", "a paper's table for the scorers here, with the printed figures beside"),
    "breakdown": ("inspector.shell.breakdown", "scorers by columns of the cases, or by where errors and verdicts lie"),
    "bias": ("inspector.shell.breakdown", "which way scorers lean, and on which cases they differ from the rest"),
    "cases": ("inspector.shell.numbers", "the rows of the table on screen"),
    "show": ("inspector.shell.numbers", "one case, a row a step"),
    "export": ("inspector.shell.exporting", "cases or rewards as the rows that other toolkits read"),
}
"""Command -> the module whose `run(args)` does it, and its line of help."""

EPILOG = """Without a command the app opens on the workspace; PATHs are imported first (write ./demo for a path named
like a command). Exit codes: 0 done, 1 import had a warning or paper --check found a difference, 2 could not or wrong
usage, 130 interrupted."""


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
    try:
        args = parse(words)
    except SystemExit:
        sys.stdout.flush()
        raise
    if args.no_color:
        os.environ["NO_COLOR"] = "1"
    module = COMMANDS[args.command][0] if args.command else "inspector.shell.opening"
    from scoring.errors import InspectError

    try:
        code: int = import_module(module).run(args)
    except InspectError as error:
        print(_inert(str(error)), file=sys.stderr)
        return 2
    sys.stdout.flush()
    return code


def _close_stdout() -> None:
    """Nobody reads on, or nothing fits: what is left goes nowhere, so that Python does not complain while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _inert(text: str) -> str:
    """A message that may quote data, for a terminal."""
    from inspector.text import clean

    return clean(text)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command, or of the app where the first word is no command."""
    common = _common(argparse.SUPPRESS)
    parser = argparse.ArgumentParser(
        prog="prm-inspect", description="Look inside process reward models.", epilog=EPILOG, parents=[_common(None)]
    )
    if not _is_command(words):
        parser.usage = "prm-inspect [PATH ...] [options]  |  prm-inspect COMMAND [options]"
        listed = "\n".join(f"  {name:<11} {line}" for name, (_, line) in COMMANDS.items())
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.description = f"Look inside process reward models.\n\ncommands (each has its own --help):\n{listed}"
        parser.add_argument("paths", nargs="*", metavar="PATH", help="import these, then open the app")
        parser.add_argument("--version", action="store_true", help="print the version and exit")
        parser.set_defaults(command=None)
        return _together(parser.parse_args(words))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (_, line) in COMMANDS.items():
        _arguments(name, commands.add_parser(name, help=line, description=line, parents=[common]))
    return _together(parser.parse_args(words))


def _is_command(words: Sequence[str]) -> bool:
    """Whether the first word that is neither a flag nor a flag's value names a command."""
    takes_value = {"-w", "--workspace", "--where", "--benchmark", "--subset", "--scorer", "--threshold", "--rule"}
    takes_value |= {"--unparsed", "--seed", "-o", "--output"}
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in takes_value:
            skip = True
        elif not word.startswith("-"):
            return word in COMMANDS
    return False


def _common(default: object) -> argparse.ArgumentParser:
    """Flags known before and after every command. `default` SUPPRESS keeps the later parser from undoing the first."""

    def value(given: object) -> object:
        return argparse.SUPPRESS if default is argparse.SUPPRESS else given

    def dest(flag: str) -> str:
        # A command's parser starts from nothing and would undo what was collected before it.
        return flag.strip("-") if default is argparse.SUPPRESS else f"early_{flag.strip('-')}"

    common = argparse.ArgumentParser(add_help=False)
    which = common.add_argument_group("which cases and scorers")
    which.add_argument("-w", "--workspace", metavar="DIR", default=value(None), help="the workspace's folder")
    for flag, text in {
        "--benchmark": "only this benchmark (repeatable); `demo` is known everywhere",
        "--subset": "only this subset (repeatable)",
        "--scorer": "only this scorer: its name or a unique part of it (repeatable)",
        "--where": 'only cases that fulfil an SQL condition, e.g. "n_steps > 8" (repeatable)',
    }.items():
        metavar = "SQL" if flag == "--where" else "NAME"
        which.add_argument(flag, action=_Collect, metavar=metavar, default=value(()), help=text, dest=dest(flag))
    which.add_argument(
        "--threshold",
        action=_Collect,
        metavar="X",
        dest=dest("--threshold"),
        default=value(()),
        help="a number, default, best, dev or from:SUBSET, for all scorers or as SCORER=X (repeatable)",
    )
    which.add_argument(
        "--rule",
        action=_Collect,
        metavar="RULE",
        dest=dest("--rule"),
        default=value(()),
        help="'<' or '<=': how a reward stands to the threshold where its step is wrong; or SCORER=RULE (repeatable)",
    )
    which.add_argument(
        "--unparsed", choices=("wrong", "drop"), default=value("wrong"), help="how cases without a verdict count"
    )
    seeded = "seed of resampling and of dev sets (default 0)"
    which.add_argument("--seed", type=_seed, default=value(0), metavar="N", help=seeded)
    which.add_argument(
        "--baselines", action="store_true", default=value(False), help="also a coin, always-clean and always-first-step"
    )
    how = common.add_argument_group("how it looks")
    how.add_argument("-q", "--quiet", action="store_true", default=value(False), help="no words on stderr")
    how.add_argument("--no-color", action="store_true", default=value(False), help="no colours (also NO_COLOR=1)")
    how.add_argument("--ascii", action="store_true", default=value(False), help="plain ASCII bars and lines")
    how.add_argument("--no-mouse", action="store_true", default=value(False), help="leave the mouse to the terminal")
    return common


class _Collect(argparse.Action):
    """Collect a repeatable flag, before and after the command alike, into one tuple."""

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _flag: str | None = None
    ) -> None:
        setattr(namespace, self.dest, (*getattr(namespace, self.dest, ()), values))


def _together(args: argparse.Namespace) -> argparse.Namespace:
    """Repeatable flags before the command and after it make one tuple, in this order."""
    for name in _REPEATABLE:
        setattr(args, name, (*vars(args).pop(f"early_{name}"), *getattr(args, name, ())))
    return args


def _seed(text: str) -> int:
    """A seed of numpy's generators."""
    if (seed := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{seed} is below 0")
    return seed


def _output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output (default: a table)")
    forms = group.add_mutually_exclusive_group()
    for form in FORMS:
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, default="")
    group.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all")
    group.add_argument("--raw", action="store_true", help="CSV: do not guard cells that look like formulas")


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("cases", "rewards"), help="the shown cases, or one scorer's rewards for them")
    parser.add_argument("--to", choices=FOREIGN, required=True, help="cases: all but mr_eval; rewards: grben, mr_eval")
    parser.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all (default: stdout)")
    parser.add_argument("--name", metavar="NAME", help="mr_eval: the model_name, which is its own --model")


def _paper(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("processbench", "prmbench", "socratic", "grben"), help="the paper's benchmark")
    parser.add_argument("table", nargs="?", metavar="TABLE", help="the table's number (default: list the tables)")
    parser.add_argument("--all", action="store_true", help="also the scorers that only the paper has")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a figure here does not round to the printed one"
    )


def _arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """The flags of one command."""
    if name == "import":
        paths = "files, folders or patterns (benchmarks, results or tables), or hf:NAME"
        parser.add_argument("paths", nargs="+", metavar="[BENCHMARK] PATH", help=paths)
        parser.add_argument("--name", metavar="N", help="what the one scorer or table is called")
        parser.add_argument("--mapping", metavar="FILE", help="which column of a table is what (JSON)")
        parser.add_argument("--save-mapping", metavar="FILE", help="write down how a table's columns were read")
        parser.add_argument("--strict", action="store_true", help="refuse a source with any warning, write nothing")
        parser.add_argument("--dry-run", action="store_true", help="report and write nothing")
        return
    if name == "score":
        from scoring.arguments import add_arguments

        add_arguments(parser)
        return
    if name == "doctor":
        parser.add_argument("paths", nargs="*", metavar="[BENCHMARK] PATH", help="files or folders to look at")
        return
    if name == "export":
        _export(parser)
        return
    if name == "demo":
        parser.add_argument("--no-app", action="store_true", help="print the board and exit")
        parser.add_argument("--rescore", action="store_true", help="first run the bundled PRMs for real, and compare")
        return
    _output(parser)
    _of_numbers(name, parser)


def _of_numbers(name: str, parser: argparse.ArgumentParser) -> None:
    """What a command that prints a document takes beside the flags of all of them."""
    if name == "show":
        parser.add_argument("case", metavar="CASE", help="a case's name or a unique part of it")
        parser.add_argument("--row", action="store_true", help="the row of the file it was made of, as it stands there")
    if name == "metrics":
        parser.add_argument("--by", action=_Collect, metavar="COL", default=(), help="group by these columns")
    if name == "thresholds":
        parser.add_argument(
            "--flips",
            nargs="*",
            metavar="X",
            help="the cases whose outcome differs between two thresholds (given none: the default and the present)",
        )
    if name == "paper":
        _paper(parser)
    if name == "compare":
        words = "two scorers or more, by name or a unique part of it (default: all that have a verdict)"
        parser.add_argument("scorers", nargs="*", metavar="SCORER", help=words)
    if name == "breakdown":
        from inspector.shell.breakdown_arguments import add_arguments as add_breakdown

        add_breakdown(parser)
    if name == "cases":
        parser.add_argument("--sort", default="", metavar="KEY", help="COLUMN, COLUMN:desc or instructive")


if __name__ == "__main__":
    sys.exit(main())
