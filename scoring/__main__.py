"""`python -m scoring score ...`: one scoring run in a process of its own, one JSON event a line on standard output.

The events are those of `scoring.events`. Libraries print to standard output, so file descriptor 1 is led to standard
error and the events go to what it was before. Without an `end` line the process was killed or has a bug, whatever its
exit code.

Exit codes: 0 done; 1 done, and at least one of the cases has no rewards; 2 could not (the `end` event has the error
and standard error the same in words) or wrong usage; 130 and 143 stopped by SIGINT and SIGTERM, with what was computed
saved. A second signal ends it without waiting.
"""

import argparse
import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from scoring.arguments import add_arguments, count
from scoring.errors import InspectError
from scoring.events import End, Event, document
from scoring.interrupt import Interrupt, Stopped

if TYPE_CHECKING:
    import polars as pl


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the value is the exit code."""
    args = _parse(argv)
    with _events_out() as out, Interrupt() as interrupt:
        try:
            return _told(args, interrupt, out)
        except Stopped as stopped:
            _tell(out, End("interrupted", signal=stopped.signum))
            return 128 + stopped.signum
        except BrokenPipeError:
            # Whoever read the events has gone; what was computed is saved.
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
            return 2
        except InspectError as error:
            print(error, file=sys.stderr)
            told = {"title": error.title, "sentence": error.sentence, "next_step": error.next_step}
            _tell(out, End("failed", error=told))
            return 2


def _told(args: argparse.Namespace, interrupt: Interrupt, out: TextIO) -> int:
    """Run, and tell every event; the value is the exit code."""
    code = 0
    with closing(_events(args, interrupt)) as events:
        for event in events:
            _tell(out, event)
            if isinstance(event, End):
                code = 128 + event.signal if event.signal else int(bool(event.refused or event.cached_refused))
    return code


def _events(args: argparse.Namespace, interrupt: Interrupt) -> Generator[Event, None, None]:
    """The run that the arguments ask for. Nothing here imports an engine until one is needed."""
    from scoring.claim import claim
    from scoring.preparation import prepare
    from scoring.run import score
    from scoring.workspace import Workspace

    with interrupt.at_once():
        workspace = Workspace.open(Path(args.workspace))
        cases, texts = workspace.cases(args.benchmarks, twins=True)
        prepared = prepare(
            workspace,
            args.model,
            revision=args.revision,
            adapter=args.adapter,
            name=args.name,
            dtype=args.dtype,
            device=args.device,
            token_budget=args.token_budget,
        )
        parts = claim(workspace, prepared.scorer)
        rows = _rows(args, cases)
    yield from score(
        cases,
        texts,
        prepared.scorer,
        parts,
        encoder=prepared.encoder,
        engine=prepared.engine,
        rows=rows,
        retry_refused=args.retry_refused,
        dry_run=args.dry_run,
        interrupt=interrupt,
    )


def _rows(args: argparse.Namespace, cases: "pl.DataFrame") -> list[int]:
    """The rows of the cases that are asked for."""
    from scoring.filters import passing
    from scoring.sampling import sample

    kept = passing(cases, args.where).arg_true()
    if args.sample is None:
        return kept.head(args.limit).to_list() if args.limit is not None else kept.to_list()
    chosen = sample(cases[kept], args.sample, args.stratify, args.seed)
    return kept[chosen].to_list()


def _events_out() -> TextIO:
    """A stream to what standard output was; everything else that is printed goes to standard error."""
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(saved, "w", encoding="ascii")


def _tell(out: TextIO, event: Event) -> None:
    out.write(json.dumps(document(event), ensure_ascii=True, allow_nan=False) + "\n")
    out.flush()


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scoring", description="Run one job and tell its events as JSON.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    score = commands.add_parser(
        "score", help="step rewards of a PRM for benchmarks", epilog=(__doc__ or "").split("\n\n")[-1]
    )
    add_arguments(score)
    score.add_argument("-w", "--workspace", metavar="DIR", required=True, help="the workspace's folder")
    score.add_argument(
        "--where", action="append", metavar="SQL", default=[], help="only cases that fulfil it (repeatable)"
    )
    score.add_argument("--seed", type=count, default=0, metavar="N", help="seed of --sample (default 0)")
    args = parser.parse_args(argv)
    if args.stratify and args.sample is None:
        score.error("--stratify needs --sample")
    return args


if __name__ == "__main__":
    sys.exit(main())
