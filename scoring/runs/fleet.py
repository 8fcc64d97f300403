"""A run of a PRM on several workers: planned and saved here, once, and handed out in blocks that workers pull.

Cases are handed out by length, the longest first, so that a batch has little padding and what is left at the end is
short. A block is some seconds of work of the worker that gets it, and less when little is left, so that all end
together however fast each is. A worker holds two blocks: it encodes one while it runs the other.

A worker that ends without a word costs what it held. What it held may have ended it: it is suspected, and computed
with nothing beside it by a worker that has shown that it works, another one if there is one. Where that one ends too,
the block is cut in two, until a case is alone that ended two workers: it is refused. A worker that ends before it has
computed anything says nothing of its cases, and is given up after three times in a row.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import polars as pl

from scoring.data.errors import EngineError, InspectError
from scoring.runs.events import NodeProgress, Nodes, Notice, Ready
from scoring.runs.interrupt import Interrupt
from scoring.runs.plan import MissingAnswers, RunPlan
from scoring.runs.prm_runs import Encoding
from scoring.runs.run import Came, Load, RunUsage
from scoring.runs.run_cases import RowsToSave, RunCase, Work
from scoring.runs.workers import (
    HELD,
    BlockResult,
    WorkBlock,
    WorkerFailed,
    WorkerGone,
    WorkerReady,
    WorkerReply,
    Workers,
)
from scoring.workspace.cache import Parts

BLOCK_SECONDS, LEAST_SECONDS = 3.0, 0.2
"""How long a worker takes for a block while there is much to do, and at least for one when there is little."""
FIRST_CASES = 8
"""Cases of a worker's first block, by which its speed becomes known."""
FEWEST_AHEAD, AHEAD_CASES, AHEAD_CHARACTERS = 64, 1024, 1 << 22
"""For each worker, how much is drawn and sorted before it is handed out. Between the first two it is a quarter of what
is left: what is drawn is leased, and another run of the scorer finds nothing to do."""
ENDS = 3
"""A worker that ended so often in a row, with no block between, is not started again."""
HOPELESS = 2
"""A case that ended so many working workers alone is refused."""
_WAIT, _NODES_SECONDS = 0.1, 1.0

WorkPair = tuple[MissingAnswers, RunCase]


def characters(case: RunCase) -> int:
    """About how much a case is to compute: the characters of problem and steps."""
    return len(case.problem) + sum(map(len, case.steps))


# -- the cases that wait


@dataclass(eq=False)
class Suspects:
    """Cases that a worker held when it ended; `places` of workers that ended with them, of which so many, having worked
    before, with nothing else (`alone`).
    """

    pairs: list[WorkPair]
    places: set[int]
    alone: int = 0

    def halves(self) -> "list[Suspects]":
        """Return the suspects in two parts."""
        middle = len(self.pairs) // 2
        return [Suspects(part, {*self.places}) for part in (self.pairs[:middle], self.pairs[middle:])]


@dataclass(eq=False)
class WaitingCases:
    """What is drawn of a run's work and not handed out, by length; `undrawn` cases are still to be drawn."""

    work: Work
    undrawn: int
    size: int = 0
    suspects: deque[Suspects] = field(default_factory=deque)
    _cases: list[tuple[int, int, WorkPair]] = field(default_factory=list)
    _drawn: int = 0
    _drawn_size: int = 0

    def __bool__(self) -> bool:
        return bool(self._cases or self.suspects)

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

    def put_back(self, pairs: Sequence[WorkPair]) -> None:
        """Take back what a worker had."""
        for pair in pairs:
            self._add(pair)

    def take(self, size: float, most: int | None = None) -> list[WorkPair]:
        """Take the longest cases of together about so many characters, one at least if any waits."""
        taken: list[WorkPair] = []
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
        """How many wait that are not suspected."""
        return len(self._cases)

    def _add(self, pair: WorkPair) -> None:
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
    held: dict[int, list[WorkPair]] = field(default_factory=dict)
    suspects: Suspects | None = None
    """What of it is suspected: then it is all that is held."""
    proved: bool = False
    """Whether it has computed a block since it was started."""
    ends: int = 0
    """How often in a row it ended, with no block that it computed between."""
    speed: float = 0.0
    """Characters a second of its last block; 0 = not known."""
    since: float = 0.0
    computing: float = 0.0

    def answered(self, number: int, now: float) -> list[WorkPair]:
        """The cases of a block that is computed; what the worker can do is known by it."""
        pairs = self.held.pop(number)
        self.speed = sum(characters(case) for _, case in pairs) / max(1e-3, now - self.since)
        self.since, self.ends, self.proved, self.suspects = now, 0, True, None
        return pairs

    def ended(self) -> tuple[list[list[WorkPair]], Suspects | None]:
        """The blocks that it has no longer, and what of them was suspected before."""
        held, suspects = [*self.held.values()], self.suspects
        self.held, self.suspects, self.open, self.proved = {}, None, False, False
        return held, suspects


@dataclass(eq=False)
class _Node:
    """What the workers of a machine have done, and for how long each of them computed."""

    cases: int = 0
    tokens: int = 0
    computing: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Fleet:
    """The method of a PRM on several workers, which are what it loads; see `scoring.runs.run.Method`.

    `encoding` is the same on one machine: plans are its own, and so is what can be said without an engine. A worker
    that would have fewer than `least` cases is not started.
    """

    encoding: Encoding
    least: int = 1
    clock: Callable[[], float] = time.monotonic

    def plan(self, cases: pl.DataFrame, parts: Parts, *, retry_refused: bool) -> RunPlan:
        """Find the cases that have no rewards."""
        return self.encoding.plan(cases, parts, retry_refused=retry_refused)

    def session(self, plan: RunPlan, interrupt: Interrupt) -> "FleetSession":
        """Start one run."""
        return FleetSession(self, plan, interrupt, self.clock)


@dataclass(eq=False)
class FleetSession:
    """One run on several workers; see `scoring.runs.run.RunSession`."""

    fleet: Fleet
    plan: RunPlan
    interrupt: Interrupt
    clock: Callable[[], float]
    spent: RunUsage = field(default_factory=RunUsage)
    _workers: Workers = field(init=False)
    _places: list[_Place] = field(default_factory=list)
    _settled: int = 0
    _blocks: int = 0
    _told: float = 0.0
    _failed: InspectError | None = None
    _nodes: dict[str, _Node] = field(default_factory=dict)
    _worked: set[int] = field(default_factory=set)
    """The places that have computed a block in this run."""

    def look(self, work: Work) -> Iterator[Came]:
        """Yield what one machine says of the work without an engine."""
        session = self.fleet.encoding.session(self.plan, self.interrupt)
        self.spent = session.spent
        return session.look(work)

    def rows(self, work: Work, load: Load) -> Iterator[Came]:
        """Yield the rewards of every case that can be encoded, refusals of the others, as they come."""
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
            # What is left over nobody can take now; else there may be more to draw for somebody.
            at_once = more and not waiting.cases and self._hungry
            for number, news in self._workers.news(0.0 if at_once else _WAIT):
                yield from self._heard(number, news, waiting)
            if all(place.out for place in self._places):
                raise self._failed or EngineError("no worker is left.", "Run the same again for what is left.")
            yield from self._how_far()
            yield None
        yield from self._how_far(now=True)

    # -- workers

    def _start_wanted(self) -> None:
        most = max(1, len(self.plan.missing) // self.fleet.least)
        while len(self._places) < min(most, self._workers.wanted()):
            self._places.append(_Place())
            self._workers.start(len(self._places) - 1)

    @property
    def _working(self) -> list[tuple[int, _Place]]:
        return [(number, place) for number, place in enumerate(self._places) if place.open and not place.out]

    @property
    def _hungry(self) -> bool:
        """Whether a worker would take another block."""
        return any(len(place.held) < HELD and place.suspects is None for _, place in self._working)

    def _hand_out(self, waiting: WaitingCases) -> None:
        chosen = self._for_suspects(waiting)
        for number, suspects in chosen.items():
            place = self._places[number]
            if not place.held:
                waiting.suspects.remove(suspects)
                place.suspects = suspects
                self._give(number, place, suspects.pairs)
        # One block to each, then the second: the longest cases are not all one worker's.
        for held in range(HELD):
            for number, place in self._working:
                if len(place.held) == held and waiting.cases and place.suspects is None and number not in chosen:
                    self._give(number, place, self._block(place, waiting))

    def _for_suspects(self, waiting: WaitingCases) -> dict[int, Suspects]:
        """By their number the workers that compute suspected cases next, and until then get nothing else.

        A worker that has not worked yet has to, first, unless nothing else is left; and it is another one than those
        that ended with the same cases, unless there is none.
        """
        chosen: dict[int, Suspects] = {}
        working = {number: place for number, place in self._working if place.suspects is None}
        able = [number for number, place in working.items() if place.proved or not (waiting.cases or waiting.undrawn)]
        for suspects in waiting.suspects:
            free = [number for number in able if number not in chosen]
            others = {number for number, _ in self._working} - suspects.places
            fitting = [number for number in free if number in others or not others]
            if fitting:
                chosen[min(fitting, key=lambda number: len(working[number].held))] = suspects
        return chosen

    def _block(self, place: _Place, waiting: WaitingCases) -> list[WorkPair]:
        """The next block of a worker, by its speed and by what is left for all."""
        turns = HELD * sum(not each.out for each in self._places)
        if not place.speed:
            return waiting.take(float("inf"), min(FIRST_CASES, -(-(waiting.cases + waiting.undrawn) // turns)))
        fair = waiting.left / turns
        return waiting.take(min(place.speed * BLOCK_SECONDS, max(place.speed * LEAST_SECONDS, fair)))

    def _give(self, number: int, place: _Place, pairs: list[WorkPair]) -> None:
        self._blocks += 1
        if not place.held:
            place.since = self.clock()
        place.held[self._blocks] = pairs
        self._workers.give(number, WorkBlock(self._blocks, pairs))

    # -- what they say

    def _heard(self, number: int, news: WorkerReply | WorkerGone, waiting: WaitingCases) -> Iterator[Came]:
        place = self._places[number]
        if place.out:
            return
        if isinstance(news, WorkerReady):
            place.open, place.node, place.engine = True, news.node, news.engine
            yield Ready(news.engine, news.seconds)
        elif isinstance(news, BlockResult):
            yield from self._answered(number, place, news)
        elif isinstance(news, WorkerFailed):
            if news.everywhere:
                raise news.error
            self._failed, place.out = news.error, True
            for pairs in place.ended()[0]:
                waiting.put_back(pairs)
            yield Notice(f"{self._workers.label(number)} is not used: {news.sentence}")
        else:
            yield from self._ended(number, place, news, waiting)

    def _answered(self, number: int, place: _Place, result: BlockResult) -> Iterator[Came]:
        if result.number not in place.held:
            # Of a worker that was taken for gone: others have its block by now.
            return
        pairs = place.answered(result.number, self.clock())
        self._worked.add(number)
        for sentence in result.notices:
            yield Notice(sentence)
        spent = result.spent
        self.spent.tokens, self.spent.padding = self.spent.tokens + spent.tokens, self.spent.padding + spent.padding
        self.spent.case_tokens += spent.case_tokens
        place.computing += spent.computing
        # Workers compute at the same time.
        self.spent.computing = max(each.computing for each in self._places)
        node = self._nodes.setdefault(place.node, _Node())
        node.cases, node.tokens = node.cases + len(pairs), node.tokens + spent.tokens
        node.computing[number] = node.computing.get(number, 0.0) + spent.computing
        self._settled += len(pairs)
        yield [
            RowsToSave(
                *pairs[case.place],
                tuple({**row, "engine": place.engine} for row in case.rows),
                reason=case.reason,
                scored_steps=case.scored_steps,
            )
            for case in result.results
        ]

    def _ended(self, number: int, place: _Place, gone: WorkerGone, waiting: WaitingCases) -> Iterator[Came]:
        """What a worker held is computed by others, or by the one that is started in its place."""
        label, proved = self._workers.label(number), place.proved
        blocks, suspects = place.ended()
        count = sum(map(len, blocks))
        if gone.preempted:
            # Its machine went, which no case has done.
            waiting.suspects.extend([suspects] if suspects else [])
            for pairs in [] if suspects else blocks:
                waiting.put_back(pairs)
        else:
            place.ends = 1 if proved else place.ends + 1
            waiting.suspects.extend(Suspects(pairs, {number}) for pairs in ([] if suspects else blocks))
            if suspects:
                refused = list(self._suspected(number, place, gone, suspects, waiting))
                count -= len(refused)
                yield refused
        again = f"{count:,} cases are computed again" if count else "it held no case"
        if place.ends >= ENDS:
            place.out = True
            alone = f", the last time with {blocks[0][0][1].case} alone" if count == 1 and len(blocks) == 1 else ""
            self._failed = EngineError(f"{label} {gone.how}, {ENDS} times in a row{alone}.", "Run the same again.")
            yield Notice(f"{label} {gone.how}, {ENDS} times in a row; it is not started again")
            return
        yield Notice(f"{label} {gone.how}; {again}")
        self._workers.start(number)

    def _suspected(
        self, number: int, place: _Place, gone: WorkerGone, suspects: Suspects, waiting: WaitingCases
    ) -> Iterator[RowsToSave]:
        """What becomes of cases that were suspected before and with which another worker has ended; those refused."""
        suspects.places.add(number)
        if number not in self._worked:
            # It may end with any.
            waiting.suspects.append(suspects)
        elif len(suspects.pairs) > 1:
            waiting.suspects.extend(suspects.halves())
        elif (alone := suspects.alone + 1) < HOPELESS:
            suspects.alone = alone
            waiting.suspects.append(suspects)
        else:
            ((missing, case),) = suspects.pairs
            reason = f"the worker that computed it alone {gone.how}, {alone} times"
            row = {"key": case.key, "vote": 0, "reason": reason, "engine": place.engine}
            self._settled += 1
            yield RowsToSave(missing, case, (row,), reason=reason)

    def _how_far(self, *, now: bool = False) -> Iterator[Nodes]:
        """How far each machine is, now and then."""
        moment = self.clock()
        if not now and moment - self._told < _NODES_SECONDS:
            return
        self._told = moment
        for place in self._places:
            if place.open:
                self._nodes.setdefault(place.node, _Node())
        if self._nodes:
            yield Nodes(tuple(self._node(name, node) for name, node in self._nodes.items()))

    def _node(self, name: str, node: _Node) -> NodeProgress:
        working = sum(place.open and not place.out and place.node == name for place in self._places)
        computing = round(max(node.computing.values(), default=0.0), 3)
        return NodeProgress(name, working, node.cases, node.tokens, computing)
