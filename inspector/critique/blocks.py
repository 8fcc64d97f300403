"""An answer cut into what is read on its own: its reasoning, which folds, and what it says; a talk step by step."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from inspector.critique.marked_text import Mark
from inspector.critique.mentions import mentions
from inspector.critique.reading_again import Place
from inspector.critique.talk import JUDGEMENT, Said, is_talk, judged_places, told_talk
from scoring.critics.parsing import Span, parted
from scoring.prompts import Sent
from scoring.scorer import Scorer

ANSWER = -1
"""The name of the mark of what was read; mentions are named by their number."""
_ENDS = ("</think>", "</thinking>")


class Block(Struct, frozen=True):
    """A piece of an answer. `title` stands above it, or in its place while it is folded; `step` (0-based) is what it is
    about; `marks` are places in `text`. `ratings` are numbers as they were read, a step's and, where there is one, that
    of its redundancy. A `prompt` is what the answer was given to, and is shown as it was sent.
    """

    text: str
    title: str = ""
    folds: bool = False
    step: int | None = None
    marks: tuple[Mark, ...] = ()
    ratings: tuple[tuple[float, float | None], ...] = ()
    prompt: bool = False

    @property
    def holds_answer(self) -> bool:
        """Whether what was read stands in it."""
        return any(mark.name == ANSWER for mark in self.marks)


def blocks_of(scorer: Scorer, answer: Mapping[str, Any], place: Place) -> tuple[Block, ...]:
    """One answer (a row of VOTES) in pieces; () where no text was kept."""
    text = answer["answer"]
    if text is None:
        return ()
    talk = told_talk(scorer, text, judged_places(answer["logprobs"])) if is_talk(scorer) else None
    if talk is not None:
        return tuple(_of_talk(talk, answer["rewards"]))
    return (*_ratings(answer), *_of_text(text, answer["reasoning"], place.span))


def prompt_block(asked: Sent, sampling: str) -> Block:
    """What an answer was given to, whole, its messages under their roles; `sampling` says how it was sampled."""
    several = len(asked.calls) > 1
    pieces = []
    for number, call in enumerate(asked.calls):
        where = f"call {number}, " if several else ""
        where += "" if call.step is None else f"step {call.step}, "
        pieces += [f"[{where}{message.role}]\n{message.text}" for message in call.prompt]
    how = "exactly as sent" if asked.fits else "NOT as it was sent" if asked.fits is False else "as it would be sent"
    about = f"{asked.words[:1].upper()}{asked.words[1:]}."
    return Block("\n\n".join([f"{about}\nSampling: {sampling}.", *pieces]), f"prompt, {how}", folds=True, prompt=True)


def _ratings(answer: Mapping[str, Any]) -> Iterator[Block]:
    rewards, redundancy = answer["rewards"], answer["redundancy"]
    if rewards is not None:
        others = [None] * len(rewards) if redundancy is None else [*redundancy, *[None] * len(rewards)]
        yield Block("", "ratings as they were read", ratings=tuple(zip(rewards, others, strict=False)))


def _of_text(text: str, reasoning: str | None, span: Span | None) -> Iterator[Block]:
    if reasoning is not None:
        yield _block(reasoning, span if span and span.part == "reasoning" else None, title="reasoning", folds=True)
    told = span if span and span.part == "answer" else None
    part = parted(text)
    begins, ends = 0, 0
    if part.reasoning is not None:
        ends = len(text) - len(part.answer)
        tag = next((len(tag) for tag in _ENDS if text[:ends].endswith(tag)), 0) if part.closed else 0
        begins = ends - tag - len(part.reasoning)
        title = "reasoning" if part.closed else "reasoning that never ended"
        yield _block(part.reasoning, _within(told, begins, ends - tag), title=title, folds=True)
    if part.answer or part.reasoning is None:
        # The blank lines after the reasoning say nothing.
        bare = part.answer.lstrip("\n")
        start = len(text) - len(bare)
        yield _block(bare, _within(told, start, len(text)))


def _within(span: Span | None, start: int, end: int) -> Span | None:
    """A span of the whole as one of the characters `start` to `end` of it; None where it is not among them."""
    if span is None or span.start < start or span.end > end:
        return None
    return Span(span.start - start, span.end - start)


def _block(text: str, span: Span | None, *, title: str = "", folds: bool = False, step: int | None = None) -> Block:
    found = [] if span is None else [Mark(span.start, span.end, ANSWER)]
    # A mention that lies across the answer's edge would belong to neither.
    marks = [Mark(one.start, one.end, one.number) for one in mentions(text)]
    kept = [mark for mark in marks if not found or _apart(mark, found[0])]
    return Block(text, title, folds, step, (*found, *kept))


def _apart(mark: Mark, other: Mark) -> bool:
    """Whether two marks do not cross: one lies in the other, or neither touches the other."""
    inside = other.start <= mark.start and mark.end <= other.end
    return inside or mark.end <= other.start or mark.start >= other.end


def _of_talk(talk: Sequence[Said], rewards: Sequence[float] | None) -> Iterator[Block]:
    """Each call a block: what leads to a judgement folds, under the step and its reward."""
    last = None
    for one in talk:
        if one.step is not None and one.step != last:
            reward = None if rewards is None or one.step >= len(rewards) else rewards[one.step]
            told = "no reward" if reward is None else f"reward {reward:.4g}"
            yield Block("", told, step=one.step)
            last = one.step
        yield _block(one.text, None, title=one.stage, folds=one.stage != JUDGEMENT)
