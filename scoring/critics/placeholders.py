"""Placeholders in a template's text, filled in one pass."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Literal

Slot = Literal["problem", "steps"]
Braces = Literal["literal", "doubled", "mixed"]
"""How a template writes braces that are text: as they are, twice as Python's `str.format` wants them, or both ways."""

NAMES: dict[str, Slot] = {
    "problem": "problem",
    "question": "problem",
    "steps": "steps",
    "tagged_response": "steps",
    "tagged": "steps",
    "steps_str": "steps",
}
"""Placeholder -> what is put there. Beside `problem` and `steps` there are the names that the benchmarks use.

`{problem}` and `{tagged_response}` stand in ProcessBench's template file; `{tagged}` in GR-Ben's
`run_llm_eval.py`; `{question}` and `{steps_str}` in PRMBench's `openai_models.py`.
"""

# A doubled brace goes first, so that "{{problem}}" is the word in braces wherever doubled braces are text.
_MARK = re.compile(rf"\{{\{{|\}}\}}|\{{({'|'.join(NAMES)})\}}|[{{}}]")


def braces(text: str) -> Braces:
    """How the braces beside placeholders are written: "doubled" if all are, "literal" if none is."""
    found = Counter(len(mark[0]) for mark in _MARK.finditer(text) if mark[1] is None)
    if found[2] and found[1]:
        return "mixed"
    return "doubled" if found[2] else "literal"


def slots(text: str) -> Counter[Slot]:
    """How often each slot is filled in the text."""
    return Counter(NAMES[mark[1]] for mark in _MARK.finditer(text) if mark[1] is not None)


def filled(text: str, style: Braces, values: Mapping[Slot, str]) -> str:
    """The text with every placeholder's value, and single braces for doubled ones where `style` is "doubled".

    The values are never looked at: braces and placeholders in them stay as they are.
    """

    def value(mark: re.Match[str]) -> str:
        if mark[1] is not None:
            return values[NAMES[mark[1]]]
        return mark[0][0] if style == "doubled" else mark[0]

    return _MARK.sub(value, text)
