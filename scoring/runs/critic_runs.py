"""How a language model is asked: cases become messages, and answers become votes with what they were read as.

The same for critics, whose one question a case and run brings all its votes, and for generative PRMs
(`scoring.runs.generative.dialogues`), each of whose votes takes several calls.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, Protocol

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.readout import FAILED
from scoring.models.asking import (
    Answered,
    GeneratedAnswer,
    GenerationRequest,
    Noticed,
    Prompt,
    TokenLogprobs,
    prompt_hash,
)
from scoring.models.critics.answer_parsers import read_answer, version, was_cut
from scoring.models.critics.protocols import ReadAnswer
from scoring.runs.events import Asked, Estimate, Notice
from scoring.runs.interrupt import Interrupt
from scoring.runs.plan import REFUSED, MissingAnswers, RunPlan, vote_plan
from scoring.runs.run import Came, Load, RunUsage
from scoring.runs.run_cases import RowsToSave, RunCase, Work
from scoring.workspace.cache import Parts

# -- whether a server that was asked to sample did: the votes of a case that are the very same text


FEWEST = 10
"""Groups of votes below which nothing is concluded."""
NEARLY_ALL = 0.95


class SameTexts(Struct):
    """Counts groups of votes, those of one case in one run: `several` with two texts or more, `same` of them all equal.

    Models that answer in a few words agree often; that nearly all groups agree to the letter is what a server does that
    ignores the temperature, or gives one answer n times.
    """

    several: int = 0
    same: int = 0

    def add(self, texts: Iterable[tuple[str | None, str | None]]) -> None:
        """Count one group: (reasoning, answer) of each vote. Those that did not come or are blank do not count."""
        answered = [pair for pair in texts if pair[1] is not None and any(part and part.strip() for part in pair)]
        if len(answered) > 1:
            self.several += 1
            self.same += len(set(answered)) == 1

    @property
    def sentence(self) -> str | None:
        """What to notice; None where there is nothing, or there are too few groups to tell."""
        if self.several < FEWEST or self.same < NEARLY_ALL * self.several:
            return None
        return (
            f"in {self.same:,} of {self.several:,} groups of votes (those of one case in one run) every answer is the "
            "very same text: the model was probably not sampled (temperature 0, or a server that ignores n or the "
            "temperature), and then a vote is one answer counted several times."
        )


PriceOf = Callable[[int, int], float]
"""What tokens in and out cost."""


class Asker(Protocol):
    """Asks and hears in one run."""

    def asks(self, work: Work) -> Iterator[GenerationRequest | None]:
        """Yield what is to be asked, drawn by an engine; see `scoring.engines.base.AnsweringEngine.answers`."""
        ...

    def first(self, work: Work) -> Iterator[tuple[RunCase, GenerationRequest]]:
        """Yield what can be asked before any answer is known: for an estimate, in place of `asks`."""
        ...

    def take(self, answered: Answered, seconds: float | None = None) -> None:
        """Hear the answers to one ask, and how long they took.

        Raises:
            EngineError: the engine's answers lack what nothing can be made of them without.
        """
        ...

    def settled(self) -> list[RowsToSave]:
        """Return what has become ready since the last call."""
        ...

    def notice(self) -> str | None:
        """Return a last sentence about all answers together that changes what they mean; None = there is none."""
        ...


class Asking(Struct, frozen=True):
    """The method of critics and generative PRMs; see `scoring.runs.run.Method`.

    `asker` makes what writes the questions, for a new run. `votes` answers are combined into one verdict, and `runs`
    are repetitions of these. `max_tokens` limits each answer, `price` gives the cost of tokens in `currency`.
    """

    asker: Callable[[], Asker]
    votes: int = 1
    runs: int = 1
    max_tokens: int | None = None
    price: PriceOf | None = None
    currency: str = ""

    def plan(self, cases: pl.DataFrame, parts: Parts, *, retry_refused: bool) -> RunPlan:
        """Find the votes that have no answer."""
        return vote_plan(cases, parts, votes=self.votes, runs=self.runs, retry_refused=retry_refused)

    def session(self, plan: RunPlan, interrupt: Interrupt) -> "AskingSession":
        """Start one run."""
        return AskingSession(self, self.asker(), interrupt, Asked(wanted=plan.answers))

    def estimate(self, asks: Iterator[tuple[RunCase, GenerationRequest]]) -> Estimate:
        """Estimate what would be asked, before anything is: by subset, and all together.

        Tokens are estimated where the server gives all answers to a prompt in one call; a chat template's own come on
        top.
        """
        counted: dict[tuple[str, str | None], tuple[int, ...]] = {}
        for case, ask in asks:
            counts = (1, ask.count, sum(len(message.text) for message in ask.prompt))
            before = counted.get((case.benchmark, case.subset), (0, 0, 0))
            counted[case.benchmark, case.subset] = tuple(map(sum, zip(before, counts, strict=True)))
        prompts, answers, characters = (sum(counts[at] for counts in counted.values()) for at in range(3))
        tokens_in, price = _tokens(characters), self.price
        most = None if self.max_tokens is None else answers * self.max_tokens
        return Estimate(
            prompts,
            answers,
            characters,
            tokens_in,
            tuple(
                {"benchmark": benchmark, "subset": subset, "prompts": counts[0], "answers": counts[1],
                 "characters": counts[2], "tokens_in": _tokens(counts[2])}
                for (benchmark, subset), counts in counted.items()
            ),
            self.max_tokens,
            price(tokens_in, 0) if price else None,
            price(tokens_in, most) if price and most is not None else None,
            self.currency if price else "",
        )  # fmt: skip


def _tokens(characters: int) -> int:
    """About how many tokens an English prompt has; one in Chinese or of formulas has fewer characters a token."""
    return -(-characters // 4)


class AskingSession(Struct):
    """One run of a critic or a generative PRM; see `scoring.runs.run.RunSession`."""

    method: Asking
    asker: Asker
    interrupt: Interrupt
    asked: Asked
    _since: dict[int, float] = field(default_factory=dict)

    @property
    def spent(self) -> RunUsage:
        """Answers and tokens that have come so far, and what they cost."""
        usage, price = self.asked, self.method.price
        money = None if price is None else price(usage.tokens_in, usage.tokens_out)
        tokens = usage.tokens_in + usage.tokens_out
        return RunUsage(tokens, asked=usage, money=money, currency=self.method.currency)

    def rows(self, work: Work, load: Load) -> Iterator[Came]:
        """Yield the votes, in the order of their answers' arrival."""
        engine, ready = load()
        yield ready
        # What is ready without the engine comes with the None at the end.
        for came in chain(engine.answers(self._asks(work)), (None,)):
            if isinstance(came, Noticed):
                yield Notice(came.sentence)
                continue
            if came is not None:
                usage = self.asked
                self.asked = replace(
                    usage,
                    calls=usage.calls + came.calls,
                    retries=usage.retries + came.retries,
                    flawed=usage.flawed + came.flawed,
                )
                self.asker.take(came, time.monotonic() - self._since.pop(came.index))
            yield [self._counted(settled) for settled in self.asker.settled()]
        if sentence := self.asker.notice():
            yield Notice(sentence)

    def _asks(self, work: Work) -> Iterator[GenerationRequest | None]:
        for ask in self.asker.asks(work):
            if ask is not None:
                self._since[ask.index] = time.monotonic()
            yield ask

    def look(self, work: Work) -> Iterator[Came]:
        """Yield an estimate."""
        yield self.method.estimate(self.asker.first(self._heeded(work)))

    def _heeded(self, work: Work) -> Work:
        for drawn in work:
            self.interrupt.check()
            yield drawn

    def _counted(self, settled: RowsToSave) -> RowsToSave:
        """Rows as they are kept, counted, with their price; a vote that did not come is why the case lacks one."""
        settled = replace(settled, rows=tuple({**row, **self._price(row)} for row in settled.rows))
        silent = [row["reason"] for row in settled.rows if row["answer"] is None]
        for row in settled.rows:
            self._count(row)
        return replace(settled, reason=silent[0]) if silent else settled

    def _price(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """What a vote cost, and in which currency; nothing where that is not known."""
        tokens_in, tokens_out = row["tokens_in"], row["tokens_out"]
        if tokens_in == 0 and tokens_out is None:
            # Not the first answer of its call, for all of whose answers that one has the tokens.
            tokens_out = 0
        if self.method.price is None or tokens_in is None or tokens_out is None:
            return {}
        return {"cost": self.method.price(tokens_in, tokens_out), "currency": self.method.currency}

    def _count(self, row: Any) -> None:
        usage, silent = self.asked, row["answer"] is None
        # Rewards with a reason are no rewards of the steps.
        read = row.get("verdict") is not None or (row.get("rewards") is not None and row["reason"] is None)
        self.asked = replace(
            usage,
            answers=usage.answers + 1,
            unparsed=usage.unparsed + (not silent and not read),
            unanswered=usage.unanswered + silent,
            cut=usage.cut + was_cut(row["finish_reason"]),
            tokens_in=usage.tokens_in + (row["tokens_in"] or 0),
            tokens_out=usage.tokens_out + (row["tokens_out"] or 0),
        )


def seed_of(seed: int | None, run: int, vote: int) -> int | None:
    """Return the seed of what begins with a vote: another one for each run and vote. None = none is sent."""
    return None if seed is None else seed + 1000 * run + vote


class CriticAsker(Struct):
    """Asks a critic; see `Asker`. An answer is a vote.

    `prompt` writes a case's problem, steps and further texts into the template, `read` reads an answer. `seed` is that
    of the first vote of the first run; None = none is sent. Votes that do not follow each other are asked for apart: of
    several answers to one ask each has the seed behind that of the one before, which would be another vote's.
    """

    prompt: Callable[..., Prompt]
    read: ReadAnswer
    seed: int | None = None
    _flight: dict[int, tuple[MissingAnswers, RunCase, tuple[int, ...], str]] = field(default_factory=dict)
    _left: dict[tuple[int, int], int] = field(default_factory=dict)
    _ready: list[RowsToSave] = field(default_factory=list)
    _same: SameTexts = field(default_factory=SameTexts)

    def asks(self, work: Work) -> Iterator[GenerationRequest]:
        """Yield one ask a case and run, or several where votes between the missing ones are there."""
        for number, (missing, case, votes) in enumerate(_in_stretches(work)):
            ask = self._ask(number, missing, case, votes)
            self._flight[number] = (missing, case, votes, prompt_hash(ask.prompt))
            self._left.setdefault((missing.row, missing.run), len(missing.votes))
            yield ask

    def first(self, work: Work) -> Iterator[tuple[RunCase, GenerationRequest]]:
        """Yield all asks, none of which needs an answer."""
        for number, (missing, case, votes) in enumerate(_in_stretches(work)):
            yield case, self._ask(number, missing, case, votes)

    def take(self, answered: Answered, seconds: float | None = None) -> None:
        """Read the answers to one ask."""
        missing, case, votes, prompt = self._flight.pop(answered.index)
        rows = []
        for vote, answer in zip(votes, answered.answers, strict=True):
            row = answer_row(answer, self.read, len(case.steps)) | {"seconds": seconds}
            rows.append(row | {"key": case.key, "vote": vote, "run": missing.run, "prompt": prompt})
            seconds = None if seconds is None else 0.0
        self._same.add((answer.reasoning, answer.text) for answer in answered.answers)
        left = self._left.pop((missing.row, missing.run)) - len(votes)
        if left:
            self._left[missing.row, missing.run] = left
        self._ready.append(RowsToSave(missing, case, tuple(rows), last=not left))

    def settled(self) -> list[RowsToSave]:
        """Return the rows of each ask that was answered."""
        ready, self._ready = self._ready, []
        return ready

    def notice(self) -> str | None:
        """Return a sentence where the votes were not sampled."""
        return self._same.sentence

    def _ask(self, number: int, missing: MissingAnswers, case: RunCase, votes: tuple[int, ...]) -> GenerationRequest:
        seed = seed_of(self.seed, missing.run, votes[0])
        return GenerationRequest(number, self.prompt(case.problem, case.steps, *case.further), len(votes), seed)


def _in_stretches(work: Work) -> Iterator[tuple[MissingAnswers, RunCase, tuple[int, ...]]]:
    """The work with the votes that are asked for together: those that follow each other."""
    for missing, case in work:
        for _, stretch in groupby(enumerate(missing.votes), key=lambda place: place[1] - place[0]):
            yield missing, case, tuple(vote for _, vote in stretch)


def answer_row(answer: GeneratedAnswer, read: ReadAnswer, n_steps: int) -> dict[str, Any]:
    """Return the columns of `scoring.data.schema.VOTES` that an answer fills: the text as it came, and what it was read
    as.

    An answer that did not come has no text, and a reason that says whether to ask again.
    """
    row: dict[str, Any] = {
        "answer": answer.text,
        "reasoning": answer.reasoning,
        "finish_reason": answer.finish_reason,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "seed": answer.seed,
        "logprobs": None if answer.logprobs is None else _logprobs(answer.logprobs),
    }
    if answer.text is None:
        kind = REFUSED if answer.lasting else FAILED
        return row | {"reason": kind + (answer.reason or "nothing was said")}
    reading = read_answer(read, answer.text, n_steps, reasoning=answer.reasoning, finish_reason=answer.finish_reason)
    return row | {
        "ballot": reading.ballot,
        "verdict": reading.verdict,
        "rewards": reading.rewards,
        "redundancy": reading.redundancy,
        "reason": reading.reason,
        "reader": version(read),
    }


def _logprobs(tokens: Sequence[TokenLogprobs]) -> str:
    rows = [[token.token, token.logprob, [list(pair) for pair in token.top]] for token in tokens]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
