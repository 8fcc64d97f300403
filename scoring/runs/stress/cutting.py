"""One solution cut in five ways: as it was given, by lines, by blank lines, by sentences, and not at all."""

import re
from collections.abc import Sequence

from scoring.runs.stress.rewriting import prose_parts
from scoring.workspace.variants import VariantStep

GIVEN = "as given"
_PATTERNS = {"lines": re.compile(r"\s*\n\s*"), "blank lines": re.compile(r"\s*\n\s*\n\s*")}
_SENTENCE_END = re.compile(r"(?<=[.!?])(?P<closing>[\"')\]]*)\s+(?=[A-Z(\[\"'$\\])|(?<=[。！？])\s*(?=\S)")  # Chinese
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|eqs?|no|fig|Dr|Mrs?|Ms|St)\.$|^\s*\d+\.$", re.IGNORECASE)
WAYS = (GIVEN, "lines", "blank lines", "sentences", "whole")
"""The ways to cut, by name. The texts of the steps are joined by a blank line before they are cut anew."""
_BETWEEN = "\n\n"


def cut_into_parts(steps: Sequence[str], way: str) -> tuple[VariantStep, ...]:
    """Cut a solution in one of WAYS; each part has the step of the n that it begins in as its origin.

    Formulas and blocks of code are cut nowhere. Parts without any text are none.
    """
    if way == GIVEN:
        return tuple(VariantStep(text, at) for at, text in enumerate(steps))
    text, starts = _BETWEEN.join(steps), []
    place = 0
    for step in steps:
        starts.append(place)
        place += len(step) + len(_BETWEEN)
    parts, start = [], 0
    for stop, follow in [*_ends(text, way), (len(text), len(text))]:
        part = text[start:stop]
        if part.strip():
            at = start + len(part) - len(part.lstrip())
            parts.append(VariantStep(part.strip(), max(n for n, begin in enumerate(starts) if begin <= at)))
        start = follow
    return tuple(parts)


def _ends(text: str, way: str) -> list[tuple[int, int]]:
    """Where a part ends and the next begins, as characters."""
    if way == "whole":
        return []
    ends, place = [], 0
    for part, words in prose_parts(text):
        if words:
            for match in _PATTERNS.get(way, _SENTENCE_END).finditer(part):
                if way != "sentences" or not _ABBREVIATION.search(part[: match.start()].rpartition(" ")[2]):
                    stop = match.end("closing") if way == "sentences" and match["closing"] else match.start()
                    ends.append((place + stop, place + match.end()))
        place += len(part)
    if way == "sentences":
        # A blank line ends a sentence that has no full stop.
        ends = sorted({*ends, *_ends(text, "blank lines")})
    return ends
