"""Write `tests/data/workspace-VERSION.zip`: files that an old version wrote, and what its commands said about them.

The old version writes all of it, by its commands and, in a terminal, by its app. A zip holds `workspace/`, `home/`
(state, settings and the user's own data), `files/` (what the version was given) and `expected/` (a JSON document per
command: its words, its exit code and its output). A script per version says what the version is given and does.
"""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from capturing.main import ROOT, Side, old_version, workspace_zip
from capturing.plan import SPACE, Command
from servers import fault_server
from terminal import Terminal

MODEL = "models/tiny-prm-s"
"""The folder of the demo's small PRM, which every version is given."""


@dataclass(frozen=True)
class OldVersion:
    """An old version at work in a folder of its own, which is the same on every machine: some files name it.

    `left_out` names files and folders that the zip does not hold: caches, and files that describe the machine.
    """

    name: str
    commit: str
    left_out: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The folder in which the version works; its name does not tell whose machine it is."""
        return Path(f"/tmp/prm-inspect-{self.name}")  # noqa: S108

    @property
    def zip(self) -> Path:
        return workspace_zip(self.name)

    @cached_property
    def side(self) -> Side:
        return Side(*old_version(self.commit), self.folder)

    @contextmanager
    def at_work(self, files: Mapping[str, Callable[[], str]], keymap: str) -> Iterator[None]:
        """Make the folder with these files, the model and a keymap; remove it at the end."""
        self.folder.mkdir()
        try:
            for name, text in files.items():
                path = self.folder / "files" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text(), encoding="utf-8")
            shutil.copytree(ROOT / "assets" / "demo" / MODEL, self.folder / MODEL)
            (self.folder / "python").mkdir()
            (self.folder / "python" / "sitecustomize.py").write_text(
                "import platform\nplatform.node = lambda: 'workstation'\n"
            )
            (self.folder / "home" / "config" / "prm-inspect").mkdir(parents=True)
            (self.folder / "home" / "config" / "prm-inspect" / "keymap.toml").write_text(keymap)
            yield
        finally:
            shutil.rmtree(self.folder)

    def environment(self, who: str, home: str) -> dict[str, str]:
        """Return a process's environment. Python's start-up file in it names the machine `workstation`."""
        homes = {f"XDG_{name}_HOME": str(self.folder / home / name.lower()) for name in ("DATA", "STATE", "CONFIG")}
        path = os.pathsep.join([str(self.side.tree), str(self.folder / "python")])
        offline = {"HF_HUB_OFFLINE": "1", "PRM_INSPECT_USER": who, "COLUMNS": "120", "NO_PROXY": "127.0.0.1"}
        return {**os.environ, **offline, **homes, "PYTHONPATH": path}

    def run(self, line: str, *, who: str = "ann", home: str = "home", codes: Sequence[int] = (0, 1)) -> str:
        """Run a command and return what it prints."""
        return self.python("-m", "inspector.cli", *shlex.split(line), who=who, home=home, codes=codes)

    def python(self, *words: str, who: str = "ann", home: str = "home", codes: Sequence[int] = (0,)) -> str:
        """Run the version's Python with these arguments and return what it prints."""
        env = self.environment(who, home)
        command = [self.side.python, *words]
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise SystemExit(f"{shlex.join(words)} ended with {done.returncode}: {done.stderr}{done.stdout}")
        print(f"{shlex.join(words)}: {done.returncode}", flush=True)
        return done.stdout

    @contextmanager
    def app(self, *words: str, who: str = "ann", home: str = "home") -> Iterator[Terminal]:
        """Open the app, and quit it at the end."""
        command = [str(self.side.python), "-m", "inspector.cli", *words]
        env = {**self.environment(who, home), "COLUMNS": "", "NO_COLOR": ""}
        with Terminal(command, columns=120, lines=36, env=env, cwd=self.folder) as terminal:
            yield terminal
            for _ in range(6):
                if terminal.running:
                    terminal.press("q", gap=0.5, timeout=2)
            if terminal.wait():
                raise SystemExit(terminal.screen_text())

    def expected(self, lines: Iterable[str]) -> dict[str, bytes]:
        """Run commands, and return the documents of what they said by their names in the zip."""
        beside(self.folder)
        commands = [Command(".", line) for line in lines]
        names = [f"{number:02d}" for number in range(len(commands))]
        if self.side.start(commands, names).wait():
            raise SystemExit("a command could not be run")
        members = {}
        for name, command in zip(names, commands, strict=True):
            said = self.side.said(name)
            print(f"{command.line}: {said.code}, {len(said.out)}", flush=True)
            document = {"line": command.line, "code": said.code, "out": said.out, "err": said.err}
            word = "-".join(command.line.split()[:2]).replace("/", "-")
            members[f"expected/{name}-{word}.json"] = json.dumps(document, ensure_ascii=False, indent=1).encode()
        return members

    def pack(self, made: Mapping[str, bytes]) -> None:
        """Write the zip: the same bytes for the same members."""
        members = dict(made)
        for top in (SPACE, "home", "files"):
            for path in (self.folder / top).rglob("*"):
                place = path.relative_to(self.folder)
                if path.is_file() and not set(place.parts).intersection(self.left_out):
                    members[place.as_posix()] = path.read_bytes()
        with ZipFile(self.zip, "w", ZIP_DEFLATED, compresslevel=9) as packed:
            for name in sorted(members):
                packed.writestr(ZipInfo(name), members[name], ZIP_DEFLATED, 9)
        print(f"{self.zip}: {len(members)} members, {self.zip.stat().st_size:,} bytes")


def beside(folder: Path) -> None:
    """Copy the folder's workspace: `first` lacks a benchmark's newest generation, `again` is there to import into."""
    for name in ("first", "again"):
        shutil.copytree(folder / SPACE, folder / name)
    newest = max((folder / "first" / "benchmarks" / "processbench").iterdir())
    shutil.rmtree(newest)


@contextmanager
def critic_server(answer: Callable[[str, object, int], str]) -> Iterator[str]:
    """Run a server whose model gives `answer(question, seed, index of the choice)`; yields its address."""

    def completion(_: object, asked: Mapping[str, Any], count: int | None = None) -> dict[str, Any]:
        given = count or asked.get("n", 1)
        choices = []
        for index in range(given):
            text = answer(asked["messages"][-1]["content"], asked.get("seed"), index)
            choice: dict[str, Any] = {"index": index, "finish_reason": "stop"}
            choice["message"] = {"role": "assistant", "content": text, "reasoning_content": f"Hm, {asked.get('seed')}."}
            if asked.get("logprobs"):
                token = {"token": text[:4], "logprob": -0.25}
                choice["logprobs"] = {"content": [{**token, "top_logprobs": [token, {"token": "no", "logprob": -1.5}]}]}
            choices.append(choice)
        used = {"prompt_tokens": 90, "completion_tokens": 9 * given, "total_tokens": 90 + 9 * given}
        return {"object": "chat.completion", "model": asked["model"], "choices": choices, "usage": used}

    with patch.object(fault_server._Connection, "completion", completion), fault_server.running() as server:
        yield server.url
