"""The scoring command in a process of its own, as a person or the app starts it; or, much quicker, in this one."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parents[1]
NO_HUB = {"HF_HUB_OFFLINE": "1", "HF_HOME": "/nonexistent"}


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
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
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


def said(*words, seconds=300, **settings):
    """Exit code and all words of another command, such as `module="inspector.cli"`."""
    with started(*words, **settings) as process:
        out, err = process.communicate(timeout=seconds)
    return process.returncode, out + err


def only(events, name):
    """The one event of this name."""
    (found,) = [event for event in events if event["event"] == name]
    return found
