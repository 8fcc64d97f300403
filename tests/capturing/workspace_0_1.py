"""Makes `tests/data/workspace-0.1.zip`: what version 0.1 wrote, and what it said of it. Run it as a script.

All of it is written by version 0.1 itself, by its commands and, in a terminal, by its app. Every text is invented here.
The zip holds `workspace/`, `home/` (state, settings and the user's own data), `files/` (a mapping that 0.1 wrote, and
results that contradict what was imported) and `expected/` (a JSON document a command: where it is given, its words, and
what 0.1 said). Made in /tmp/prm-inspect-0.1, since some files name the folder that they were made in.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from at_the_terminal import go_to, pressed, shown, typed
from capturing.invented_0_1 import FILES, answer
from capturing.main import ROOT, WORKSPACE_0_1, Side, old_version
from capturing.plan import SPACE, Command
from servers import fault_server
from terminal import Terminal

COMMIT = "f722f07"
FOLDER = Path("/tmp/prm-inspect-0.1")  # noqa: S108  # a name that says nothing of whose machine it is
MODEL = "models/tiny-prm-s"
KEYMAP = 'zoom = "f6"\nnext-case = ["n", "f5"]\n"table.down" = ["down", "j", "ctrl+n"]\n'
PRM = f"score processbench grben --model {MODEL} --name small-prm -w {SPACE}"
CRITIC = f"score processbench --critic processbench --votes 3 --runs 2 --max-tokens 400 --logprobs 2 -w {SPACE}"
RATER = f"score prmbench --critic prmbench -w {SPACE}"
BENCHMARKS = ("processbench", "prmbench", "socratic", "grben", "ledgers")
SHOWN = (
    *("processbench/gsm8k-1", "prmbench/redundency_case_0", "socratic/premise_unsoundness_attic#2"),
    *("grben/law-2", "ledgers/entry-1"),
)
LEFT_OUT = ("derived", "fingerprints.json")
"""A cache, and digests of files by their places on a machine."""


@dataclass(frozen=True)
class Version:
    """Version 0.1, at work in the folder as a person, with a home of their own."""

    tree: Path
    python: Path

    def environment(self, who: str, home: str) -> dict[str, str]:
        """Of a process; what Python loads at its start says that this machine is called `workstation`."""
        homes = {f"XDG_{name}_HOME": str(FOLDER / home / name.lower()) for name in ("DATA", "STATE", "CONFIG")}
        path = os.pathsep.join([str(self.tree), str(FOLDER / "python")])
        offline = {"HF_HUB_OFFLINE": "1", "PRM_INSPECT_USER": who, "COLUMNS": "120", "NO_PROXY": "127.0.0.1"}
        return {**os.environ, **offline, **homes, "PYTHONPATH": path}

    def run(self, line: str, *, who: str = "ann", home: str = "home", codes: Sequence[int] = (0, 1)) -> str:
        """What a command prints."""
        command = [self.python, "-m", "inspector.cli", *shlex.split(line)]
        done = subprocess.run(
            command, cwd=FOLDER, env=self.environment(who, home), capture_output=True, text=True, check=False
        )
        if done.returncode not in codes:
            raise SystemExit(f"{line} ended with {done.returncode}: {done.stderr}{done.stdout}")
        print(f"{line}: {done.returncode}", flush=True)
        return done.stdout

    @contextmanager
    def app(self, *words: str, who: str = "ann", home: str = "home") -> Iterator[Terminal]:
        """The app, which has to end by itself."""
        command = [str(self.python), "-m", "inspector.cli", *words]
        env = {**self.environment(who, home), "COLUMNS": "", "NO_COLOR": ""}
        with Terminal(command, columns=120, lines=36, env=env, cwd=FOLDER) as terminal:
            yield terminal
            for _ in range(6):
                if terminal.running:
                    terminal.press("q", gap=0.5, timeout=2)
            if terminal.wait():
                raise SystemExit(terminal.screen_text())


def main() -> None:
    FOLDER.mkdir()
    try:
        version = Version(*old_version(COMMIT))
        prepare()
        fill(version)
        people(version)
        pack(expected(version))
    finally:
        shutil.rmtree(FOLDER)


def prepare() -> None:
    """Everything that is given to version 0.1."""
    for name, text in FILES.items():
        path = FOLDER / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), encoding="utf-8")
    shutil.copytree(ROOT / "assets" / "demo" / MODEL, FOLDER / MODEL)
    (FOLDER / "python").mkdir()
    (FOLDER / "python" / "sitecustomize.py").write_text("import platform\nplatform.node = lambda: 'workstation'\n")
    (FOLDER / "home" / "config" / "prm-inspect").mkdir(parents=True)
    (FOLDER / "home" / "config" / "prm-inspect" / "keymap.toml").write_text(KEYMAP)


def fill(version: Version) -> None:
    """Cases and rewards, by commands."""
    here = f"-w {SPACE} -q"
    for name in ("gsm8k.json", "math.json", "prmbench.jsonl", "socratic.jsonl", "grben.jsonl"):
        version.run(f"import files/{name} {here}")
    saved = "--save-mapping files/ledgers-saved.json"
    version.run(f"import files/ledgers.csv --mapping files/ledgers-mapping.json {saved} {here}")
    version.run(f"import files/later/gsm8k.json {here}")
    version.run(f"import files/rewards.jsonl --mapping files/rewards-mapping.json --benchmark processbench {here}")
    version.run(f"import files/mr-eval.jsonl {here}")
    for number in (0, 1):
        version.run(f"import files/answers-{number}.jsonl --run {number} {here}")
    version.run(f"{PRM} -q")
    version.run(f"score demo --limit 6 --model {MODEL} --name small-prm -w {SPACE} -q")
    with patch.object(fault_server._Connection, "completion", completion), fault_server.running() as server:
        for line in (CRITIC, RATER):
            version.run(f"{line} --server {server.url} -q")


def completion(_: object, asked: Mapping[str, Any], count: int | None = None) -> dict[str, Any]:
    """What the server of the critic answers."""
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


def people(version: Version) -> None:
    """What two people leave: zoe's journal, ann's with all that the app remembers of her, and ann's of the demo."""
    with version.app("-w", SPACE, "--benchmark", "processbench", "--no-session-log", who="zoe", home="zoe") as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "a", "T", "enter")
        shown(terminal, "0 ruled, 8 to go")
        pressed(terminal, "+", "2", "j", "j", "-", "2", "1", "3")
        note(terminal, "N", "what is held here?")
        pressed(terminal, "4", "u", "5", "s")
        shown(terminal, "5 ruled, 1 skipped, 2 to go")
    with version.app("-w", SPACE) as terminal:
        shown(terminal, "Quit")
        arrange(terminal)
        triage(terminal)
    version.run(f"taxonomy --put units --where \"note LIKE '%crate%'\" -w {SPACE} -q")
    version.run(f"taxonomy --put sums --where \"note LIKE '%one too%'\" -w {SPACE} -q")
    version.run(f"taxonomy --rename sums sums-of-all -w {SPACE} -q")
    with version.app("-w", SPACE, "--benchmark", "ledgers") as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "a", "enter", "n", "T", "enter", "1", "4", "u", "ctrl+r", "d")
        shown(terminal, "2 ruled, ")
    with version.app("demo") as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "j", "a")
        shown(terminal, "240 of 240 cases")
        note(terminal, "w", "seen-before")
        note(terminal, "N", "nicely made")


def arrange(terminal: Terminal) -> None:
    """A theme; rows, order and columns of the board; columns, a condition and two slices of the list; two scorers."""
    pressed(terminal, "ctrl+t")
    shown(terminal, "Search for themes")
    typed(terminal, "light high")
    shown(terminal, "prm-light-contrast")
    pressed(terminal, "enter")
    terminal.settle(1)
    pressed(terminal, "R")
    shown(terminal, "rows by scorer")
    pressed(terminal, "s")
    shown(terminal, "Sort by")
    typed(terminal, "on right\r")
    shown(terminal, "on right")
    ticked(terminal, "95%")
    pressed(terminal, "a")
    shown(terminal, "8 of 8 cases")
    ticked(terminal, "margin")
    pressed(terminal, ":")
    typed(terminal, "n_steps > 3 AND final_answer_correct\r")
    shown(terminal, " of 8 cases")
    for name in ("right in the end", "by margin"):
        pressed(terminal, "'")
        shown(terminal, "Slices")
        pressed(terminal, "s")
        typed(terminal, f"{name}\r")
        shown(terminal, name)
        pressed(terminal, "escape", "s")
        shown(terminal, "Sort by")
        typed(terminal, "margin\r")
        shown(terminal, "margin first")
    pressed(terminal, "x", "enter", "o")
    shown(terminal, "Scorers beside each other")
    pressed(terminal, "g", "space", "enter")
    terminal.settle()


def ticked(terminal: Terminal, column: str) -> None:
    """A column shown that was not, or hidden that was."""
    pressed(terminal, "C")
    shown(terminal, "Columns of the")
    go_to(terminal, column)
    pressed(terminal, "space", "enter")
    terminal.settle()


def triage(terminal: Terminal) -> None:
    """Four rulings, ratings, a case put off, one skipped; tags and notes, one of each undone and done again."""
    pressed(terminal, "T", "enter")
    shown(terminal, "0 ruled, 8 to go")
    pressed(terminal, "j", "j", "-", "2", "1", "j", "0", "3", "s")
    note(terminal, "w", "slip, sign-error")
    note(terminal, "N", "one too many from here")
    pressed(terminal, "u", "ctrl+r", "d", "4")
    note(terminal, "N", "a crate is counted twice")
    shown(terminal, "4 ruled, 1 skipped")


def note(terminal: Terminal, key: str, text: str) -> None:
    """A tag or a note on the case on screen."""
    pressed(terminal, key)
    shown(terminal, "Esc closes")
    typed(terminal, f"{text}\r")
    terminal.settle()


def lines() -> Iterator[str]:
    """Commands that together read every file.

    `first` is the workspace without the newest generation of a benchmark, `again` a copy for refused imports.
    """
    for what in ("scorers", "benchmarks", "board", "metrics", "votes", "agreement", "taxonomy", "best-of-n", "triage"):
        yield f"{what} --json -w {SPACE}"
    for name in BENCHMARKS:
        yield f"cases --benchmark {name} --jsonl -w {SPACE}"
        form = "prmbench" if name in {"prmbench", "socratic"} else "processbench"
        yield f"export cases --benchmark {name} --to {form} -w {SPACE}"
    for case in SHOWN:
        yield f"show {case} -w {SPACE}"
        yield f"show {case} --answers -w {SPACE}"
    yield f"show prmbench/redundency_case_0 --original -w {SPACE}"
    for name in ("right in the end", "by margin"):
        yield f"cases --slice '{name}' --scorer steady --json -w {SPACE}"
    for scorer, benchmark in (("steady", "processbench"), ("small-prm", "grben"), ("two-headed", "prmbench")):
        yield f"export rewards --benchmark {benchmark} --scorer {scorer} --to mr_eval -w {SPACE}"
    yield f"metrics --benchmark demo --json -w {SPACE}"
    yield f"metrics --benchmark processbench --labels both --json -w {SPACE}"
    yield f"card steady small-prm --benchmark processbench --json -w {SPACE}"
    for form in ("jsonl", "csv", "processbench", "trl"):
        yield f"export triage --benchmark processbench --to {form} -w {SPACE}"
    yield f"triage processbench/math-2 --json -w {SPACE}"
    yield f"taxonomy --notes --json -w {SPACE}"
    yield f"agreement --disagreements --json -w {SPACE}"
    yield from ("triage --benchmark demo --json", "keys --json")
    for name in (
        "cases --benchmark processbench --jsonl",
        "export cases --benchmark processbench --to processbench",
        "benchmarks --json",
    ):
        yield f"{name} -w first"
    for name in ("rewards.jsonl --mapping files/rewards-mapping.json --benchmark processbench", "mr-eval.jsonl",
                 "ledgers.csv --mapping files/ledgers-mapping.json", "answers-0.jsonl --run 0"):  # fmt: skip
        yield f"import files/other/{name} -w again"
    yield "import files/ledgers.csv --mapping files/ledgers-saved.json --dry-run -w again"


def expected(version: Version) -> dict[str, bytes]:
    """What version 0.1 says, by the name of a file; `keys` names the settings' folder in its words, which are left."""
    beside(FOLDER)
    commands = [Command(".", f"{line} -q" if line.startswith("keys") else line) for line in lines()]
    names = [f"{number:02d}" for number in range(len(commands))]
    side = Side(version.tree, version.python, FOLDER)
    if side.start(commands, names).wait():
        raise SystemExit("a command could not be run")
    members = {}
    for name, command in zip(names, commands, strict=True):
        said = side.said(name)
        print(f"{command.line}: {said.code}, {len(said.out)}", flush=True)
        document = {"line": command.line, "code": said.code, "out": said.out, "err": said.err}
        word = "-".join(command.line.split()[:2]).replace("/", "-")
        members[f"expected/{name}-{word}.json"] = json.dumps(document, ensure_ascii=False, indent=1).encode()
    return members


def beside(folder: Path) -> None:
    """Beside the workspace of a folder: one without the newest generation of a benchmark, and one to import into."""
    for name in ("first", "again"):
        shutil.copytree(folder / SPACE, folder / name)
    newest = max((folder / "first" / "benchmarks" / "processbench").iterdir())
    shutil.rmtree(newest)


def pack(made: Mapping[str, bytes]) -> None:
    """Write the zip: the same bytes for the same members."""
    members = dict(made)
    for top in (SPACE, "home", "files"):
        for path in (FOLDER / top).rglob("*"):
            place = path.relative_to(FOLDER)
            if path.is_file() and not set(place.parts).intersection(LEFT_OUT):
                members[place.as_posix()] = path.read_bytes()
    with ZipFile(WORKSPACE_0_1, "w", ZIP_DEFLATED, compresslevel=9) as packed:
        for name in sorted(members):
            packed.writestr(ZipInfo(name), members[name], ZIP_DEFLATED, 9)
    print(f"{WORKSPACE_0_1}: {len(members)} members, {WORKSPACE_0_1.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
