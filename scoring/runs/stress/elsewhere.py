"""Rewritten solutions for a scorer that is not run here: written as JSON lines, and read again with its rewards.

    {"case": "demo/a-1 (inflation)", "problem": "...", "steps": ["...", "..."], "rewards": [0.9, 0.8]}

`rewards` is what is to be added: one number a step. Nothing else of a line is looked at but the texts, which say what
the numbers are of.
"""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from scoring.data.errors import UnreadableFile
from scoring.data.reward_keys import reward_keys
from scoring.data.schema import REWARDS
from scoring.data.storage.files import read_plain, write_atomically
from scoring.formats.reading.findings import Finding
from scoring.workspace.variants import content_frames

ENGINE = "elsewhere"
"""What stands beside rewards that were read."""


def write_contents(path: Path, contents: Iterable[Mapping[str, Any]]) -> None:
    """Write solutions, as `scoring.workspace.variants.content_frames` takes them, to be judged elsewhere.

    Raises:
        UnwritableWorkspace: the file cannot be written; what was there is untouched.
    """
    lines = ({name: value for name, value in each.items() if value is not None} for each in contents)
    write_atomically(path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode())


def read_rewards(path: Path, reads: tuple[str, ...] = ()) -> tuple[pl.DataFrame, list[Finding]]:
    """Read what was judged elsewhere as rows of `scoring.data.schema.REWARDS`, and say what is wrong with other lines.

    Args:
        path: the lines; those without rewards are passed over.
        reads: what the scorer reads beside problem and steps (`scoring.data.scorer.Scorer.reads`).

    Raises:
        UnreadableFile: the file cannot be read at all.
    """
    try:
        lines = read_plain(path).splitlines()
    except OSError as error:
        raise UnreadableFile(
            f"{path} cannot be read ({error.strerror or error}).", "Give the file that --write made."
        ) from None
    contents, rewards, findings = [], [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
            values = document.get("rewards")
            problem = None if values is None else _wrong(document, values)
        except (ValueError, AttributeError, RecursionError):
            values, problem = None, "is not a JSON object"
        if problem:
            findings.append(Finding("warning", "rewards", f"the line {problem}", path.name, number))
        elif values is not None:
            contents.append(document)
            rewards.append([float(value) for value in values])
    frame, texts = content_frames(contents)
    keys = reward_keys(frame, texts, reads)["key"]
    rows = pl.DataFrame({"key": keys, "vote": 0, "rewards": rewards, "engine": ENGINE}, schema=_SCHEMA)
    return rows, findings


_SCHEMA = {name: REWARDS[name] for name in ("key", "vote", "rewards", "engine")}


def _wrong(document: Mapping[str, Any], values: Any) -> str | None:
    """Why a line cannot be used; None where it can."""
    steps = document.get("steps")
    if not isinstance(document.get("problem"), str) or not isinstance(steps, list):
        return "has no problem or no steps"
    if not all(isinstance(step, str) for step in steps):
        return "has a step that is not a text"
    if not isinstance(values, list) or len(values) != len(steps):
        return f"has not one reward for each of its {len(steps)} steps"
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return None if numbers and all(map(math.isfinite, values)) else "has a reward that is not a finite number"
