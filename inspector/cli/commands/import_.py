"""Read benchmarks, and what scorers gave them, into the workspace."""

import argparse

from inspector.cli.commands import OF_AN_IMPORT, Verb
from inspector.state.common_flags import CASES, SCORERS, natural

_CASE_FIELDS = {
    "problem": "what is to be solved",
    "steps": "the solution, a list of steps or one text; COL may be a path: messages[role=assistant].content",
    "earliest_error": "gold label: the index of the first wrong step",
    "error_steps": "gold label: a list of the indices of wrong steps",
    "step_labels": "gold label: a truth value, word or rating a step",
    "final_answer_correct": "whether the final answer is right",
}
"""Flags of `import` that name the columns of cases: fields of a mapping."""

_WHOLE_SOURCE = "An import takes all that a source holds; give it to whatever shows the cases afterwards."


def add_reading_flags(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Add the flags that say how sources are read, for any command that imports; return the group about columns."""
    parser.add_argument("--name", metavar="N", help="what the one scorer or table is called (default: as its file)")
    runs = "which repetition these answers are (independent ones; figures are means over them; default 0)"
    parser.add_argument("--run", type=natural, metavar="N", help=runs)
    plain = "also take texts published encrypted, as plain text"
    parser.add_argument("--plain-text", action="store_true", help=plain)
    # Imported only for who asks, as everything beyond argparse is.
    from scoring.runs.arguments import add_checkpoint_arguments

    add_checkpoint_arguments(parser, "file or folder")
    columns = parser.add_argument_group("which column of a table is what, where its name does not say it")
    columns.add_argument("--id", metavar="COL", help="the case's id")
    columns.add_argument(
        "--rewards", action="append", default=[], metavar="COL[=SCORER]", help="lists of step rewards (repeatable)"
    )
    higher = "what a higher reward means (worse: each is read as 1 - value, and thresholds apply to that)"
    columns.add_argument("--higher-is", choices=("better", "worse"), help=higher)
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
    clean = (
        "what --earliest-error, --verdict hold for no error (besides -1; WORD,WORD; null = an empty cell, steps = the "
        "index after the last step, such as the number of steps)"
    )
    columns.add_argument("--clean", metavar="WORDS", help=clean)
    below = "a step is wrong if its label is below X (a number; default 0.5)"
    columns.add_argument("--wrong-below", type=float, metavar="X", help=below)
    wrong = "a step is wrong if its label is one of WORDS (true; neutral,bad), else right"
    columns.add_argument("--wrong", metavar="WORDS", help=wrong)
    columns.add_argument("--mapping", metavar="FILE", help="all of it in a file (JSON)")
    return columns


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.usage = "prm-inspect import [BENCHMARK|FILE.py] PATH [PATH ...] [options]"
    parser.epilog = """What no flag says is guessed by name and content, and the report says how.

    Exit codes: 0 done, 1 done with a warning, 2 could not, or wrong usage."""
    paths = (
        "files, folders, patterns, addresses, hf:NAME or - (benchmarks, results or tables; .gz .zst .bz2 .xz .zip too; "
        "an address is https://HOST/FILE or s3://BUCKET/PATH, - is standard input)"
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help=paths)
    columns = add_reading_flags(parser)
    columns.add_argument("--save-mapping", metavar="FILE", help="write down how a table's columns were read")
    parser.add_argument("--strict", action="store_true", help="refuse a source with any warning, write nothing")
    parser.add_argument("--dry-run", action="store_true", help="report and write nothing")


VERB = Verb(
    (
        "prm-inspect import gsm8k.json mine.jsonl   (a benchmark, a PRM's rewards)",
        "prm-inspect import scores.csv --id uid --rewards col_a=A --rewards col_b=B",
        "prm-inspect import steps.parquet --step idx --rewards score --name my-prm",
        "prm-inspect import judge.jsonl --answers output --name my-critic",
    ),
    _flags,
    module="inspector.cli.actions.importing",
    takes=(),
    meanings=OF_AN_IMPORT,
    most_lines=45,
    instead=dict.fromkeys((*CASES, *SCORERS), _WHOLE_SOURCE)
    | {"--scorer": "--name says what a scorer is called, --scorer-column which column does."},
    document=False,
    rank=2,
)
