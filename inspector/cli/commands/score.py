"""Run a PRM or ask a critic on a benchmark; resumes, and keeps what it has."""

import argparse

from inspector.cli.commands import Verb
from inspector.state.common_flags import CASES


def _flags(parser: argparse.ArgumentParser) -> None:
    from scoring.runs.arguments import add_arguments

    add_arguments(parser)
    parser.epilog = """Exit codes: 0 every case asked for has rewards, or every answer of a critic came (one that cannot
    be read is an answer: it is counted, with its reason, and not asked for again); 1 done, and some were refused now or
    before, each with its reason (--retry-refused tries them again; an answer that did not come, and a case for which
    there was no memory, are tried again by the same command); 2 could not, or wrong usage; 130 (Ctrl+C) and 143
    interrupted: what was computed is kept, and the same command goes on with what is left."""


VERB = Verb(
    (
        "prm-inspect score processbench --model ~/Qwen2.5-Math-PRM-7B",
        "prm-inspect score prmbench --critic prmbench --server http://127.0.0.1:8000",
    ),
    _flags,
    module="inspector.cli.actions.scoring_run",
    most_lines=45,
    takes=("--where", "--slice", "--seed"),
    instead=dict.fromkeys(CASES, "Choose cases with --where, --slice, --spread, --sample or --limit.")
    | {"--benchmark": "Name benchmarks as words.", "--scorer": "--name says what the scorer is called."},
    document=False,
    rank=3,
)
