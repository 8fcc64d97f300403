"""A critic's answers read again from their texts: a better parser needs no new call.

What was read of an answer lies in the cache beside its text, and the reader's version with it. Reading again by the
protocol's own parser rewrites the parts, since a reading that is withdrawn would else win over its correction (success
beats refusal). Another parser gives other numbers, and so another scorer, with parts of its own: `parsed_by`, `copy`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import DamagedWorkspace, FrameError, UsageError
from scoring.data.schema import VOTES
from scoring.data.scorer import Scorer
from scoring.data.storage.files import FolderShare
from scoring.formats.reading.critic_answers import Reading, fault_of
from scoring.models.critics.answer_parsers import CORRECTED, PARSERS, READERS, Parser, parser_of, read_answer, version
from scoring.models.critics.protocols import PROTOCOLS, CriticProtocol, ReadAnswer
from scoring.models.fingerprint import fingerprint
from scoring.workspace.cache import BALLOTS, VoteParts

_SAID = ("ballot", "verdict", "rewards", "redundancy", "reason")
_ROWS = 1024
"""Answers in memory at once."""
_ASKED = {"earliest error": "the earliest error", "step rewards": "a number a step", "step labels": "a label a step"}
SETTING = "parser"
"""The setting of a scorer that was made by reading another's answers with another parser: the reader's version."""


def protocol_of_critic(scorer: Scorer) -> CriticProtocol | None:
    """Return the protocol that a critic was asked by here, with the reader that counts for it.

    None of a scorer that was imported, is no critic, or is read by a parser that this version does not have.
    """
    protocol = PROTOCOLS.get(str(scorer.settings.get("protocol"))) if scorer.kind == "critic" else None
    if protocol is None or SETTING not in scorer.settings:
        return protocol
    kept = str(scorer.settings[SETTING])
    read = READERS.get(CORRECTED.get(kept, kept))
    return None if read is None else replace(protocol, read=read)


def gives_labels(scorer: Scorer) -> bool:
    """Return whether a scorer is a critic that was asked here to label every step: right, neutral or wrong."""
    protocol = protocol_of_critic(scorer)
    return protocol is not None and protocol.gives == "step labels"


def base_of(scorer: Scorer, protocol: CriticProtocol) -> int:
    """Return what a critic's prompt calls the first step: as its settings say, else as its protocol does."""
    layout = scorer.settings.get("steps")
    base = layout.get("base") if isinstance(layout, Mapping) else None
    return base if base in (0, 1) and not isinstance(base, bool) else protocol.steps.base


def parsers_for(protocol: CriticProtocol) -> dict[str, Parser]:
    """Return the parsers that find what a protocol asks for, its own first."""
    own = parser_of(protocol)
    return {name: PARSERS[name] for name in (own, *PARSERS) if PARSERS[name].gives == protocol.gives}


def reader(scorer: Scorer, protocol: CriticProtocol, parser: str) -> ReadAnswer:
    """Return the reader by which a parser, by its name, reads a critic's answers.

    Raises:
        UsageError: it finds something else than the protocol asks for.
    """
    there = parsers_for(protocol)
    if parser not in there:
        raise UsageError(misfit(scorer, protocol, parser))
    return there[parser].read(base_of(scorer, protocol))


def misfit(scorer: Scorer, protocol: CriticProtocol, parser: str) -> str:
    """Return a sentence that a parser does not find what a critic was asked for, and which ones do."""
    sentence = f"{scorer.name} was asked for {_ASKED[protocol.gives]}, which the parser {parser!r} does not find"
    return f"{sentence}; there are: {', '.join(parsers_for(protocol))}."


def parsed_by(scorer: Scorer, read: ReadAnswer, name: str) -> Scorer:
    """Return the scorer that a critic is with another reader: another fingerprint, since other numbers come of it."""
    settings = {**scorer.settings, SETTING: version(read)}
    return replace(scorer, name=name, fingerprint=fingerprint(settings), settings=settings)


def parsed_before(scorer: Scorer, read: ReadAnswer) -> Scorer:
    """Return the scorer that a critic was with the reader that this one corrects; with this one if it corrects none."""
    earlier = {now: before for before, now in CORRECTED.items()}.get(version(read), version(read))
    settings = {**scorer.settings, SETTING: earlier}
    return replace(scorer, fingerprint=fingerprint(settings), settings=settings)


def readings(parts: VoteParts, read: ReadAnswer, cases: pl.DataFrame, *, own: bool) -> pl.DataFrame:
    """Return what a reader makes of a critic's answers to some cases; what is kept stays as it is.

    A part that cannot be read is left out: whoever loaded the critic has heard of it.

    Args:
        parts: the critic's answers.
        read: the reader.
        cases: columns `key` and `n_steps`.
        own: whether it is the critic's own reader; a verdict without a text is none of another one's.

    Returns:
        The columns of `scoring.workspace.cache.BALLOTS`, one row an identity. What has no text keeps its reason.
    """
    again = _Again(read, dict(cases.select("key", "n_steps").iter_rows()), thinking=False)
    frames = [pl.DataFrame(schema={name: VOTES[name] for name in BALLOTS})]
    of_reader = again.about_cases if own else again.of_another_reader
    for part in parts.parts():
        try:
            frames += [again.page(page.filter(of_reader)).select(BALLOTS) for page in parts.pages(part, _ROWS)]
        except FileNotFoundError:
            # It was merged into another one since it was listed.
            return readings(parts, read, cases, own=own)
        except (OSError, FrameError):
            continue
    return parts.unique(pl.concat(frames))


def keep_second_reading(
    parts: VoteParts, read: ReadAnswer, cases: pl.DataFrame, scorer: Scorer, into: VoteParts
) -> int:
    """Keep a critic's answers a second time, as those of the scorer that it is with another reader; how many.

    Args:
        parts: the critic's answers.
        read: the reader.
        cases: columns `key` and `n_steps`; answers about others are not copied.
        scorer: see `parsed_by`.
        into: where the copies go. What an earlier copy left there goes, once all of this one is there.

    Raises:
        UnwritableWorkspace: a part could not be written; no new one stays.
        DamagedWorkspace: a part could not be read; likewise.
    """
    again = _Again(read, dict(cases.select("key", "n_steps").iter_rows()), thinking=False)
    earlier, written, total = into.parts(), list[Path](), 0
    with closing(FolderShare(parts.folder)), closing(FolderShare(into.folder)):
        try:
            for part in parts.parts():
                for page in _whole(parts, part):
                    if (rows := again.page(page.filter(again.of_another_reader))).height:
                        written.append(into.append(rows))
                        total += rows.height
            # Only now is it a scorer: who is interrupted before leaves a folder that nobody reads.
            scorer.save(into.folder)
        except BaseException:
            _unlink(written)
            raise
    _unlink(earlier)
    return total


def _whole(parts: VoteParts, part: Path) -> Iterator[pl.DataFrame]:
    """The pages of a part that must not be left out."""
    try:
        yield from parts.pages(part, _ROWS)
    except (OSError, FrameError) as error:
        raise DamagedWorkspace(
            f"{part} cannot be read: {error}.", "Move it away to go on without its answers."
        ) from None


class ReparseCounts(Struct):
    """What reading again came to, counted by rows.

    `answers` were read again, of which `changed` say something else now, their reason included: `recovered` had neither
    verdict nor rewards and have one, `lost` the other way. `unknown` are answers about none of the cases, left as they
    are. `faults` counts the answers by the kind of their reason ("" = a reason of other origin), `notes` those that
    were read by what they should be known for. `problems` are sentences about parts that were left alone.
    """

    answers: int = 0
    changed: int = 0
    recovered: int = 0
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
        self.recovered += after and not before
        self.lost += before and not after
        self.notes.update(str(note) for note in reading.notes)
        if reading.reason is not None:
            self.faults[fault_of(reading.reason) or ""] += 1


def stale(parts: VoteParts, read: ReadAnswer) -> int:
    """Count the answers that another reader, or another version of it, has read; imported answers are nobody's."""
    rows, _ = parts.read((*parts.kind.identity, "ballot", "verdict", "rewards", "reason", "reader"))
    return int((rows["reader"] != version(read)).sum())


def reparse(parts: VoteParts, read: ReadAnswer, cases: pl.DataFrame, *, thinking: bool = False) -> ReparseCounts:
    """Read every answer of a critic again, imported ones too, and keep what is read now.

    Args:
        parts: the critic's answers. No run may be adding to them: what it adds meanwhile would count as older.
        read: the reader of its protocol.
        cases: columns `key` and `n_steps`.
        thinking: whether its prompts ended within the reasoning; see
            `scoring.models.critics.answer_parsers.read_answer`.

    Memory holds about a thousand answers at a time. Parts in which nothing changes stay, unless an earlier one is
    rewritten, so that of two rows the later stays the later. The new parts are all there before an old one goes: who is
    interrupted has lost nothing, and reads again.

    Raises:
        UnwritableWorkspace: a part could not be written; the old ones are all there, and no new one.
    """
    with closing(FolderShare(parts.folder)):
        return _reparse(parts, read, cases, thinking=thinking)


def _reparse(parts: VoteParts, read: ReadAnswer, cases: pl.DataFrame, *, thinking: bool) -> ReparseCounts:
    counts = ReparseCounts()
    again = _Again(read, dict(cases.select("key", "n_steps").iter_rows()), thinking)
    readable = [(part, differs) for part in parts.parts() if (differs := again.count(parts, part, counts)) is not None]
    first = next((place for place, (_, differs) in enumerate(readable) if differs), len(readable))
    going, written = [part for part, _ in readable[first:]], list[Path]()
    try:
        for part in going:
            written.extend(parts.append(again.page(page)) for page in parts.pages(part, _ROWS))
    except BaseException:
        _unlink(written)
        raise
    _unlink(going)
    return counts


class _Again(Struct, frozen=True):
    """Reads rows again: with `read`, of cases whose numbers of steps are known by key."""

    read: ReadAnswer
    n_steps: Mapping[str, int]
    thinking: bool

    @property
    def about_cases(self) -> pl.Expr:
        """Which rows are about a case that is known."""
        return pl.col("key").is_in(list(self.n_steps))

    @property
    def of_another_reader(self) -> pl.Expr:
        """Which of these are another reader's too: a verdict that an imported file gave without a text is not."""
        return self.about_cases & (pl.col("answer").is_not_null() | pl.col("verdict").is_null())

    def count(self, parts: VoteParts, part: Path, counts: ReparseCounts) -> bool | None:
        """Add a part's answers to the counts: whether it has to be rewritten, None where it cannot be read."""
        differs = False
        try:
            for page in parts.pages(part, _ROWS):
                for row, reading in self._readings(page):
                    if reading is not None:
                        counts.add(row, reading)
                        differs |= _changes(row, reading) or row["reader"] != version(self.read)
                    counts.unknown += row["answer"] is not None and reading is None
        except (OSError, FrameError) as error:
            counts.problems.append(f"{part} was left alone: {error}")
            return None
        return differs

    def page(self, page: pl.DataFrame) -> pl.DataFrame:
        """The same rows with what is read of them now."""
        names = (*_SAID, "reader")
        rows = []
        for row, reading in self._readings(page):
            new = row if reading is None else {**_columns(reading), "reader": version(self.read)}
            rows.append({name: new[name] for name in names})
        reread = pl.DataFrame(rows, schema={name: VOTES[name] for name in names}, orient="row")
        return page.with_columns(reread.get_columns())

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
