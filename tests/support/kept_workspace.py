"""Zips of `tests/data` that hold a workspace of an old version: unpacked, read, and held against what it said."""

import io
import json
import re
import shlex
import tomllib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import polars as pl
from textual.pilot import Pilot

from capturing.comparing import Difference, Intended, Renaming, Said, differences
from capturing.main import DIFFERENCES
from capturing.old_workspace import OldVersion, beside
from capturing.plan import SPACE
from inspector import cli
from inspector.app.app import InspectApp
from inspector.screens.base import AppScreen
from inspector.state.remembered import _file_name
from opened import unpainted
from scoring.selection.query import Query
from scoring_process import captured
from screen_text import settled, until

STATE, CONFIG = Path("home/state/prm-inspect"), Path("home/config/prm-inspect")


class KeptWorkspace:
    """The zip of one version.

    Attributes:
        content: The bytes of every member by its name.
        expected: What the version said, by the name of a member.
        members: The names of the files of the workspace and of its owner's home.
        remembered: The file in which the app remembers how ann left the workspace.
    """

    def __init__(self, version: OldVersion, space: str) -> None:
        """`space` is what `differences.toml` calls the workspace."""
        self.version, self._space = version, space
        with ZipFile(version.zip) as packed:
            self.content = {name: packed.read(name) for name in packed.namelist()}
        self.expected: dict[str, dict[str, Any]] = {
            name: json.loads(data) for name, data in self.content.items() if name.startswith("expected/")
        }
        # Logs of sessions, which 0.1 wrote, are not read any more.
        self.members = [
            name for name in self.content if name.startswith((f"{SPACE}/", "home/")) and "/sessions/" not in name
        ]
        (self.remembered,) = (
            name for name in self.members if "/workspaces/" in name and not name.endswith("/demo.json")
        )

    def unpack(self, folder: Path) -> Path:
        """Unpack everything into a new folder, with the copies of the workspace that commands name."""
        for name, data in self.content.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        beside(folder)
        # The file's name is made of the path of the workspace.
        remembered = folder / self.remembered
        remembered.rename(remembered.with_name(_file_name(folder / SPACE)))
        return folder

    def replace_member(self, folder: Path, name: str, data: bytes | None) -> None:
        """Write other bytes in place of a member, or delete it, in the folder and in the copies of the workspace."""
        path = Path(name)
        if name == self.remembered:
            path = path.with_name(_file_name(folder / SPACE))
        copies = [Path(top, *path.parts[1:]) for top in (SPACE, "first", "again")] if name.startswith(SPACE) else [path]
        for copy in filter(Path.exists, (folder / copy for copy in copies)):
            if data is None:
                copy.unlink()
            else:
                copy.write_bytes(data)

    def unintended(self, document: Mapping[str, Any], said: Said) -> list[Difference]:
        """Return where a command says something else than the version did, unless `differences.toml` names it.

        Rules that were written before the version say nothing about it.
        """
        rules = tomllib.loads(DIFFERENCES.read_text())
        renamings = [Renaming(**rule) for rule in rules.get("renaming", ())]
        intended = [Intended(**rule) for rule in rules.get("difference", ())]
        observed = [
            difference
            for difference in differences(
                Said(document["code"], document["out"], document["err"]),
                said,
                [rule for rule in renamings if rule.since >= self.version.name],
            )
            # A zip keeps neither when a file was written nor that two names are one file.
            if not difference.path.endswith((".used", ".bytes"))
        ]
        rules_since = [rule for rule in intended if rule.since >= self.version.name]
        name = f"{self._space}: {document['line']}"
        return [difference for difference in observed if not any(rule.covers(name, difference) for rule in rules_since)]

    def readers(self, name: str, table: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
        """Return the expected documents of the commands that read a member.

        `table` gives, by globs over members' names, the beginnings of commands as regular expressions; `{folder}` in
        one stands for the folder of the member's folder.
        """
        lines = next(lines for pattern, lines in table.items() if fnmatchcase(f"/{name}", pattern))
        patterns = [line.format(folder=Path(name).parts[-3:][0]) for line in lines]
        return [
            document
            for pattern in patterns
            for document in self.expected.values()
            if re.match(pattern, document["line"])
        ]

    def of_each_kind(self, names: Iterable[str]) -> list[str]:
        """Return the smallest member of each kind of file."""
        largest_first = sorted(names, key=lambda name: -len(self.content[name]))
        return list({re.sub(r"[0-9a-f]{8,}|\d+", "", Path(name).name): name for name in largest_first}.values())


def at_home(folder: Path) -> dict[str, str]:
    """Return the environment of ann at work with the home of an unpacked zip."""
    homes = {f"XDG_{name}_HOME": str(folder / "home" / name.lower()) for name in ("DATA", "STATE", "CONFIG")}
    return {"PRM_INSPECT_USER": "ann", "COLUMNS": "120", "NO_COLOR": "1", **homes}


def said_now(line: str) -> Said:
    """Run a command in this process and in the current folder."""
    return Said(*captured(lambda: cli.main(shlex.split(line))))


@asynccontextmanager
async def app(folder: Path, *benchmarks: str, workspace: str | None = SPACE) -> AsyncIterator[Pilot[int]]:
    """Open the app with ann's home."""
    query = Query(workspace=workspace, benchmarks=benchmarks)
    program = InspectApp(query, folder=folder, state_folder=folder / STATE, config=folder / CONFIG)
    with unpainted():
        async with program.run_test(size=(120, 36), notifications=True) as pilot:
            await until(pilot, lambda: isinstance(program.screen, AppScreen) and program.screen.is_mounted)
            await settled(pilot)
            yield pilot


def own_keys(names: Iterable[str]) -> dict[str, str]:
    """Return the keys of those of the named commands that have others than usual."""
    rows = json.loads(said_now("keys --json").out)["rows"]
    return {row["command"]: row["keys"] for row in rows if row["command"] in names and row["keys"] != row["usual"]}


def other_values(parquet: bytes) -> bytes:
    """Return the file with other values in the columns that say something: indices + 1, longer texts, -rewards."""
    frame = pl.read_parquet(parquet)
    texts, numbers, rewards, lists = ("problem", "answer"), ("earliest_error", "verdict"), ("solution",), ("rewards",)
    present = set(frame.columns)
    changed = [
        *(pl.col(name) + "!" for name in texts if name in present),
        *(pl.col(name) + 1 for name in numbers if name in present),
        *(-pl.col(name) for name in rewards if name in present),
        *(pl.col(name).list.eval(-pl.element()) for name in lists if name in present),
    ]
    file = io.BytesIO()
    frame.with_columns(changed).write_parquet(file)
    return file.getvalue()
