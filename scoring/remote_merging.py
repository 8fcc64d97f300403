"""What becomes of a file that was changed here and on object storage alike: both, as far as its kind allows it.

| file | what comes of two states of it |
| --- | --- |
| a person's journal | the lines of both: theirs in their order, then those that only ours has |
| `scorer.json` | theirs; the wider of the two ranges, and which checkpoint it is where theirs does not say |
| `imports.json`, `slices.json` | the entries of both, ours where both have one of that name |
| a variant of a case | both, ours under a name of its own |
| everything else | theirs |

Two generations that were made of the same one become a third, which has the cases of both.
"""

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any

from scoring.files import locked, uuid7, write_atomically

JOURNAL = re.compile(r"triage/[^/]+\.jsonl\Z")
_VARIANT = re.compile(r"variants/[0-9a-f]{32}\.json\Z")


def merged(path: str, ours: bytes, theirs: bytes, root: Path) -> bytes:
    """Give what a changeable file holds of which there are two states; `root` is the folder of the workspace here."""
    if JOURNAL.match(path):
        return _lines_of_both(ours, theirs)
    name = PurePosixPath(path).name
    if _VARIANT.match(path):
        write_atomically(root / "variants" / f"{uuid7()}.json", ours)
        return theirs
    merge = {"scorer.json": _scorer, "imports.json": _entries, "slices.json": _slices}.get(name)
    if merge is None:
        return theirs
    try:
        whole = merge(json.loads(ours), json.loads(theirs))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # One of them is not what it should be: what others see already stays.
        return theirs
    return json.dumps(whole, ensure_ascii=False, indent=1).encode(errors="replace") + b"\n"


def _lines_of_both(ours: bytes, theirs: bytes) -> bytes:
    known = set(theirs.split(b"\n"))
    more = [line for line in ours.split(b"\n") if line not in known]
    return b"\n".join([*theirs.removesuffix(b"\n").split(b"\n"), *more]).lstrip(b"\n") + b"\n"


def _scorer(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    if ours.get("fingerprint") != theirs.get("fingerprint"):
        return theirs
    known = {**ours, **{name: value for name, value in theirs.items() if value is not None}}
    return {**known, "low": min(ours["low"], theirs["low"]), "high": max(ours["high"], theirs["high"])}


def _entries(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    return {**theirs, "sources": {**theirs["sources"], **ours["sources"]}}


def _slices(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    mine = {entry["name"] for entry in ours["slices"]}
    return {**theirs, "slices": [entry for entry in theirs["slices"] if entry["name"] not in mine] + ours["slices"]}


def merge_generations(home: Path, base: str | None, ours: str, theirs: str) -> None:
    """Make of two generations of a benchmark, each made without knowing the other, one with the cases of both.

    What ours changed since the one that both were made of, None = there was none, counts as imported after theirs.

    Args:
        home: the benchmark's folder.
        base: the name of the generation that both were made of.
        ours: the newest one that was made here.
        theirs: the newest one of the others.

    Raises:
        DamagedWorkspace, UnwritableWorkspace: one of them cannot be read, or the new one not be written.
    """
    from scoring.generation import Generation

    with locked(home, make=True):
        mine = Generation.with_reports(home / ours)
        if base is not None and (home / base / "import.json").exists():
            mine = mine.since(Generation.with_reports(home / base))
        whole, _ = Generation.with_reports(home / theirs).merged(mine)
        whole.write(home)
