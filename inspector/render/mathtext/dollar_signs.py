"""Dollar signs: formula or price?"""

import re

from inspector.render.mathtext.symbols import NAMES

_NO_FORMULA = re.compile(r"\n\n|(?<!\\)\\[(\[]")  # an empty line, another delimiter
_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)
_NOTHING_TO_READ = re.compile(r"\s[^\x00-\x7f]+\s\Z")  # words without spaces, as in CJK, between two formulas
_UNFINISHED = frozenset("+-*/=,:(≈×÷")
_NOT_WORDS = re.compile(r"\\(?:text\w*|mbox|mathrm|operatorname|begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+")
_NAME_WORDS = re.compile(rf"\b(?:{'|'.join(NAMES)}|mod)\b")
_TWO_WORDS = re.compile(r"\b[A-Za-z]{3,}[,.;:]?\s+[a-z]{2,}|\b[a-z]{2,}[,.;:]?\s+[A-Za-z]{3,}")
_ONE_WORD = re.compile(r"[a-z]{2,}")


def is_formula(inside: str, after: str) -> bool:
    """Return whether what stands between two dollar signs is mathematics rather than prose between two prices.

    `after` is the character after the second sign.
    """
    if not inside or inside.isspace() or _NO_FORMULA.search(inside) or _NOTHING_TO_READ.match(inside):
        return False
    if "{" in inside and not _balanced(inside):
        return False
    trailing = inside[-1].isspace() and not inside[0].isspace()
    if trailing and inside.rstrip()[-1] in _UNFINISHED:
        return False
    if (after.isdecimal() or after == "$") and (trailing or inside[-1] in _UNFINISHED):
        return False
    words = _NAME_WORDS.sub("", _NOT_WORDS.sub(" ; ", inside))
    return not (_TWO_WORDS.search(words) or (trailing and _ONE_WORD.search(words)))


def _balanced(inside: str) -> bool:
    """Whether no brace is open at the end: a sum of money in braces would end the formula inside of them."""
    depth = 0
    for match in _BRACE.finditer(inside):
        depth += {"{": 1, "}": -1}.get(match[1], 0)
    return depth <= 0
