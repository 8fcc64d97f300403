"""Reward parts for tests, and what other processes do: a spawned process imports these by name."""

import os
import time
from pathlib import Path

import polars as pl

from imports import import_source
from scoring.data.schema import REWARDS
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace


def part(*rows):
    """A rewards frame of (key, vote, rewards or None as refused)."""
    columns = {
        "key": [row[0] for row in rows],
        "vote": pl.Series([row[1] for row in rows], dtype=pl.Int32),
        "rewards": pl.Series([row[2] for row in rows], dtype=pl.List(pl.Float64)),
        "reason": pl.Series([None if row[2] is not None else "refused" for row in rows], dtype=pl.String),
    }
    return pl.DataFrame(columns)


def cached(parts):
    """The cached rows as {(key, vote): rewards}; nothing may be unreadable."""
    frame, problems = parts.read()
    assert not problems
    assert frame.schema == REWARDS
    return {(key, vote): rewards for key, vote, rewards in frame.select("key", "vote", "rewards").iter_rows()}


def append_parts(folder, writer, count):
    """Append `count` parts of two rows: one of this writer alone, one that all writers write alike."""
    for number in range(count):
        RewardParts(folder).append(part((f"{writer}-{number}", 0, [writer, number]), (f"all-{number}", 0, [number])))


def compact_until(folder, end):
    """Compact over and over until the file `end` is there."""
    while not end.exists():
        RewardParts(folder).compact()
        time.sleep(0.01)


def import_file(root, path, together):
    """Import a file at the moment in which all others that wait at the barrier do."""
    imported = import_source(str(path))
    together.wait(30)
    Workspace.create(root).add([imported])


def die_while_importing(root, path):
    """Die without a word at the moment in which a new generation would become visible."""
    rename = Path.rename

    def die(self, target):
        if self.name.startswith(".gen-"):
            os._exit(9)
        return rename(self, target)

    Path.rename = die
    Workspace.create(root).add([import_source(str(path))])
