"""A real server in a process of its own on loopback, started from the environment that runs the tests."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx

SECONDS = 400
"""Until a server must answer: a busy machine needs minutes for what an idle one does in forty seconds."""


class ServerProcess:
    """A server that is starting, at `url`.

    `command` makes its words from a free port, `environment` is added to ours where nothing is set yet, and what it
    prints goes to the file `log`.
    """

    def __init__(self, command, environment, log):
        self.log = Path(log)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                command(port), stdout=out, stderr=out, env={**environment, **os.environ}, start_new_session=True
            )

    def wait(self, seconds=SECONDS):
        """Its address, once it answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/health", timeout=5).is_success:
                    return self.url
            time.sleep(0.5)
        said = self.log.read_text(errors="replace")[-4000:]
        raise RuntimeError(f"no server after {seconds} s (exit code {self.process.poll()}):\n{said}")

    def stop(self):
        """End it with the processes that it started, which are its group."""
        for how, seconds in ((signal.SIGTERM, 20), (signal.SIGKILL, 20)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        assert self.process.poll() is not None

    @contextlib.contextmanager
    def running(self):
        """Its address, for as long as the block lasts."""
        try:
            yield self.wait()
        finally:
            self.stop()
