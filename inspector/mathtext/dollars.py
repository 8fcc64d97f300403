"""Dollar signs: formula or price?"""

import re

from inspector.mathtext.symbols import NAMES

_NO_FORMULA = re.compile(r"\n\n|(?<!\\)\\[(\[]")  # an empty line, another delimiter
_UNFINISHED = frozenset("+-*/=,:(≈×÷")
_NOT_WORDS = re.compile(r"\\(?:text\w*|mbox|mathrm|operatorname|begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+")
_NAME_WORDS = re.compile(rf"\b(?:{'|'.join(NAMES)}|mod)\b")
_TWO_WORDS = re.compile(r"\b[A-Za-z]{3,}[,.;:]?\s+[a-z]{2,}|\b[a-z]{2,}[,.;:]?\s+[A-Za-z]{3,}")
_ONE_WORD = re.compile(r"[a-z]{2,}")


def is_formula(inside: str, after: str) -> bool:
    """Whether what stands between two dollar signs is mathematics rather than prose between two prices.

    `after` is the character after the second sign.
    """
    if not inside or inside.isspace() or _NO_FORMULA.search(inside):
        return False
    trailing = inside[-1].isspace() and not inside[0].isspace()
    if trailing and inside.rstrip()[-1] in _UNFINISHED:
        return False
    if (after.isdecimal() or after == "$") and (trailing or inside[-1] in _UNFINISHED):
        return False
    words = _NAME_WORDS.sub("", _NOT_WORDS.sub(" ; ", inside))
    return not (_TWO_WORDS.search(words) or (trailing and _ONE_WORD.search(words)))
