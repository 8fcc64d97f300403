"""What a generative PRM wrote about a case, told from the JSON in which it is kept: by steps, call for call.

`scoring.generative.talks` keeps of each talk (one a step of ThinkPRM and R-PRM, one a case of GenPRM) the list of what
the model wrote. Which calls of GenPRM's one talk belong to which step is found here as the talk itself went on: an
analysis, rounds of verification until one ends in a box, and a last call that has to judge.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from scoring.generative.catalogue import FAMILIES
from scoring.generative.talk import boxed_word
from scoring.scorer import Scorer

ANALYSIS, CHECK, JUDGEMENT, THOUGHTS = "analysis", "verification", "judgement", "thoughts"


class Said(Struct, frozen=True):
    """One call: the step that it is about (0-based; None where that cannot be told), its stage, what was written."""

    step: int | None
    stage: str
    text: str


def is_talk(scorer: Scorer) -> bool:
    """Whether a scorer's answers are talks."""
    return scorer.settings.get("protocol") in FAMILIES


def told_talk(scorer: Scorer, answer: str, places: int | None) -> tuple[Said, ...] | None:
    """A kept answer call for call; None where it is no such JSON.

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
            Said(step, JUDGEMENT if call else first, text)
            for step, talk in enumerate(talks)
            for call, text in enumerate(talk)
        )
    options = scorer.settings.get("options")
    calls = [text for talk in talks for text in talk]
    said = tuple(_by_steps(calls, options if isinstance(options, Mapping) else {}))
    steps = len({one.step for one in said})
    return said if places in (None, steps) else tuple(Said(None, f"call {n}", text) for n, text in enumerate(calls, 1))


def judged_places(logprobs: str | None) -> int | None:
    """How many steps of a talk came to something, by the JSON kept of them; None where that is not known."""
    try:
        found = None if logprobs is None else json.loads(logprobs)
    except (ValueError, RecursionError):
        return None
    return len(found) if isinstance(found, list) else None


def _talks(answer: str) -> list[list[str]] | None:
    try:
        found: Any = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    sound = isinstance(found, list) and all(
        isinstance(talk, list) and all(isinstance(text, str) for text in talk) for talk in found
    )
    return found if sound else None


def _by_steps(calls: Sequence[str], options: Mapping[str, Any]) -> Iterator[Said]:
    """The calls of GenPRM's one talk."""
    rounds, written = str(options.get("rounds", "3")), iter(calls)
    most = int(rounds) if rounds.isdecimal() else 3
    analyses, checks = options.get("analyze", "on") == "on", options.get("verify", "on") == "on"
    step = 0
    text = next(written, None)
    while text is not None:
        if analyses:
            yield Said(step, ANALYSIS, text)
            text = next(written, None)
        for turn in range(most + 1):
            if text is None:
                return
            # A first call without verification is begun as a judgement, and so is the last.
            judges = turn == most or (not checks and not turn)
            ends = judges or "<output>" in text or _begun(text)
            over = turn == most or (ends and boxed_word(text.rpartition("<output>")[2]) is not None)
            yield Said(step, JUDGEMENT if judges or over else CHECK, text)
            text = next(written, None)
            if over:
                break
        step += 1


def _begun(text: str) -> bool:
    """Whether a call goes on behind the head of a judgement: no tokens were left, so that it came before its turn."""
    return text.lstrip().startswith(("{Yes}", "{No}"))
