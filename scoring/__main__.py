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

from scoring.errors import InspectError
from scoring.events import End, Event, document
from scoring.interrupt import Interrupt, Stopped

if TYPE_CHECKING:
    import polars as pl

DTYPES = ("auto", "float32", "bfloat16", "float16")


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
    from scoring.request import prepare
    from scoring.run import score
    from scoring.workspace import Workspace

    with interrupt.at_once():
        workspace = Workspace.open(Path(args.workspace))
        cases, texts = workspace.cases(args.benchmark)
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
    score.add_argument("--seed", type=_count, default=0, metavar="N", help="seed of --sample (default 0)")
    args = parser.parse_args(argv)
    if args.stratify and args.sample is None:
        score.error("--stratify needs --sample")
    return args


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of a scoring run that are its own, for every command that starts one."""
    parser.add_argument("benchmark", nargs="+", metavar="BENCHMARK", help="benchmarks of the workspace, or demo")
    which = parser.add_argument_group("the PRM")
    which.add_argument(
        "--model", required=True, metavar="DIR_OR_ID", help="a checkpoint's folder, or ORG/NAME of the hub"
    )
    which.add_argument("--revision", metavar="REV", help="a branch, tag or commit of the hub's model")
    which.add_argument("--adapter", metavar="NAME", help="the PRM's family (default: seen from the checkpoint)")
    which.add_argument("--name", metavar="NAME", help="what to call the scorer (default: the folder's or model's name)")
    which.add_argument(
        "--dtype", choices=DTYPES, default="auto", help="auto: float32 up to 1 GiB of weights, else as stored"
    )
    which.add_argument("--device", default="auto", metavar="DEVICE", help="cpu, cuda, cuda:N, or auto (default)")
    which.add_argument("--token-budget", type=_above_zero, metavar="N", help="tokens of a batch, padding included")
    what = parser.add_argument_group("what to score")
    some = what.add_mutually_exclusive_group()
    some.add_argument("--limit", type=_count, metavar="N", help="only the first N cases")
    some.add_argument("--sample", type=_count, metavar="N", help="N cases by chance; a larger N keeps the smaller ones")
    what.add_argument("--stratify", metavar="COL", help="with --sample: each value of this column has its share")
    what.add_argument("--retry-refused", action="store_true", help="try again what an earlier run refused")
    what.add_argument("--dry-run", action="store_true", help="tell what would be done, and run nothing")


def _count(text: str) -> int:
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{number} is below 0")
    return number


def _above_zero(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
