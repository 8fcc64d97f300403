"""`score()`: the only loop that runs scorers. It plans, has an engine compute, saves, resumes, and tells what it does.

Nothing here knows a PRM family, a critic's protocol or an engine. A `Method` turns cases into requests and what an
engine answers into rows: `scoring.runs.prm_runs.Encoding` for PRMs, whose requests are token ids, and
`scoring.runs.critic_runs.Asking` for critics and generative PRMs, whose requests are messages. The engine is made by
what the caller hands in when the first request is there, so that a finished run costs none.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import UnwritableWorkspace, UsageError
from scoring.data.scorer import FILE, Scorer
from scoring.data.storage.files import FolderShare
from scoring.data.texts import Texts, further_texts, reward_keys, text_columns
from scoring.runs.arguments import Shard
from scoring.runs.events import (
    Asked,
    CaseRefused,
    ClusterEstimate,
    End,
    Estimate,
    Event,
    Interrupt,
    Notice,
    Progress,
    Ready,
    Saved,
    Start,
    Status,
    Stopped,
)
from scoring.runs.plan import MissingAnswers, RunPlan, SharedWork
from scoring.workspace.cache import Parts

# -- rows of a run on their way into a scorer's folder, the same for rewards and for answers


ROWS, SECONDS = 512, 1.0
"""Rows are saved after so many or so long, whichever comes first."""
MANY_PARTS = 128
"""Parts that are written before they are merged."""


@dataclass
class RowSaver:
    """Keeps rows until they are due and saves them as parts; the folder's `scorer.json` with the first.

    `total` rows have been saved. What is not saved when a process is killed is lost, and computed again. Until it is
    closed it has a share in the folder, which keeps others from removing the scorer.
    """

    scorer: Scorer
    parts: Parts
    total: int = 0
    _pending: list[Mapping[str, Any]] = field(default_factory=list)
    _last: float = field(default_factory=time.monotonic)
    _share: FolderShare = field(init=False)
    _merging: threading.Thread | None = None
    _merged: int = 0
    """Parts that were left when they were last merged."""
    _closing: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._share = FolderShare(self.parts.folder)

    def close(self) -> None:
        """Let go of the folder, when the piece that parts are being merged into is written."""
        self._closing.set()
        if self._merging is not None:
            self._merging.join()
        self._share.close()

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep rows: columns of the parts' schema; a nullable one may be left out, and `engine` where all have one."""
        self._pending += rows

    def due(self) -> bool:
        """Return whether it is time to save."""
        return len(self._pending) >= ROWS or time.monotonic() - self._last >= SECONDS

    def flush(self, engine: str | None) -> Saved | None:
        """Save what is kept; None if that is nothing. A failure is not tried again: there is no place to save to.

        Args:
            engine: what ran, written beside every row that does not say it itself.

        Raises:
            UnwritableWorkspace: the part could not be written.
        """
        rows, self._pending = self._pending, []
        self._last = time.monotonic()
        if not rows:
            return None
        schema = self.parts.kind.schema
        frame = pl.DataFrame(rows, schema=dict(schema), orient="row")
        self._share.take()
        # Where there are no locks, somebody may have removed it since the last rows.
        if not (self.parts.folder / FILE).exists():
            self.scorer.save(self.parts.folder)
        part = self.parts.append(frame.with_columns(pl.col("engine").fill_null(pl.lit(engine, dtype=schema["engine"]))))
        self.total += len(rows)
        busy = self._merging is not None and self._merging.is_alive()
        if not busy and len(self.parts.parts()) - self._merged >= MANY_PARTS:
            # Elsewhere than in the loop, whose engine and whose answers would wait for it.
            self._merging = threading.Thread(target=self._compact, name="merging parts", daemon=True)
            self._merging.start()
        return Saved(len(rows), self.total, part.name)

    def _compact(self) -> None:
        # Where there was room for the rows and none for another copy of some: more parts are no harm.
        with suppress(UnwritableWorkspace):
            self.parts.compact(stop=self._closing.is_set)
        self._merged = len(self.parts.parts())


# -- the cases of a scoring run: their texts, read a page at a time, and what became of each


_ROWS = 1024


class RunCase(Struct, frozen=True):
    """A case with its texts; `further` are those that the scorer reads beside problem and steps."""

    case: str
    key: str
    problem: str
    steps: list[str]
    further: tuple[str | None, ...] = ()
    benchmark: str = ""
    subset: str | None = None


Work = Iterator[tuple[MissingAnswers, RunCase]]
"""What is missing, with the case it is about."""


class RowsToSave(Struct, frozen=True):
    """Rows that are ready to be saved, with every column that has a value but for `engine`.

    `last` says that nothing more comes of what was missing. `reason`, where there is one, is why the case has no
    verdict, lacks a vote, or has rewards for its first `scored_steps` steps alone.
    """

    missing: MissingAnswers
    case: RunCase
    rows: tuple[Mapping[str, Any], ...]
    last: bool = True
    reason: str | None = None
    scored_steps: int = 0


def run_cases(wanted: pl.DataFrame, numbers: pl.Series, rows: Sequence[int], pages: "TextPages") -> Iterator[RunCase]:
    """Yield these `rows` of `wanted` with their texts; `numbers` are its rows in the frame the texts belong to."""
    names = ("case", "key", "benchmark", "subset", "step_messages")
    picked = pl.Series("row", rows, dtype=pl.UInt32)
    chosen = wanted.select(pl.col([name for name in names if name in wanted.columns]).gather(picked))
    for number, case in zip(numbers.gather(picked), chosen.iter_rows(named=True), strict=True):
        texts = pages(number)
        further = tuple(text for _, text in further_texts(pages.reads, case, texts))
        group = case.get("benchmark", ""), case.get("subset")
        yield RunCase(case["case"], case["key"], texts["problem"], texts["steps"], further, *group)


class TextPages:
    """Reads `Texts` a page at a time: near rows asked for one after another cost one read.

    `reads` are the columns that are wanted beside problem and steps.
    """

    def __init__(self, texts: Texts, reads: Sequence[str] = ()) -> None:
        self.reads = tuple(reads)
        self._texts, self._columns = texts, ("problem", "steps", *text_columns(reads))
        self._part, self._first, self._page = -1, 0, pl.DataFrame()

    def __call__(self, row: int) -> dict[str, Any]:
        """Problem, steps and what else is wanted of the case in this row of the cases frame.

        Raises:
            DamagedWorkspace: the file has gone or cannot be read.
        """
        part, place = int(self._texts.part[row]), int(self._texts.row_in_part[row])
        if part != self._part or not self._first <= place < self._first + self._page.height:
            first = place // _ROWS * _ROWS
            page = self._texts.page(part, first, _ROWS, self._columns)
            if page.height <= place - first:
                # Asked for alone, it is the sentence about the missing row.
                first, page = place, self._texts.page(part, place, 1, self._columns)
            self._part, self._first, self._page = part, first, page
        return self._page.row(place - self._first, named=True)


# -- which cases of a benchmark are scored: all, the first ones, an even spread, a stratified sample, or a shard


def sample(cases: pl.DataFrame, number: int, stratify: str | None = None, seed: int = 0) -> list[int]:
    """Draw rows (0-based, rising) of `number` cases, or of all where there are no more.

    Which ones depends on the cases' names and the seed, not on their order, and a larger sample contains every smaller
    one with the same seed, so that what is scored already counts. With `stratify`, each value of that column (missing
    is one) has its share to within a case.

    Raises:
        UsageError: there is no such column.
    """
    if stratify is not None and stratify not in cases.columns:
        raise UsageError(f"there is no column {stratify!r} to stratify by.", f"Columns: {', '.join(cases.columns)}.")
    draws = [blake2b(f"{seed}|{case}".encode(errors="replace"), digest_size=8).digest() for case in cases["case"]]
    stratum = cases[stratify].cast(pl.String) if stratify else pl.repeat("", cases.height, eager=True)
    frame = pl.DataFrame({"stratum": stratum, "draw": pl.Series(draws, dtype=pl.Binary)}).with_row_index("row")
    place = (pl.col("draw").rank("ordinal").over("stratum") - 0.5) / pl.len().over("stratum")
    chosen = frame.with_columns(place=place).sort("place", "draw").head(number)
    return sorted(chosen["row"].to_list())


def spread(height: int, number: int) -> list[int]:
    """Return `number` rows (0-based, rising) of a file of `height` rows, spread evenly over it, or all rows if fewer.

    A larger number keeps the rows of a smaller one: they are taken in van der Corput's order, which is the first, the
    one in the middle, those at a quarter and three quarters, and so on.
    """
    bits = max(1, (height - 1).bit_length())
    places = np.zeros(1 << bits, dtype=np.int64)
    for bit in range(bits):
        places |= (np.arange(1 << bits) >> bit & 1) << (bits - 1 - bit)
    # Where the height is not a power of two, several places are one row.
    rows = places * height >> bits
    _, first = np.unique(rows, return_index=True)
    return sorted(rows[np.sort(first)][: min(number, height)].tolist())


def in_shard(keys: pl.Series, sizes: npt.NDArray[np.int64], shard: Shard) -> npt.NDArray[np.int64]:
    """Return the rows (0-based, rising) of a shard: contents are dealt by size, so that each shard has about the same
    to do.

    Which contents are whose depends on the contents alone, not on their order or on what is scored already. Cases of
    one content are in the same shard.

    Args:
        keys: the content of each case (String), shape (n,).
        sizes: how much each is to compute, the same for equal contents, shape (n,).
        shard: which of how many.
    """
    frame = pl.DataFrame({"key": keys, "size": sizes})
    contents = frame.unique("key").sort("size", "key", descending=[True, False]).with_row_index("place")
    turn = pl.col("place") % shard.count
    # There and back: were it always in the same order, the first would have the larger one of every round.
    dealt = pl.when(pl.col("place") // shard.count % 2 == 0).then(turn).otherwise(shard.count - 1 - turn)
    own = contents.filter(dealt == shard.number - 1)["key"]
    return np.flatnonzero(keys.is_in(own.implode()).to_numpy())


_PROGRESS_SECONDS, _WAITED_SECONDS = 0.1, 0.25
ALSO_AT_WORK = (
    "{} runs this scorer too: what it has begun is left to it, and computed here if it ends without having saved it"
)


class Named(Protocol):
    """What a method computes with: an engine, or several of them elsewhere."""

    @property
    def name(self) -> str:
        """What runs: written beside every row that does not say it itself."""
        ...


Load = Callable[[], tuple[Any, Ready | None]]
"""Makes the engine and tells of it; None where it was made before."""
Came = Sequence[RowsToSave] | Event | None
"""What a session gives: cases that are settled, an event to be told as it is, or a sign of life."""


class RunUsage(Struct):
    """What a run has used so far, in the units of `scoring.runs.events.End`; `asked` is None if no model is."""

    tokens: int = 0
    case_tokens: int = 0
    padding: int = 0
    computing: float = 0.0
    asked: Asked | None = None
    money: float | None = None
    currency: str = ""


class RunSession(Protocol):
    """One run of a method. Nothing of it is saved: a run that is taken up again makes another."""

    @property
    def spent(self) -> RunUsage:
        """What it has used so far."""
        ...

    def rows(self, work: Work, load: Load) -> Iterator[Came]:
        """Draw the work and give everything that comes of it; `load` is called once, when there is a request.

        The caller stops it between two of these by closing it, and then nothing is lost but what is under way.

        Raises:
            InspectError: what the engine raises, or its answers lack what nothing can be made of them without.
        """
        ...

    def look(self, work: Work) -> Iterator[Came]:
        """Draw the work and give what can be said of it without an engine: refusals, or an estimate."""
        ...


class Method(Protocol):
    """How a kind of scorer comes by its rows."""

    def plan(self, cases: pl.DataFrame, parts: Parts, *, retry_refused: bool) -> RunPlan:
        """Find what the cache lacks for the cases (columns `key`, `n_steps`)."""
        ...

    def session(self, plan: RunPlan, interrupt: Interrupt) -> RunSession:
        """Start a run of what is planned; long stretches in it that leave nothing half done heed `interrupt`."""
        ...


def score(
    cases: pl.DataFrame,
    texts: Texts,
    scorer: Scorer,
    parts: Parts,
    method: Method,
    *,
    engine: Callable[[], Named],
    rows: Sequence[int] | None = None,
    retry_refused: bool = False,
    dry_run: bool = False,
    waits: bool = True,
    notes: Sequence[str] = (),
    interrupt: Interrupt | None = None,
) -> Generator[Event, None, None]:
    """Compute and save what the cache lacks of a scorer, telling what happens. See `scoring.runs.events`.

    Args:
        cases: the columns `case`, `key` and `n_steps` at least; estimates are told by `benchmark` and `subset`.
        texts: their texts, row for row.
        scorer: whose rows these are; its `scorer.json` is written with the first of them, and what it reads beside
            problem and steps is part of the keys of its rows.
        parts: where its rewards or votes are and go, in the folder that `scoring.workspace.reservation` gives.
        method: how it is run.
        engine: makes the engine that the method needs; called at most once, and only if there is a request.
        rows: which rows of `cases`, 0-based, in order; None for all.
        retry_refused: try again what an earlier run refused.
        dry_run: make requests, so that refusals, tokens and an estimate are told, but run and save nothing.
        waits: leave to other runs what they have begun, and wait for it; False = compute it here and now as well.
        notes: sentences that are told first.
        interrupt: listens to signals; None for a run that only its caller stops, by closing the iterator.

    Rows are saved after every 512 or every second, whichever comes first, and whenever the run ends, be it by a signal,
    by an error or by the caller's leaving. What a run refuses is saved with its reason like rewards are. What is under
    way then is lost, and computed by the next run.

    Raises:
        InspectError: what method or engine raise, or a workspace that cannot be read or written. No `End` then.
        Stopped: a second signal came while the first was being obeyed.
    """
    numbers = pl.Series("rows", range(cases.height) if rows is None else rows, dtype=pl.UInt32)
    optional = pl.selectors.by_name("benchmark", "subset", "step_messages", require_all=False)
    wanted = cases.select("case", "key", "n_steps", optional).select(pl.all().gather(numbers))
    wanted = reward_keys(wanted, texts.gather(numbers.to_numpy()), scorer.reads)
    known = {part.name for part in parts.parts()}
    todo = method.plan(wanted, parts, retry_refused=retry_refused)
    lacking = partial(_lacking, wanted, parts, method, retry_refused)
    interrupt = interrupt or Interrupt()
    pages = TextPages(texts, scorer.reads)

    def work(missing: Sequence[MissingAnswers]) -> Work:
        return zip(missing, run_cases(wanted, numbers, [lacking.row for lacking in missing], pages), strict=True)

    shared = SharedWork(todo, wanted["key"], parts, lacking, known, waits)
    run = _Run(scorer, parts, todo, shared, work, method.session(todo, interrupt), interrupt, dry_run)
    try:
        yield Start(
            scorer.name,
            scorer.fingerprint,
            str(parts.folder),
            todo.cases,
            todo.contents,
            todo.cached,
            todo.refused,
            len(todo.rows),
            (*notes, *todo.notes),
        )
        if todo.missing:
            yield from run.look() if dry_run else run.compute(engine)
        status: Status = "dry_run" if dry_run else "done"
    except Stopped:
        status = "interrupted"
    finally:
        # Also on the way out of an error or of a caller's leaving, where there is nobody to tell.
        try:
            last = run.flush()
        finally:
            run.close()
    if last:
        yield last
    yield run.end(status)


def _lacking(
    wanted: pl.DataFrame, parts: Parts, method: Method, retry_refused: bool, missing: Sequence[MissingAnswers]
) -> RunPlan:
    """What the cache lacks now of what was missing; rows are those of `wanted` in both."""
    rows = sorted({lacking.row for lacking in missing})
    plan = method.plan(wanted[rows], parts, retry_refused=retry_refused)
    return replace(plan, missing=tuple(replace(lacking, row=rows[lacking.row]) for lacking in plan.missing))


@dataclass
class _Run:
    """The state of one run: counts, and rows that are not saved yet."""

    scorer: Scorer
    parts: Parts
    plan: RunPlan
    shared: SharedWork
    work: Callable[[Sequence[MissingAnswers]], Work]
    session: RunSession
    interrupt: Interrupt
    dry_run: bool
    began: float = field(default_factory=time.monotonic)
    scored: int = 0
    refused: int = 0
    truncated: int = 0
    cached: int = field(init=False)
    cached_refused: int = field(init=False)
    engine: Named | None = None
    _told: float = 0.0
    _notices: set[Notice] = field(default_factory=set)
    _open: Counter[int] = field(init=False)
    _hollow: set[int] = field(default_factory=set)
    _unsaved: list[str] = field(default_factory=list)
    saving: RowSaver = field(init=False)

    def __post_init__(self) -> None:
        self.saving = RowSaver(self.scorer, self.parts)
        self.cached, self.cached_refused = self.plan.cached, self.plan.refused
        self._open = Counter(missing.row for missing in self.plan.missing)

    def look(self) -> Iterator[Event]:
        """What can be said of what is missing without an engine."""
        yield from self._heard(self.session.look(self.work(self.plan.missing)))
        if self.session.spent.asked is None:
            yield self._progress()

    def compute(self, engine: Callable[[], Named]) -> Iterator[Event]:
        """Everything that is missing, but for what another run computes meanwhile."""
        while True:
            work = chain.from_iterable(map(self.work, self.shared.blocks()))
            yield from self._heard(self.session.rows(work, partial(self._load, engine)))
            if self.shared.left and (saved := self.flush()):
                yield saved
            while self.shared.left and not self.shared.free():
                yield from self._report()
                time.sleep(_WAITED_SECONDS)
                self.interrupt.check()
            self._count_gone()
            if not self.shared.left:
                break
        yield self._progress()

    def _load(self, engine: Callable[[], Named]) -> tuple[Named, Ready | None]:
        if self.engine is not None:
            return self.engine, None
        began = time.monotonic()
        with self.interrupt.at_once():
            self.engine = engine()
        return self.engine, Ready(self.engine.name, round(time.monotonic() - began, 3))

    def _heard(self, stream: Iterator[Came]) -> Iterator[Event]:
        """Everything that a session gives, until it has no more."""
        for came in stream:
            if isinstance(came, Sequence):
                for settled in came:
                    yield from self._keep(settled)
            elif isinstance(came, Notice):
                yield from self._notice(came)
            elif came is not None:
                yield came
            if not isinstance(came, Ready | Estimate | ClusterEstimate):
                yield from self._report()
            self.interrupt.check()

    def _notice(self, notice: Notice) -> Iterator[Notice]:
        """Tell it once: every window of a PRM is a call of its own, and may notice the same again."""
        if notice not in self._notices:
            self._notices.add(notice)
            yield notice

    def _count_gone(self) -> None:
        """Count what others have saved meanwhile as found."""
        gone, self.shared.gone = self.shared.gone, []
        refused, self.shared.refused = self.shared.refused, 0
        self._open.subtract(missing.row for missing in gone)
        through = sum(not self._open[row] for row in {missing.row for missing in gone})
        self.cached, self.cached_refused = self.cached + through - refused, self.cached_refused + refused

    def _keep(self, settled: RowsToSave) -> Iterator[Event]:
        """Keep rows until they are saved, and count the case when it is through."""
        row, case = settled.missing.row, settled.case
        if not self.dry_run:
            self.saving.add(settled.rows)
            if settled.last:
                self._unsaved.append(self.shared.unit(settled.missing))
        if settled.reason is not None:
            self._hollow.add(row)
            self.truncated += settled.scored_steps > 0
            yield CaseRefused(case.case, case.key, settled.reason, settled.scored_steps)
        self._open[row] -= settled.last
        if not self._open[row]:
            hollow = row in self._hollow
            self.refused, self.scored = self.refused + hollow, self.scored + (not hollow)

    def _report(self) -> Iterator[Event]:
        """Save what is due, and tell how far the run is."""
        now = time.monotonic()
        self._count_gone()
        while self.shared.owners:
            yield from self._notice(Notice(ALSO_AT_WORK.format(self.shared.owners.pop())))
        if self.saving.due() and (saved := self.flush()):
            yield saved
        if now - self._told >= _PROGRESS_SECONDS:
            self._told = now
            yield self._progress()

    def flush(self) -> Saved | None:
        """Save what is pending; None if that is nothing."""
        saved = self.saving.flush(self.engine.name if self.engine else None)
        if saved:
            self.shared.known.add(saved.part)
        units, self._unsaved = self._unsaved, []
        self.shared.leases.drop(units)
        return saved

    def close(self) -> None:
        """Let go of the scorer's folder, and of what others wait for."""
        self.shared.leases.close()
        self.saving.close()

    @property
    def _done(self) -> int:
        meanwhile = self.cached + self.cached_refused - self.plan.cached - self.plan.refused
        return self.scored + self.refused + meanwhile

    @property
    def _seconds(self) -> float:
        return round(time.monotonic() - self.began, 3)

    def _progress(self) -> Progress:
        spent, seconds, done = self.session.spent, self._seconds, self._done
        computing = seconds if spent.asked else round(spent.computing, 3)
        to_do = len(self.plan.rows)
        return Progress(done, to_do, self.refused, seconds, computing, spent.tokens, self.truncated, spent.asked)

    def end(self, status: Status) -> End:
        """The last event."""
        spent = self.session.spent
        return End(
            status,
            scored=self.scored,
            refused=self.refused,
            truncated=self.truncated,
            cached=self.cached,
            cached_refused=self.cached_refused,
            left=len(self.plan.rows) - self._done,
            saved=self.saving.total,
            seconds=self._seconds,
            computing=round(spent.computing, 3),
            case_tokens=spent.case_tokens,
            tokens=spent.tokens,
            padding=spent.padding,
            signal=self.interrupt.signum if status == "interrupted" else None,
            asked=spent.asked,
            money=spent.money,
            currency=spent.currency,
        )
