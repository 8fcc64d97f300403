"""Processes that work until they are killed at random moments, and what they had told by then.

They are no forks of one that has imported everything: polars has threads from its import on, which a fork loses.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

KILLS = 20
_READY, _KEPT = "ready", "kept "


def told_until_killed(moments: random.Random, most: int, work: Callable[..., None], *args: Any) -> list[str]:
    """The whole lines that the work had told when it was killed: a moment after up to `most` lines had come.

    By lines and not by the clock, so that kills fall on all stages of the work on a busy machine too.
    """
    support = Path(__file__).parent
    with subprocess.Popen(
        [sys.executable, __file__, work.__name__, json.dumps(args, default=str)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (support, support.parents[1])))},
    ) as process:
        assert process.stdout.readline().strip() == _READY
        lines = [process.stdout.readline() for _ in range(moments.randint(0, most))]
        time.sleep(moments.uniform(0, 0.03))
        process.kill()
        lines += process.stdout.readlines()
    assert process.returncode == -signal.SIGKILL, "it ended before it was killed"
    return [line for line in lines if line.endswith("\n")]


def score_slowly(*words: str) -> None:
    """Run the scoring command; it saves every 16 rows, and a batch of eight cases takes a hundredth of a second."""
    import fake_scoring
    from scoring.__main__ import main
    from scoring.runs import row_saver
    from scoring.runs.engine_options import EngineOptions

    # Imported by the command, which would take time until a kill.
    import_module("scoring.runs.prm_command")
    row_saver.ROWS = 16
    EngineOptions.load = lambda *_, **__: fake_scoring.Engine(seconds=0.01)
    print(_READY, flush=True)
    main(list(words))


def ask_quickly(*words: str) -> None:
    """Run the command that asks a critic; it saves at once, and tries again at once."""
    from scoring.__main__ import main
    from scoring.engines.server import connections
    from scoring.runs import row_saver
    from servers.runs import QuickRetryPolicy

    # Imported by the command, which would take most of the time until a kill.
    import_module("scoring.runs.critic_command")
    row_saver.SECONDS = 0.01
    connections.RetryPolicy = QuickRetryPolicy
    print(_READY, flush=True)
    main(list(words))


def import_files(root: str, folder: str, first: int) -> None:
    """Run a command after the other that imports cases and scores, and tell of each that it is through."""
    from inspector.cli import main

    print(_READY, flush=True)
    for number in count(first):
        files = [f"{folder}/{name}-{number}.jsonl" for name in ("cases", "scores")]
        assert main(["import", "-q", *files, "-w", root]) == 0
        print(f"{_KEPT}{number}", flush=True)


def kept_files(lines: Sequence[str]) -> list[int]:
    """The numbers of the imports that were through."""
    return [int(line.removeprefix(_KEPT)) for line in lines if line.startswith(_KEPT)]


if __name__ == "__main__":
    globals()[sys.argv[1]](*json.loads(sys.argv[2]))
