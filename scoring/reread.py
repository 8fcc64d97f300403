"""A critic's answers read again from their texts: a better parser needs no new call.

What was read of an answer lies in the cache beside its text, and the reader's version with it. Reading again rewrites
the parts, since a reading that is withdrawn would else win over its correction (success beats refusal).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from scoring.cache import VoteParts
from scoring.critics.faults import fault_of
from scoring.critics.protocol import Read
from scoring.critics.readers import read_answer, version
from scoring.critics.reading import Reading
from scoring.errors import FrameError
from scoring.files import Share
from scoring.schema import VOTES

_SAID = ("ballot", "verdict", "rewards", "redundancy", "reason")
_ROWS = 1024
"""Answers in memory at once."""


@dataclass
class Reread:
    """What reading again came to, counted by rows.

    `answers` were read again, of which `changed` say something else now, their reason included: `found` had neither
    verdict nor rewards and have one, `lost` the other way. `unknown` are answers about none of the cases, left as they
    are. `faults` counts the answers by the kind of their reason ("" = a reason of other origin), `notes` those that
    were read by what they should be known for. `problems` are sentences about parts that were left alone.
    """

    answers: int = 0
    changed: int = 0
    found: int = 0
    lost: int = 0
    unknown: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, old: Mapping[str, Any], reading: Reading) -> None:
        """Count one answer: its row as it was, and what it says now."""
        before, after = _judged(old), _judged(_columns(reading))
        self.answers += 1
        self.changed += _changes(old, reading)
        self.found += after and not before
        self.lost += before and not after
        self.notes.update(str(note) for note in reading.notes)
        if reading.reason is not None:
            self.faults[fault_of(reading.reason) or ""] += 1


def stale(parts: VoteParts, read: Read) -> int:
    """How many answers another reader, or another version of it, has read; imported answers are nobody's."""
    rows, _ = parts.read((*parts.kind.identity, "ballot", "verdict", "rewards", "reason", "reader"))
    return int((rows["reader"] != version(read)).sum())


def reread(parts: VoteParts, read: Read, cases: pl.DataFrame, *, thinking: bool = False) -> Reread:
    """Read every answer of a critic again, imported ones too, and keep what is read now.

    Args:
        parts: the critic's answers. No run may be adding to them: what it adds meanwhile would count as older.
        read: the reader of its protocol.
        cases: columns `key` and `n_steps`.
        thinking: whether its prompts ended within the reasoning; see `scoring.critics.readers.read_answer`.

    Memory holds about a thousand answers at a time. Parts in which nothing changes stay, unless an earlier one is
    rewritten, so that of two rows the later stays the later. The new parts are all there before an old one goes: who is
    interrupted has lost nothing, and reads again.

    Raises:
        UnwritableWorkspace: a part could not be written; the old ones are all there, and no new one.
    """
    share = Share(parts.folder)
    try:
        return _reread(parts, read, cases, thinking=thinking)
    finally:
        share.close()


def _reread(parts: VoteParts, read: Read, cases: pl.DataFrame, *, thinking: bool) -> Reread:
    told = Reread()
    again = _Again(read, dict(cases.select("key", "n_steps").iter_rows()), thinking)
    readable = [(part, differs) for part in parts.parts() if (differs := again.count(parts, part, told)) is not None]
    first = next((place for place, (_, differs) in enumerate(readable) if differs), len(readable))
    going, written = [part for part, _ in readable[first:]], list[Path]()
    try:
        for part in going:
            written.extend(parts.append(again.page(page)) for page in parts.pages(part, _ROWS))
    except BaseException:
        _unlink(written)
        raise
    _unlink(going)
    return told


@dataclass(frozen=True)
class _Again:
    """Reads rows again: with `read`, of cases whose numbers of steps are known by key."""

    read: Read
    n_steps: Mapping[str, int]
    thinking: bool

    def count(self, parts: VoteParts, part: Path, told: Reread) -> bool | None:
        """Add a part's answers to the counts: whether it has to be rewritten, None where it cannot be read."""
        differs = False
        try:
            for page in parts.pages(part, _ROWS):
                for row, reading in self._readings(page):
                    if reading is not None:
                        told.add(row, reading)
                        differs |= _changes(row, reading) or row["reader"] != version(self.read)
                    told.unknown += row["answer"] is not None and reading is None
        except (OSError, FrameError) as error:
            told.problems.append(f"{part} was left alone: {error}")
            return None
        return differs

    def page(self, page: pl.DataFrame) -> pl.DataFrame:
        """The same rows with what is read of them now."""
        names = (*_SAID, "reader")
        rows = []
        for row, reading in self._readings(page):
            new = row if reading is None else {**_columns(reading), "reader": version(self.read)}
            rows.append({name: new[name] for name in names})
        said = pl.DataFrame(rows, schema={name: VOTES[name] for name in names}, orient="row")
        return page.with_columns(said.get_columns())

    def _readings(self, page: pl.DataFrame) -> Iterator[tuple[dict[str, Any], Reading | None]]:
        """Every row, and what its answer says; None where there is no answer, or none to a known case."""
        for row in page.iter_rows(named=True):
            steps = self.n_steps.get(row["key"])
            if row["answer"] is None or steps is None:
                yield row, None
                continue
            how = {"reasoning": row["reasoning"], "finish_reason": row["finish_reason"], "thinking": self.thinking}
            yield row, read_answer(self.read, row["answer"], steps, **how)


def _columns(reading: Reading) -> dict[str, Any]:
    """A reading as the columns of VOTES, lists as polars gives them."""
    columns = {name: getattr(reading, name) for name in _SAID}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in columns.items()}


def _changes(old: Mapping[str, Any], reading: Reading) -> bool:
    return any(old[name] != value for name, value in _columns(reading).items())


def _judged(row: Mapping[str, Any]) -> bool:
    return row["verdict"] is not None or row["rewards"] is not None


def _unlink(parts: list[Path]) -> None:
    for part in parts:
        # One that cannot be deleted holds the same rows twice, which readers drop.
        with suppress(OSError):
            part.unlink()
