r"""Final answers are read out of responses, and compared as texts: what `\boxed{...}` holds, or what is said last."""

import re
from collections.abc import Sequence

_BOX = re.compile(r"\\boxed\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BLANK = re.compile(r"\s+")
_TYPESETTING = re.compile(r"\\(?:left|right)(?![A-Za-z])|\\[!,;:]|\\?\$")
_FRACTION = re.compile(r"\\[dt]frac(?![A-Za-z])")
_NUMBER = re.compile(r"-?\d*\.?\d+")
_HASHES = "####"
_ANSWER_IS = ("he answer is", "final answer is")


def boxed_answer(steps: Sequence[str]) -> str | None:
    r"""Return the text in the last `\boxed{...}` of a response up to the brace that closes it, less blanks.

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
            return _BLANK.sub("", text[start : brace.start()]) or None
    return None


def stated_answer(response: str) -> str | None:
    r"""Return the final answer of a response as `comparable_answer` writes it; None where it states none.

    It is looked for where search-and-learn looks (`extract_answer` of its qwen_math_parser.py, for "math"): between
    `final answer is $` and `$. I hope`; else in the last box; else after the last `he answer is` or `final answer is`;
    else it is the last number. A last box that is empty or not closed states none.
    """
    if "final answer is $" in response and "$. I hope" in response:
        answer: str | None = response.split("final answer is $", 1)[1].split("$. I hope", 1)[0]
        boxed = boxed_answer([answer or ""])
        return comparable_answer(boxed or answer)
    if _BOX.search(response):
        return comparable_answer(boxed_answer([response]))
    for words in _ANSWER_IS:
        if words in response:
            return comparable_answer(response.rsplit(words, 1)[1])
    numbers: list[str] = _NUMBER.findall(response.replace(",", ""))
    return comparable_answer(numbers[-1] if numbers else None)


def reference_text(reference: str) -> str | None:
    r"""Return the answer in a reference as `comparable_answer` writes it: of a whole solution, what it ends in.

    That is the last box, or what follows the last `####` as in GSM8K; where there is neither, all of it.
    """
    if _BOX.search(reference):
        return comparable_answer(boxed_answer([reference]))
    return comparable_answer(reference.rsplit(_HASHES, 1)[-1])


def comparable_answer(answer: str | None) -> str | None:
    r"""Write an answer without blanks and typesetting, so that two answers are the same iff these texts are.

    Dollar signs, thin spaces, `\left` and `\right` go, `\dfrac` and `\tfrac` become `\frac`, and a colon before and a
    full stop or slash after it go. `1/2` and `\frac{1}{2}` stay two. None where nothing is left.
    """
    if answer is None:
        return None
    bare = _BLANK.sub("", _FRACTION.sub(r"\\frac", _TYPESETTING.sub("", answer)))
    return bare.removeprefix(":").removesuffix(".").removesuffix("/") or None
