"""The child process of `scoring.formats.reading.math_verify`: reads pairs of answers, writes whether they are equal.

A line of input is `[reference, answer]`, a line of output `true`, `false`, or `null` where a side cannot be read as an
expression. A pair that takes too much processor time ends the process.
"""

import json
import os
import resource
import signal
import sys
from functools import lru_cache
from typing import Any

MEMORY = 2 << 30
"""Bytes of address space that the process may have."""
SECONDS = 3.0
"""Processor time for one pair."""


def main() -> None:
    """Answer line by line until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Whatever libraries print must not stand among the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    import math_verify  # noqa: F401  # before the first pair, whose time it would take

    # Its default action ends the process, which no code of a library can prevent.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin:
        reference, answer = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        decided = _equal(reference, answer)
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(f"{json.dumps(decided)}\n")
        answers.flush()


def _equal(reference: str, answer: str) -> bool | None:
    from math_verify import verify

    try:
        gold, target = _parsed(reference), _parsed(answer)
        return bool(verify(gold, target, timeout_seconds=None, raise_on_error=True)) if gold and target else None
    except Exception:  # noqa: BLE001  # whatever sympy raises, the pair is undecided
        return None


@lru_cache(maxsize=1024)
def _parsed(answer: str) -> list[Any]:
    """Parse an answer; nothing where it is no expression."""
    from math_verify import parse

    parsed = parse(f"\\boxed{{{answer}}}", parsing_timeout=None, raise_on_error=True)
    return parsed if any(not isinstance(part, str) for part in parsed) else []


if __name__ == "__main__":
    main()
