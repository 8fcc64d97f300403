"""The place where a session is played again: what the workspace held at its beginning, and nothing that it changes."""

import shutil
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from scoring.workspace import TRIAGE, Workspace

READ = ("benchmarks", "rewards", "converted")
"""Folders of a workspace that the app only reads, but for scoring runs, which are not played again."""
_COPIED = ("slices.json",)


def data_of(workspace: Workspace, benchmarks: Sequence[str]) -> str:
    """Hex digest of which cases and rewards there are: the generations of benchmarks, the parts of scorers."""
    parts = sorted(f"{path.parent.name}/{path.name}" for path in map(Path, workspace.reward_files(benchmarks)))
    generations = [f"{name}/{folder}" for name, folder, *_ in workspace.stamps(benchmarks) or ()]
    return blake2b("\n".join([*generations, *parts]).encode("utf-8", "replace"), digest_size=8).hexdigest()


def journals_of(workspace: Workspace) -> dict[str, int]:
    """How many bytes each journal has, by the name of its file."""
    if workspace.triage is None:
        return {}
    return {path.name: path.stat().st_size for path in sorted(workspace.triage.glob("*.jsonl"))}


def shadow(workspace: Workspace, at: Path, journals: Mapping[str, int]) -> Path:
    """A workspace in folder `at` with the data of another one and with its journals as long as they were.

    Journals only grow: their beginnings are what they held then. Of one without a folder, which knows the demo alone,
    it is one with nothing imported, which knows the demo too.
    """
    Workspace.create(at)
    root = workspace.root
    if root is not None:
        for name in READ:
            if (root / name).is_dir():
                (at / name).symlink_to((root / name).resolve(), target_is_directory=True)
        for name in _COPIED:
            if (root / name).is_file():
                shutil.copyfile(root / name, at / name)
    (at / TRIAGE).mkdir()
    for name, size in journals.items():
        source = (workspace.triage or at) / Path(name).name
        if source.is_file():
            with source.open("rb") as file:
                (at / TRIAGE / source.name).write_bytes(file.read(size))
    return at
