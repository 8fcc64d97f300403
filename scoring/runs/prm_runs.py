"""How a PRM is run: cases become token ids with a position a step, and what is read there becomes step rewards.

Cases over a model's length limit are cut at a step where somebody asked for it (`score --truncate`). The steps that are
left are encoded as a solution of their own. Causal PRMs give them the rewards that they would have in the whole text,
which such a model could not read. The limit stays the family's.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from threading import Event
from typing import Any

import polars as pl
from msgspec import Struct, field

from scoring.data.readout import Encoded, EngineOutput, Refused
from scoring.engines.base import Engine
from scoring.models.asking import Noticed
from scoring.models.prms.base import Encoder
from scoring.runs.events import Notice
from scoring.runs.interrupt import Interrupt
from scoring.runs.plan import MissingAnswers, RunPlan, reward_plan
from scoring.runs.run import Came, Load, RunUsage
from scoring.runs.run_cases import RowsToSave, RunCase, Work
from scoring.workspace.cache import Parts

WINDOW_CASES, WINDOW_TOKENS = 1024, 1 << 20
"""How much is encoded and handed to the engine at once: it sorts by length, and memory does not grow with the cases.
As much again is encoded meanwhile."""
_SHARED_CASES = 256
"""Up to so many cases are not worth sharing with another run; of more, a quarter at most is handed over at once."""


class Encoding(Struct, frozen=True):
    """The method of a PRM; see `scoring.runs.run.Method`.

    `encoder` makes the encoder; it is called at most once a run, and only if something is to do. With `truncate` as
    many first steps of a case are scored as fit, where it has more tokens than the model takes; these rewards are saved
    with a reason why there are no more: it stays refused. What an earlier run refused as too long is tried again.
    """

    encoder: Callable[[], Encoder]
    truncate: bool = False

    def plan(self, cases: pl.DataFrame, parts: Parts, *, retry_refused: bool) -> RunPlan:
        """Find the cases that have no rewards."""
        return reward_plan(cases, parts, retry_refused=retry_refused, truncate=self.truncate)

    def session(self, plan: RunPlan, interrupt: Interrupt) -> "EncodingSession":
        """Start one run."""
        return EncodingSession(self, interrupt, min(WINDOW_CASES, max(_SHARED_CASES, len(plan.missing) // 4)))


class EncodingSession(Struct):
    """One run of a PRM, a window of cases at a time; see `scoring.runs.run.RunSession`."""

    method: Encoding
    interrupt: Interrupt
    window: int
    spent: RunUsage = field(default_factory=RunUsage)
    _encode: Encoder | None = None

    def rows(self, work: Work, load: Load) -> Iterator[Came]:
        """Yield the rewards of every case that can be encoded, refusals of the others; the engine is made for the
        first.
        """
        engine: Engine | None = None
        with closing(self.windows(work)) as windows:
            for window, refused in windows:
                if window and engine is None:
                    engine, ready = load()
                    yield ready
                if engine is None or not window:
                    yield refused
                    continue
                yield from read(engine, window, refused, self.spent, self.interrupt)

    def look(self, work: Work) -> Iterator[Came]:
        """Count the tokens of the cases; give those that cannot be encoded, or not whole."""
        with closing(self.windows(work)) as windows:
            for window, refused in windows:
                self.spent.case_tokens += sum(case.tokens.n_tokens for case in window)
                yield [*refused, *(case.settled({}) for case in window if case.reason is not None)]

    def windows(self, work: Work) -> Generator["Window", None, None]:
        """Yield all cases, so many at a time. While an engine runs these, the next are encoded: a card would wait for
        it.
        """
        with self.interrupt.at_once():
            self._encode = self._encode or self.method.encoder()
        drawn: deque[tuple[MissingAnswers, RunCase]] = deque()
        stop = Event()
        with ThreadPoolExecutor(1, "encoding") as beside:
            try:
                begun = self._begun(beside, drawn, work, stop)
                while begun is not None:
                    with self.interrupt.at_once():
                        window = begun.result()
                    begun = self._begun(beside, drawn, work, stop)
                    yield window
            finally:
                stop.set()

    def _begun(
        self, beside: ThreadPoolExecutor, drawn: deque[tuple[MissingAnswers, RunCase]], work: Work, stop: Event
    ) -> "Future[Window] | None":
        """Draw as many cases as a window may have, and have them encoded; None where there are no more."""
        while len(drawn) < self.window:
            self.interrupt.check()
            if (pair := next(work, None)) is None:
                break
            drawn.append(pair)
        return beside.submit(self._window, drawn, stop) if drawn else None

    def _window(self, drawn: deque[tuple[MissingAnswers, RunCase]], stop: Event) -> "Window":
        """Encode what is drawn, or as much as has the tokens of a window; the rest stays for the next."""
        assert self._encode is not None  # noqa: S101  # it was made before the first
        window: list[EncodedCase] = []
        refused: list[RowsToSave] = []
        tokens = 0
        while drawn and tokens < WINDOW_TOKENS and not stop.is_set():
            self.interrupt.check()
            outcome = encoded(self._encode, *drawn.popleft(), truncate=self.method.truncate)
            if isinstance(outcome, RowsToSave):
                refused.append(outcome)
            else:
                window.append(outcome)
                tokens += outcome.tokens.n_tokens
        return window, refused


Window = tuple[list["EncodedCase"], list[RowsToSave]]
"""The cases that were encoded, and those that cannot be."""


def read(
    engine: Engine,
    window: Sequence["EncodedCase"],
    refused: Sequence[RowsToSave],
    spent: RunUsage,
    interrupt: Interrupt,
) -> Iterator[Sequence[RowsToSave] | Notice]:
    """Have an engine run a window, batch by batch; `refused` comes with the first. `spent` is added to."""
    batches = engine.read([case.tokens for case in window])
    waited = 0.0
    while True:
        began = time.monotonic()
        with interrupt.at_once():
            batch = next(batches, None)
        seconds = time.monotonic() - began
        spent.computing, waited = spent.computing + seconds, waited + seconds
        if batch is None:
            return
        if isinstance(batch, Noticed):
            yield Notice(batch.sentence)
            continue
        spent.tokens, spent.padding = spent.tokens + batch.tokens, spent.padding + batch.padding
        tokens = sum(window[answer.index].tokens.n_tokens for answer in batch.answers)
        spent.case_tokens += tokens
        a_token, waited = waited / max(1, tokens), 0.0
        yield [*refused, *(window[answer.index].answered(answer, a_token) for answer in batch.answers)]
        refused = ()


class EncodedCase(Struct, frozen=True):
    """An encoded case, with a position for each of its steps, or of its first ones: then `reason` says why."""

    missing: MissingAnswers
    case: RunCase
    tokens: Encoded
    reason: str | None = None

    def settled(self, row: dict[str, Any]) -> RowsToSave:
        """Return its row, where an engine had an answer that can be used."""
        row = {"key": self.case.key, "vote": 0, "reason": self.reason} | row
        return RowsToSave(
            self.missing,
            self.case,
            (row,),
            reason=self.reason,
            scored_steps=self.tokens.n_positions if self.reason else 0,
        )

    def answered(self, answer: EngineOutput, a_token: float) -> RowsToSave:
        """Return what an engine answered, in `a_token` seconds a token, as the row that is kept of it."""
        rewards, tokens = self.checked(answer), self.tokens.n_tokens
        used = {"tokens_in": tokens, "tokens_out": 0, "seconds": tokens * a_token}
        if isinstance(rewards, Refused):
            return _refused(self.missing, self.case, rewards.reason, used)
        return self.settled({"rewards": rewards, "redundancy": answer.redundancy} | used)

    def checked(self, answer: EngineOutput) -> tuple[float, ...] | Refused:
        """Check that an engine's answer is one finite number a step that was encoded, or two."""
        rewards, steps = answer.rewards, self.tokens.n_positions
        if isinstance(rewards, Refused):
            return rewards
        if len(rewards) != steps:
            return Refused(f"{len(rewards)} rewards for {steps} steps")
        redundancy = rewards if answer.redundancy is None else answer.redundancy
        if len(redundancy) != steps:
            return Refused(f"{len(redundancy)} redundancies for {steps} steps")
        for what, numbers in (("reward", rewards), ("redundancy", redundancy)):
            for step, number in enumerate(numbers):
                if not math.isfinite(number):
                    why = f" ({answer.why})" if answer.why else ""
                    return Refused(f"the {what} of step {step} is {number}, no finite number{why}")
        return rewards


def _refused(missing: MissingAnswers, case: RunCase, reason: str, used: Mapping[str, Any] | None = None) -> RowsToSave:
    return RowsToSave(missing, case, ({"key": case.key, "vote": 0, "reason": reason, **(used or {})},), reason=reason)


def encoded(encode: Encoder, missing: MissingAnswers, case: RunCase, *, truncate: bool) -> EncodedCase | RowsToSave:
    """Encode what an engine is given for a case; with `truncate`, of as many of its first steps as fit."""
    steps, reason = len(case.steps), None
    outcome = encode(case.problem, case.steps, *case.further)
    if isinstance(outcome, Refused) and truncate and outcome.over_length:
        cut = truncated(encode, case.problem, case.steps, case.further, outcome)
        if isinstance(cut, Truncated):
            outcome, steps, reason = cut.encoded, cut.kept, cut.reason
        else:
            outcome = cut
    if isinstance(outcome, Refused):
        return _refused(missing, case, outcome.reason)
    if outcome.n_positions != steps:
        return _refused(missing, case, f"{outcome.n_positions} positions for {steps} steps")
    return EncodedCase(missing, case, outcome, reason)


class Truncated(Struct, frozen=True):
    """The tokens of a case's first `kept` steps, one position each, and why there are no more, in words."""

    encoded: Encoded
    kept: int
    reason: str


def truncated(
    encode: Encoder, problem: str, steps: Sequence[str], further: Sequence[str | None], refusal: Refused
) -> Truncated | Refused:
    """Encode as many first steps of a case as fit.

    Args:
        encode: the family's encoder; more steps must not be fewer tokens to it.
        problem: the case's text.
        steps: its n texts.
        further: what `encode` reads beside these, as it takes it.
        refusal: what it said of all n steps: over length.

    The number of steps is found by bisection, in log2(n) encodings. Without one that fits the case is refused as it
    was; where the steps that fit are refused for another reason, for that one.
    """
    kept, beyond, outcome = 0, len(steps), refusal
    fitting: Encoded | None = None
    while beyond - kept > 1:
        middle = (kept + beyond) // 2
        tried = encode(problem, list(steps[:middle]), *further)
        if isinstance(tried, Refused) and tried.over_length:
            beyond = middle
        elif isinstance(tried, Refused):
            kept, fitting, outcome = middle, None, tried
        else:
            kept, fitting = middle, tried
    if fitting is None:
        return outcome
    those = "step 0" if kept == 1 else f"steps 0 to {kept - 1}"
    verb = "was" if kept == 1 else "were"
    return Truncated(fitting, kept, f"{refusal.reason}; {those} of {len(steps)} {verb} scored (--truncate)")
