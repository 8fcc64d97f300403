"""A run of a PRM on several workers: planned and saved here, once, and handed out in blocks that workers pull.

Cases are handed out by length, the longest first, so that a batch has little padding and what is left at the end is
short. A block is some seconds of work of the worker that gets it, and less when little is left, so that all end
together however fast each is. A worker holds two blocks: it encodes one while it runs the other. One that ends without
a word costs what it held, which others compute; a case that ends every worker alone is refused.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import polars as pl

from scoring.cache import Parts
from scoring.errors import EngineError, InspectError
from scoring.events import NodeProgress, Nodes, Notice, Ready
from scoring.interrupt import Interrupt
from scoring.plan import Missing, Plan
from scoring.prm_runs import Encoding
from scoring.run import Came, Load, RunUsage
from scoring.run_cases import RunCase, Settled, Work
from scoring.workers import (
    HELD,
    Block,
    BlockResult,
    Opened,
    Reply,
    WorkerFailed,
    WorkerGone,
    Workers,
)

BLOCK_SECONDS, LEAST_SECONDS = 3.0, 0.2
"""How long a worker takes for a block while there is much to do, and at least for one when there is little."""
FIRST_CASES = 8
"""Cases of a worker's first block, by which its speed becomes known."""
FEWEST_AHEAD, AHEAD_CASES, AHEAD_CHARACTERS = 64, 1024, 1 << 22
"""For each worker, how much is drawn and sorted before it is handed out. Between the first two it is a quarter of what
is left: what is drawn is leased, and another run of the scorer finds nothing to do."""
ENDS = 3
"""A worker that ended so often in a row, with no block between, is not started again."""
ALONE, HOPELESS = 2, 4
"""A case that so many workers held when they ended is computed alone; one more or less may be chance. After so many it
is refused, if the last ones had nothing else."""
_WAIT, _NODES_SECONDS = 0.1, 1.0

Pair = tuple[Missing, RunCase]


def characters(case: RunCase) -> int:
    """About how much a case is to compute: the characters of problem and steps."""
    return len(case.problem) + sum(map(len, case.steps))


# -- the cases that wait


@dataclass(eq=False)
class WaitingCases:
    """What is drawn of a run's work and not handed out, by length; `undrawn` cases are still to be drawn.

    `ends` counts for each row of the plan the workers that held it when they ended.
    """

    work: Work
    undrawn: int
    size: int = 0
    ends: dict[int, int] = field(default_factory=dict)
    _cases: list[tuple[int, int, Pair]] = field(default_factory=list)
    _alone: deque[Pair] = field(default_factory=deque)
    _drawn: int = 0
    _drawn_size: int = 0

    def __bool__(self) -> bool:
        return bool(self._cases or self._alone)

    def draw(self, most: int) -> bool:
        """Draw some more cases; whether there may be others after them."""
        for _ in range(most):
            pair = next(self.work, None)
            if pair is None:
                self.undrawn = 0
                return False
            self.undrawn = max(0, self.undrawn - 1)
            self._drawn, self._drawn_size = self._drawn + 1, self._drawn_size + characters(pair[1])
            self._add(pair)
        return True

    def put_back(self, pairs: Sequence[Pair], *, ended: bool) -> None:
        """Take back what a worker had; with `ended`, what it held when it ended."""
        for pair in pairs:
            row = pair[0].row
            self.ends[row] = self.ends.get(row, 0) + ended
            if self.ends[row] >= ALONE:
                self._alone.append(pair)
            else:
                self._add(pair)

    def alone(self) -> Pair | None:
        """The next case that is to be computed with nothing else in its worker."""
        return self._alone.popleft() if self._alone else None

    def take(self, size: float, most: int | None = None) -> list[Pair]:
        """The longest cases of together about so many characters, one at least if any waits."""
        taken: list[Pair] = []
        total = 0
        while self._cases and total < size and (most is None or len(taken) < most):
            length, _, pair = heappop(self._cases)
            total -= length
            taken.append(pair)
        self.size -= total
        return taken

    @property
    def left(self) -> float:
        """About how many characters are to be handed out, those of cases that are not drawn among them."""
        return self.size + self.undrawn * self._drawn_size / max(1, self._drawn)

    @property
    def cases(self) -> int:
        """How many wait."""
        return len(self._cases) + len(self._alone)

    def _add(self, pair: Pair) -> None:
        length = characters(pair[1])
        self.size += length
        # The earlier of equally long ones is handed out first.
        heappush(self._cases, (-length, pair[0].row, pair))


# -- the workers, as the run knows them


@dataclass(eq=False)
class _Place:
    """A worker's place: what it holds, block by block, and what is known of it."""

    open: bool = False
    out: bool = False
    """Not to be started again."""
    node: str = ""
    engine: str = ""
    held: dict[int, list[Pair]] = field(default_factory=dict)
    ends: int = 0
    """How often in a row it ended without having computed a block."""
    speed: float = 0.0
    """Characters a second of its last block; 0 = not known."""
    since: float = 0.0
    cases: int = 0
    tokens: int = 0
    computing: float = 0.0

    def answered(self, number: int, now: float) -> list[Pair]:
        """The cases of a block that is computed; what the worker can do is known by it."""
        pairs = self.held.pop(number)
        self.speed = sum(characters(case) for _, case in pairs) / max(1e-3, now - self.since)
        self.since, self.ends = now, 0
        return pairs

    def all_held(self) -> list[Pair]:
        """Everything that it has, which it has no longer."""
        held, self.held = [pair for pairs in self.held.values() for pair in pairs], {}
        return held


@dataclass(frozen=True)
class Fleet:
    """The method of a PRM on several workers, which are what it loads; see `scoring.run.Method`.

    `encoding` is the same on one machine: plans are its own, and so is what can be said without an engine.
    """

    encoding: Encoding
    clock: Callable[[], float] = time.monotonic

    def plan(self, cases: pl.DataFrame, parts: Parts, *, retry_refused: bool) -> Plan:
        """What has no rewards."""
        return self.encoding.plan(cases, parts, retry_refused=retry_refused)

    def session(self, plan: Plan, interrupt: Interrupt) -> "FleetSession":
        """One run."""
        return FleetSession(self, plan, interrupt, self.clock)


@dataclass(eq=False)
class FleetSession:
    """One run on several workers; see `scoring.run.Session`."""

    fleet: Fleet
    plan: Plan
    interrupt: Interrupt
    clock: Callable[[], float]
    spent: RunUsage = field(default_factory=RunUsage)
    _workers: Workers = field(init=False)
    _places: list[_Place] = field(default_factory=list)
    _settled: int = 0
    _blocks: int = 0
    _told: float = 0.0
    _failed: InspectError | None = None

    def look(self, work: Work) -> Iterator[Came]:
        """What one machine says of the work without an engine."""
        session = self.fleet.encoding.session(self.plan, self.interrupt)
        self.spent = session.spent
        return session.look(work)

    def rows(self, work: Work, load: Load) -> Iterator[Came]:
        """The rewards of every case that can be encoded, refusals of the others, as they come."""
        waiting = WaitingCases(work, len(self.plan.missing) - self._settled)
        more = waiting.draw(1)
        if not waiting:
            return
        self._workers, _ = load()
        while more or waiting or any(place.held for place in self._places):
            self._start_wanted()
            room = max(1, len(self._places))
            ahead = max(room * FEWEST_AHEAD, min(room * AHEAD_CASES, waiting.undrawn // 4))
            if more and waiting.cases < ahead and waiting.size < room * AHEAD_CHARACTERS:
                more = waiting.draw(min(AHEAD_CASES, ahead))
            self._hand_out(waiting)
            for number, news in self._workers.news(0.0 if more and self._hungry else _WAIT):
                yield from self._heard(number, news, waiting)
            if all(place.out for place in self._places):
                raise self._failed or EngineError("no worker is left.", "Run the same again for what is left.")
            yield from self._nodes()
            yield None
        yield from self._nodes(now=True)

    # -- workers

    def _start_wanted(self) -> None:
        """Start as many workers as there should be by now."""
        while len(self._places) < self._workers.wanted():
            self._places.append(_Place())
            self._workers.start(len(self._places) - 1)

    @property
    def _working(self) -> list[tuple[int, _Place]]:
        return [(number, place) for number, place in enumerate(self._places) if place.open and not place.out]

    @property
    def _hungry(self) -> bool:
        """Whether a worker would take another block."""
        return any(len(place.held) < HELD for _, place in self._working)

    def _hand_out(self, waiting: WaitingCases) -> None:
        # One block to each, then the second: the longest cases are not all one worker's.
        for held in range(HELD):
            for number, place in self._working:
                if len(place.held) == held and waiting and not self._is_alone(place, waiting):
                    self._give(number, place, self._block(place, waiting))

    def _is_alone(self, place: _Place, waiting: WaitingCases) -> bool:
        """Whether a worker is to have nothing beside what it holds."""
        return any(waiting.ends.get(pair[0].row, 0) >= ALONE for pairs in place.held.values() for pair in pairs)

    def _block(self, place: _Place, waiting: WaitingCases) -> list[Pair]:
        """The next block of a worker, by its speed and by what is left for all."""
        if not place.held and (pair := waiting.alone()):
            return [pair]
        if not place.speed:
            return waiting.take(float("inf"), FIRST_CASES)
        fair = waiting.left / (HELD * sum(not one.out for one in self._places))
        return waiting.take(min(place.speed * BLOCK_SECONDS, max(place.speed * LEAST_SECONDS, fair)))

    def _give(self, number: int, place: _Place, pairs: list[Pair]) -> None:
        if not pairs:
            return
        self._blocks += 1
        if not place.held:
            place.since = self.clock()
        place.held[self._blocks] = pairs
        self._workers.give(number, Block(self._blocks, pairs))

    # -- what they say

    def _heard(self, number: int, news: Reply | WorkerGone, waiting: WaitingCases) -> Iterator[Came]:
        place = self._places[number]
        if place.out:
            return
        if isinstance(news, Opened):
            place.open, place.node, place.engine = True, news.node, news.engine
            yield Ready(news.engine, news.seconds)
        elif isinstance(news, BlockResult):
            yield from self._answered(place, news)
        elif isinstance(news, WorkerFailed):
            if news.everywhere:
                raise news.error
            self._failed, place.out = news.error, True
            waiting.put_back(place.all_held(), ended=False)
            yield Notice(f"{self._workers.label(number)} is not used: {news.sentence}")
        else:
            yield from self._ended(number, place, news, waiting)

    def _answered(self, place: _Place, result: BlockResult) -> Iterator[Came]:
        if result.number not in place.held:
            # Of a worker that was taken for gone: others have its block by now.
            return
        pairs = place.answered(result.number, self.clock())
        for sentence in result.notices:
            yield Notice(sentence)
        spent = result.spent
        self.spent.tokens, self.spent.padding = self.spent.tokens + spent.tokens, self.spent.padding + spent.padding
        self.spent.case_tokens += spent.case_tokens
        place.cases, place.tokens = place.cases + len(pairs), place.tokens + spent.tokens
        place.computing += spent.computing
        # Workers compute at the same time.
        self.spent.computing = max(one.computing for one in self._places)
        self._settled += len(pairs)
        yield [
            Settled(
                *pairs[one.place],
                tuple({**row, "engine": place.engine} for row in one.rows),
                reason=one.reason,
                scored_steps=one.scored_steps,
            )
            for one in result.results
        ]

    def _ended(self, number: int, place: _Place, gone: WorkerGone, waiting: WaitingCases) -> Iterator[Came]:
        """What a worker held is computed by others, or by the one that is started in its place."""
        label, held = self._workers.label(number), place.all_held()
        hopeless = [pair for pair in held if waiting.ends.get(pair[0].row, 0) >= HOPELESS - 1 and len(held) == 1]
        waiting.put_back([pair for pair in held if pair not in hopeless], ended=not gone.preempted)
        for missing, case in hopeless:
            reason = f"the worker that computed it {gone.how}, {HOPELESS} times"
            row = {"key": case.key, "vote": 0, "reason": reason, "engine": place.engine}
            yield [Settled(missing, case, (row,), reason=reason)]
        place.open = False
        # A case that is computed alone may be what ended it.
        suspected = len(held) == 1 and waiting.ends.get(held[0][0].row, 0) > ALONE
        place.ends += not gone.preempted and not suspected and not hopeless
        again = f"{len(held):,} cases are computed again" if held else "it held no case"
        if place.ends >= ENDS:
            place.out = True
            self._failed = EngineError(f"{label} {gone.how}, {ENDS} times in a row.", "Run the same again.")
            yield Notice(f"{label} {gone.how}, {ENDS} times in a row; it is not started again")
            return
        yield Notice(f"{label} {gone.how}; {again}")
        self._workers.start(number)

    def _nodes(self, *, now: bool = False) -> Iterator[Nodes]:
        """How far each machine is, now and then, where there are several."""
        moment = self.clock()
        if not now and moment - self._told < _NODES_SECONDS:
            return
        self._told = moment
        names = list(dict.fromkeys(place.node for place in self._places if place.node))
        if names:
            yield Nodes(tuple(_node(name, [one for one in self._places if one.node == name]) for name in names))


def _node(name: str, places: Sequence[_Place]) -> NodeProgress:
    return NodeProgress(
        name,
        working=sum(place.open and not place.out for place in places),
        done=sum(place.cases for place in places),
        tokens=sum(place.tokens for place in places),
        computing=round(max(place.computing for place in places), 3),
    )
