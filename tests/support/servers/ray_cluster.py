"""A real Ray cluster of several nodes on this machine, each a process group of its own on a loopback address.

127.0.0.1 would be rewritten to the machine's own address, and two clusters at once must not kill each other's
processes: each takes a network of 127.0.0.0/8 for itself. Whoever joins needs the token.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

HEAD = 2
STORE_BYTES = 80_000_000
SECONDS = 120


class RayCluster:
    """A head of no CPU, and nodes of one CPU each (or more) that come and go. Leave it to end all of them."""

    def __init__(self, **environment):
        self.network = f"127.{1 + secrets.randbelow(254)}.{secrets.randbelow(256)}"
        self.address = None
        self.environment = {
            **environment,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(16),
            "RAY_USAGE_STATS_ENABLED": "0",
            # What each process starts is on the same two processors.
            "RAY_raylet_start_wait_time_s": str(SECONDS),
        }
        # Not below pytest's folder: the paths of sockets must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="ray"))
        self._nodes = {}
        self._last = HEAD

    def __enter__(self):
        # Ray chooses the port: it listens on every address, so a port that is free on ours can be taken.
        head = ("--head", "--port", "0", "--node-ip-address", self.host(HEAD), "--temp-dir", self.folder)
        told = self._start(HEAD, *head, cpus=0)
        self.address = re.search(r"--address='([\d.:]+)'", told)[1]
        return self

    def __exit__(self, *_):
        for number in list(self._nodes):
            self.kill(number)
        shutil.rmtree(self.folder, ignore_errors=True)

    def host(self, number):
        """The address of a node."""
        return f"{self.network}.{number}"

    def add(self, count=1, cpus=1):
        """Start nodes, and give their numbers."""
        # One after the other: nodes of one machine that start at once wait for each other for ever.
        numbers = range(self._last + 1, self._last + 1 + count)
        for number in numbers:
            self._last = number
            self._start(number, "--address", self.address, "--node-ip-address", self.host(number), cpus=cpus)
        return list(numbers)

    def kill(self, number):
        """End a node and everything on it at once."""
        node = self._nodes.pop(number)
        with suppress(ProcessLookupError):
            os.killpg(node.pid, signal.SIGKILL)
        node.wait()
        # Ray gives what it starts groups of their own.
        for pid in processes(rf"\b{self.host(number)}\b"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def workers(self):
        """The processes of actors that compute, on all nodes."""
        nodes = processes(rf"raylet\b.*\b{self.network}\.")
        return [pid for pid in processes("^ray::_Actor") if parent(pid) in nodes]

    def _start(self, number, *words, cpus=1):
        further = ["--num-cpus", cpus, "--num-gpus", 0, "--object-store-memory", STORE_BYTES, "--block"]
        log = self.folder.with_suffix(f".{number}")
        with log.open("wb") as out:
            self._nodes[number] = subprocess.Popen(
                [Path(sys.executable).parent / "ray", "start", *map(str, [*words, *further])],
                env={**os.environ, **self.environment},
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        until = time.monotonic() + SECONDS
        while "Ray runtime started" not in (told := log.read_text(errors="replace")):
            if time.monotonic() > until or self._nodes[number].poll() is not None:
                raise AssertionError(told)
            time.sleep(0.1)
        log.unlink()
        return told


def processes(pattern):
    """The processes whose command line has this in it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if re.search(pattern, line):
                found.append(int(path.parent.name))
    return sorted(found)


def parent(pid):
    """Who started a process; None where it has ended."""
    with suppress(OSError):
        # The name before it stands in parentheses and may hold spaces.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
