"""The scoring command in a process of its own, as a person or the app starts it; or, much quicker, in this one."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parents[2]
NO_HUB = {"HF_HUB_OFFLINE": "1", "HF_HOME": "/nonexistent"}


def light(seconds: float = 0.0) -> dict[str, str]:
    """The environment of scoring processes whose engine on the CPU needs no torch, and which start as quickly as any
    other: for what is about processes and not about numbers. A batch of eight cases takes so many seconds."""
    folders = [Path(__file__).parent / "light_engine", Path(__file__).parent, ROOT]
    return {"PYTHONPATH": os.pathsep.join(map(str, folders)), "BATCH_SECONDS": str(seconds)}


def started(*words, module="scoring", env=None):
    """`python -m scoring ...`, or another module's command; its output is to be read."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **NO_HUB, **(env or {})},
    )


def ran(*words, seconds=300, **settings):
    """Exit code, events and words of a whole run in a process of its own."""
    with started(*words, **settings) as process:
        out, err = process.communicate(timeout=seconds)
    return process.returncode, [json.loads(line) for line in out.splitlines()], err


def ran_here(*words: object, env: dict[str, str] | None = None) -> tuple[int, list[Any], str]:
    """The same without a process of its own, which takes seconds to import torch. For all that is not about processes:
    whoever kills, signals, or looks at what a process imports needs `ran`."""
    from scoring.__main__ import main

    code, out, err = captured(lambda: main([str(word) for word in words]), env={**NO_HUB, **(env or {})})
    return code, [json.loads(line) for line in out.splitlines()], err


def captured(work: Callable[[], int], *, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    """The exit code of a command that is called, and what it writes to descriptors 1 and 2."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, env or {}))
        stack.enter_context(warnings.catch_warnings())
        # As in a process that nobody told to end with the first warning.
        warnings.simplefilter("default")
        files = [stack.enter_context(tempfile.TemporaryFile("w+", newline="")) for _ in range(2)]
        saved = [os.dup(1), os.dup(2)]
        for number, file in enumerate(files, 1):
            os.dup2(file.fileno(), number)
        streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
        try:
            code = work()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            sys.stdout, sys.stderr = streams
            for number, descriptor in enumerate(saved, 1):
                os.dup2(descriptor, number)
                os.close(descriptor)
        for file in files:
            file.seek(0)
        return code, files[0].read(), files[1].read()


class RunHere:
    """What `start_python` returns, of a job that was run in this process and has ended."""

    def __init__(self, _module: str, *words: str, stderr: Any = None, **_: object) -> None:
        from scoring.__main__ import main

        self.returncode, out, err = captured(lambda: main(list(words)))
        self.stdout, self.stdin = io.BytesIO(out.encode()), None
        if stderr is None:
            sys.stderr.write(err)

    def wait(self, _: float | None = None) -> int:
        return self.returncode

    poll = wait


@contextlib.contextmanager
def jobs_here() -> Iterator[None]:
    """The jobs that `prm-inspect` starts are run in this process while this lasts: each would take seconds to import
    torch. What is told of one is read as it is of a process, by the same code."""
    with patch("inspector.state.processes.job.start_python", RunHere):
        yield


def commanded_here(
    *words: object, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`prm-inspect ...` in this process, and the jobs that it starts too; as `subprocess.run` would tell of it."""
    from inspector.cli import main

    with contextlib.chdir(cwd), jobs_here():
        code, out, err = captured(lambda: main([str(word) for word in words]), env=env)
    return subprocess.CompletedProcess(list(map(str, words)), code, out, err)


def said(*words, seconds=300, **settings):
    """Exit code and all words of another command, such as `module="inspector.cli"`."""
    with started(*words, **settings) as process:
        out, err = process.communicate(timeout=seconds)
    return process.returncode, out + err


def only(events, name):
    """The one event of this name."""
    (found,) = [event for event in events if event["event"] == name]
    return found
