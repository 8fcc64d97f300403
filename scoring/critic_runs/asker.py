"""What a run asks and makes of the answers: one question a case and run of a critic, whose answers are its votes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from scoring.asking import Answered, Ask, Prompt
from scoring.critic_runs.plan import Missing
from scoring.critic_runs.rows import answer_row, prompt_hash
from scoring.critics.protocol import Read
from scoring.critics.same_texts import SameTexts
from scoring.run_cases import RunCase

Work = Iterator[tuple[Missing, RunCase]]
"""What is missing, with the case it is about."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Rows of `scoring.schema.VOTES` (but for `engine`) that are ready to be saved.

    `last` says that nothing more comes of what was missing.
    """

    missing: Missing
    case: RunCase
    rows: tuple[dict[str, Any], ...]
    last: bool = True


class Asker(Protocol):
    """Asks and hears in one run. Nothing of it is saved: a run that is taken up again makes another."""

    def asks(self, work: Work) -> Iterator[Ask | None]:
        """What is to be asked, drawn by an engine; see `scoring.engines.base.AnsweringEngine.answers`."""
        ...

    def first(self, work: Work) -> Iterator[tuple[Missing, Ask]]:
        """What can be asked before any answer is known: for an estimate, in place of `asks`."""
        ...

    def take(self, answered: Answered) -> None:
        """Hear the answers to one ask.

        Raises:
            EngineError: the engine's answers lack what nothing can be made of them without.
        """
        ...

    def settled(self) -> list[Settled]:
        """What has become ready since this was last asked for."""
        ...

    def notice(self) -> str | None:
        """At the end: a sentence about all answers together that changes what they mean; None = there is none."""
        ...


class HowAsked(Protocol):
    """What is asked, how often, and at what price; the same for critics and generative PRMs."""

    @property
    def votes(self) -> int:
        """Answers that are combined into one verdict."""
        ...

    @property
    def runs(self) -> int:
        """Repetitions of these."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of one answer."""
        ...

    @property
    def price(self) -> Callable[[int, int], float] | None:
        """What tokens in and out cost."""
        ...

    @property
    def currency(self) -> str:
        """That of the price."""
        ...

    def asker(self) -> Asker:
        """One for a new run."""
        ...


def seed_of(seed: int | None, run: int, vote: int) -> int | None:
    """The seed of what begins with a vote: another one for each run and vote. None = none is sent."""
    return None if seed is None else seed + 1000 * run + vote


@dataclass(frozen=True)
class Asking:
    """What a critic is asked, and how often. `prompt` writes a case's problem and steps into the template.

    `seed` is that of the first vote of the first run; None = none is sent. `max_tokens` limits each answer. `price`
    gives the cost of tokens in and out.
    """

    prompt: Callable[[str, list[str]], Prompt]
    read: Read
    votes: int = 1
    runs: int = 1
    seed: int | None = None
    max_tokens: int | None = None
    price: Callable[[int, int], float] | None = None
    currency: str = ""

    def asker(self) -> "CriticAsker":
        """One for a new run."""
        return CriticAsker(self)


@dataclass
class CriticAsker:
    """Asks a critic; see `Asker`. An answer is a vote."""

    asking: Asking
    _flight: dict[int, tuple[Missing, RunCase, str]] = field(default_factory=dict)
    _ready: list[Settled] = field(default_factory=list)
    _same: SameTexts = field(default_factory=SameTexts)

    def asks(self, work: Work) -> Iterator[Ask]:
        """One a case and run."""
        for number, (missing, case) in enumerate(work):
            ask = self._ask(number, missing, case)
            self._flight[number] = (missing, case, prompt_hash(ask.prompt))
            yield ask

    def first(self, work: Work) -> Iterator[tuple[Missing, Ask]]:
        """All of them."""
        return ((missing, self._ask(number, missing, case)) for number, (missing, case) in enumerate(work))

    def take(self, answered: Answered) -> None:
        """Read the answers to one ask."""
        missing, case, prompt = self._flight.pop(answered.index)
        rows = []
        for vote, answer in zip(missing.votes, answered.answers, strict=True):
            row = answer_row(answer, self.asking.read, len(case.steps))
            rows.append(row | {"key": case.key, "vote": vote, "run": missing.run, "prompt": prompt})
        self._same.add((answer.reasoning, answer.text) for answer in answered.answers)
        self._ready.append(Settled(missing, case, tuple(rows)))

    def settled(self) -> list[Settled]:
        """The rows of each ask that was answered."""
        ready, self._ready = self._ready, []
        return ready

    def notice(self) -> str | None:
        """Whether the votes were sampled at all."""
        return self._same.sentence

    def _ask(self, number: int, missing: Missing, case: RunCase) -> Ask:
        seed = seed_of(self.asking.seed, missing.run, missing.votes[0])
        return Ask(number, self.asking.prompt(case.problem, case.steps), len(missing.votes), seed)
