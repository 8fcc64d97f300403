"""The words and flags of each command, beside those of all. Only argparse is imported, so that `--help` is quick."""

import argparse

from inspector.analysis_list import summaries
from inspector.common_flags import Collect, natural

FORMS = ("json", "jsonl", "csv", "markdown", "latex")
FOREIGN = ("processbench", "prmbench", "prm800k", "trl", "grben", "mr_eval", "csv", "jsonl")
"""Formats of `export`."""

SCORE_CODES = """Exit codes: 0 every case asked for has rewards, or every answer of a critic came (one that cannot be
read is an answer: it is counted, with its reason, and not asked for again); 1 done, and some were refused now or
before, each with its reason (--retry-refused tries them again; an answer that did not come is asked for again by the
same command); 2 could not, or wrong usage; 130 (Ctrl+C) and 143 interrupted: what was computed is kept, and the same
command goes on with what is left."""


IMPORT_EXAMPLES = """examples:
  prm-inspect import gsm8k.json mine.jsonl   (a benchmark, a PRM's rewards)
  prm-inspect import scores.csv --id uid --rewards col_a=A --rewards col_b=B
  prm-inspect import steps.parquet --step idx --rewards score --name my-prm
  prm-inspect import judge.jsonl --answers output --name my-critic

What no flag says is guessed by name and content, and the report says how.
Exit codes: 0 done, 1 done with a warning, 2 could not, or wrong usage."""


def _output(parser: argparse.ArgumentParser, *further: str) -> None:
    """The forms of a document; `further` ones are those of pages."""
    group = parser.add_argument_group("output (default: a table)")
    forms = group.add_mutually_exclusive_group()
    parser.set_defaults(pages=bool(further))
    for form in (*FORMS, *further):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, default="")
    group.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all")
    group.add_argument("--raw", action="store_true", help="CSV: do not guard cells that look like formulas")


def _verbose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help="list every file with all of its findings")


def _export(parser: argparse.ArgumentParser) -> None:
    what = "the shown cases, one scorer's rewards for them, or what people said of them"
    parser.add_argument("what", choices=("cases", "rewards", "triage"), help=what)
    formats = (
        "cases: processbench, prmbench, trl, grben; rewards: grben, mr_eval; triage: processbench (with the labels "
    )
    formats += "after triage), prm800k and trl (people's ratings of steps), csv, jsonl (all that was said)"
    parser.add_argument("--to", choices=FOREIGN, required=True, help=formats)
    parser.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all (default: stdout)")
    parser.add_argument("--name", metavar="NAME", help="mr_eval: the model_name, which is its own --model")
    who = "triage: only this person's words, by name or a unique part of it (default: all; where they differ, none)"
    parser.add_argument("--who", default="", metavar="NAME", help=who)
    parser.add_argument("--raw", action="store_true", help="CSV: do not guard cells that look like formulas")


def _report(parser: argparse.ArgumentParser) -> None:
    file = "the file: .html (one page that needs nothing else) or .md (Markdown); written whole or not at all"
    parser.add_argument("-o", "--output", metavar="FILE", help=file)
    markdown = "Markdown, with tables in the place of charts; without -o on stdout"
    parser.add_argument("--markdown", dest="form", action="store_const", const="markdown", default="", help=markdown)
    cases = "so many cases of each benchmark: the most instructive failures of the best scorer (default 20)"
    parser.add_argument("--cases", type=natural, default=20, metavar="N", help=cases)
    order = "the first cases in this order instead: COLUMN, COLUMN:desc or instructive"
    parser.add_argument("--sort", default="", metavar="KEY", help=order)
    parser.add_argument(
        "--with",
        dest="analyses",
        action=Collect,
        default=(),
        metavar="NAME",
        help="also this analysis, as it is usually asked: stats, agreement, or one of your own (repeatable)",
    )
    parser.add_argument("--title", default="", metavar="TEXT", help="what the report is called")


def _replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the log of a session, or `last` for the newest one")
    parser.epilog = "Exit codes: 0 every title is as it was, 1 one differs, 2 it cannot be played."


def _remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=("scorer", "benchmark"), help="what it is")
    parser.add_argument("name", metavar="NAME", help="its name or a unique part of it")
    parser.epilog = REMOVAL


def _restore(parser: argparse.ArgumentParser) -> None:
    name = "what was removed: its name or a unique part of it, `scorer` or `benchmark` before it where both have it"
    parser.add_argument("words", nargs="*", metavar="NAME", help=name)
    parser.epilog = "It is refused where its name is taken again. Of several of one name the newest comes back."


def _prune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask; needed where there is no terminal to ask on")


REMOVAL = """Nothing is deleted: its folder is moved into the workspace's trash, from which `restore` brings it back.
Rewards that scorers gave the cases of a removed benchmark, and what people said of them, stay and show again with it.
An open app follows. It is refused while another process writes there or scores the benchmark."""


def _taxonomy(parser: argparse.ArgumentParser) -> None:
    by = "also by this column, or by scorer: which scorers have the cases wrong (repeatable)"
    parser.add_argument("--by", action=Collect, metavar="COL", default=(), help=by)
    parser.add_argument("--who", default="", metavar="NAME", help="the notes of one person (default: everybody's)")
    views = parser.add_argument_group("instead of categories").add_mutually_exclusive_group()
    for view, what in (
        ("notes", "the notes: category, case, who wrote them and when, which scorers have the case wrong"),
        ("saturation", "note by note, which was the first of its category, and how many categories there were"),
    ):
        views.add_argument(f"--{view}", dest="view", action="store_const", const=view, default="", help=what)
    group = parser.add_argument_group("first change your own notes on these cases (undone as one, by u in the app)")
    changes = group.add_mutually_exclusive_group()
    changes.add_argument("--merge", nargs=2, metavar=("A", "B"), help="put the notes of category A into category B")
    changes.add_argument("--rename", nargs=2, metavar=("A", "NEW"), help="give category A another name")
    into = "put the notes that --where, --search or --subset leave into a category; '' takes them out of theirs"
    changes.add_argument("--put", metavar="CATEGORY", help=into)


_WITH_WORDS_OF_ITS_OWN = {
    "taxonomy": _taxonomy,
}


_CASE_FIELDS = {
    "problem": "what is to be solved",
    "steps": "the solution, a list of steps or one text; COL may be a path: messages[role=assistant].content",
    "earliest_error": "gold label: the index of the first wrong step",
    "error_steps": "gold label: a list of the indices of wrong steps",
    "step_labels": "gold label: a truth value or rating a step",
}
"""Flags of `import` that name the columns of cases: fields of a mapping."""


def _import(parser: argparse.ArgumentParser) -> None:
    parser.usage = "prm-inspect import [BENCHMARK|FILE.py] PATH [PATH ...] [options]"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = IMPORT_EXAMPLES
    paths = (
        "files, folders or patterns (benchmarks, results or tables; .gz .zst .bz2 .xz .zip too), "
        "https://HOST/FILE, hf:NAME, or - for standard input"
    )
    parser.add_argument("paths", nargs="+", metavar="[BENCHMARK|FILE.py] PATH", help=paths)
    parser.add_argument("--name", metavar="N", help="what the one scorer or table is called (default: as its file)")
    runs = "which independent repetition these answers are; figures are means over them (default 0)"
    parser.add_argument("--run", type=natural, metavar="N", help=runs)
    # Imported only for who asks, as everything beyond argparse is.
    from scoring.arguments import add_checkpoint_arguments

    add_checkpoint_arguments(parser, "file or folder")
    columns = parser.add_argument_group("which column of a table is what, where its name does not say it")
    columns.add_argument("--id", metavar="COL", help="the case's id")
    columns.add_argument(
        "--rewards", action="append", default=[], metavar="COL[=SCORER]", help="lists of step rewards (repeatable)"
    )
    for flag, part in (("--step", "step"), ("--scorer-column", "scorer")):
        of_rows = f"the {part} a row is of, in a table with one row a {part.replace('scorer', 'case and scorer')}"
        columns.add_argument(flag, metavar="COL", help=of_rows)
    columns.add_argument(
        "--verdict", action="append", default=[], metavar="COL[=SCORER]", help="the predicted earliest error"
    )
    columns.add_argument("--base", type=int, choices=(0, 1), help="what verdicts call the first step")
    answers = "a critic's answers in words, read by the benchmark's own parser"
    columns.add_argument("--answers", action="append", default=[], metavar="COL[=SCORER]", help=answers)
    for field, what in _CASE_FIELDS.items():
        columns.add_argument(f"--{field.replace('_', '-')}", metavar="COL", help=what)
    between = r"what stands between two steps of one text, \n for a line break (default: blank lines)"
    columns.add_argument("--separator", metavar="TEXT", help=between)
    columns.add_argument("--label-base", type=int, choices=(0, 1), help="what gold labels call the first step")
    clean = "what stands in --earliest-error where no step is wrong, beside -1; null = nothing"
    columns.add_argument("--clean", metavar="WORD", help=clean)
    below = "a step is wrong if its label is a number below this (default 0.5)"
    columns.add_argument("--wrong-below", type=float, metavar="X", help=below)
    columns.add_argument("--mapping", metavar="FILE", help="all of it in a file (JSON)")
    columns.add_argument("--save-mapping", metavar="FILE", help="write down how a table's columns were read")
    parser.add_argument("--strict", action="store_true", help="refuse a source with any warning, write nothing")
    parser.add_argument("--dry-run", action="store_true", help="report and write nothing")
    _verbose(parser)


def _score(parser: argparse.ArgumentParser) -> None:
    from scoring.arguments import add_arguments

    add_arguments(parser)
    parser.epilog = SCORE_CODES


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="[BENCHMARK] PATH", help="what to look at, named as for import")
    _verbose(parser)


def _reread(parser: argparse.ArgumentParser) -> None:
    critics = "critics by name or a unique part of it (default: all whose answers an older reader has read)"
    parser.add_argument("scorers", nargs="*", metavar="SCORER", help=critics)
    parser.epilog = "Do not run it while `score` asks the same critic: what that saves meanwhile may be read twice."


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-app", action="store_true", help="print the board and exit")
    parser.add_argument("--rescore", action="store_true", help="first run the bundled PRMs for real, and compare")


_WITHOUT_A_DOCUMENT = {
    "import": _import,
    "score": _score,
    "doctor": _doctor,
    "reread": _reread,
    "demo": _demo,
    "export": _export,
    "report": _report,
    "replay": _replay,
    "remove": _remove,
    "restore": _restore,
    "prune": _prune,
}


def command_flags(name: str, parser: argparse.ArgumentParser) -> None:
    """The flags of one command."""
    if name in _WITHOUT_A_DOCUMENT:
        _WITHOUT_A_DOCUMENT[name](parser)
    elif name in summaries():
        # Imported only for who asks: an analysis knows its own flags, and no other command waits for it.
        from inspector.analyses import load

        _output(parser, "html")
        load(name).add_flags(parser)
    else:
        _output(parser)
        _of_numbers(name, parser)


def _of_numbers(name: str, parser: argparse.ArgumentParser) -> None:
    """What a command that prints a document takes beside the flags of all of them."""
    if name == "show":
        parser.add_argument("case", metavar="CASE", help="a case's name or a unique part of it")
        parser.add_argument("--row", action="store_true", help="the row of the file it was made of, as it stands there")
        parser.add_argument("--original", action="store_true", help="what was changed in the solution it was made of")
        parser.add_argument("--answers", action="store_true", help="also the texts of what critics answered")
    if name in {"show", "prms"}:
        from inspector.shell import prm_arguments

        (prm_arguments.add_explain if name == "show" else prm_arguments.add_prms)(parser)
    if name in _WITH_WORDS_OF_ITS_OWN:
        _WITH_WORDS_OF_ITS_OWN[name](parser)
