"""An answer cut into what is read on its own: its reasoning, which folds, and what it says; a talk step by step."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from inspector.render.mathtext import unicode_math
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from scoring.data.scorer import Scorer
from scoring.formats.reading.answer_reasoning import parted
from scoring.formats.reading.critic_answers import Span
from scoring.formats.results.reasoneval import CRITIC_TITLE
from scoring.models.critics.answer_parsers import READERS, read_answer
from scoring.models.critics.protocols import PROTOCOLS
from scoring.runs.generative.decision_words import boxed_word
from scoring.runs.generative.generative_catalogue import FAMILIES
from scoring.runs.generative.thinkprm import bare
from scoring.runs.prompts import SentPrompt

# -- text of a critique made ready to be read, with places in it marked: formulas readable, wrapped, and clean
#
# A place is known by its characters in the text as it came. Formulas change their length on the way, so each marked
# place goes through the conversion between two characters of its own, which are taken out again.


_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_PRIVATE = range(0xF0000, 0xF00FF)
"""Where characters are taken from that mean nothing to anybody, and that `clean` and formulas leave alone."""


class TextMark(Struct, frozen=True):
    """Characters `start` to `end` (the end not among them), and what they are, by the number that the caller gave.

    Those at its edges are no white space.
    """

    start: int
    end: int
    name: int


class ReadableText(Struct, frozen=True):
    """A text for the screen and its marks in it, in the order in which they begin; `raw` where formulas are as written.

    Marks lie within one another or apart.
    """

    text: str
    marks: tuple[TextMark, ...]
    raw: bool


def readable(text: str, marks: Sequence[TextMark], *, raw: bool, precious: int | None = None) -> ReadableText:
    """Return the text cleaned, its formulas in Unicode unless `raw`, and the marks at their new places.

    A mark that would change how a formula is read is left out; where that is the one whose name is `precious`, the
    formulas stay as they were written instead.
    """
    marks = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    ends = _unused(text)
    if raw or ends is None:
        return _without_ends(_cleaned(text, marks, ends), ends, raw=True)
    plain = unicode_math(text)
    kept, converted = _harmless(text, marks, ends, plain)
    if precious is not None and any(mark.name == precious for mark in set(marks) - set(kept)):
        return readable(text, marks, raw=True)
    cleaned = clean(_BLANK_LINES.sub("\n\n", converted), lines=True)
    return _without_ends((cleaned, kept), ends, raw=False)


Ends = tuple[str, str]
"""The two characters around a marked place."""


def _unused(text: str) -> Ends | None:
    """Two characters that are not in the text; None where it has all of them."""
    free = [chr(code) for code in _PRIVATE if chr(code) not in text]
    return (free[0], free[1]) if len(free) > 1 else None


def _cleaned(text: str, marks: Sequence[TextMark], ends: Ends | None) -> tuple[str, Sequence[TextMark]]:
    return (clean(text, lines=True), []) if ends is None else (clean(_between(text, marks, ends), lines=True), marks)


def _between(text: str, marks: Sequence[TextMark], ends: Ends) -> str:
    """The text with every marked place between two ends; of marks that begin together the longer comes first."""
    pieces, last = [], 0
    for at, _, end in sorted(_events(marks)):
        pieces += [text[last:at], ends[end]]
        last = at
    return "".join([*pieces, text[last:]])


def _events(marks: Sequence[TextMark]) -> Iterator[tuple[int, tuple[int, int], int]]:
    """(where, order there, 0 for a beginning or 1 for an end). What ends comes before what begins."""
    for mark in marks:
        yield mark.start, (1, -mark.end), 0
        yield mark.end, (0, -mark.start), 1


def _harmless(text: str, marks: Sequence[TextMark], ends: Ends, plain: str) -> tuple[Sequence[TextMark], str]:
    """The marks with which the conversion gives the same text, and what it gives with them.

    Those that harm are found by halving; where marks harm only together, none is kept.
    """
    converted = _marked(text, marks, ends, plain)
    if converted is not None:
        return marks, converted
    alone = _each_alone(text, marks, ends, plain)
    converted = _marked(text, alone, ends, plain)
    return (alone, converted) if converted is not None else ((), plain)


def _each_alone(text: str, marks: Sequence[TextMark], ends: Ends, plain: str) -> list[TextMark]:
    if not marks or _marked(text, marks, ends, plain) is not None:
        return list(marks)
    if len(marks) == 1:
        return []
    middle = len(marks) // 2
    return _each_alone(text, marks[:middle], ends, plain) + _each_alone(text, marks[middle:], ends, plain)


def _marked(text: str, marks: Sequence[TextMark], ends: Ends, plain: str) -> str | None:
    """The conversion of the text with its marks; None where it is another than without."""
    converted = unicode_math(_between(text, marks, ends))
    same = converted.replace(ends[0], "").replace(ends[1], "") == plain
    return converted if same and _nested(converted, ends, len(marks)) else None


def _nested(text: str, ends: Ends, count: int) -> bool:
    """Whether every place that begins also ends, within one another or apart."""
    depth = 0
    for character in text:
        depth += (character == ends[0]) - (character == ends[1])
        if depth < 0:
            return False
    return not depth and text.count(ends[0]) == count


def _without_ends(marked: tuple[str, Sequence[TextMark]], ends: Ends | None, *, raw: bool) -> ReadableText:
    text, marks = marked
    if ends is None or not marks:
        return ReadableText(text, (), raw)
    names = [mark.name for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end))]
    placed: list[TextMark] = []
    going: list[int] = []
    pieces, length = [], 0
    for piece in re.split(f"([{ends[0]}{ends[1]}])", text):
        if piece == ends[0]:
            going.append(len(placed))
            placed.append(TextMark(length, length, names[len(placed)]))
        elif piece == ends[1]:
            at = going.pop()
            placed[at] = TextMark(placed[at].start, length, placed[at].name)
        else:
            pieces.append(piece)
            length += len(piece)
    return ReadableText("".join(pieces), tuple(mark for mark in placed if mark.end > mark.start), raw)


class WrappedLine(Struct, frozen=True):
    """One wrapped line and the character of the text that it begins with."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The character behind its last one."""
        return self.start + len(self.text)


def placed_lines(text: str, width: int) -> Iterator[WrappedLine]:
    """Wrap the text, each line with its place: what a break replaced belongs to no line."""
    before = 0
    for paragraph in text.split("\n"):
        at = 0
        for line in wrap(paragraph, width):
            while not paragraph.startswith(line, at):
                at += 1
            yield WrappedLine(line, before + at)
            at += len(line)
        before += len(paragraph) + 1


# -- steps that a text mentions by number: "paragraph 3", "steps 2, 4 and 5", `<paragraph_3>`, 第3步
#
# A number is taken as it is written. From which number the steps count is the protocol's to say: `numbering`.


_CHINESE = "零〇一二两三四五六七八九十百"
_NUMBER = rf"\d{{1,9}}(?!\d|[.．]\d)|[{_CHINESE}]+"
_WORD = re.compile(
    # "Step #3", "paragraph_3", "steps (3", "Paragraph 3"; no minus sign, since no step has one.
    r"(?<![A-Za-z])(?:paragraphs?|steps?)[\s_]*[#(]?\s?(?P<english>\d{1,9})(?![\d]|\.\d|%)"
    rf"|第\s*(?P<counted>{_NUMBER})\s*个?(?:步骤|步|段落|段)"
    rf"|(?:步骤|段落)\s*[#(（]?\s?(?P<named>{_NUMBER})",
    re.IGNORECASE,
)
_FURTHER = re.compile(
    r"\s*(?:,\s*and|,|and|or|&|to|through|-|–|、|和|至|到)\s*(?:(?:paragraph|step)[\s_]?)?"
    r"(\d{1,9})(?!\d|\.\d|%|\s*[-+*/=^])",
    re.IGNORECASE,
)
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100}


class Mention(Struct, frozen=True):
    """Characters `start` to `end` (the end not among them) that name a step, and its number as it is written."""

    start: int
    end: int
    number: int


def mentions(text: str) -> Iterator[Mention]:
    """Yield all of a text, in order; they do not overlap. Of "steps 2, 4" each number is one. Takes linear time."""
    for match in _WORD.finditer(text):
        written = match["english"] or match["counted"] or match["named"]
        number = _value(written)
        if number is None:
            continue
        yield Mention(match.start(), match.end(), number)
        if _plural(match[0]):
            yield from _listed(text, match.end())


def _listed(text: str, at: int) -> Iterator[Mention]:
    """The further numbers of a list that begins before a place."""
    while further := _FURTHER.match(text, at):
        yield Mention(further.start(1), further.end(1), int(further[1]))
        at = further.end()


def _plural(words: str) -> bool:
    return words.lower().startswith(("steps", "paragraphs"))


def _value(written: str) -> int | None:
    """A number in digits of any script, or in Chinese numerals below 1000; None where it is neither."""
    if not set(written) <= set(_CHINESE):
        return int(written)
    total, digit = 0, None
    for character in written:
        if character in _DIGITS:
            # 二三 is no number, and 一〇 is two digits side by side.
            digit = _DIGITS[character] if digit is None else digit * 10 + _DIGITS[character]
        else:
            total += (1 if digit is None else digit) * _UNITS[character]
            digit = None
    return total + (digit or 0)


# -- from which number a critic was told to count steps


_TELLS = {"genprm": {"analyze": "on"}, "thinkprm": {"numbered": "on"}, "rprm": {}}
"""The families of generative PRMs whose prompts number the steps, from 1, and the options under which they do."""


class Numbering(Struct, frozen=True):
    """What number `base` + i means: step `steps[i]` (0-based) of the case."""

    base: int
    steps: Sequence[int]

    def step(self, number: int) -> int | None:
        """Return the step (0-based) that a number means; None where there is none."""
        at = number - self.base
        return self.steps[at] if 0 <= at < len(self.steps) else None


def numbering(scorer: Scorer, steps: Sequence[str]) -> Numbering | None:
    """Return how the scorer counts the steps of a case (their texts); None where that is not known.

    What its own settings say of the layout of its prompts comes first, then what its protocol, family or file format
    says.
    """
    settings, every = scorer.settings, range(len(steps))
    name = str(settings.get("protocol"))
    base = _base(settings.get("steps"))
    if base is not None:
        return Numbering(base, every)
    if name in PROTOCOLS:
        return Numbering(PROTOCOLS[name].steps.base, every)
    options = settings.get("options")
    if name in _TELLS and isinstance(options, Mapping) and all(options.get(k) == v for k, v in _TELLS[name].items()):
        # ThinkPRM leaves out what is no step, and numbers the others.
        kept = [at for at, step in enumerate(steps) if bare(step)] if name == "thinkprm" else every
        return Numbering(1, kept)
    if settings.get("imported_from") == CRITIC_TITLE:
        return Numbering(1, every)
    return None


def _base(layout: Any) -> int | None:
    base = layout.get("base") if isinstance(layout, Mapping) else None
    return base if base in (0, 1) and not isinstance(base, bool) else None


# -- where in an answer its reading was made: the answer is read again, and what was kept is what must come of it


ELSEWHERE = "the verdict came beside the text, from the file: no place in the text"
NOT_READ = "not read from the text"


class AnswerPlace(Struct, frozen=True):
    """Where the answer stands, or in `why` the reason that no place can be told; `notes` are what it is known for."""

    span: Span | None = None
    why: str = ""
    notes: tuple[str, ...] = ()


def place_of(scorer: Scorer, answer: Mapping[str, Any], n_steps: int) -> AnswerPlace:
    """Return the place of one answer (a row of VOTES) of a case of so many steps.

    It is that of the reader that read it; of imported answers that of the protocol, as far as it reads the same. Where
    a present reader reads something else, no place is told: it would not be that of the verdict on screen.
    """
    if answer["answer"] is None or not _says_something(answer):
        return AnswerPlace()
    name = str(scorer.settings.get("protocol"))
    reader = answer["reader"]
    if reader is None and name not in PROTOCOLS:
        return AnswerPlace(why=ELSEWHERE)
    read = PROTOCOLS[name].read if reader is None else READERS.get(reader)
    if read is None:
        return AnswerPlace(why=f"{reader} read it, which is not here: no place in the text")
    reading = read_answer(
        read, answer["answer"], n_steps, reasoning=answer["reasoning"], finish_reason=answer["finish_reason"]
    )
    same = (reading.ballot, reading.verdict, _as_list(reading.rewards)) == (
        answer["ballot"],
        answer["verdict"],
        _as_list(answer["rewards"]),
    )
    if not same:
        return AnswerPlace(
            why="read otherwise today than what was kept: no place in the text (reparse --save reads it again)"
        )
    return AnswerPlace(reading.span, "" if reading.span else NOT_READ, tuple(map(str, reading.notes)))


def _says_something(answer: Mapping[str, Any]) -> bool:
    return any(answer[name] is not None for name in ("ballot", "verdict", "rewards"))


def _as_list(values: Any) -> list[float] | None:
    return None if values is None else list(values)


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


def is_talk(scorer: Scorer) -> bool:
    """Return whether a scorer's answers are talks."""
    return scorer.settings.get("protocol") in FAMILIES


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
