"""`python -m scoring score ...`: one scoring run in a process of its own, one JSON event a line on standard output.

`explain` and `check` tell about one PRM instead: one line with one object, of `scoring.runs.prm_reports`. `cases`
stays, and scores cases that it is handed one by one: see `scoring.runs.case_scoring`; so does `worker`, which a run
starts: see `scoring.runs.local_workers`.

The events are those of `scoring.runs.events`. Libraries print to standard output, so file descriptor 1 is led to
standard error and the events go to what it was before. Without an `end` line the process was killed or has a bug,
whatever its exit code. Who reads the events may leave: the run ends then, or goes on where GO_ON was written to its
standard input.

Exit codes: 0 done; 1 done, and at least one of the cases has no rewards, or a check failed; 2 could not (the `end`
event has the error and standard error the same in words) or wrong usage; 130 and 143 stopped by SIGINT and SIGTERM,
with what was computed saved. A second signal ends it without waiting.
"""

import argparse
import json
import os
import select
import stat
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from scoring.data.errors import InspectError
from scoring.data.metadata_columns import MetadataColumns
from scoring.data.texts import Texts
from scoring.runs.arguments import add_arguments, add_prm_arguments, count
from scoring.runs.events import GO_ON, Doing, End, Event, RunTally, document
from scoring.runs.interrupt import Interrupt, Stopped

if TYPE_CHECKING:
    import polars as pl


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    args = _parse(sys.argv[1:] if argv is None else list(argv))
    if args.command == "cases":
        return _served(args)
    if args.command == "worker":
        return _worked()
    tally = RunTally()
    with _events_out() as out, Interrupt() as interrupt:
        try:
            return _told(args, interrupt, out, tally)
        except Stopped as stopped:
            _tell(out, End("interrupted", signal=stopped.signum))
            return 128 + stopped.signum
        except BrokenPipeError:
            # Whoever read the events has gone; what was computed is saved.
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
            return 2
        except InspectError as error:
            # The event carries the corrections, and whoever started this knows the command that a person typed.
            print(error.message, file=sys.stderr)
            _tell(out, tally.failed(error.fields))
            return 2


def _told(args: argparse.Namespace, interrupt: Interrupt, out: TextIO, tally: RunTally) -> int:
    """Run, and report every event; return the exit code."""
    if args.command != "score":
        return _reported(args, interrupt, out)
    code = 0
    with closing(_events(args, interrupt, partial(_say, out))) as events:
        for event in events:
            tally.note(event)
            _tell(out, event)
            if isinstance(event, End):
                code = _code(event)
    return code


def _reported(args: argparse.Namespace, interrupt: Interrupt, out: TextIO) -> int:
    """Report one thing about one PRM; return the exit code."""
    from scoring.runs import prm_reports

    report = prm_reports.explain if args.command == "explain" else prm_reports.check
    with interrupt.at_once():
        code, report_document = report(args)
    _line(out, report_document)
    return code


def _served(args: argparse.Namespace) -> int:
    """Score cases until standard input is closed, which ends the process; so does a signal, as ever."""
    from scoring.runs.case_scoring import serve
    from scoring.workspace.workspace import Workspace, workspace_folder

    try:
        workspace = Workspace.open(workspace_folder(args.workspace)) if args.workspace else Workspace(None)
    except InspectError as error:
        print(error, file=sys.stderr)
        return 2
    with _events_out() as out:
        serve(workspace, args.device, sys.stdin.buffer, partial(_line, out))
    return 0


def _worked() -> int:
    """Compute the blocks that come by standard input, until it is closed."""
    from scoring.runs.local_workers import serve

    with _events_out() as out:
        serve(sys.stdin.buffer, out.buffer)
    return 0


def _code(end: End) -> int:
    if end.status == "failed":
        return 2
    return 128 + end.signal if end.signal else int(bool(end.refused or end.cached_refused))


def _events(
    args: argparse.Namespace, interrupt: Interrupt, tell: Callable[[str], object]
) -> Generator[Event, None, None]:
    """The run that the arguments ask for; `tell` hears what takes long."""
    from scoring.data.storage.files import FolderShare
    from scoring.workspace.workspace import Workspace, workspace_folder

    with ExitStack() as until_the_end:
        with interrupt.at_once():
            if args.critic:
                from scoring.runs.critic_command import critic_events as events
            else:
                from scoring.runs.prm_command import prm_events as events
            workspace = Workspace.open(workspace_folder(args.workspace))
            # Texts are read when they are asked for: until then nobody may take the benchmark out of the workspace.
            for folder in workspace.generations(args.benchmarks):
                until_the_end.callback(FolderShare(folder).close)
            cases, texts, columns = workspace.cases_and_columns(args.benchmarks, twins=True)
            if args.variants is None:
                rows = _rows(args, cases, texts, columns)
            else:
                from scoring.workspace.variants import read_contents

                cases, texts = read_contents(args.variants)
                rows = list(range(cases.height))
            mirror = workspace.mirror
            if mirror is not None and not args.dry_run:
                # Known before minutes are spent on loading a model.
                mirror.check_writable()
        run = events(args, workspace, cases, texts, rows, interrupt, tell)
        if mirror is not None and not args.dry_run:
            from scoring.runs.remote_runs import sent
            from scoring.workspace.remote import finish

            until_the_end.callback(finish)
            run = sent(mirror, run)
        yield from run


def _rows(args: argparse.Namespace, cases: "pl.DataFrame", texts: Texts, columns: MetadataColumns) -> list[int]:
    """The rows of the cases that are asked for; `columns` are read as far as conditions and strata name them."""
    from scoring.runs.case_sampling import in_shard, sample, spread
    from scoring.workspace.filtering.condition_expressions import columns_read
    from scoring.workspace.filtering.filters import passing

    named = {args.stratify, *(name for condition in args.where for name in columns_read(condition))}
    cases = cases.with_columns(columns.column(name) for name in columns.schema if name in named)
    kept = passing(cases, args.where).arg_true()
    if args.sample is not None:
        kept = kept[sample(cases[kept], args.sample, args.stratify, args.seed)]
    elif args.spread is not None:
        kept = kept[spread(kept.len(), args.spread)]
    elif args.limit is not None:
        kept = kept.head(args.limit)
    if args.shard is not None:
        kept = kept[in_shard(cases["key"][kept], texts.gather(kept.to_numpy()).sizes(), args.shard)]
    return kept.to_list()


def _events_out() -> TextIO:
    """A stream to what standard output was; everything else that is printed goes to standard error."""
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(saved, "w", encoding="ascii")


def _tell(out: TextIO, event: Event) -> None:
    _line(out, document(event))


def _line(out: TextIO, fields: Mapping[str, Any]) -> None:
    out.write(json.dumps(fields, ensure_ascii=True, allow_nan=False) + "\n")
    try:
        out.flush()
    except BrokenPipeError:
        if not _to_go_on():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        out.flush()


def _to_go_on() -> bool:
    """Whether whoever started this said that it goes on without them. Asked when they are gone: nothing is awaited."""
    try:
        return stat.S_ISFIFO(os.fstat(0).st_mode) and bool(select.select([0], [], [], 0)[0]) and os.read(0, 16) == GO_ON
    except OSError:
        return False


def _say(out: TextIO, sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
    _tell(out, Doing(sentence))


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scoring", description="Run one job and tell its events as JSON.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    score = commands.add_parser(
        "score", help="step rewards of a PRM for benchmarks", epilog=(__doc__ or "").split("\n\n")[-1]
    )
    add_arguments(score)
    score.add_argument("-w", "--workspace", metavar="DIR", required=True, help="the workspace's folder, or its address")
    score.add_argument(
        "--where", action="append", metavar="SQL", default=[], help="only cases that fulfil it (repeatable)"
    )
    variants = "solutions that are no cases of the benchmarks, as JSON lines, to be scored in the place of their cases"
    score.add_argument("--variants", metavar="FILE", type=Path, help=variants)
    score.add_argument("--seed", type=count, default=0, metavar="N", help="seed of --sample (default 0)")
    _add_reports(commands)
    args = parser.parse_args(argv)
    if args.command == "score" and args.stratify and args.sample is None:
        score.error("--stratify needs --sample")
    if args.command == "score" and not (args.model or args.critic):
        score.error("give --model DIR_OR_ID, or --critic PROTOCOL with --server URL")
    return args


def _add_reports(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    explain = commands.add_parser("explain", help="the tokens of one case, and what is read of them")
    explain.add_argument("case", metavar="CASE", help="its whole name, BENCHMARK/ID")
    explain.add_argument("--benchmark", action="append", default=[], help="where it is (default: all imported)")
    explain.add_argument("--tokens-only", action="store_true", help="run nothing")
    add_prm_arguments(explain)
    check = commands.add_parser("check", help="the contract test of an adapter")
    check.add_argument("adapter", metavar="NAME|FILE.py", help="a family, or an adapter of your own")
    check.add_argument("--cases", metavar="FILE", help="a benchmark's file with cases to try")
    add_prm_arguments(check, "--weights", required=False)
    cases = commands.add_parser("cases", help="rewards of cases that are handed in, as JSON lines, one by one")
    cases.add_argument("--device", default="auto", help="cpu, cuda, cuda:N, or auto (default)")
    commands.add_parser("worker", help="blocks of cases of a run, for which it is started")
    for parser in (explain, check, cases):
        parser.add_argument("-w", "--workspace", metavar="DIR", help="the workspace's folder (default: none)")


if __name__ == "__main__":
    sys.exit(main())
