"""One question about a PRM, asked of a scoring process: engines and tokenizers stay out of this one."""

import argparse
from collections.abc import Sequence
from typing import Any

from inspector.state.processes.job import Job, signals_passed_on
from scoring.data.errors import InspectError

_WORDS = ("revision", "base", "reference", "adapter", "dtype", "device")


def prm_words(args: argparse.Namespace, flag: str = "--model") -> list[str]:
    """Return the arguments that say which PRM, for another command line; `flag` is that of the checkpoint."""
    words = [] if args.model is None else [flag, args.model]
    for name in _WORDS:
        value = getattr(args, name, None)
        if value not in (None, "auto"):
            words += [f"--{name}", value]
    for name, value in args.option or ():
        words += ["--option", f"{name}={value}"]
    return [*words, "--allow-pickle"] if args.allow_pickle else words


class Unanswered(InspectError):  # noqa: N818  # it is what happened
    """A scoring process did not tell what it was asked. It said why on its standard error, and ended with `code`."""

    def __init__(self, code: int, error: InspectError) -> None:
        super().__init__(error.sentence, error.next_step, instead=error.instead)
        self.code = code


def answer_to(words: Sequence[str]) -> dict[str, Any]:
    """Return the answer of `python -m scoring WORDS`.

    Raises:
        Unanswered: there is none.
    """
    code, answer, end = _asked(words)
    if answer is None:
        error = end.get("error") or {"sentence": "the scoring process was stopped.", "next_step": ""}
        raise Unanswered(code or 2, InspectError.of(error))
    return answer


def ask(words: Sequence[str]) -> tuple[int, dict[str, Any] | None]:
    """Return the exit code and answer of `python -m scoring WORDS`; no answer where it failed, which it said itself."""
    code, answer, _ = _asked(words)
    return code, answer


def _asked(words: Sequence[str]) -> tuple[int, dict[str, Any] | None, dict[str, Any]]:
    """Exit code, answer, and how it ended where it says that."""
    job = Job(words)
    answer, end = None, {}
    with signals_passed_on(job):
        for event in job.events():
            if event["event"] == "end":
                end = event
            else:
                answer = event
        code = job.wait()
    return (code if code >= 0 else 128 - code), answer, end
