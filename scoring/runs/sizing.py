"""How long a run would take on a cluster, and what it would cost: the run's own dealing of blocks, with no worker real.

    score BENCHMARK --model DIR --dry-run --cluster 8x8[@TOKENS_A_SECOND]

Cases are encoded, so that their lengths are the model's own. `scoring.runs.fleet` then hands them out to workers that
are values here: each takes as long for a block as its tokens take at the speed that was measured, which the scorer's
rows in the cache say of runs before, or that a person says. Nothing waits: the clock is set forward to what happens
next.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct, field

from scoring.data.errors import UsageError
from scoring.runs.arguments import ClusterSize
from scoring.runs.events import ClusterEstimate
from scoring.runs.fleet import Fleet, characters
from scoring.runs.interrupt import Interrupt
from scoring.runs.plan import MissingAnswers, RunPlan
from scoring.runs.prm_runs import Encoding, EncodingSession
from scoring.runs.run import Came, Load, RunUsage
from scoring.runs.run_cases import RunCase, Work
from scoring.runs.workers import BlockResult, CaseResult, WorkBlock, WorkerGone, WorkerReady, WorkerReply
from scoring.workspace.cache import Parts

BLOCK_SECONDS = 0.01
"""What a block costs beside its tokens: to hand it over and to take its rows back."""
_LEAST_ROWS = 50
"""Rows by which a speed is known."""


class Sizing(Struct, frozen=True):
    """The method of a dry run that asks how long a cluster would take; see `scoring.runs.run.Method`.

    `workers` are how many there would be, and `speed` the tokens a second of each, as `measured` on an engine ("" = as
    a person said). An hour of all of it costs `hour`, None = not said.
    """

    encoding: Encoding
    workers: int
    speed: float
    measured: str = ""
    hour: float | None = None

    def plan(self, cases: pl.DataFrame, parts: Parts, *, retry_refused: bool) -> RunPlan:
        """Find the cases that have no rewards."""
        return self.encoding.plan(cases, parts, retry_refused=retry_refused)

    def session(self, plan: RunPlan, interrupt: Interrupt) -> "SizingSession":
        """Start one dry run."""
        return SizingSession(self, self.encoding.session(plan, interrupt))


class SizingSession(Struct):
    """One dry run; see `scoring.runs.run.RunSession`."""

    method: Sizing
    encoding: EncodingSession
    spent: RunUsage = field(default_factory=RunUsage)

    def rows(self, work: Work, load: Load) -> Iterator[Came]:
        """Yield the rewards, as one machine computes them: that a cluster is asked about changes nothing of them."""
        return self.encoding.rows(work, load)

    def look(self, work: Work) -> Iterator[Came]:
        """Yield what can be said of the cases without an engine, and last how long a cluster would take for them."""
        lengths: list[tuple[int, int]] = []
        for window, refused in self.encoding.windows(work):
            lengths += [(characters(encoded.case), encoded.tokens.n_tokens) for encoded in window]
            self.spent.case_tokens += sum(encoded.tokens.n_tokens for encoded in window)
            yield [*refused, *(encoded.settled({}) for encoded in window if encoded.reason is not None)]
        method = self.method
        seconds, busy = simulated(lengths, method.workers, method.speed)
        cost = None if method.hour is None else method.hour * seconds / 3600
        idle = 1 - busy / (method.workers * seconds) if seconds else 0.0
        yield ClusterEstimate(
            method.workers,
            method.speed,
            len(lengths),
            self.spent.case_tokens,
            round(seconds, 3),
            round(idle, 6),
            method.measured,
            cost,
        )


def simulated(lengths: Sequence[tuple[int, int]], workers: int, speed: float) -> tuple[float, float]:
    """Simulate how long so many workers take for all cases, and how long all of them together are at work, in seconds.

    Args:
        lengths: of each case its characters, by which it is handed out, and its tokens, which take the time.
        workers: how many there are, all ready at the start.
        speed: tokens a second of each.
    """
    clock = _Clock()
    simulation = SimulatedWorkers([tokens for _, tokens in lengths], workers, speed, clock)
    pairs = (
        (MissingAnswers(row), RunCase("", "", _Characters(size), []))  # type: ignore[arg-type]  # it has a length
        for row, (size, _) in enumerate(lengths)
    )
    plan = RunPlan(tuple(MissingAnswers(row) for row in range(len(lengths))), len(lengths), len(lengths), 0, 0, ())
    session = Fleet(Encoding(_nothing), clock=clock).session(plan, Interrupt())
    for _ in session.rows(pairs, lambda: (simulation, None)):
        pass
    return clock.now, simulation.busy


def _nothing() -> Any:
    raise NotImplementedError


class _Clock:
    """The time of a simulation, in seconds from its start."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class _Characters:
    """A text of which nothing is known but its length."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size


class SimulatedWorkers:
    """Workers that are no more than the time they take; see `scoring.runs.workers.Workers`. `busy` sums it up."""

    name = "simulated workers"

    def __init__(self, tokens: Sequence[int], count: int, speed: float, clock: _Clock) -> None:
        self.busy = 0.0
        self._tokens = np.asarray(tokens, dtype=np.int64)
        self._count, self._speed, self._clock = count, speed, clock
        self._free = [0.0] * count
        self._coming: list[tuple[float, int, int, WorkBlock | None]] = []
        self._order = 0

    def wanted(self) -> int:
        """Return the number of all of them."""
        return self._count

    def label(self, number: int) -> str:
        """Name the worker by its number."""
        return f"worker {number + 1}"

    def start(self, number: int) -> None:
        """Ready at once."""
        self._come(self._clock.now, number, None)

    def give(self, number: int, block: WorkBlock) -> None:
        """Computed when what it has before is."""
        rows = [missing.row for missing, _ in block.cases]
        seconds = BLOCK_SECONDS + float(self._tokens[rows].sum()) / self._speed
        self._free[number] = max(self._free[number], self._clock.now) + seconds
        self.busy += seconds
        self._come(self._free[number], number, block)

    def news(self, seconds: float) -> Sequence[tuple[int, WorkerReply | WorkerGone]]:
        """Return what is due; where somebody would wait, the clock is set to what comes next."""
        if not self._coming or (not seconds and self._coming[0][0] > self._clock.now):
            return ()
        self._clock.now = max(self._clock.now, self._coming[0][0])
        news: list[tuple[int, WorkerReply | WorkerGone]] = []
        while self._coming and self._coming[0][0] <= self._clock.now:
            _, _, number, block = heappop(self._coming)
            if block is None:
                news.append((number, WorkerReady("simulated", 0.0, "")))
            else:
                results = [CaseResult(place, []) for place in range(len(block.cases))]
                news.append((number, BlockResult(block.number, results, RunUsage())))
        return news

    def close(self) -> None:
        """Close nothing: nothing runs."""

    def _come(self, moment: float, number: int, block: WorkBlock | None) -> None:
        self._order += 1
        heappush(self._coming, (moment, self._order, number, block))


def measured_speed(parts: Parts) -> tuple[float, str] | None:
    """Measure the tokens a second of one worker and on what, by the rows in the cache; None where too few are timed.

    Of several engines it is the one with the most timed rows.
    """
    rows, _ = parts.read(("key", "case", "vote", "solution", "tokens_in", "seconds", "engine"))
    timed = rows.filter(pl.col("seconds") > 0, pl.col("tokens_in") > 0)
    sums = pl.col("tokens_in").sum().alias("tokens"), pl.col("seconds").sum(), pl.len()
    by_engine = timed.group_by("engine").agg(*sums).sort("len", "engine", descending=True)
    if not by_engine.height or by_engine["len"][0] < _LEAST_ROWS:
        return None
    return float(by_engine["tokens"][0]) / float(by_engine["seconds"][0]), by_engine["engine"][
        0
    ] or "an engine that is not named"


def speed_of(size: ClusterSize, parts: Parts) -> tuple[float, str]:
    """Return the tokens a second of one worker, as a person said or as was measured; then on what, else "".

    Raises:
        UsageError: neither.
    """
    if size.speed:
        return size.speed, ""
    measured = measured_speed(parts)
    if measured is None:
        raise UsageError(
            "how fast one worker is was not measured yet.",
            f"Score some cases on one device (--limit 200), or say it: --cluster {size}@TOKENS_A_SECOND.",
        )
    return measured
