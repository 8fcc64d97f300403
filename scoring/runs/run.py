"""`score()`: the only loop that runs scorers. It plans, has an engine compute, saves, resumes, and tells what it does.

Nothing here knows a PRM family, a critic's protocol or an engine. A `Method` turns cases into requests and what an
engine answers into rows: `scoring.runs.prm_runs.Encoding` for PRMs, whose requests are token ids, and
`scoring.runs.critic_runs.Asking` for critics and generative PRMs, whose requests are messages. The engine is made by
what the caller hands in when the first request is there, so that a finished run costs none.
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Protocol

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.reward_keys import reward_keys
from scoring.data.scorer import Scorer
from scoring.data.texts import Texts
from scoring.runs.events import (
    Asked,
    CaseRefused,
    ClusterEstimate,
    End,
    Estimate,
    Event,
    Notice,
    Progress,
    Ready,
    Saved,
    Start,
    Status,
)
from scoring.runs.interrupt import Interrupt, Stopped
from scoring.runs.leases import SharedWork
from scoring.runs.plan import MissingAnswers, RunPlan
from scoring.runs.row_saver import RowSaver
from scoring.runs.run_cases import RowsToSave, TextPages, Work, run_cases
from scoring.workspace.cache import Parts

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
