"""Answers of critics, read: what is said, whether something is amiss with it, and the forms that answers have."""

import json
import math
import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from msgspec import Struct

# -- a critic's answer in a `\boxed{...}`, read as ProcessBench and as GR-Ben read it.
#
# The two differ: ProcessBench lets the text of the box vote and reads the winner as a number, GR-Ben looks for a
# number in a box and for nothing else. ProcessBench: arXiv 2412.06559, `run_eval.py`, 0-based. GR-Ben:
# `run_llm_eval.py`, 1-based.


_BOX = re.compile(r"\\boxed\{([^}]*)\}")
_NUMBER_IN_BOX = re.compile(r"\\boxed\s*\{\s*(-?\d+)\s*\}")
_OPENED = re.compile(r"\\boxed\s*\{")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-"))
"""Whatever is written for a minus."""
_NUMBERS = re.compile(r"(?:^\s*-\s*|(?<![A-Za-z0-9_])-)?(?:(?<!\w)\.)?\d+(?:\.\d+)?")
_BRACE = re.compile(r"[{}]")
_LARGEST = 2**31 - 1


class Box(NamedTuple):
    """The words of a box as they vote, and the characters of the text that are the box (the end not among them)."""

    words: str
    start: int
    end: int


def processbench_box(answer: str) -> Box | None:
    r"""Find the last `\boxed{...}` of an answer, up to its first `}`, its words stripped; None where there is none."""
    # What follows the last brace holds no box, and looking for one there takes quadratic time.
    return _last(_BOX, answer[: answer.rfind("}") + 1])


def processbench_ballot(answer: str) -> str | None:
    r"""Return what the answer votes with: the text of its last `\boxed{...}` up to the first `}`, stripped.

    None where there is no such box; a box without text votes with the empty text.
    """
    box = processbench_box(answer)
    return None if box is None else box.words


def loose_box(answer: str) -> Box | None:
    r"""Find the last `\boxed{...}` of an answer, up to the brace that closes it, its words stripped; None without one.

    Blanks may stand before the brace, and what is in it may hold braces: `\boxed {\text{2}}`.
    """
    start = answer.rfind(r"\boxed")
    opened = _OPENED.match(answer, start) if start >= 0 else None
    if opened is None:
        return None
    depth = 1
    for brace in _BRACE.finditer(answer, opened.end()):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return Box(answer[opened.end() : brace.start()].strip(), start, brace.end())
    return None


def only_number(words: str) -> int | None:
    """Return the one whole number among words; None where there is none, several, or one with a decimal point.

    A dash of any kind is a minus, unless it joins the number to a word: `paragraph-1` is 1.
    """
    numbers = _NUMBERS.findall(words.translate(_DASHES))
    return _integer("".join(numbers[0].split())) if len(numbers) == 1 else None


def zero_based_from(number: int, base: int) -> int:
    """Return a number as a verdict, the first step being called `base` (0 or 1): -1 stays, what names no step is -2."""
    return zero_based(number) if base else max(number, -2)


def processbench_verdict(ballot: str | None, base: int = 0) -> int | None:
    """Return the earliest error that a ballot names: 0-based, -1 = none, -2 = a number below that, which names no step.

    `base` is what the prompt calls the first step. None where it is no integer. Whatever Python reads as one is one
    ("+2", "03"); a number too large for a column of 32 bits becomes the largest that fits, as far beyond the last step.
    """
    number = _integer(ballot)
    return None if number is None else zero_based_from(number, base)


def vote(ballots: Sequence[str | None]) -> str | None:
    """Return the most frequent ballot, of equally frequent ones the first; None does not vote, nor does nobody win
    then.

    Texts are compared as they are: "1" and "01" are two.
    """
    counted = Counter(ballot for ballot in ballots if ballot is not None)
    return max(counted, key=counted.__getitem__, default=None)


def grben_box(answer: str) -> Box | None:
    r"""Find the last `\boxed{...}` that holds a number and nothing else; None without one."""
    return _last(_NUMBER_IN_BOX, answer)


def grben_ballot(answer: str) -> str | None:
    r"""Return the number in the last `\boxed{...}` that holds a number alone, as written; None without one."""
    box = grben_box(answer)
    return None if box is None else box.words


def grben_answer(answer: str) -> int | None:
    r"""Return the number in the last `\boxed{...}` that holds a number and nothing else, 1-based as it is written.

    -1 says that no step is wrong; 0 and other negative numbers name no step and are given as they are. None where no
    box holds a number. A number too large for 32 bits becomes the largest that fits.
    """
    return _integer(grben_ballot(answer))


def zero_based(answer: int) -> int:
    """Return a 1-based answer as a verdict: -1 stays "no error"; 0 or anything below -1 names no step, so -2."""
    if answer >= 1:
        return answer - 1
    return -1 if answer == -1 else -2


def _last(pattern: re.Pattern[str], text: str) -> Box | None:
    """The last match of a pattern whose one group are the words."""
    last = deque(pattern.finditer(text), maxlen=1)
    return Box(last[0][1].strip(), *last[0].span()) if last else None


def _integer(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        # No number, or one of thousands of digits.
        return None
    return max(-_LARGEST, min(number, _LARGEST))


# -- what can be wrong with a critic's answer: the kinds that reasons begin with, by which answers are counted


_SHOWN = 40


class ParseFault(StrEnum):
    """One kind of fault. A reason is a kind, and often a detail after it, as `told` writes it."""

    CUT = "cut at the token limit"
    REASONING_OPEN = "reasoning never ended"
    EMPTY_ANSWER = "empty answer"
    NO_BOX = "no box"
    EMPTY_BOX = "empty box"
    NO_NUMBER_IN_BOX = "box without a number"
    NO_JSON = "no JSON"
    OPEN_JSON = "JSON never closed"
    STRAY_BRACE = "brace closed before one was opened"
    BROKEN_JSON = "broken JSON"
    NO_VALIDITY = "JSON without validity"
    NO_REDUNDANCY = "JSON without redundancy"
    NO_LABELS = "JSON without a label of a step"
    NO_SUCH_STEP = "label of no step"
    NO_LIST = "no list"
    NOT_A_NUMBER = "not a number"
    NOT_FINITE = "not finite"
    TOO_SHORT = "list too short"
    TOO_LONG = "list too long"
    TRUTH_VALUES = "truth values"
    OUT_OF_RANGE = "out of range"
    NO_LOGPROBS = "no log-probabilities"
    NO_WORD = "neither word among the likeliest"
    BOTH_ZERO = "both words have probability 0"
    SPLIT_WORD = "the word is no token of its own"


class ParseNote(StrEnum):
    """What an answer that could be read should be known for."""

    BOX_IN_OPEN_REASONING = "the box is in reasoning that never ended"
    BOX_IN_REASONING = "the box is in the reasoning alone"
    NEUTRAL_BY_DEFAULT = "steps without a label count as neutral"


NOTHING_THERE = frozenset(
    {
        ParseFault.REASONING_OPEN,
        ParseFault.EMPTY_ANSWER,
        ParseFault.NO_BOX,
        ParseFault.NO_JSON,
        ParseFault.OPEN_JSON,
        ParseFault.BROKEN_JSON,
    }
)
"""Faults that the token limit explains, where the answer ended at it."""


def fault_words(fault: ParseFault, detail: str = "") -> str:
    """Write the reason: `fault (detail)`. Of the detail no more than 40 characters are shown, and none that acts."""
    if not detail:
        return fault.value
    excerpt = f"{detail[:_SHOWN]}…" if len(detail) > _SHOWN else detail
    return f"{fault} ({''.join(character if character.isprintable() else '·' for character in excerpt)})"


def fault_of(reason: str) -> ParseFault | None:
    """Return the kind that a reason begins with; None for reasons of other origin."""
    return next(
        (fault for fault in ParseFault if reason == fault or reason.startswith((f"{fault} (", f"{fault}: "))), None
    )


# -- what an answer was read as


class Span(Struct, frozen=True):
    """Where in a text what counted was read: characters `start` to `end` (0-based, the end not among them).

    `part` says of which text, where a server told an answer's reasoning apart.
    """

    start: int
    end: int
    part: Literal["answer", "reasoning"] = "answer"


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says, or in `reason` why nothing can be read of it: a short phrase that names the kind of
    `ParseFault` first, so that answers can be counted by it.

    Of a protocol that asks for the earliest error: `ballot`, the words that vote, and `verdict`, the step they name,
    0-based, -1 = none, -2 = a number that names no step; a ballot without a verdict votes, and counts as unparsed if
    it wins. Of a protocol that asks for step rewards: `rewards`, one a step in [-1, 1], and `redundancy`, one a step,
    where asked for. Rewards beside a reason are what was said, of whatever length or range: they are no rewards of the
    steps, and only the official figures count their signs. `notes` are of an answer that could be read, some of
    `ParseNote`. `span` is the place in the text at which all of this was read; None = at none that can be told.
    Readings that say the same are equal wherever it stood.
    """

    ballot: str | None = None
    verdict: int | None = None
    rewards: tuple[float, ...] | None = None
    redundancy: tuple[float, ...] | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)


# -- the reasoning of an answer told from what it answers.
#
# Who reads what: ProcessBench's code reads the last box of all that was generated, reasoning included
# (`run_eval.py`). GR-Ben's reads the message's content alone (`run_llm_eval.py`), and the protocols that rate steps
# are read so here: an example of the JSON that a model writes to itself while it thinks is no answer. The text is
# kept as it came, whoever reads it.


_BEGINS = ("<think>", "<thinking>")
_ENDS = ("</think>", "</thinking>")


class SplitAnswer(Struct, frozen=True):
    """A text in two: `reasoning` (None = there is none) and the `answer` after it.

    `closed` is false where the reasoning never ended: then all of the text is reasoning and the answer is empty.
    """

    reasoning: str | None
    answer: str
    closed: bool = True


def parted(text: str) -> SplitAnswer:
    """Part reasoning and answer: reasoning stands before the last end tag, `</think>` or `</thinking>`, or begins the
    text and has no end.

    The end tag alone is enough, because many chat templates write the other one into the prompt. The last one counts,
    so that reasoning that mentions the tag is not taken for an answer. A begin tag counts only where nothing but blanks
    is before it, at the start or after the last end: elsewhere it is a word of the answer.
    """
    ends = [(text.rfind(tag), len(tag)) for tag in _ENDS if tag in text]
    at, length = max(ends, default=(0, 0))
    answer = text[at + length :]
    if answer.lstrip().startswith(_BEGINS):
        return SplitAnswer(_without_tag(text), "", closed=False)
    return SplitAnswer(_without_tag(text[:at]), answer) if ends else SplitAnswer(None, text)


def joined(answer: str, reasoning: str | None, *, closed: bool = True) -> str:
    """Join the text as it would have come, of a server that gives reasoning and answer apart.

    `parted` undoes it, unless the answer itself mentions a tag.
    """
    if reasoning is None:
        return answer
    return f"{_BEGINS[0]}{reasoning}{_ENDS[0] if closed else ''}{answer}"


def place_of_reasoning() -> int:
    """Return at which character of a joined text the reasoning begins."""
    return len(_BEGINS[0])


def opened(text: str) -> str:
    """Put before the text the begin tag that the chat template put into the prompt, so that reasoning that never ends
    is known to be reasoning.
    """
    return text if text.lstrip().startswith(_BEGINS) else _BEGINS[0] + text


def silent(part: SplitAnswer) -> str | None:
    """Return the reason why there is no answer beside the reasoning; None where there is one."""
    if not part.closed:
        return fault_words(ParseFault.REASONING_OPEN)
    if part.answer.strip():
        return None
    return fault_words(ParseFault.EMPTY_ANSWER, "reasoning alone" if part.reasoning and part.reasoning.strip() else "")


def _without_tag(text: str) -> str:
    bare = text.lstrip()
    return next((bare[len(tag) :] for tag in _BEGINS if bare.startswith(tag)), text)


# -- readers of answers that name the earliest error in a `\boxed{...}`: ProcessBench's, GR-Ben's, and a loose one.
#
# Each finds the number in its own way. What the number means is the prompt's to say, not the reader's: `base` is what
# the prompt calls the first step, 0 or 1, so that an answer to a prompt that counts from 0 is never read as one that
# counts from 1.


def read_processbench(text: str, _n_steps: int, base: int = 0) -> Reading:
    """Read the last box of all that was generated, reasoning included, 0-based.

    Zheng et al., arXiv 2412.06559, `run_eval.py`. A number that names no step of the case is a verdict, and wrong. A
    box within reasoning alone counts, and the reading notes it: that model may not have come to a conclusion.
    """
    box, part = processbench_box(text), parted(text)
    if box is None:
        return Reading(reason=silent(part) or fault_words(ParseFault.NO_BOX))
    verdict = processbench_verdict(box.words, base)
    reason = None if verdict is not None else _unread(box.words)
    span = Span(box.start, box.end)
    return Reading(ballot=box.words, verdict=verdict, reason=reason, notes=_notes(part), span=span)


def read_grben(text: str, _n_steps: int, base: int = 1) -> Reading:
    """Read the last box of the answer proper that holds a number and nothing else, which counts from 1.

    GR-Ben, `run_llm_eval.py`. The ballot is the number as written, the verdict 0-based: -1 stays "no error", 0 and what
    is below -1 name no step. Without such a box there is no ballot, and the case leaves the denominators.
    """
    part = parted(text)
    if reason := silent(part):
        return Reading(reason=reason)
    number, box = grben_answer(part.answer), grben_box(part.answer)
    if number is None or box is None:
        other = processbench_ballot(part.answer)
        return Reading(reason=fault_words(ParseFault.NO_BOX) if other is None else _unread(other))
    before = len(text) - len(part.answer)
    span = Span(before + box.start, before + box.end)
    return Reading(ballot=box.words, verdict=zero_based_from(number, base), span=span)


def read_loosely(text: str, _n_steps: int, base: int = 0) -> Reading:
    r"""Read the one whole number in the last box of all that was generated, whatever words stand around it.

    It forgives how a number is written and nothing else: `\boxed{\text{paragraph 2}}`, `\boxed {2}` and `\boxed{-1.}`
    are read, a box with two numbers or a decimal is not, and nothing outside a box counts. The ballot is the number, so
    that answers that write it differently vote together.
    """
    box, part = loose_box(text), parted(text)
    if box is None:
        return Reading(reason=silent(part) or fault_words(ParseFault.NO_BOX))
    number = only_number(box.words)
    if number is None:
        return Reading(reason=_unread(box.words), span=Span(box.start, box.end))
    verdict = zero_based_from(number, base)
    return Reading(ballot=str(number), verdict=verdict, notes=_notes(part), span=Span(box.start, box.end))


def _unread(box: str) -> str:
    return fault_words(ParseFault.NO_NUMBER_IN_BOX, box) if box else fault_words(ParseFault.EMPTY_BOX)


def _notes(part: SplitAnswer) -> tuple[str, ...]:
    if not part.closed:
        return (ParseNote.BOX_IN_OPEN_REASONING,)
    alone = part.reasoning is not None and processbench_ballot(part.answer) is None
    return (ParseNote.BOX_IN_REASONING,) if alone else ()


# -- the JSON object of an answer, found as PRMBench's toolkit finds it.
#
# `extract_nested_json` in `mr_eval/utils/model_utils.py` of ssmisya/PRMBench: braces are paired from the left, those
# in texts and comments too; of the first outermost pair that is JSON once everything from `//` or `#` to the end of
# its line is gone, the object counts, whatever it holds. A brace that closes nothing ends the search, and so does
# JSON that breaks a limit of Python's. What the toolkit cannot read for these reasons is not read here either: a
# scorer's figures would else not be those of the benchmark.


_COMMENT = re.compile(r"(?://|#).*")


class ParsedObject(NamedTuple):
    """An object, and the characters of the text from which it was read (the end not among them)."""

    value: dict[str, Any]
    start: int
    end: int


def placed_object(text: str) -> ParsedObject | ParseFault:
    """Find the object that counts, with its place, or why there is none. Takes linear time: the pairs do not overlap.

    Numbers may be NaN or infinite, as Python's JSON has them.
    """
    depth, start, fault = 0, 0, ParseFault.NO_JSON
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            start = start if depth else brace.start()
            depth += 1
            continue
        if not depth:
            return ParseFault.STRAY_BRACE
        depth -= 1
        if depth:
            continue
        try:
            value: dict[str, Any] = json.loads(_COMMENT.sub("", text[start : brace.end()]))
        except json.JSONDecodeError:
            fault = ParseFault.BROKEN_JSON
        except (ValueError, RecursionError):
            # Thousands of digits, or of levels: the toolkit gives up on the whole answer.
            return ParseFault.BROKEN_JSON
        else:
            return ParsedObject(value, start, brace.end())
    return ParseFault.OPEN_JSON if depth else fault


# -- readers of answers that rate every step: PRMBench's and Socratic-PRMBench's.
#
# An answer is a JSON object of lists of numbers in [-1, 1], one a step. PRMBench (`mr_eval/utils/model_utils.py`,
# `mr_eval/models/openai_models.py` of ssmisya/PRMBench): `validity` and `redundancy`, both asked for by exactly these
# names. Socratic-PRMBench (arXiv 2505.23474, Table 6): `validity` alone, which its prompt writes with a blank after
# it. In both a step is valid (redundant) iff its number is above 0.
#
# The toolkit compares whatever is in the lists. What it compares without noticing that something is wrong (a list of
# another length, truth values, numbers beyond [-1, 1]) is kept beside a reason, so that its figures can be made:
# `scoring.evaluation.step_ratings.split`. Texts, nulls and lists within a list break its comparison, and NaN compares
# as "not above 0" without saying so: of these, and of infinities, there is the reason alone.


_MISSING = {"validity": ParseFault.NO_VALIDITY, "redundancy": ParseFault.NO_REDUNDANCY}
_KINDS = {str: "text", bool: "a truth value", type(None): "null", list: "a list", dict: "an object"}


def read_prmbench(text: str, n_steps: int) -> Reading:
    """Read the validity and redundancy of n steps. An answer without either list is not read."""
    placed = _object(text)
    if isinstance(placed, str):
        return Reading(reason=placed)
    return replace(_ratings(placed.value, ("validity", "redundancy"), n_steps), span=Span(placed.start, placed.end))


def read_socratic(text: str, n_steps: int) -> Reading:
    """Read the validity of n steps. Blanks around the keys do not count; redundancy is neither asked for nor read."""
    placed = _object(text)
    if isinstance(placed, str):
        return Reading(reason=placed)
    lists = {key.strip(): value for key, value in placed.value.items()}
    return replace(_ratings(lists, ("validity",), n_steps), span=Span(placed.start, placed.end))


def _object(text: str) -> ParsedObject | str:
    """The JSON object of what follows the reasoning, at its place in the text, or the reason why there is none."""
    part = parted(text)
    if reason := silent(part):
        return reason
    placed = placed_object(part.answer)
    if isinstance(placed, ParseFault):
        return fault_words(placed)
    before = len(text) - len(part.answer)
    return ParsedObject(placed.value, before + placed.start, before + placed.end)


class _Numbers(NamedTuple):
    """A list as numbers, None where it cannot be compared, and what is wrong with it."""

    values: tuple[float, ...] | None
    reason: str | None = None


def _ratings(verdict_lists: dict[str, Any], names: Sequence[str], n_steps: int) -> Reading:
    if missing := [_MISSING[name] for name in names if name not in verdict_lists]:
        return Reading(reason=fault_words(missing[0]))
    lists = [_numbers(verdict_lists[name], name, n_steps) for name in names]
    reasons = [rating.reason for rating in lists if rating.reason]
    if unusable := [rating.reason for rating in lists if rating.values is None]:
        return Reading(reason=unusable[0])
    # An empty list says nothing of any step, not even to the toolkit.
    rewards, redundancy = (rating.values if rating.values or not n_steps else None for rating in (lists[0], lists[-1]))
    with_redundancy = rewards is not None and len(names) > 1
    return Reading(
        rewards=rewards,
        redundancy=redundancy if with_redundancy else None,
        reason=reasons[0] if reasons else None,
    )


def _numbers(value: Any, name: str, n_steps: int) -> _Numbers:
    if not isinstance(value, list):
        return _Numbers(None, fault_words(ParseFault.NO_LIST, f"{name} is {_said(value)}"))
    for step, part in enumerate(value):
        if not isinstance(part, int | float):
            return _Numbers(None, fault_words(ParseFault.NOT_A_NUMBER, f"{name} of step {step} is {_said(part)}"))
        if not _finite(part):
            return _Numbers(None, fault_words(ParseFault.NOT_FINITE, f"{name} of step {step}"))
    reason = _length(name, len(value), n_steps) or _odd(value, name)
    return _Numbers(tuple(float(part) for part in value), reason)


def _length(name: str, length: int, n_steps: int) -> str | None:
    if length == n_steps:
        return None
    which = "" if name == "validity" else f"{name}, "
    return fault_words(
        ParseFault.TOO_SHORT if length < n_steps else ParseFault.TOO_LONG, f"{which}{length} of {n_steps}"
    )


def _odd(value: list[int | float], name: str) -> str | None:
    """Why numbers, one a step, are no ratings all the same; None where they are."""
    truths = [step for step, part in enumerate(value) if isinstance(part, bool)]
    if truths:
        return fault_words(ParseFault.TRUTH_VALUES, f"{name} of step {truths[0]}")
    beyond = [step for step, part in enumerate(value) if abs(part) > 1]
    return (
        fault_words(ParseFault.OUT_OF_RANGE, f"{name} of step {beyond[0]} is {value[beyond[0]]:.6g}")
        if beyond
        else None
    )


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        # A whole number beyond the largest float.
        return False


def _said(value: Any) -> str:
    return _KINDS.get(type(value), "a number")


# -- the reader of answers that label every step right, neutral or wrong: AgentProcessBench's.
#
# `eval/llm_annotation.py` of RUCBM/AgentProcessBench: reasoning, then a block of JSON with `step_labels`; where the
# last block is no object all of the answer is tried, and then what ends in the last brace. A label that is missing or
# none of 1, 0 and -1 becomes 0. Two things are otherwise here. Labels there name messages by their places, and here
# steps, counted from 0. And an answer without any label, which there is neutral throughout, is not read.


_BLOCK_ENDS = re.compile(r"```(json)?", re.IGNORECASE)


def read_agentprocessbench(text: str, n_steps: int) -> Reading:
    """Read the labels of n steps as rewards: 1 right, 0 neutral, -1 wrong; what has no label is neutral, and noted.

    A label for a step that is not there is a reason: whoever wrote it counted something else than steps.
    """
    part = parted(text)
    if reason := silent(part):
        return Reading(reason=reason)
    placed = _last_object(part.answer)
    if isinstance(placed, ParseFault):
        return Reading(reason=fault_words(placed))
    by_number = placed.value.get("step_labels")
    if isinstance(by_number, list):
        by_number = dict(enumerate(by_number))
    if not isinstance(by_number, dict):
        return Reading(reason=fault_words(ParseFault.NO_LABELS))
    labels = {_step_number(key): _label(value) for key, value in by_number.items()}
    if beyond := [key for key in by_number if not 0 <= _step_number(key) < n_steps]:
        return Reading(reason=fault_words(ParseFault.NO_SUCH_STEP, f"{str(beyond[0])[:20]} of {n_steps} steps"))
    rewards = [labels.get(step) for step in range(n_steps)]
    if not any(reward is not None for reward in rewards):
        return Reading(reason=fault_words(ParseFault.NO_LABELS))
    before = len(text) - len(part.answer)
    return Reading(
        rewards=tuple(reward or 0.0 for reward in rewards),
        notes=(ParseNote.NEUTRAL_BY_DEFAULT,) if None in rewards else (),
        span=Span(before + placed.start, before + placed.end),
    )


_OF_MESSAGE = re.compile(r"^message (\d{1,9}): (?:no label|[+-]?\d)(?:  |$)", re.MULTILINE)


def step_explanations(answer: str, places: Sequence[int]) -> dict[int, str]:
    """Return why an answer labels steps as it does, by step (0-based); {} where it says nothing of single steps.

    Args:
        answer: the text of an answer that `read_agentprocessbench` reads, or of a judge's file of AgentProcessBench,
            as `scoring.formats.results.agentprocessbench_results` keeps it.
        places: the place of each step among all messages, ascending.
    """
    placed = _last_object(parted(answer).answer)
    reasons = placed.value.get("explanations") if isinstance(placed, ParsedObject) else None
    if isinstance(reasons, dict) and "steps" in reasons:
        reasons = reasons["steps"]
    if isinstance(reasons, list):
        reasons = dict(enumerate(reasons))
    if isinstance(reasons, dict):
        numbered = {_step_number(key): reason for key, reason in reasons.items() if isinstance(reason, str)}
        return {step: reason for step, reason in sorted(numbered.items()) if step >= 0 and reason.strip()}
    _, *parts = _OF_MESSAGE.split(answer.rpartition("\nall: ")[0] or answer)
    by_place = {int(place): reason.strip() for place, reason in zip(parts[::2], parts[1::2], strict=True)}
    return {step: by_place[place] for step, place in enumerate(places) if by_place.get(place)}


def _label(value: Any) -> float | None:
    """1, 0 or -1, as a whole number or its digits; None for anything else, truth values too."""
    if isinstance(value, str):
        value = _integer(value) if value.strip() in {"-1", "0", "1"} else None
    return float(value) if type(value) is int and value in {-1, 0, 1} else None


def _step_number(key: Any) -> int:
    """The number in a key of labels; -1 where it is none."""
    digits = str(key)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1


def _last_object(answer: str) -> ParsedObject | ParseFault:
    """The JSON object that counts, with its place: of the last block of JSON, of the whole answer, or the last one."""
    last = _last_braces(answer)
    for start, end in (*_json_blocks(answer)[-1:], (0, len(answer)), *last):
        try:
            value = json.loads(answer[start:end])
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return ParsedObject(value, start, end)
    if "{" not in answer:
        return ParseFault.NO_JSON
    return ParseFault.BROKEN_JSON if last else ParseFault.OPEN_JSON


def _json_blocks(answer: str) -> list[tuple[int, int]]:
    """Where the text of each block that is marked as JSON begins and ends. Takes linear time."""
    blocks: list[tuple[int, int]] = []
    start = None
    for mark in _BLOCK_ENDS.finditer(answer):
        if start is not None:
            blocks.append((start, mark.start()))
            start = None
        elif mark[1]:
            start = mark.end()
    return blocks


def _last_braces(answer: str) -> list[tuple[int, int]]:
    """Where what ends in the last closing brace begins and ends; [] where no brace fits that one."""
    opened: list[int] = []
    last: list[tuple[int, int]] = []
    for brace in _BRACE.finditer(answer):
        if brace[0] == "{":
            opened.append(brace.start())
        else:
            last = [(opened.pop(), brace.end())] if opened else []
    return last
