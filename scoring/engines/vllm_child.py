"""vLLM's server as a child of this process: started, watched, and ended with us whatever happens.

It has a session of its own, so that Ctrl+C reaches us alone, and ends when we do (see `vllm_start`). It is known to be
ours by the name under which it serves the model, which no other server knows.
"""

import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from scoring.data.errors import EngineError, MissingExtra, UnwritableWorkspace
from scoring.data.python_child import start_python
from scoring.engines.server.address import GENERAL, OPENAI
from scoring.engines.server.connections import RetryPolicy
from scoring.engines.vllm_start import Settings
from scoring.models.checkpoint import INDEX, WHOLE, Checkpoint

VISIBLE = "CUDA_VISIBLE_DEVICES"
POLICY = RetryPolicy(timeout=24 * 3600.0, tries=3, base=0.5, down=5.0)
"""How a child is asked: one that cannot be reached has ended, and one that is well may take its time for what waits."""
SILENCE = 180.0
"""Seconds that a starting vLLM may say nothing in its log: a large model takes longer to load, and tells of it."""
_DEAF = 60.0
"""Seconds that a running one has to say that it is well, asked three times."""
_LOOKING = 10.0
"""Seconds between two looks."""
_TELLING = 5.0
"""Seconds between two sentences about the start."""
_ENDING = 10.0
"""Seconds to end by itself."""
_LONGEST_LOG = 8 << 20
"""Bytes from which on a log is begun anew."""
_LONGEST_FOLDER = 50
"""Characters that the path of temporary files may have, as that of a socket in it is at most 107."""
_SOURCE = re.compile(r"^(\(\w+ pid=\d+\) )?(INFO|WARNING|ERROR) [\d-]+ [\d:]+ \[[^\]]*\] ")
_WIDTH = 160
_SERVED = "prm-inspect-"


def log_for(root: Path | None, model: str) -> Path:
    """Choose the file for what a model's vLLM prints: in the workspace's folder `logs`, without one a temporary one."""
    folder = Path(tempfile.mkdtemp(prefix="prm-inspect-")) if root is None else root / "logs"
    return folder / f"vllm-{re.sub(r'[^A-Za-z0-9._-]+', '-', model).strip('-.') or 'model'}.log"


def weights_problem(checkpoint: Checkpoint) -> str:
    """Return what other weights than the checkpoint's vLLM would read; "" for none.

    It reads the files that an index names, also where one file with all weights lies beside it, and without an index
    every safetensors file of the folder.
    """
    ours = {tensor.file.name for tensor in checkpoint.tensors.values()}
    if (index := checkpoint.folder / INDEX).is_file():
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if others := sorted({*json.loads(index.read_bytes())["weight_map"].values()} - ours):
                return f"it would read {others[0]}, which {INDEX} names, and not {WHOLE}"
        return ""
    others = sorted({path.name for path in checkpoint.folder.glob("*.safetensors")} - ours)
    return f"it would read {others[0]} too, which lies beside {WHOLE}" if others else ""


class VllmChild:
    """A vLLM server for one model, at `url` under the name `served`. `facts`: version, device, devices and torch.

    To be made in a thread that lasts as long: Linux ends it with the thread that started it.
    """

    def __init__(self, settings: Mapping[str, Any], log: Path, tell: Callable[[str], object] = lambda _: None) -> None:
        """Start it and wait until it answers.

        Args:
            settings: fields of `vllm_start.Settings`; port and served name are chosen here. Of several GPUs it sees
                those of its `device`.
            log: the file that what it prints is added to.
            tell: hears how the start goes.

        Raises:
            MissingExtra: vLLM is not installed.
            EngineError: it cannot run here, or not this model; or it says nothing for too long.
            UnwritableWorkspace: there is no place for its log.
        """
        spec = find_spec("vllm")
        if spec is None or spec.origin is None:
            raise MissingExtra("vllm", "vllm")
        self.log = log
        self.served = f"{_SERVED}{secrets.token_hex(8)}"
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.facts: dict[str, Any] = {}
        self._lost = ""
        chosen = msgspec.convert({**settings, "served": self.served, "port": self.port}, Settings)
        folder = _temporary_folder()
        with _opened(log) as out:
            self._from = out.tell()
            words = [str(os.getpid()), msgspec.json.encode(chosen).decode()]
            self._process = start_python(
                "scoring.engines.vllm_start",
                *words,
                environment=_environment(folder) | visible_to(chosen.device, os.environ.get(VISIBLE)),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.close = weakref.finalize(self, _end, self._process, folder)
        try:
            self._wait(chosen.name, tell)
        except BaseException:
            self.close()
            raise
        threading.Thread(target=_watch, args=(weakref.ref(self),), name="vllm watch", daemon=True).start()

    def name(self, dtype: str) -> str:
        """Return what runs: versions, device, dtype."""
        facts = self.facts
        device = facts["device"] + (f" x{facts['devices']}" if facts["devices"] > 1 else "")
        return f"vllm {facts['version']}, torch {facts['torch']}, {device}, {dtype}"

    def check(self) -> None:
        """Make sure that it still runs.

        Raises:
            EngineError: it ended, or no longer says that it is well.
        """
        code = self._process.poll()
        if self._lost:
            raise EngineError(self._lost, f"Repeat the command: what is saved is not computed again. See {self.log}.")
        if code is not None:
            self.close()
            raise EngineError(
                f"vLLM ended while it ran ({_how(code)}); its last words: {self._last_line()}.",
                f"Repeat the command: what is saved is not computed again. See {self.log}.",
            )

    def _wait(self, name: str, tell: Callable[[str], object]) -> None:
        began = last_word = last_notice = time.monotonic()
        size = -1
        while not self._serves():
            now = time.monotonic()
            if (code := self._process.poll()) is not None:
                raise self._not_started(name, code)
            if size != (size := self.log.stat().st_size):
                last_word = now
            if now - last_word > SILENCE:
                raise EngineError(
                    f"vLLM has said nothing for {SILENCE:.0f} s while it loads {name}; its last words: "
                    f"{self._last_line()}.",
                    f"See {self.log}.",
                )
            if now - last_notice >= _TELLING:
                last_notice = now
                tell(f"vLLM is starting ({now - began:.0f} s): {self._last_line()}")
            time.sleep(0.2)
        self.facts = next(record for record in self._marked() if "version" in record)

    def _serves(self) -> bool:
        """Whether it answers, and it is ours: somebody else may have taken the port."""
        return self.served.encode() in _asked(f"{self.url}/v1/models", 5.0)

    def _not_started(self, name: str, code: int) -> EngineError:
        for record in self._marked():
            if "sentence" in record:
                return EngineError.of(record)
        words = self._words()
        if "address already in use" in words.lower():
            return EngineError(
                f"port {self.port} was free, and taken before vLLM could listen on it.", "Repeat the command."
            )
        # The first is the reason, and those that follow say that something did not come of it.
        first = next((line for line in words.splitlines() if re.search(r"\w+Error: ", line)), "")
        why = _cut(first) or self._last_line()
        return EngineError(f"vLLM cannot load {name} ({_how(code)}): {why}.", f"Its log says more: {self.log}.")

    def _words(self) -> str:
        with self.log.open("rb") as file:
            file.seek(self._from)
            return file.read().decode(errors="replace")

    def _marked(self) -> list[dict[str, Any]]:
        mark, lines = f"{self.served}: ", self._words().splitlines()
        return [json.loads(line.removeprefix(mark)) for line in lines if line.startswith(mark)]

    def _last_line(self) -> str:
        words = self._words().replace("\r", "\n")
        # Nor what others of ours have put into the same log.
        lines = [line for line in words.splitlines() if line.strip() and not line.startswith(_SERVED)]
        return _cut(lines[-1]) if lines else "nothing yet"

    def _look(self) -> bool:
        """Whether it is still worth looking after."""
        well = any(_asked(f"{self.url}/health", _DEAF / 3) for _ in range(3))
        if not well and self._process.poll() is None:
            self._lost = f"vLLM no longer says that it is well, and was ended; its last words: {self._last_line()}."
            # It would not hear anything else.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self.close()
        if self._process.poll() is not None:
            self.close()
        return bool(self.close.alive)


def _opened(log: Path) -> BinaryIO:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists() and log.stat().st_size > _LONGEST_LOG:
            log.unlink()
        return log.open("ab")
    except OSError as error:
        raise UnwritableWorkspace(f"{log} cannot be written ({error.strerror}).", "vLLM's words go there.") from None


def _watch(child: "weakref.ref[VllmChild]") -> None:
    """Look after it: one that hangs is ended, and what is left of one that was killed."""
    while True:
        time.sleep(_LOOKING)
        live_child = child()
        if live_child is None or not live_child._look():  # noqa: SLF001  # the thread is its own
            return
        del live_child


def _end(process: "subprocess.Popen[bytes]", folder: str) -> None:
    """End it with all processes that it started, which are its group, and remove its temporary files."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def _temporary_folder() -> str:
    """A folder for what vLLM does not remove: sockets, and files by which its processes find each other."""
    usual = tempfile.gettempdir()
    return tempfile.mkdtemp(prefix="vllm-", dir=usual if len(usual) <= _LONGEST_FOLDER else "/tmp")  # noqa: S108


def _environment(folder: str) -> dict[str, str]:
    """Ours, but for what would make it another server than we speak to, and what it has no business with."""
    dropped = (GENERAL, OPENAI, "VLLM_API_KEY")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    # Nothing that is looked at here is told to a server of the library's authors; and nothing is downloaded.
    # The processes that vLLM starts find this package too.
    places = [str(Path(__file__).parents[2]), *([kept["PYTHONPATH"]] if kept.get("PYTHONPATH") else [])]
    ours = {"VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    return ours | kept | {"PYTHONPATH": os.pathsep.join(places), "TMPDIR": folder}


def visible_to(device: str, visible: str | None) -> dict[str, str]:
    """Return the variable that shows a process the GPUs of a device, as `VllmEngine.load` takes it; nothing for auto
    and cpu.

    `visible` is what the variable says to this process; None = all GPUs.

    Raises:
        EngineError: there is no such device.
    """
    if device in {"auto", "cpu"}:
        return {}
    parts = [re.fullmatch(r"cuda(?::(\d+))?", part) for part in device.split("+")]
    names = None if visible is None else visible.split(",")
    try:
        places = [int(part[1] or 0) for part in parts]  # type: ignore[index]  # what is none is caught
        return {VISIBLE: ",".join(str(place) if names is None else names[place].strip() for place in places)}
    except (TypeError, IndexError):
        raise EngineError(
            f"vLLM has no device {device}.", "Give cuda:N of the GPUs that are visible, or cpu."
        ) from None


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _asked(url: str, seconds: float) -> bytes:
    """The status and the body of what is well; nothing of what is not. No proxy stands between us and this machine."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=seconds) as reply:
            return b"200 " + bytes(reply.read(1 << 20))
    except (OSError, http.client.HTTPException):
        return b""


def _how(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _cut(line: str) -> str:
    """A line of the log on one line of ours, without which process said it and when."""
    plain = _SOURCE.sub("", "".join(sign for sign in line if sign.isprintable()).strip())
    return (plain if len(plain) <= _WIDTH else plain[: _WIDTH - 1] + "…").rstrip(".")
