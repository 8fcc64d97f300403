"""From which number a prompt says that steps are counted."""

import re

_WORDS = {"0": 0, "zero": 0, "1": 1, "one": 1}
_AT = r"\b(?:from|at|with)\s+[\"'(`]?"
# Neither 10 nor 1.5.
_NUMBER = r"(0|1|zero|one)\b(?!\.?\d)"
_SAID = re.compile(
    # "indexed from 0", "numbering starts at 1", "numbers begin with zero"
    rf"\b(?:index|number|count)(?:ed|es|s|ing)?\s+(?:[a-z]+\s+){{0,3}}?{_AT}{_NUMBER}"
    # "starting from 1"; "start with one paragraph" says nothing
    rf"|\b(?:start|begin|beginn)(?:s|ing)?\s+(?:from|at)\s+{_NUMBER}(?!\s+[a-z])"
    # "0-based", "one-indexed"
    r"|\b(0|1|zero|one)[ -](?:based|indexed)\b"
    # "the first paragraph has index 0", "the first step is number 1"
    rf"|\bfirst\s+\w+\s+(?:has|is|gets|carries)\s+(?:[a-z]+\s+){{0,2}}?(?:index|number)\s+{_NUMBER}",
    re.IGNORECASE,
)
_TAG = re.compile(r"\b(?:paragraph|step)_(\d+)\b", re.IGNORECASE)


def stated_bases(text: str) -> set[int]:
    """The bases, 0 or 1, that the text names in words; where it names none, that of the lowest tag it mentions.

    A tag is `paragraph_3` or `step_3`; one above 1 says nothing.
    """
    said = {_WORDS["".join(filter(None, found)).lower()] for found in _SAID.findall(text)}
    lowest = min((int(number[:4]) for number in _TAG.findall(text)), default=2)
    return said or ({lowest} if lowest < 2 else set())
