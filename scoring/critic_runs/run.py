"""`ask()`: the only loop that asks critics and generative PRMs. It saves as answers come, resumes, and tells of it.

Nothing here knows a server or an engine: one is made by what the caller hands in when something has to be asked.
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import polars as pl

from scoring.asking import Noticed
from scoring.cache import VoteParts
from scoring.critic_runs.asker import Asker, HowAsked, Settled, Work
from scoring.critic_runs.estimate import estimate, with_subsets
from scoring.critic_runs.plan import CriticPlan, critic_plan
from scoring.critics.readers import was_cut
from scoring.engines.base import AnsweringEngine
from scoring.events import Asked, CaseRefused, End, Event, Notice, Progress, Ready, Saved, Start, Status
from scoring.interrupt import Interrupt, Stopped
from scoring.run_cases import run_cases
from scoring.saving import Saving
from scoring.scorer import Scorer
from scoring.text_pages import TextPages
from scoring.texts import Texts

_PROGRESS_SECONDS = 0.1


def ask(
    cases: pl.DataFrame,
    texts: Texts,
    scorer: Scorer,
    parts: VoteParts,
    asking: HowAsked,
    *,
    engine: Callable[[], AnsweringEngine],
    rows: list[int] | None = None,
    retry_refused: bool = False,
    dry_run: bool = False,
    notes: tuple[str, ...] = (),
    interrupt: Interrupt | None = None,
) -> Generator[Event, None, None]:
    """Ask a critic or a generative PRM what the cache has no answer for, and tell every step of it.

    Args:
        cases: columns `case`, `key`, `n_steps`, `benchmark`, `subset`.
        texts: theirs, row for row.
        scorer: the critic.
        parts: where its answers are kept.
        asking: what it is asked, and how often; `Asking` for a critic, `scoring.generative.talks.Talking` for a
            generative PRM.
        engine: makes the engine; called at most once, and only if something has to be asked.
        rows: which rows of `cases`, 0-based, in order; None for all.
        retry_refused: ask again what an earlier run found not worth asking.
        dry_run: write the prompts and tell how many and how long they are, and ask nothing.
        notes: sentences that are told first.
        interrupt: listens to signals; None for a run that only its caller stops, by closing the iterator.

    Answers are saved after every 512 or every second, whichever comes first, and whenever the run ends. What is in
    flight then is lost, and asked for again by the next run.

    Raises:
        InspectError: what `engine` raises, or a workspace that cannot be read or written. No `End` then.
        Stopped: a second signal came while the first was being obeyed.
    """
    numbers = pl.Series("rows", range(cases.height) if rows is None else rows, dtype=pl.UInt32)
    wanted = cases.select(pl.col("case", "key", "n_steps", "benchmark", "subset").gather(numbers))
    todo = critic_plan(wanted, parts, votes=asking.votes, runs=asking.runs, retry_refused=retry_refused)
    run = _Run(scorer, parts, todo, asking, interrupt or Interrupt())
    told = (*notes, *todo.notes)
    to_do = len(todo.rows)
    try:
        yield Start(
            scorer.name,
            scorer.fingerprint,
            str(parts.folder),
            todo.cases,
            todo.contents,
            todo.cached,
            todo.refused,
            to_do,
            told,
        )
        if todo.missing:
            read = run_cases(wanted, numbers, [one.row for one in todo.missing], TextPages(texts))
            work = zip(todo.missing, read, strict=True)
            if dry_run:
                first = ((missing.row, one) for missing, one in asking.asker().first(work))
                yield estimate(with_subsets(wanted, first), asking.max_tokens, asking.price, asking.currency)
            else:
                yield from run.ask(asking.asker(), work, engine)
        status: Status = "dry_run" if dry_run else "done"
    except Stopped:
        status = "interrupted"
    finally:
        # Also on the way out of an error or of a caller's leaving, where there is nobody to tell.
        try:
            last = run.flush()
        finally:
            run.saving.close()
    if last:
        yield last
    yield run.end(status)


@dataclass
class _Run:
    """The state of one run: counts, asks in flight, and rows that are not saved yet."""

    scorer: Scorer
    parts: VoteParts
    plan: CriticPlan
    asking: HowAsked
    interrupt: Interrupt
    began: float = field(default_factory=time.monotonic)
    asked: Asked = field(default_factory=Asked)
    scored: int = 0
    refused: int = 0
    engine: str | None = None
    _open: Counter[int] = field(default_factory=Counter)
    _hollow: set[int] = field(default_factory=set)
    _told: float = 0.0
    saving: Saving = field(init=False)

    def __post_init__(self) -> None:
        self.saving = Saving(self.scorer, self.parts)
        self._open = Counter(one.row for one in self.plan.missing)
        self.asked = replace(self.asked, wanted=self.plan.answers)

    def ask(self, asker: Asker, work: Work, engine: Callable[[], AnsweringEngine]) -> Iterator[Event]:
        """Everything that is missing."""
        began = time.monotonic()
        with self.interrupt.at_once():
            made = engine()
        self.engine = made.name
        yield Ready(made.name, round(time.monotonic() - began, 3))
        # What is ready without the engine comes with the None at the end.
        for told in chain(made.answers(asker.asks(work)), (None,)):
            if isinstance(told, Noticed):
                yield Notice(told.sentence)
            elif told is not None:
                calls, retries = self.asked.calls + told.calls, self.asked.retries + told.retries
                self.asked = replace(self.asked, calls=calls, retries=retries)
                asker.take(told)
            for settled in asker.settled():
                yield from self._keep(settled)
            yield from self._report()
            self.interrupt.check()
        if sentence := asker.notice():
            yield Notice(sentence)
        yield self._progress()

    def _keep(self, settled: Settled) -> Iterator[Event]:
        """Keep rows until they are saved, and count them."""
        row, case = settled.missing.row, settled.case
        self.saving.add(settled.rows)
        for one in settled.rows:
            self._count(one)
        silent = [one["reason"] for one in settled.rows if one["answer"] is None]
        if silent:
            self._hollow.add(row)
            yield CaseRefused(case.case, case.key, silent[0])
        self._open[row] -= settled.last
        if not self._open[row]:
            hollow = row in self._hollow
            self.refused, self.scored = self.refused + hollow, self.scored + (not hollow)

    def _count(self, row: dict[str, Any]) -> None:
        one, silent = self.asked, row["answer"] is None
        # Rewards with a reason are no rewards of the steps.
        read = row.get("verdict") is not None or (row.get("rewards") is not None and row["reason"] is None)
        self.asked = replace(
            one,
            answers=one.answers + 1,
            unparsed=one.unparsed + (not silent and not read),
            unanswered=one.unanswered + silent,
            cut=one.cut + was_cut(row["finish_reason"]),
            tokens_in=one.tokens_in + (row["tokens_in"] or 0),
            tokens_out=one.tokens_out + (row["tokens_out"] or 0),
        )

    def _report(self) -> Iterator[Event]:
        """Save what is due, and tell how far the run is."""
        now = time.monotonic()
        if self.saving.due() and (saved := self.flush()):
            yield saved
        if now - self._told >= _PROGRESS_SECONDS:
            self._told = now
            yield self._progress()

    def flush(self) -> Saved | None:
        """Save what is pending; None if that is nothing."""
        return self.saving.flush(self.engine)

    def _progress(self) -> Progress:
        seconds = round(time.monotonic() - self.began, 3)
        done = self.scored + self.refused
        tokens = self.asked.tokens_in + self.asked.tokens_out
        return Progress(done, len(self.plan.rows), self.refused, seconds, seconds, tokens, asked=self.asked)

    def end(self, status: Status) -> End:
        """The last event."""
        one, price = self.asked, self.asking.price
        return End(
            status,
            scored=self.scored,
            refused=self.refused,
            cached=self.plan.cached,
            cached_refused=self.plan.refused,
            left=len(self.plan.rows) - self.scored - self.refused,
            saved=self.saving.total,
            seconds=round(time.monotonic() - self.began, 3),
            tokens=one.tokens_in + one.tokens_out,
            signal=self.interrupt.signum if status == "interrupted" else None,
            asked=one,
            money=None if price is None else price(one.tokens_in, one.tokens_out),
            currency=self.asking.currency,
        )
