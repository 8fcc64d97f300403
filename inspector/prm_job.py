"""One question about a PRM, asked of a scoring process: engines and tokenizers stay out of this one."""

import argparse
from collections.abc import Sequence
from typing import Any

from inspector.jobs import Job, signals_passed_on

_WORDS = ("revision", "base", "adapter", "dtype", "device")


def prm_words(args: argparse.Namespace, flag: str = "--model") -> list[str]:
    """The arguments that say which PRM, for another command line; `flag` is that of the checkpoint."""
    words = [] if args.model is None else [flag, args.model]
    for name in _WORDS:
        value = getattr(args, name, None)
        if value not in (None, "auto"):
            words += [f"--{name}", value]
    for name, value in args.option:
        words += ["--option", f"{name}={value}"]
    return [*words, "--allow-pickle"] if args.allow_pickle else words


def ask(words: Sequence[str]) -> tuple[int, dict[str, Any] | None]:
    """Exit code and answer of `python -m scoring WORDS`; no answer where it failed, which it has said itself."""
    job = Job(words)
    answer = None
    with signals_passed_on(job):
        for event in job.events():
            answer = event if event["event"] != "end" else answer
        code = job.wait()
    return (code if code >= 0 else 128 - code), answer
