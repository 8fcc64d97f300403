"""The commands that are no analyses, each with its flags; and the parser of any command.

Only argparse is imported, and what it imports itself, so that `--help` is quick; an analysis knows its own flags, and
its file is imported for whoever asks for that command.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from inspector.analysis_list import OWN, summaries
from inspector.command_parser import SCREEN, CommandParser
from inspector.common_flags import ALWAYS, APP, CASES, COMMON, FIGURES, SCORERS, Collect, add_common_flags, natural

FORMS = ("json", "jsonl", "csv", "markdown", "latex")
FOREIGN = ("processbench", "prmbench", "prm800k", "trl", "grben", "mr_eval", "csv", "jsonl")
"""Formats of `export`."""


class Verb(NamedTuple):
    """A command: the module whose `run(args)` does it, its line of help, and what its parser is made of.

    `flags` adds the flags of its own. `takes` are the common flags that it takes besides those of all commands,
    `meanings` say what some of them mean to it alone, and `instead` what to do in place of one that it does not take.
    `document` says that its rows may be written in any of FORMS; `most_lines` is what its help may take.
    """

    module: str
    line: str
    examples: tuple[str, ...]
    flags: Callable[[argparse.ArgumentParser], None] | None = None
    takes: tuple[str, ...] = FIGURES
    meanings: Mapping[str, str] = {}
    instead: Mapping[str, str] = {}
    document: bool = True
    most_lines: int = SCREEN


# -- flags that are a command's own


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
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.epilog = """Without a command the app opens on the workspace; PATHs are imported first (write ./demo for a
    path named like a command). Exit codes: 0 done, 1 import had a warning, score refused a case, or check, paper
    --check or prms check found something, 2 could not or wrong usage, 130 interrupted."""


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-app", action="store_true", help="print the board and exit")
    parser.add_argument("--rescore", action="store_true", help="first run the bundled PRMs for real, and compare")


_CASE_FIELDS = {
    "problem": "what is to be solved",
    "steps": "the solution, a list of steps or one text; COL may be a path: messages[role=assistant].content",
    "earliest_error": "gold label: the index of the first wrong step",
    "error_steps": "gold label: a list of the indices of wrong steps",
    "step_labels": "gold label: a truth value or rating a step",
}
"""Flags of `import` that name the columns of cases: fields of a mapping."""
_OF_AN_IMPORT = {
    "--benchmark": "whose cases the results are of (where ids do not say it)",
    "--threshold": "a step is wrong if its reward is below X (default 0.5, or as the format says)",
    "--rule": "'<' or '<=': how a wrong step's reward stands to it; 'diff<' or 'diff<=': how its reward less that of "
    "the step before does",
    "--verbose": "list every file with all of its findings",
}
"""What common flags mean to those who read files."""
_WHOLE_SOURCE = "An import takes all that a source holds; give it to whatever shows the cases afterwards."


def _import(parser: argparse.ArgumentParser) -> None:
    parser.usage = "prm-inspect import [BENCHMARK|FILE.py] PATH [PATH ...] [options]"
    parser.epilog = """What no flag says is guessed by name and content, and the report says how.

    Exit codes: 0 done, 1 done with a warning, 2 could not, or wrong usage."""
    paths = (
        "files, folders, patterns, addresses, hf:NAME or - (benchmarks, results or tables; .gz .zst .bz2 .xz .zip too; "
        "an address is https://HOST/FILE, - is standard input)"
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help=paths)
    parser.add_argument("--name", metavar="N", help="what the one scorer or table is called (default: as its file)")
    runs = "which repetition these answers are (independent ones; figures are means over them; default 0)"
    parser.add_argument("--run", type=natural, metavar="N", help=runs)
    # Imported only for who asks, as everything beyond argparse is.
    from scoring.arguments import add_checkpoint_arguments

    add_checkpoint_arguments(parser, "file or folder")
    columns = parser.add_argument_group("which column of a table is what, where its name does not say it")
    columns.add_argument("--id", metavar="COL", help="the case's id")
    columns.add_argument(
        "--rewards", action="append", default=[], metavar="COL[=SCORER]", help="lists of step rewards (repeatable)"
    )
    columns.add_argument("--step", metavar="COL", help="the step a row is of, in a table with one row a step")
    of_rows = "the scorer a row is of (in a table with one row a case and scorer)"
    columns.add_argument("--scorer-column", metavar="COL", help=of_rows)
    columns.add_argument(
        "--verdict", action="append", default=[], metavar="COL[=SCORER]", help="the predicted earliest error"
    )
    columns.add_argument("--base", type=int, choices=(0, 1), help="what verdicts call the first step")
    answers = "a critic's answers in words (read by the benchmark's own parser)"
    columns.add_argument("--answers", action="append", default=[], metavar="COL[=SCORER]", help=answers)
    for field, what in _CASE_FIELDS.items():
        columns.add_argument(f"--{field.replace('_', '-')}", metavar="COL", help=what)
    between = r"what stands between two steps of one text (\n for a line break; default: blank lines)"
    columns.add_argument("--separator", metavar="TEXT", help=between)
    columns.add_argument("--label-base", type=int, choices=(0, 1), help="what gold labels call the first step")
    clean = "what --earliest-error holds where no step is wrong (beside -1; null = nothing)"
    columns.add_argument("--clean", metavar="WORD", help=clean)
    below = "a step is wrong if its label is below X (a number; default 0.5)"
    columns.add_argument("--wrong-below", type=float, metavar="X", help=below)
    columns.add_argument("--mapping", metavar="FILE", help="all of it in a file (JSON)")
    columns.add_argument("--save-mapping", metavar="FILE", help="write down how a table's columns were read")
    parser.add_argument("--strict", action="store_true", help="refuse a source with any warning, write nothing")
    parser.add_argument("--dry-run", action="store_true", help="report and write nothing")


def _score(parser: argparse.ArgumentParser) -> None:
    from scoring.arguments import add_arguments

    add_arguments(parser)
    parser.epilog = """Exit codes: 0 every case asked for has rewards, or every answer of a critic came (one that cannot
    be read is an answer: it is counted, with its reason, and not asked for again); 1 done, and some were refused now or
    before, each with its reason (--retry-refused tries them again; an answer that did not come is asked for again by
    the same command); 2 could not, or wrong usage; 130 (Ctrl+C) and 143 interrupted: what was computed is kept, and the
    same command goes on with what is left."""


def _reparse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--save",
        action="store_true",
        help="keep what is read; by a critic's own parser it corrects what an older version of that read (without a "
        "name: of all critics), by another parser it is a scorer of its own, since the numbers are others",
    )
    parser.add_argument("--name", metavar="NAME", help="what that scorer is called (default: CRITIC-PARSER)")


def _prms(parser: argparse.ArgumentParser) -> None:
    from inspector.shell.prm_arguments import add_prms

    add_prms(parser)


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="what to look at (named as for import)")


_REMOVAL = """Nothing is deleted: its folder is moved into the workspace's trash, from which `restore` brings it back.
Rewards that scorers gave the cases of a removed benchmark, and what people said of them, stay and show again with it.
An open app follows. It is refused while another process writes there or scores the benchmark."""
_TAKEN_WHOLE = dict.fromkeys(
    (*CASES, *SCORERS), "Things are taken whole: a scorer from all its benchmarks, a benchmark with all its cases."
)


def _remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=("scorer", "benchmark"), help="what it is")
    parser.add_argument("name", metavar="NAME", help="its name or a unique part of it")
    parser.epilog = _REMOVAL


def _restore(parser: argparse.ArgumentParser) -> None:
    name = "its name or a unique part of it (`scorer` or `benchmark` before it where both have it)"
    parser.add_argument("words", nargs="*", metavar="NAME", help=name)
    parser.epilog = "It is refused where its name is taken again. Of several of one name the newest comes back."


def _prune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask (needed where there is no terminal)")


def _taxonomy(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("first change your own notes on these cases (undone as one, by u in the app)")
    changes = group.add_mutually_exclusive_group()
    changes.add_argument("--merge", nargs=2, metavar=("A", "B"), help="put the notes of category A into category B")
    changes.add_argument("--rename", nargs=2, metavar=("A", "NEW"), help="give category A another name")
    into = "put the notes that are left into a category (by --where, --search or --subset; '' takes them out of theirs)"
    changes.add_argument("--put", metavar="CATEGORY", help=into)


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--row", action="store_true", help="the row of its file (as it stands there, and nothing else)")


def _report(parser: argparse.ArgumentParser) -> None:
    file = ".html (one page that needs nothing else) or .md (Markdown); written whole or not at all"
    parser.add_argument("-o", "--output", metavar="FILE", help=file)
    markdown = "Markdown (tables in the place of charts; without -o on stdout)"
    parser.add_argument("--markdown", dest="form", action="store_const", const="markdown", default="", help=markdown)
    cases = "so many cases of each benchmark (the most instructive failures of the best scorer; default 20)"
    parser.add_argument("--cases", type=natural, default=20, metavar="N", help=cases)
    order = "the first cases in this order instead (COLUMN, COLUMN:desc or instructive)"
    parser.add_argument("--sort", default="", metavar="KEY", help=order)
    further = "also this analysis, as it is usually asked (stats, agreement, or one of your own; repeatable)"
    parser.add_argument("--with", dest="analyses", action=Collect, default=(), metavar="NAME", help=further)
    parser.add_argument("--title", default="", metavar="TEXT", help="what the report is called")


def _replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the log of a session, or `last` for the newest one")
    parser.epilog = "Exit codes: 0 every title is as it was, 1 one differs, 2 it cannot be played."


def _export(parser: argparse.ArgumentParser) -> None:
    things = ("cases", "rewards", "triage", "variants")
    what = "what is written (cases, one scorer's rewards for them, people's words, variants tried in the app)"
    parser.add_argument("what", choices=things, metavar="|".join(things), help=what)
    formats = (
        "what reads them (cases: processbench, prmbench, trl, grben; rewards: grben, mr_eval; triage: processbench, "
        "with the labels after triage, prm800k and trl, people's ratings of steps, csv, jsonl, all that was said; "
        "variants: jsonl)"
    )
    parser.add_argument("--to", metavar="FORMAT", choices=FOREIGN, required=True, help=formats)
    parser.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all (default: stdout)")
    parser.add_argument("--name", metavar="NAME", help="of mr_eval: the model_name (which is its own --model)")
    who = "of triage: only this person's words (a name or a unique part of it; default: all; where they differ, none)"
    parser.add_argument("--who", default="", metavar="NAME", help=who)
    parser.add_argument("--raw", action="store_true", help="CSV: do not guard cells that look like formulas")


def _help(parser: argparse.ArgumentParser) -> None:
    about = "flags, for those that commands share, or a command (default: the list of commands)"
    parser.add_argument("about", nargs="?", metavar="flags|COMMAND", help=about)


# -- the commands


def _of_analysis(line: str) -> Verb:
    """An analysis as a command: what it takes besides common flags is said where it is."""
    return Verb("inspector.shell.analysis", f"{line[:1].lower()}{line[1:]}", ())


THE_APP = Verb(
    "inspector.shell.opening",
    "look inside process reward models",
    (),
    _app,
    takes=(*FIGURES, *APP),
    document=False,
    most_lines=60,
)
"""What is done without a command."""
COMMANDS: dict[str, Verb] = {
    "demo": Verb(
        "inspector.shell.demo",
        "the bundled demo: cases, scorers, nothing to install or download",
        ("prm-inspect demo", "prm-inspect demo --no-app"),
        _demo,
        takes=(*(flag for flag in FIGURES if flag != "--benchmark"), *APP),
        instead={"--benchmark": "The demo is the one benchmark of it."},
        document=False,
    ),
    "import": Verb(
        "inspector.shell.importing",
        "read benchmarks, and what scorers gave them, into the workspace",
        (
            "prm-inspect import gsm8k.json mine.jsonl   (a benchmark, a PRM's rewards)",
            "prm-inspect import scores.csv --id uid --rewards col_a=A --rewards col_b=B",
            "prm-inspect import steps.parquet --step idx --rewards score --name my-prm",
            "prm-inspect import judge.jsonl --answers output --name my-critic",
        ),
        _import,
        takes=(),
        meanings=_OF_AN_IMPORT,
        most_lines=45,
        instead=dict.fromkeys((*CASES, *SCORERS), _WHOLE_SOURCE)
        | {"--scorer": "--name says what a scorer is called, --scorer-column which column does."},
        document=False,
    ),
    "score": Verb(
        "inspector.shell.score",
        "run a PRM or ask a critic on a benchmark; resumes, and keeps what it has",
        (
            "prm-inspect score processbench --model ~/Qwen2.5-Math-PRM-7B",
            "prm-inspect score prmbench --critic prmbench --server http://127.0.0.1:8000",
        ),
        _score,
        most_lines=45,
        takes=("--where", "--slice", "--seed"),
        instead=dict.fromkeys(CASES, "Choose cases with --where, --slice, --sample or --limit.")
        | {"--benchmark": "Name benchmarks as words.", "--scorer": "--name says what the scorer is called."},
        document=False,
    ),
    "prms": Verb(
        "inspector.shell.prms",
        "the PRMs that the program knows; check NAME tests an adapter",
        (
            "prm-inspect prms qwen   (its options, thresholds in use, models)",
            "prm-inspect prms check qwen --weights ~/Qwen2.5-Math-PRM-7B --cases gsm8k.json",
        ),
        _prms,
        takes=(),
    ),
    "keys": Verb(
        "inspector.shell.keys",
        "the commands of the app with their keys (for a keymap file of your own)",
        ("prm-inspect keys", "prm-inspect keys --csv -o keys.csv"),
        takes=(),
    ),
    "doctor": Verb(
        "inspector.shell.doctor",
        "what is installed and usable here; with PATHs, what files hold",
        ("prm-inspect doctor", "prm-inspect doctor results/*.jsonl -v"),
        _doctor,
        takes=(),
        meanings=_OF_AN_IMPORT,
        document=False,
    ),
    "benchmarks": Verb(
        "inspector.shell.listing",
        "the benchmarks of the workspace and how they were read",
        ("prm-inspect benchmarks", "prm-inspect benchmarks --benchmark demo --json"),
        takes=("--benchmark",),
    ),
    "scorers": Verb(
        "inspector.shell.listing",
        "the scorers that have rewards in the workspace",
        ("prm-inspect scorers --benchmark demo", "prm-inspect scorers --threshold best --csv"),
    ),
    "remove": Verb(
        "inspector.shell.trash",
        "take a scorer or a benchmark out of the workspace, into its trash",
        ("prm-inspect remove scorer my-prm", "prm-inspect remove benchmark gsm8k"),
        _remove,
        takes=(),
        instead=_TAKEN_WHOLE,
        document=False,
    ),
    "restore": Verb(
        "inspector.shell.trash",
        "bring back what was removed; without a name, list the trash",
        ("prm-inspect restore", "prm-inspect restore my-prm"),
        _restore,
        takes=(),
        instead=_TAKEN_WHOLE,
        document=False,
    ),
    "prune": Verb(
        "inspector.shell.trash",
        "empty the trash: what is in it is gone then",
        ("prm-inspect prune", "prm-inspect prune --yes"),
        _prune,
        takes=(),
        instead=_TAKEN_WHOLE,
        document=False,
    ),
    **{name: _of_analysis(line) for name, line in summaries().items()},
    "taxonomy": _of_analysis(summaries()["taxonomy"])._replace(module="inspector.shell.taxonomy", flags=_taxonomy),
    "reparse": _of_analysis(summaries()["reparse"])._replace(module="inspector.shell.reparsing", flags=_reparse),
    "show": _of_analysis(summaries()["show"])._replace(module="inspector.shell.showing", flags=_show),
    "report": Verb(
        "inspector.shell.report",
        "one file for somebody else: board, comparison, breakdown, cases",
        (
            "prm-inspect report --benchmark demo -o report.html",
            'prm-inspect report --cases 50 --title "Our PRM" -o report.md',
        ),
        _report,
        document=False,
    ),
    "replay": Verb(
        "inspector.shell.replay",
        "play the log of a session again: do the screens say the same?",
        ("prm-inspect replay last", "prm-inspect replay session.jsonl -w ~/prm-workspace"),
        _replay,
        takes=(),
        document=False,
    ),
    "export": Verb(
        "inspector.shell.exporting",
        "cases, rewards, triage or variants as rows for other programs",
        (
            "prm-inspect export cases --benchmark demo --to prmbench -o cases.jsonl",
            "prm-inspect export rewards --scorer my-prm --to mr_eval --name mine",
        ),
        _export,
        document=False,
    ),
    "help": Verb(
        "inspector.shell.help",
        "what the flags that commands share mean; of a command, all that it takes",
        ("prm-inspect help flags", "prm-inspect help metrics"),
        _help,
        takes=(),
        document=False,
    ),
}
"""Every command of the program. An analysis is its file, and stands here by the folder's listing alone."""


RENAMED = {"reread": "reparse --save"}
"""Commands of version 0.1 that are called otherwise now."""


def commands() -> dict[str, Verb]:
    """Give every command that there is now: an analysis may have come from a file of the user's own."""
    return {**COMMANDS, **{name: _of_analysis(line) for name, line in OWN.items()}}


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
    """Give the commands that take a flag, `metrics` first where it does; "" is the app."""
    there = {"": THE_APP, **commands()}
    if flag in COMMON:
        found = [name for name, verb in there.items() if flag in {*verb.takes, *verb.meanings, *ALWAYS}]
    else:
        found = [name for name in there if flag in _own_flags(name)]
    return sorted(found, key=lambda name: name != "metrics")
