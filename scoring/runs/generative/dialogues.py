"""Many talks at once: what is asked next, what came of a vote, and the row that is kept of it."""

import json
from collections import deque
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from msgspec import Struct, field

from scoring.data.errors import EngineError
from scoring.data.readout import FAILED
from scoring.formats.reading.critic_answers import fault_words
from scoring.models.asking import Answered, GeneratedAnswer, GenerationRequest, TokenLogprobs, other_seed, prompt_hash
from scoring.models.critics.answer_parsers import was_cut
from scoring.runs.critic_runs import seed_of
from scoring.runs.generative.talk import JudgedTalk, Question, Talk, TalkFamily, came, said
from scoring.runs.plan import REFUSED, MissingAnswers
from scoring.runs.run_cases import RowsToSave, RunCase, Work

NO_STEPS = f"{REFUSED}it has no steps"


class _Vote(Struct):
    """One vote of one case in one run, while its talks go on. Lists have one entry a talk."""

    missing: MissingAnswers
    case: RunCase
    vote: int
    texts: list[list[str]]
    prompts: list[list[str]]
    judged: list[JudgedTalk | None]
    going: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    finish: str | None = None
    failed: str | None = None

    def heard(self, at: int, answer: GeneratedAnswer) -> None:
        """Add an answer to talk `at`."""
        self.texts[at].append(said(answer))
        if answer.tokens_in is not None:
            self.tokens_in = (self.tokens_in or 0) + answer.tokens_in
        if answer.tokens_out is not None:
            self.tokens_out = (self.tokens_out or 0) + answer.tokens_out
        # A token that decides always ends at its limit.
        deciding = bool(answer.logprobs) and len(answer.logprobs or ()) == 1
        if not deciding and not was_cut(self.finish):
            self.finish = answer.finish_reason

    @property
    def lost(self) -> bool:
        """Whether there will be no rewards, whatever the talks that go on come to."""
        return self.failed is not None or any(
            judgement is not None and judgement.fault is not None for judgement in self.judged
        )

    def row(self, reader: str, seed: int | None) -> dict[str, Any]:
        """The columns of `scoring.data.schema.VOTES` but for `engine`."""
        hashes = "".join(message for talk in self.prompts for message in talk)
        row: dict[str, Any] = {
            "key": self.case.key,
            "vote": self.vote,
            "run": self.missing.run,
            "answer": None,
            "finish_reason": self.finish,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "seconds": self.seconds,
            "seed": seed,
            "prompt": blake2b(hashes.encode(), digest_size=16).hexdigest(),
            "reason": self.failed,
        }
        if self.failed is not None:
            return row
        reason = self._reason()
        places = [_pairs(place) for judgement in self.judged for place in (judgement.places if judgement else (None,))]
        return row | {
            "answer": json.dumps(self.texts, ensure_ascii=False, separators=(",", ":")),
            "logprobs": json.dumps(places, ensure_ascii=False, separators=(",", ":")),
            "rewards": None
            if reason
            else [reward for judgement in self.judged if judgement for reward in judgement.rewards],
            "reason": reason,
            "reader": reader,
        }

    def _reason(self) -> str | None:
        """The first step without a reward (0-based) and why; None where there is none."""
        for at, judgement in enumerate(self.judged):
            if judgement is not None and judgement.fault is not None:
                return fault_words(judgement.fault, f"step {at + len(judgement.rewards)}")
        return None


class _Turn(Struct):
    """Talk `at` of a vote, about to ask for the `stage`-th time (0-based)."""

    vote: _Vote
    at: int
    talk: Talk
    question: Question
    stage: int = 0


class Dialogues(Struct):
    """Holds the talks of one run; see `scoring.runs.critic_runs.Asker`. `seed` is that of the first vote of the
    first run; None = none is sent.

    What goes on is asked before anything new is begun, so that no more talks are open than the engine has asks in
    flight, and a few. A vote is ready when the last of its talks has ended. `answer` of its row is JSON: for each talk
    (a step of ThinkPRM and R-PRM, a case of GenPRM) the list of what the model wrote, call for call; what was put into
    its mouth follows from these. `logprobs` is JSON too: for each step the token its reward was read at, as one of the
    tokens in `scoring.data.schema.VOTES`, or null (of a vote that came to nothing: also for a talk that was broken
    off). Rewards can be read again from the two. `prompt` is a hash over the hashes of all that was sent.
    """

    family: TalkFamily
    seed: int | None = None
    _flight: dict[int, _Turn] = field(default_factory=dict)
    _next: deque[_Turn] = field(default_factory=deque)
    _ready: list[RowsToSave] = field(default_factory=list)
    _left: dict[tuple[int, int], int] = field(default_factory=dict)
    _numbers: int = 0
    _gives_logprobs: bool = False

    def asks(self, work: Work) -> Iterator[GenerationRequest | None]:
        """Yield the next ask of every talk, and None where all wait for answers."""
        fresh = self._fresh(work)
        while True:
            turn = self._next.popleft() if self._next else next(fresh, None)
            if turn is not None and turn.vote.lost:
                # A vote without one of its steps is none: the others cost no more.
                turn.talk.close()
                self._ended(turn.vote)
            elif turn is not None:
                yield self._ask(turn)
            elif self._flight:
                yield None
            elif not self._next:
                return

    def first(self, work: Work) -> Iterator[tuple[RunCase, GenerationRequest]]:
        """Yield the first ask of every talk, once for all votes."""
        for missing, case in work:
            for talk in self.family.talks(case.problem, case.steps):
                question = next(talk)
                self._numbers += 1
                yield (
                    case,
                    GenerationRequest(self._numbers, question.prompt, len(missing.votes), sampling=question.sampling),
                )

    def take(self, answered: Answered, seconds: float | None = None) -> None:
        """Hand an answer to the talk that asked.

        Raises:
            EngineError: the first answer that was to decide has text and no log-probabilities.
        """
        turn = self._flight.pop(answered.index)
        vote, (answer,) = turn.vote, answered.answers
        if seconds is not None:
            vote.seconds = (vote.seconds or 0.0) + seconds
        if vote.failed is not None or not came(answer):
            kind = REFUSED if answer.lasting else FAILED
            vote.failed = vote.failed or kind + (answer.reason or "nothing was said")
            turn.talk.close()
            self._ended(vote)
            return
        self._check(turn.question, answer)
        vote.heard(turn.at, answer)
        try:
            turn.question, turn.stage = turn.talk.send(answer), turn.stage + 1
        except StopIteration as end:
            vote.judged[turn.at] = end.value
            self._ended(vote)
        else:
            self._next.append(turn)

    def settled(self) -> list[RowsToSave]:
        """Return the row of each vote that is ready."""
        ready, self._ready = self._ready, []
        return ready

    def notice(self) -> str | None:
        """Return None: rewards that repeat are no sign of a server that does not sample."""
        return None

    def _fresh(self, work: Work) -> Iterator[_Turn]:
        """All talks at their beginning, made one by one."""
        for missing, case in work:
            self._left[missing.row, missing.run] = len(missing.votes)
            for vote in missing.votes:
                talks = self.family.talks(case.problem, case.steps)
                state = _Vote(missing, case, vote, [[] for _ in talks], [[] for _ in talks], [None for _ in talks])
                state.going = max(1, len(talks))
                if not talks:
                    state.failed = NO_STEPS
                    self._ended(state)
                for at, talk in enumerate(talks):
                    yield _Turn(state, at, talk, next(talk))

    def _ask(self, turn: _Turn) -> GenerationRequest:
        self._numbers += 1
        self._flight[self._numbers] = turn
        question, vote = turn.question, turn.vote
        vote.prompts[turn.at].append(prompt_hash(question.prompt))
        seed = other_seed(self._seed(vote), turn.at, turn.stage)
        return GenerationRequest(self._numbers, question.prompt, seed=seed, sampling=question.sampling)

    def _seed(self, vote: _Vote) -> int | None:
        return seed_of(self.seed, vote.missing.run, vote.vote)

    def _ended(self, vote: _Vote) -> None:
        """One talk less; with the last the vote is ready."""
        vote.going -= 1
        if vote.going:
            return
        missing = vote.missing
        self._left[missing.row, missing.run] -= 1
        last = not self._left[missing.row, missing.run]
        if last:
            del self._left[missing.row, missing.run]
        row = vote.row(self.family.reader, self._seed(vote))
        self._ready.append(RowsToSave(missing, vote.case, (row,), last))

    def _check(self, question: Question, answer: GeneratedAnswer) -> None:
        """Whether the engine gives log-probabilities at all: once it has, a lapse costs no more than its vote."""
        self._gives_logprobs = self._gives_logprobs or bool(answer.logprobs)
        if question.sampling.logprobs and said(answer) and not self._gives_logprobs:
            raise EngineError(
                "the engine gives no log-probabilities, and the rewards of this PRM are read from them.",
                "Ask a server that gives them, as vLLM's does, or leave --server out to run the model here with vLLM.",
            )


def _pairs(place: TokenLogprobs | None) -> list[Any] | None:
    return None if place is None else [place.token, place.logprob, [list(pair) for pair in place.top]]
