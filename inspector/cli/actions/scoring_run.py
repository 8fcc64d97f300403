"""`score`: run a PRM or ask a critic on a benchmark, in a process of its own, and show how far it is."""

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from inspector.cli.actions.progress import say_over_progress, show_progress
from inspector.cli.corrected_commands import print_corrections
from inspector.render.texts.sentences import counted
from inspector.state.processes.job import Job, signals_passed_on
from inspector.state.processes.scoring_words import RecentRate, node_lines, parts_done, speed, words_of
from scoring.data.errors import InspectError, UsageError
from scoring.data.names import without
from scoring.data.readout import BEYOND_MEMORY, FAILED
from scoring.data.storage.files import expand_home
from scoring.data.training_point import checkpoints_in, point_of_model
from scoring.models.prms.base import OVER_LENGTH
from scoring.runs.arguments import add_arguments
from scoring.runs.plan import REFUSED
from scoring.selection.query import Query, shell_word
from scoring.selection.saved_slices import with_slices
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import find_workspace

ALIKE = 5
"""Cases told one by one that a critic lacks answers of; of more only their number: a server that is down has many."""


def run(args: argparse.Namespace) -> int:
    """Score and wait; the exit code is the scoring process's own.

    Raises:
        UsageError: neither a PRM nor a critic is named, or a flag lacks another; InspectError as for the workspace.
    """
    if not (args.model or args.critic):
        raise UsageError("score needs a PRM or a critic.", "Give --model DIR_OR_ID, or --critic PROTOCOL --server URL.")
    if args.stratify and args.sample is None:
        others = without("--stratify", meaning="all of the cases")
        sentence = "--stratify divides what --sample draws."
        raise UsageError(sentence, "Give --sample N too, or leave --stratify out.", instead=others)
    # The demo is known everywhere, so it can be scored before anything was imported.
    workspace = find_workspace(args.workspace, create=args.benchmarks == ["demo"])
    words = ["score", *args.benchmarks, "--workspace", str(workspace.root), "--seed", str(args.seed)]
    words += [f"--where={condition}" for condition in _conditions(args, workspace)]
    record = _Told()
    for each in _each_checkpoint(args):
        code = _follow(Job([*words, *scoring_flags(each)]), record, quiet=args.quiet)
        record.codes.append(code)
        if code not in {0, 1}:
            break
    if record.error is not None:
        print_corrections(args.command_line, record.error)
    code = code if code not in {0, 1} else max(record.codes)
    if not args.quiet:
        for line in _next_steps(args, workspace, record):
            say_over_progress(line)
    return code


def _each_checkpoint(args: argparse.Namespace) -> list[argparse.Namespace]:
    """The arguments themselves; for a training run's folder without weights of its own, those of each checkpoint in it.

    Raises:
        UsageError: one training step is stated for several checkpoints.
    """
    checkpoints = checkpoints_in(expand_home(args.model)) if args.model else ()
    if not checkpoints:
        return [args]
    if args.at is not None and len(checkpoints) > 1:
        raise UsageError(
            f"--at is for one checkpoint, and {args.model} holds {len(checkpoints)}.", f"Score {checkpoints[0]} alone."
        )
    runs = []
    for path in checkpoints:
        name = None if args.name is None else f"{args.name}-{point_of_model(str(path)).at}"
        runs.append(argparse.Namespace(**{**vars(args), "model": str(path), "name": name}))
    return runs


def _conditions(args: argparse.Namespace, workspace: Workspace) -> tuple[str, ...]:
    """The conditions that were given and those of slices.

    Raises:
        UsageError: no such slice, or one that searches the texts.
    """
    query = with_slices(Query(where=tuple(args.where), slices=tuple(args.slice)), workspace.root)
    if query.search:
        raise UsageError("score does not search texts, and a slice does.", "Save it without its search.")
    return query.where


def scoring_flags(args: argparse.Namespace) -> list[str]:
    """Return every option of a scoring run that is not as it would be anyway, as words for the scoring process."""
    parser = argparse.ArgumentParser(add_help=False)
    add_arguments(parser)
    usual = vars(parser.parse_args(["-"]))
    del usual["benchmarks"]
    return [word for name, value in usual.items() if getattr(args, name) != value for word in _flag(name, args)]


def _flag(name: str, args: argparse.Namespace) -> Iterator[str]:
    """One option, `--name=value`: a value may begin with a dash."""
    flag, value = f"--{name.replace('_', '-')}", getattr(args, name)
    if value is True:
        yield flag
        return
    for item in value if isinstance(value, list) else [value]:
        text = "=".join(item) if isinstance(item, tuple) else "none" if item is None else str(item)
        yield f"{flag}={text}"


def _next_steps(args: argparse.Namespace, workspace: Workspace, record: "_Told") -> Iterator[str]:
    if record.too_long and not args.truncate:
        yield f"{record.too_long:,} of the refused are too long for the model: --truncate scores their first steps."
    if record.no_memory:
        yield f"{counted(record.no_memory, 'case')} for which there was no memory: the same command tries again."
    if record.lacking:
        yield f"{counted(record.lacking, 'case')} without an answer that should have come: the same command asks again."
    if record.lasting:
        yield f"{counted(record.lasting, 'case')} that asking again would not help: --retry-refused asks all the same."
    if record.has_rewards:
        yield f"See them: {' '.join(look_command(args, workspace))}"
        if len(record.codes) > 1:
            series = args.series or point_of_model(str(checkpoints_in(expand_home(args.model))[0])).series
            yield f"What training changed: {' '.join(look_command(args, workspace, 'timeline', str(series)))}"
        if args.critic and (args.votes or 1) > 1:
            yield f"What fewer votes would have said: {' '.join(look_command(args, workspace, 'votes'))}"


def look_command(args: argparse.Namespace, workspace: Workspace, *verb: str) -> list[str]:
    """Return the command that shows what was scored, as words of a shell."""
    words = ["prm-inspect", *verb, *(["-w", args.workspace] if args.workspace is not None else [])]
    if sorted(set(args.benchmarks)) != workspace.default_benchmarks():
        words += [word for name in dict.fromkeys(args.benchmarks) for word in ("--benchmark", name)]
    return [shell_word(word) for word in words]


def follow(job: Job, *, quiet: bool) -> int:
    """Show a job's events until it ends; a signal to stop is passed on, and then it saves what it has."""
    return _follow(job, _Told(), quiet=quiet)


class _Told(Struct):
    """What a run has told so far that matters when it has ended.

    `no_memory` are cases for which there was none, which are tried again by themselves. `asks` that it is a critic's,
    whose answers are saved one by one. `lacking` and `lasting` are cases without all of their answers: those that are
    asked for again by themselves, and those that are not. `nodes` are the latest words of each machine of several, and
    `engines` those that are loaded. `codes` are the exit codes of the runs that have ended; `error` is why the last of
    them failed.
    """

    saved: int = 0
    too_long: int = 0
    no_memory: int = 0
    lacking: int = 0
    lasting: int = 0
    asks: bool = False
    has_rewards: bool = False
    ended: bool = False
    nodes: list[str] = field(default_factory=list)
    engines: set[str] = field(default_factory=set)
    codes: list[int] = field(default_factory=list)
    error: InspectError | None = None

    def note(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        self.asks |= bool(event.get("asked"))
        if kind == "saved":
            self.saved = event["total"]
        elif kind == "case_refused" and not event.get("scored_steps"):
            self.too_long += bool(re.match(OVER_LENGTH, event["reason"]))
            self.no_memory += BEYOND_MEMORY in event["reason"]
            self.lacking += event["reason"].startswith(FAILED)
            self.lasting += event["reason"].startswith(REFUSED)
        elif kind == "nodes":
            self.nodes = list(node_lines(event))
        elif kind == "end":
            self.ended = True
            self.error = InspectError.of(event["error"]) if event.get("error") else None
            self.has_rewards |= bool(event["scored"] or event["truncated"] or event["cached"])

    def worth_telling(self, event: dict[str, Any]) -> bool:
        """Whether an event should be told: not the hundredth case to which no answer came, or worker that is like one
        before.
        """
        if event["event"] == "ready":
            before = event["engine"] in self.engines
            self.engines.add(event["engine"])
            return not before
        return event["event"] != "case_refused" or self.no_memory + self.lacking + self.lasting <= ALIKE


def _follow(job: Job, record: _Told, *, quiet: bool) -> int:
    record.ended, record.saved, record.nodes = False, 0, []
    rate = RecentRate()
    record.engines.clear()
    with signals_passed_on(job):
        for event in job.events():
            record.note(event)
            if not quiet and record.worth_telling(event):
                _tell(event, record.nodes, rate)
        code = job.wait()
    if not record.ended:
        say_over_progress("The scoring process ended without a word.")
    if record.saved and code not in {0, 1, 130, 143}:
        what = "answer" if record.asks else "case"
        say_over_progress(
            f"{counted(record.saved, what)} were saved before: the same command goes on with what is left."
        )
    return code if record.ended or code > 0 else 2


def _tell(event: dict[str, Any], nodes: Sequence[str] = (), rate: RecentRate | None = None) -> None:
    """One event in words, on standard error; progress stays on one line of a terminal, with a line a machine below."""
    if event["event"] == "progress":
        done, to_do = parts_done(event)
        show_progress(done, to_do, f"{done:,}/{to_do:,}  {speed(event, rate.after(event) if rate else 0.0)}", nodes)
        return
    for line in words_of(event, "the same command"):
        say_over_progress(line)
    if event["event"] == "end":
        for line in nodes:
            say_over_progress(line)
