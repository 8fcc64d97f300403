r"""Final answers as responses and references state them: what `\boxed{...}` holds, or what is said last.

`scoring.formats.reading.answer_forms` compares them.
"""

import re
from collections.abc import Sequence

from scoring.formats.reading.answer_forms import answer_form

_BOX = re.compile(r"\\boxed\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_NUMBER = re.compile(r"-?\d*\.?\d+")
_HASHES = "####"
_ANSWER_IS = ("he answer is", "final answer is")


def boxed_answer(steps: Sequence[str]) -> str | None:
    r"""Return the text in the last `\boxed{...}` of a response up to the brace that closes it.

    None where there is no box, the last one is not closed, or nothing is in it.
    """
    for text in reversed(steps):
        boxes = list(_BOX.finditer(text))
        if boxes:
            return _closed(text, boxes[-1].end())
    return None


def _closed(text: str, start: int) -> str | None:
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return _trimmed(text[start : brace.start()])
    return None


def stated_answer(response: str) -> str | None:
    r"""Return the final answer of a response; None where it states none.

    It is looked for where search-and-learn looks (`extract_answer` of its qwen_math_parser.py, for "math"): between
    `final answer is $` and `$. I hope`; else in the last box; else after the last `he answer is` or `final answer is`;
    else it is the last number. A last box that is empty or not closed states none.
    """
    if "final answer is $" in response and "$. I hope" in response:
        answer: str | None = response.split("final answer is $", 1)[1].split("$. I hope", 1)[0]
        boxed = boxed_answer([answer or ""])
        return _trimmed(boxed or answer)
    if _BOX.search(response):
        return _trimmed(boxed_answer([response]))
    for words in _ANSWER_IS:
        if words in response:
            return _trimmed(response.rsplit(words, 1)[1])
    numbers: list[str] = _NUMBER.findall(response.replace(",", ""))
    return _trimmed(numbers[-1] if numbers else None)


def reference_text(reference: str) -> str | None:
    r"""Return the answer in a reference: of a whole solution, what it ends in.

    That is the last box, or what follows the last `####` as in GSM8K; where there is neither, all of it.
    """
    if _BOX.search(reference):
        return _trimmed(boxed_answer([reference]))
    return _trimmed(reference.rsplit(_HASHES, 1)[-1])


def _trimmed(answer: str | None) -> str | None:
    """Return an answer without blanks, colons and dollar signs around it, and a full stop or slash after it.

    None where that leaves no answer.
    """
    if answer is None:
        return None
    text = " ".join(answer.split()).removeprefix(":").strip(" ").removesuffix(".").removesuffix("/").strip(" ")
    if len(text) > 1 and text[0] == text[-1] == "$" and "$" not in text[1:-1]:
        text = text[1:-1].strip(" ")
    return text if str(answer_form(text)) else None
