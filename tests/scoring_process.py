"""The scoring command in a process of its own, as a person or the app starts it."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def started(*words, module="scoring", env=None):
    """`python -m scoring ...`, or another module's command; its output is to be read."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "HF_HUB_OFFLINE": "1", **(env or {})},
    )


def ran(*words, seconds=300, **settings):
    """Exit code, events and words of a whole run."""
    with started(*words, **settings) as process:
        out, err = process.communicate(timeout=seconds)
    return process.returncode, [json.loads(line) for line in out.splitlines()], err


def said(*words, seconds=300, **settings):
    """Exit code and all words of another command, such as `module="inspector.cli"`."""
    with started(*words, **settings) as process:
        out, err = process.communicate(timeout=seconds)
    return process.returncode, out + err


def only(events, name):
    """The one event of this name."""
    (found,) = [event for event in events if event["event"] == name]
    return found
