"""`score`: run a PRM on a benchmark in a process of its own and show how far it is."""

import argparse
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from inspector.jobs import Job
from inspector.selection import find_workspace
from inspector.text import clean

OWN = ("model", "revision", "adapter", "name", "dtype", "device", "token_budget", "limit", "sample", "stratify")
"""Options that go to the scoring process as they are."""


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
    words += [flag for flag, on in (("--dry-run", args.dry_run), ("--retry-refused", args.retry_refused)) if on]
    job = Job(words)
    return follow(job, quiet=args.quiet)


def follow(job: Job, *, quiet: bool) -> int:
    """Show a job's events until it ends; a signal to stop is passed on, and then it saves what it has."""
    ended = False
    with _passed_on(job):
        for event in job.events():
            ended = event["event"] == "end"
            if not quiet:
                _tell(event)
        code = job.wait()
    if not ended:
        _line("The scoring process ended without a word; what it had saved is kept.")
        return code if code > 0 else 2
    return code


@contextmanager
def _passed_on(job: Job) -> Iterator[None]:
    """SIGINT and SIGTERM go to the job while this lasts."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: job.signal(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _tell(event: dict[str, Any]) -> None:
    """One event in words, on standard error; progress stays on one line of a terminal."""
    kind = event["event"]
    if kind == "start":
        refused = f", {event['refused']:,} refused before" if event["refused"] else ""
        _line(f"{event['scorer']}: {event['cached']:,} cached{refused}, {event['to_do']:,} to do")
        _lines(event["notes"])
    elif kind == "ready":
        _line(f"{event['engine']} loaded in {event['seconds']:.1f} s")
    elif kind == "progress":
        _progress(event)
    elif kind == "case_refused":
        _line(f"refused: {event['case']}: {event['reason']}")
    elif kind == "end":
        _end(event)


def _progress(event: dict[str, Any]) -> None:
    if not sys.stderr.isatty():
        return
    done, to_do = event["done"], event["to_do"]
    width = 30
    bar = "#" * (width * done // max(1, to_do))
    speed = done / event["seconds"] if event["seconds"] else 0.0
    left = f"{(to_do - done) / speed:,.0f} s left" if speed else ""
    refused = f", {event['refused']:,} refused" if event["refused"] else ""
    print(f"\r[{bar:<{width}}] {done:,}/{to_do:,}  {speed:.1f} cases/s  {left}{refused}\x1b[K", end="", file=sys.stderr)
    sys.stderr.flush()


def _end(event: dict[str, Any]) -> None:
    if event["status"] == "failed":
        # The process has said why on its own standard error, which is ours.
        return
    words = {"done": "Done", "interrupted": "Interrupted", "dry_run": "Only looked"}[event["status"]]
    saved = f"{event['saved']:,} saved, {event['refused']:,} refused, {event['left']:,} left"
    _line(f"{words}: {saved}, in {event['seconds']:.1f} s")
    if event["tokens"]:
        padding = event["padding"] / (event["tokens"] + event["padding"])
        _line(
            f"{event['tokens']:,} tokens run for {event['case_tokens']:,} of the cases, {padding:.1%} padding besides"
        )


def _lines(texts: Iterable[str]) -> None:
    for text in texts:
        _line(text)


def _line(text: str) -> None:
    """A line of words, over a progress line if there is one."""
    start = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{start}{clean(text)}", file=sys.stderr)
