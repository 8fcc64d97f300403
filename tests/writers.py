"""What other processes do in tests: a spawned process imports these by name."""

import os
from pathlib import Path

import polars as pl

from scoring.benchmarks.catalogue import import_source
from scoring.cache import RewardParts
from scoring.workspace import Workspace


def part(*rows):
    """A rewards frame of (key, vote, rewards or None as refused)."""
    columns = {
        "key": [row[0] for row in rows],
        "vote": pl.Series([row[1] for row in rows], dtype=pl.Int32),
        "rewards": pl.Series([row[2] for row in rows], dtype=pl.List(pl.Float64)),
        "reason": pl.Series([None if row[2] is not None else "refused" for row in rows], dtype=pl.String),
    }
    return pl.DataFrame(columns)


def append_parts(folder, writer, count):
    """Append `count` parts of two rows: one of this writer alone, one that all writers write alike."""
    for number in range(count):
        RewardParts(folder).append(part((f"{writer}-{number}", 0, [writer, number]), (f"all-{number}", 0, [number])))


def compact_until(folder, end):
    """Compact over and over until the file `end` is there."""
    while not end.exists():
        RewardParts(folder).compact()


def import_file(root, path, start):
    """Import a file once the file `start` is there."""
    while not start.exists():
        pass
    Workspace.create(root).add([import_source(str(path))])


def die_while_importing(root, path):
    """Die without a word at the moment in which a new generation would become visible."""
    rename = Path.rename

    def die(self, target):
        if self.name.startswith(".gen-"):
            os._exit(9)
        return rename(self, target)

    Path.rename = die
    Workspace.create(root).add([import_source(str(path))])
