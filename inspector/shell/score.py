"""`score`: run a PRM on a benchmark in a process of its own and show how far it is."""

import argparse
import re
import shutil
import sys
from dataclasses import dataclass
from typing import Any

from inspector.jobs import Job, signals_passed_on
from inspector.request import shell_word
from inspector.scoring_words import ended, speed, started
from inspector.selection import find_workspace
from inspector.text import clean
from scoring.prms.base import OVER_LENGTH
from scoring.workspace import Workspace

OWN = (
    "model", "revision", "base", "adapter", "name", "dtype", "device", "token_budget", "limit", "sample", "stratify",
)  # fmt: skip
"""Options that go to the scoring process as they are."""
FLAGS = ("dry_run", "truncate", "retry_refused", "allow_pickle")
"""And those without a value."""


def run(args: argparse.Namespace) -> int:
    """Score and wait; the exit code is the scoring process's own."""
    # The demo is known everywhere, so it can be scored before anything was imported.
    workspace = find_workspace(args.workspace, create=args.benchmarks == ["demo"])
    words = ["score", *args.benchmarks, "--workspace", str(workspace.root), "--seed", str(args.seed)]
    for option in OWN:
        value = getattr(args, option)
        if value is not None:
            words.append(f"--{option.replace('_', '-')}={value}")
    words += [f"--where={condition}" for condition in args.where]
    words += [f"--option={name}={value}" for name, value in args.option]
    words += [f"--{flag.replace('_', '-')}" for flag in FLAGS if getattr(args, flag)]
    told = _Told()
    code = _follow(Job(words), told, quiet=args.quiet)
    if not args.quiet:
        if told.too_long and not args.truncate:
            _line(f"{told.too_long:,} of the refused are too long for the model: --truncate scores their first steps.")
        if told.has_rewards:
            _line(f"See them: {' '.join(looking(args, workspace))}")
    return code


def looking(args: argparse.Namespace, workspace: Workspace) -> list[str]:
    """The command that shows what was scored, as words of a shell."""
    words = ["prm-inspect", *(["-w", args.workspace] if args.workspace is not None else [])]
    if sorted(set(args.benchmarks)) != workspace.default_benchmarks():
        words += [word for name in dict.fromkeys(args.benchmarks) for word in ("--benchmark", name)]
    return [shell_word(word) for word in words]


def follow(job: Job, *, quiet: bool) -> int:
    """Show a job's events until it ends; a signal to stop is passed on, and then it saves what it has."""
    return _follow(job, _Told(), quiet=quiet)


@dataclass
class _Told:
    """What a run has told so far that matters when it has ended."""

    saved: int = 0
    too_long: int = 0
    has_rewards: bool = False
    ended: bool = False

    def note(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "saved":
            self.saved = event["total"]
        elif kind == "case_refused" and not event["scored_steps"]:
            self.too_long += bool(re.match(OVER_LENGTH, event["reason"]))
        elif kind == "end":
            self.ended = True
            self.has_rewards = bool(event["scored"] or event["truncated"] or event["cached"])


def _follow(job: Job, told: _Told, *, quiet: bool) -> int:
    with signals_passed_on(job):
        for event in job.events():
            told.note(event)
            if not quiet:
                _tell(event)
        code = job.wait()
    if not told.ended:
        _line("The scoring process ended without a word.")
    if told.saved and code not in {0, 1, 130, 143}:
        _line(f"{told.saved:,} cases were saved before: the same command goes on with what is left.")
    return code if told.ended or code > 0 else 2


def _tell(event: dict[str, Any]) -> None:
    """One event in words, on standard error; progress stays on one line of a terminal."""
    kind = event["event"]
    if kind == "start":
        _line(started(event))
        for note in event["notes"]:
            _line(note)
    elif kind == "ready":
        _line(f"{event['engine']} loaded in {event['seconds']:.1f} s")
    elif kind == "progress":
        _progress(event)
    elif kind == "case_refused":
        what = "truncated" if event.get("scored_steps") else "refused"
        _line(f"{what}: {event['case']}: {event['reason']}")
    elif kind == "end":
        _end(event)


def _progress(event: dict[str, Any]) -> None:
    if not sys.stderr.isatty():
        return
    done, to_do = event["done"], event["to_do"]
    words = f"{done:,}/{to_do:,}  {speed(event)}"
    # A line that is wrapped could not be written over; the last column is left for the cursor.
    room = shutil.get_terminal_size().columns - 1
    width = min(30, room - len(words) - 3)
    bar = "#" * (width * done // max(1, to_do))
    line = f"[{bar:<{width}}] {words}" if width >= 10 else words
    print(f"\r{line[:room]}\x1b[K", end="", file=sys.stderr)
    sys.stderr.flush()


def _end(event: dict[str, Any]) -> None:
    if event["status"] == "failed":
        # The process has said why on its own standard error, which is ours.
        return
    _line(f"{ended(event, 'the same command')}.")
    if event["tokens"]:
        padding = event["padding"] / (event["tokens"] + event["padding"])
        other = f", {event['case_tokens']:,} of them for these cases" if event["case_tokens"] != event["tokens"] else ""
        _line(f"{event['tokens']:,} tokens run{other}, {padding:.1%} padding besides")


def _line(text: str) -> None:
    """A line of words, over a progress line if there is one."""
    start = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{start}{clean(text)}", file=sys.stderr)
