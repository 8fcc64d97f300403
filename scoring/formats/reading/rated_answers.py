"""Readers of answers in JSON that rate or label every step: PRMBench's, Socratic-PRMBench's and AgentProcessBench's.

The JSON object of an answer is found as PRMBench's toolkit finds it, `extract_nested_json` in
`mr_eval/utils/model_utils.py` of ssmisya/PRMBench: braces are paired from the left, those in texts and comments too; of
the first outermost pair that is JSON once everything from `//` or `#` to the end of its line is gone, the object
counts, whatever it holds. A brace that closes nothing ends the search, and so does JSON that breaks a limit of
Python's. What the toolkit cannot read for these reasons is not read here either: a scorer's figures would else not be
those of the benchmark.

An answer that rates steps is a JSON object of lists of numbers in [-1, 1], one a step. PRMBench
(`mr_eval/utils/model_utils.py`, `mr_eval/models/openai_models.py` of ssmisya/PRMBench): `validity` and `redundancy`,
both asked for by exactly these names. Socratic-PRMBench (arXiv 2505.23474, Table 6): `validity` alone, which its prompt
writes with a blank after it. In both a step is valid (redundant) iff its number is above 0.

The toolkit compares whatever is in the lists. What it compares without noticing that something is wrong (a list of
another length, truth values, numbers beyond [-1, 1]) is kept beside a reason, so that its figures can be made:
`scoring.evaluation.step_ratings.split`. Texts, nulls and lists within a list break its comparison, and NaN compares as
"not above 0" without saying so: of these, and of infinities, there is the reason alone.

AgentProcessBench, `eval/llm_annotation.py` of RUCBM/AgentProcessBench: reasoning, then a block of JSON with
`step_labels`; where the last block is no object all of the answer is tried, and then what ends in the last brace. A
label that is missing or none of 1, 0 and -1 becomes 0. Two things are otherwise here. Labels there name messages by
their places, and here steps, counted from 0. And an answer without any label, which there is neutral throughout, is not
read.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from scoring.formats.reading.answer_reasoning import parted, silent
from scoring.formats.reading.boxed_answers import integer_of
from scoring.formats.reading.critic_answers import ParseFault, ParseNote, Reading, Span, fault_words

_BRACE = re.compile(r"[{}]")
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
        value = integer_of(value) if value.strip() in {"-1", "0", "1"} else None
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
