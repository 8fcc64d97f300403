"""An answer cut into what is read on its own: its reasoning, which folds, and what it says; a talk step by step."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from inspector.state.answer_places import AnswerPlace
from inspector.state.marked_text import TextMark
from inspector.state.step_mentions import mentions
from scoring.data.scorer import Scorer
from scoring.formats.reading.answer_reasoning import parted
from scoring.formats.reading.critic_answers import Span
from scoring.runs.generative.decision_words import boxed_word
from scoring.runs.generative.generative_catalogue import is_talk
from scoring.runs.prompts import SentPrompt

#
# A place is known by its characters in the text as it came. Formulas change their length on the way, so each marked
# place goes through the conversion between two characters of its own, which are taken out again.
#
# A number is taken as it is written. From which number the steps count is the protocol's to say: `numbering`.


# -- what a generative PRM wrote about a case, told from the JSON in which it is kept: by steps, call for call
#
# `scoring.runs.generative.dialogues` keeps of each talk (one a step of ThinkPRM and R-PRM, one a case of GenPRM) the
# list of what the model wrote. Which calls of GenPRM's one talk belong to which step is found here as the talk itself
# went on: an analysis, rounds of verification until one ends in a box, and a last call that has to judge.


ANALYSIS, CHECK, JUDGEMENT, THOUGHTS = "analysis", "verification", "judgement", "thoughts"


class CallText(Struct, frozen=True):
    """One call: the step that it is about (0-based; None where that cannot be told), its stage, what was written."""

    step: int | None
    stage: str
    text: str


def told_talk(scorer: Scorer, answer: str, places: int | None) -> tuple[CallText, ...] | None:
    """Return a kept answer call for call; None where it is no such JSON.

    Args:
        scorer: one that talks, with its options.
        answer: as it is kept.
        places: how many steps came to a judgement or to a fault, where that is kept: a talk that cannot be told apart
            into so many is told without steps.
    """
    talks = _talks(answer)
    if talks is None:
        return None
    family = str(scorer.settings.get("protocol"))
    if family != "genprm":
        first = ANALYSIS if family == "rprm" else THOUGHTS
        return tuple(
            CallText(step, JUDGEMENT if call else first, text)
            for step, talk in enumerate(talks)
            for call, text in enumerate(talk)
        )
    options = scorer.settings.get("options")
    calls = [text for talk in talks for text in talk]
    pieces = tuple(_by_steps(calls, options if isinstance(options, Mapping) else {}))
    steps = len({piece.step for piece in pieces})
    return (
        pieces
        if places in (None, steps)
        else tuple(CallText(None, f"call {n}", text) for n, text in enumerate(calls, 1))
    )


def judged_places(logprobs: str | None) -> int | None:
    """Return how many steps of a talk came to something, by the JSON kept of them; None where that is not known."""
    try:
        judged = None if logprobs is None else json.loads(logprobs)
    except (ValueError, RecursionError):
        return None
    return len(judged) if isinstance(judged, list) else None


def _talks(answer: str) -> list[list[str]] | None:
    try:
        talks: Any = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    sound = isinstance(talks, list) and all(
        isinstance(talk, list) and all(isinstance(text, str) for text in talk) for talk in talks
    )
    return talks if sound else None


def _by_steps(calls: Sequence[str], options: Mapping[str, Any]) -> Iterator[CallText]:
    """The calls of GenPRM's one talk."""
    rounds, written = str(options.get("rounds", "3")), iter(calls)
    most = int(rounds) if rounds.isdecimal() else 3
    analyses, checks = options.get("analyze", "on") == "on", options.get("verify", "on") == "on"
    step = 0
    text = next(written, None)
    while text is not None:
        if analyses:
            yield CallText(step, ANALYSIS, text)
            text = next(written, None)
        for turn in range(most + 1):
            if text is None:
                return
            # A first call without verification is begun as a judgement, and so is the last.
            judges = turn == most or (not checks and not turn)
            ends = judges or "<output>" in text or _begun(text)
            over = turn == most or (ends and boxed_word(text.rpartition("<output>")[2]) is not None)
            yield CallText(step, JUDGEMENT if judges or over else CHECK, text)
            text = next(written, None)
            if over:
                break
        step += 1


def _begun(text: str) -> bool:
    """Whether a call goes on behind the head of a judgement: no tokens were left, so that it came before its turn."""
    return text.lstrip().startswith(("{Yes}", "{No}"))


ANSWER = -1
"""The name of the mark of what was read; mentions are named by their number."""
_ENDS = ("</think>", "</thinking>")


class AnswerBlock(Struct, frozen=True):
    """A piece of an answer. `title` stands above it, or in its place while it is folded; `step` (0-based) is what it is
    about; `marks` are places in `text`. `ratings` are numbers as they were read, a step's and, where there is one, that
    of its redundancy. A `prompt` is what the answer was given to, and is shown as it was sent.
    """

    text: str
    title: str = ""
    folds: bool = False
    step: int | None = None
    marks: tuple[TextMark, ...] = ()
    ratings: tuple[tuple[float, float | None], ...] = ()
    prompt: bool = False

    @property
    def holds_answer(self) -> bool:
        """Whether what was read stands in it."""
        return any(mark.name == ANSWER for mark in self.marks)


def blocks_of(scorer: Scorer, answer: Mapping[str, Any], place: AnswerPlace) -> tuple[AnswerBlock, ...]:
    """Return one answer (a row of VOTES) in pieces; () where no text was kept."""
    text = answer["answer"]
    if text is None:
        return ()
    talk = told_talk(scorer, text, judged_places(answer["logprobs"])) if is_talk(scorer) else None
    if talk is not None:
        return tuple(_of_talk(talk, answer["rewards"]))
    return (*_ratings(answer), *_of_text(text, answer["reasoning"], place.span))


def prompt_block(request: SentPrompt, sampling: str) -> AnswerBlock:
    """Return what an answer was given to, whole, its messages under their roles; `sampling` says how it was sampled."""
    several = len(request.calls) > 1
    pieces = []
    for number, call in enumerate(request.calls):
        where = f"call {number}, " if several else ""
        where += "" if call.step is None else f"step {call.step}, "
        pieces += [f"[{where}{message.role}]\n{message.text}" for message in call.prompt]
    how = (
        "exactly as sent" if request.fits else "NOT as it was sent" if request.fits is False else "as it would be sent"
    )
    about = f"{request.words[:1].upper()}{request.words[1:]}."
    return AnswerBlock(
        "\n\n".join([f"{about}\nSampling: {sampling}.", *pieces]), f"prompt, {how}", folds=True, prompt=True
    )


def _ratings(answer: Mapping[str, Any]) -> Iterator[AnswerBlock]:
    rewards, redundancy = answer["rewards"], answer["redundancy"]
    if rewards is not None:
        others = [None] * len(rewards) if redundancy is None else [*redundancy, *[None] * len(rewards)]
        yield AnswerBlock("", "ratings as they were read", ratings=tuple(zip(rewards, others, strict=False)))


def _of_text(text: str, reasoning: str | None, span: Span | None) -> Iterator[AnswerBlock]:
    if reasoning is not None:
        yield _block(reasoning, span if span and span.part == "reasoning" else None, title="reasoning", folds=True)
    answer_span = span if span and span.part == "answer" else None
    part = parted(text)
    begins, ends = 0, 0
    if part.reasoning is not None:
        ends = len(text) - len(part.answer)
        tag = next((len(tag) for tag in _ENDS if text[:ends].endswith(tag)), 0) if part.closed else 0
        begins = ends - tag - len(part.reasoning)
        title = "reasoning" if part.closed else "reasoning that never ended"
        yield _block(part.reasoning, _within(answer_span, begins, ends - tag), title=title, folds=True)
    if part.answer or part.reasoning is None:
        # The blank lines after the reasoning say nothing.
        bare = part.answer.lstrip("\n")
        start = len(text) - len(bare)
        yield _block(bare, _within(answer_span, start, len(text)))


def _within(span: Span | None, start: int, end: int) -> Span | None:
    """A span of the whole as one of the characters `start` to `end` of it; None where it is not among them."""
    if span is None or span.start < start or span.end > end:
        return None
    return Span(span.start - start, span.end - start)


def _block(
    text: str, span: Span | None, *, title: str = "", folds: bool = False, step: int | None = None
) -> AnswerBlock:
    answer_marks = [] if span is None else [TextMark(span.start, span.end, ANSWER)]
    # A mention that lies across the answer's edge would belong to neither.
    marks = [TextMark(mention.start, mention.end, mention.number) for mention in mentions(text)]
    kept = [mark for mark in marks if not answer_marks or _apart(mark, answer_marks[0])]
    return AnswerBlock(text, title, folds, step, (*answer_marks, *kept))


def _apart(mark: TextMark, other: TextMark) -> bool:
    """Whether two marks do not cross: one lies in the other, or neither touches the other."""
    inside = other.start <= mark.start and mark.end <= other.end
    return inside or mark.end <= other.start or mark.start >= other.end


def _of_talk(talk: Sequence[CallText], rewards: Sequence[float] | None) -> Iterator[AnswerBlock]:
    """Each call a block: what leads to a judgement folds, under the step and its reward."""
    last = None
    for call in talk:
        if call.step is not None and call.step != last:
            reward = None if rewards is None or call.step >= len(rewards) else rewards[call.step]
            words = "no reward" if reward is None else f"reward {reward:.4g}"
            yield AnswerBlock("", words, step=call.step)
            last = call.step
        yield _block(call.text, None, title=call.stage, folds=call.stage != JUDGEMENT)
