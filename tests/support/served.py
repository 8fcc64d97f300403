"""`prm-inspect serve` in a process of its own, and the apps that a server has started."""

import asyncio
import os
import sys
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

STUBBORN = "import os, signal, time; signal.signal(15, signal.SIG_IGN); os.write(1, b'__GANGLION__\\n'); time.sleep(99)"
"""A program in the place of the app that does not end when it is asked to."""
PATIENCE = 30
"""Seconds."""


@asynccontextmanager
async def command(*words, cwd, **variables):
    """`prm-inspect serve` in a process of its own: the process, and the address that it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "inspector.cli", "serve", "--port", "0", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, "XDG_STATE_HOME": str(cwd / "state"), "PRM_INSPECT_WORKSPACE": "", **variables},
    )
    try:
        yield process, (await process.stdout.readline()).decode().strip()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def children(of=None):
    """The apps that this process, or another, has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            ours = b"serving.visitor" in (line := (entry / "cmdline").read_bytes()) or STUBBORN.encode() in line
            if ours and int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == (of or os.getpid()):
                found.append(int(entry.name))
    return found


async def child(of=None):
    """The one app, once it is there."""
    end = time.monotonic() + PATIENCE
    while not (found := children(of)):
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    (number,) = found
    return number


async def gone(*numbers):
    """Wait until no such process is there, not even as one that nobody has waited for."""
    end = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{number}").exists() for number in numbers):
        assert time.monotonic() < end
        await asyncio.sleep(0.02)
