"""`score()`: the only loop that computes step rewards. It saves as it goes, resumes, and tells what it does.

Nothing here knows a PRM family or an engine: an encoder and an engine are made by what the caller hands in, the first
when a case has to be encoded and the second when one has to be run, so that a finished run costs neither.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from scoring.asking import Noticed
from scoring.cache import RewardParts
from scoring.engines.base import Engine
from scoring.events import CaseRefused, End, Event, Notice, Progress, Ready, Saved, Start, Status
from scoring.interrupt import Interrupt, Stopped
from scoring.plan import Plan, plan
from scoring.prms.base import Encoder
from scoring.readout import Batch, Refused
from scoring.reward_keys import reward_keys
from scoring.run_cases import EncodedCase, RunCase, run_cases
from scoring.saving import Saving
from scoring.scorer import Scorer
from scoring.text_pages import TextPages
from scoring.texts import Texts

WINDOW_CASES, WINDOW_TOKENS = 1024, 1 << 20
"""How much is encoded and handed to the engine at once: it sorts by length, and memory does not grow with the cases."""
_PROGRESS_SECONDS = 0.1


def score(
    cases: pl.DataFrame,
    texts: Texts,
    scorer: Scorer,
    parts: RewardParts,
    *,
    encoder: Callable[[], Encoder],
    engine: Callable[[], Engine],
    rows: Sequence[int] | None = None,
    retry_refused: bool = False,
    truncate: bool = False,
    dry_run: bool = False,
    notes: Sequence[str] = (),
    interrupt: Interrupt | None = None,
) -> Generator[Event, None, None]:
    """Compute and save the step rewards that the cache lacks, telling what happens. See `scoring.events`.

    Args:
        cases: the columns `case`, `key` and `n_steps` at least.
        texts: their texts, row for row.
        scorer: whose rewards these are; its `scorer.json` is written with the first rows, and what it reads beside
            problem and steps is part of the keys of its rewards.
        parts: where rewards are and go, as `scoring.claim` gives it.
        encoder: makes the encoder; called at most once, and only if something is to do.
        engine: makes the engine; called at most once, and only if a case has been encoded.
        rows: which rows of `cases`, 0-based, in order; None for all.
        retry_refused: compute again what an earlier run refused.
        truncate: score as many first steps of a case as fit, where it has more tokens than the model takes, and save
            these rewards with a reason why there are no more: it stays refused. What an earlier run refused as too long
            is tried again.
        dry_run: encode, so that refusals and tokens are told, but run and save nothing.
        notes: sentences that are told first.
        interrupt: listens to signals; None for a run that only its caller stops, by closing the iterator.

    Rows are saved after every 512 or every second, whichever comes first, and whenever the run ends, be it by a signal,
    by an error or by the caller's leaving. What a run refuses is saved with its reason like rewards are.

    Raises:
        InspectError: what `encoder` or `engine` raise, or a workspace that cannot be read or written. No `End` then.
        Stopped: a second signal came while the first was being obeyed.
    """
    numbers = pl.Series("rows", range(cases.height) if rows is None else rows, dtype=pl.UInt32)
    wanted = cases.select(pl.col("case", "key", "n_steps").gather(numbers))
    wanted = reward_keys(wanted, texts.gather(numbers.to_numpy()), scorer.reads)
    todo = plan(wanted, parts, retry_refused=retry_refused, truncate=truncate)
    run = _Run(scorer, parts, todo, interrupt or Interrupt(), dry_run=dry_run, truncate=truncate)
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
        if todo.rows:
            yield from run.compute(
                run_cases(wanted, numbers, todo.rows, TextPages(texts, scorer.reads)), encoder, engine
            )
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
    """The state of one run: counts, and rows that are not saved yet."""

    scorer: Scorer
    parts: RewardParts
    plan: Plan
    interrupt: Interrupt
    dry_run: bool
    truncate: bool
    began: float = field(default_factory=time.monotonic)
    scored: int = 0
    refused: int = 0
    truncated: int = 0
    case_tokens: int = 0
    tokens: int = 0
    padding: int = 0
    computing: float = 0.0
    engine: str | None = None
    _told: float = 0.0
    _noticed: set[str] = field(default_factory=set)
    saving: Saving = field(init=False)

    def __post_init__(self) -> None:
        self.saving = Saving(self.scorer, self.parts)

    def compute(
        self, cases: Iterator[RunCase], encoder: Callable[[], Encoder], engine: Callable[[], Engine]
    ) -> Iterator[Event]:
        """All cases, a window at a time."""
        with self.interrupt.at_once():
            encode = encoder()
        loaded: Engine | None = None
        while True:
            window, refusals = self._window(cases, encode)
            for case, refusal in refusals:
                yield self._refuse(case, refusal)
            if not window and not refusals:
                break
            if window and self.dry_run:
                yield from self._looked_at(window)
            elif window:
                if loaded is None:
                    loaded, seconds = self._load(engine)
                    yield Ready(loaded.name, round(seconds, 3))
                yield from self._run(loaded, window)
            yield from self._report(always=True)
            self.interrupt.check()

    def _window(
        self, cases: Iterator[RunCase], encode: Encoder
    ) -> tuple[list[EncodedCase], list[tuple[RunCase, Refused]]]:
        """The next cases encoded, and those that cannot be; nothing of either when all are through."""
        window: list[EncodedCase] = []
        refusals: list[tuple[RunCase, Refused]] = []
        tokens = 0
        while len(window) + len(refusals) < WINDOW_CASES and tokens < WINDOW_TOKENS:
            self.interrupt.check()
            case = next(cases, None)
            if case is None:
                break
            found = case.encoded(encode, truncate=self.truncate)
            if isinstance(found, Refused):
                refusals.append((case, found))
            else:
                window.append(found)
                tokens += found.tokens.n_tokens
        return window, refusals

    def _looked_at(self, window: Sequence[EncodedCase]) -> Iterator[Event]:
        """What a dry run tells of cases that an engine would run."""
        for one in window:
            self.case_tokens += one.tokens.n_tokens
            if one.reason is not None:
                yield self._truncated(one)

    def _load(self, engine: Callable[[], Engine]) -> tuple[Engine, float]:
        began = time.monotonic()
        with self.interrupt.at_once():
            loaded = engine()
        self.engine = loaded.name
        return loaded, time.monotonic() - began

    def _run(self, engine: Engine, window: Sequence[EncodedCase]) -> Iterator[Event]:
        batches = engine.read([one.tokens for one in window])
        while batch := self._next(batches):
            if isinstance(batch, Noticed):
                # Every window is a call of its own, and may notice the same again.
                if batch.sentence not in self._noticed:
                    self._noticed.add(batch.sentence)
                    yield Notice(batch.sentence)
                continue
            self.tokens, self.padding = self.tokens + batch.tokens, self.padding + batch.padding
            for answer in batch.answers:
                one = window[answer.index]
                self.case_tokens += one.tokens.n_tokens
                rewards = one.checked(answer)
                if isinstance(rewards, Refused):
                    yield self._refuse(one.case, rewards)
                    continue
                self._keep(one.case, rewards, answer.redundancy, one.reason)
                if one.reason is None:
                    self.scored += 1
                else:
                    yield self._truncated(one)
            yield from self._report()

    def _next(self, batches: Iterator[Batch | Noticed]) -> Batch | Noticed | None:
        began = time.monotonic()
        with self.interrupt.at_once():
            batch = next(batches, None)
        self.computing += time.monotonic() - began
        return batch

    def _refuse(self, case: RunCase, refusal: Refused) -> CaseRefused:
        self.refused += 1
        self._keep(case, None, None, refusal.reason)
        return CaseRefused(case.case, case.key, refusal.reason)

    def _truncated(self, one: EncodedCase) -> CaseRefused:
        self.refused += 1
        self.truncated += 1
        return CaseRefused(one.case.case, one.case.key, one.reason or "", one.tokens.n_positions)

    def _report(self, *, always: bool = False) -> Iterator[Event]:
        """Save what is due, and tell how far the run is."""
        now = time.monotonic()
        if self.saving.due() and (saved := self.flush()):
            yield saved
        if always or now - self._told >= _PROGRESS_SECONDS:
            self._told = now
            yield self._progress()

    def flush(self) -> Saved | None:
        """Save what is pending; None if that is nothing."""
        return self.saving.flush(self.engine)

    def _keep(
        self, case: RunCase, rewards: tuple[float, ...] | None, redundancy: tuple[float, ...] | None, reason: str | None
    ) -> None:
        if not self.dry_run:
            row = {"key": case.key, "vote": 0, "rewards": rewards, "redundancy": redundancy, "reason": reason}
            self.saving.add([row])

    def _progress(self) -> Progress:
        done = self.scored + self.refused
        seconds = round(time.monotonic() - self.began, 3)
        computing, to_do = round(self.computing, 3), len(self.plan.rows)
        return Progress(done, to_do, self.refused, seconds, computing, self.tokens, self.truncated)

    def end(self, status: Status) -> End:
        """The last event."""
        left = len(self.plan.rows) - self.scored - self.refused
        return End(
            status,
            scored=self.scored,
            refused=self.refused,
            truncated=self.truncated,
            cached=self.plan.cached,
            cached_refused=self.plan.refused,
            left=left,
            saved=self.saving.total,
            seconds=round(time.monotonic() - self.began, 3),
            computing=round(self.computing, 3),
            case_tokens=self.case_tokens,
            tokens=self.tokens,
            padding=self.padding,
            signal=self.interrupt.signum if status == "interrupted" else None,
        )
