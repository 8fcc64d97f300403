"""How a solution was changed: which steps of the original became which, and which words of them differ."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from inspector.render.texts.sentences import counted
from scoring.workspace.variants import VariantStep, align_steps

StepChange = Literal["same", "changed", "removed", "added"]
StepSpan = tuple[int, int]
WORDS = (("changed", "changed"), ("added", "added"), ("removed", "removed"), ("same", "as they were"))

ALIKE = 0.3
"""Share of their words that two steps have in common if one was made of the other."""
REWRITTEN = 0.25
"""Below this share of common words a changed text is told to be another one, not word by word."""

_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_\u2e80-\U0001ffff]+|[^\s]")
_NUMBERING = re.compile(r"\s*(?:step\s*\d+|\d+|步骤\s*\d+)\s*[.:：、)]\s*", re.IGNORECASE)
_LEFTOVER = 1  # characters between two changes that are not worth telling apart


class StepPair(Struct, frozen=True):
    """A step of the original and the one that it became, both 0-based; None where there is none.

    `again` says that the pair before has the same step of the original, which became several.
    """

    before: int | None
    after: int | None
    same: bool = False
    again: bool = False

    @property
    def kind(self) -> StepChange:
        """What became of it."""
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        return "same" if self.same else "changed"


@lru_cache(maxsize=256)
def aligned(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[StepPair, ...]:
    """Return every step of both solutions once, in order.

    Steps are the same if they differ in white space or in their own number at most ("Step 3:", "3."). Those between two
    that are the same are paired so that they have as many words in common as can be.
    """
    left, right = [_bare(text) for text in before], [_bare(text) for text in after]
    pairs: list[StepPair] = []
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            pairs += [StepPair(a + at, c + at, same=True) for at in range(b - a)]
        else:
            pairs += _paired(before, after, range(a, b), range(c, d))
    return tuple(pairs)


def pairs_of(before: Sequence[str], steps: Sequence[VariantStep]) -> tuple[StepPair, ...]:
    """Pair the steps of a case with those of its variant, as those of an original with what it became."""
    seen: set[int] = set()
    pairs = []
    for old, new in align_steps(len(before), steps):
        same = old is not None and new is not None and before[old] == steps[new].text
        pairs.append(StepPair(old, new, same, old in seen))
        seen |= set() if old is None else {old}
    return tuple(pairs)


def _bare(text: str) -> str:
    return " ".join(_NUMBERING.sub("", text, count=1).split())


def _paired(before: Sequence[str], after: Sequence[str], left: range, right: range) -> Iterator[StepPair]:
    """Steps that differ, paired by a longest common subsequence in which each pair weighs what it has in common."""
    # As many on either side stand for each other, however much they were rewritten; else only what is alike does.
    least = 0.0 if len(left) == len(right) else ALIKE
    words = {text: Counter(_WORD.findall(text)) for at in left for text in [before[at]]}
    words |= {text: Counter(_WORD.findall(text)) for at in right for text in [after[at]]}
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    take: dict[tuple[int, int], float] = {}
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            alike = likeness(words[before[left[i]]], words[after[right[j]]])
            # A little more than nothing, so that steps without a word in common are still paired where they may be.
            taken = best[i + 1][j + 1] + alike + 0.01 if alike >= least else -1.0
            take[i, j] = taken
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < len(left) and j < len(right):
        if take[i, j] == best[i][j]:
            yield StepPair(left[i], right[j])
            i, j = i + 1, j + 1
        elif best[i + 1][j] == best[i][j]:
            yield StepPair(left[i], None)
            i += 1
        else:
            yield StepPair(None, right[j])
            j += 1
    yield from (StepPair(at, None) for at in left[i:])
    yield from (StepPair(None, at) for at in right[j:])


def likeness(left: Counter[str], right: Counter[str]) -> float:
    """Return the share of the words of both that they have in common, in [0, 1]."""
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0


@lru_cache(maxsize=1024)
def differing_spans(before: str, after: str) -> tuple[tuple[StepSpan, ...], tuple[StepSpan, ...]]:
    """Return where the two texts differ: spans of characters in either, of whole words and signs, in order.

    A text that has little in common with the other differs as a whole.
    """
    left, right = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    a, b = [match[0] for match in left], [match[0] for match in right]
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    blocks = matcher.get_opcodes()
    common = sum(stop - start for tag, start, stop, _, _ in blocks if tag == "equal")
    if 2 * common < REWRITTEN * (len(a) + len(b)):
        return _whole(before), _whole(after)
    gone = [(left[i].start(), left[j - 1].end()) for tag, i, j, _, _ in blocks if tag != "equal" and j > i]
    new = [(right[i].start(), right[j - 1].end()) for tag, _, _, i, j in blocks if tag != "equal" and j > i]
    return _merged(before, gone), _merged(after, new)


def repeated_words(before: str, after: str) -> tuple[StepSpan, ...]:
    """Return where the second text says what the first does, in order; nowhere if they have little in common."""
    edges = [0, *(edge for span in differing_spans(before, after)[1] for edge in span), len(after)]
    return tuple((low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high)


def _whole(text: str) -> tuple[StepSpan, ...]:
    return ((0, len(text)),) if text else ()


def _merged(text: str, spans: Sequence[StepSpan]) -> tuple[StepSpan, ...]:
    """Spans with next to nothing between them as one: a sign left over from a formula tells nobody anything."""
    merged: list[StepSpan] = []
    for start, end in spans:
        if merged and len(text[merged[-1][1] : start].strip()) <= _LEFTOVER:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


# -- in sentences


def summary(pairs: Sequence[StepPair], *, asked_anew: bool) -> str:
    """Say how many steps were changed, added, removed and left as they were, and whether the question was changed."""
    kinds = [pair.kind for pair in pairs]
    counts = [f"{counted(kinds.count(kind), 'step')} {word}" for kind, word in WORDS if kind in kinds]
    question = "the question is another" if asked_anew else "the question is the same"
    return f"Original against modified: {', '.join(counts)}; {question}."


def against_list(pairs: Sequence[StepPair], listed: Sequence[int] | None) -> str:
    """Return a sentence where the benchmark's own list of modified steps (0-based) is not what differs; else ""."""
    differing = [pair.after for pair in pairs if pair.after is not None and pair.kind != "same"]
    if listed is None or sorted(set(listed)) == differing:
        return ""
    return f"The benchmark lists {_steps(sorted(set(listed)))} as modified; what differs is {_steps(differing)}."


def _steps(steps: Sequence[int]) -> str:
    if not steps:
        return "no step"
    return ("step " if len(steps) == 1 else "steps ") + ", ".join(map(str, steps))
