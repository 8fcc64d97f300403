"""How a fraction, a root, a script or an accent is written flat: which brackets its parts need.

Brackets stand wherever the flat text could be read in another way than the printed formula.
"""

import re
import unicodedata

from inspector.mathtext.symbols import ACCENTS, LINES, NAMES, OPERATORS, SUBSCRIPTS, SUPERSCRIPTS

SUPERS = frozenset(SUPERSCRIPTS.values()) - set("′″°")

_HIGH = "".join(SUPERS)
_LOW = "".join(SUBSCRIPTS.values())
_MARKS = "\u0300-\u036f\u20d0-\u20ff"
_GROUP = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"  # brackets up to four deep
_FENCED = rf"(?:{_GROUP}|\[[^\[\]]*\]|⌊[^⌊⌋]*⌋|⌈[^⌈⌉]*⌉|⟦[^⟦⟧]*⟧|\|[^|]*\|)"
_GROUPED_NUMBER = r"\d{1,3}(?:,\d{3})+(?!\d)"
_NUMBER = rf"{_GROUPED_NUMBER}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_ATOM = rf"(?:{_NUMBER}|[^\W\d_{_HIGH}{_LOW}][{_MARKS}]*|[∞∅…⋯△□◇♣])"
_PLAIN_BASE = rf"(?:{_ATOM}|C\([^(),]+,[^(),]+\)|(?:{'|'.join(NAMES)})?{_FENCED})[{_LOW}]*[′″]*"
_EXPONENT = rf"(?:[{_HIGH}]+|\^(?:{_ATOM}|{_GROUP}))"
_BRACKETED = re.compile(rf"{_GROUP}\Z")
_BASE = re.compile(rf"{_PLAIN_BASE}\Z")
_FACTOR = re.compile(rf"(?:{_PLAIN_BASE}{_EXPONENT}?!?|[√∛∜](?:{_ATOM}|{_GROUP}))[°%]?\Z")
_RADICAND = re.compile(rf"(?:{_ATOM}[{_LOW}]*|{_GROUP})\Z")
_PRODUCT = re.compile(rf"[-+±∓]?(?:{_GROUPED_NUMBER}|[\w{_HIGH}{_LOW}{_MARKS}.′″!√∛∜%°∂∇∞…⋯^$\\]|{_FENCED})+\Z")
_DERIVED = re.compile(r"[d∂Δ]")
_DIFFERENTIAL = re.compile(rf"[d∂Δ](?:[^\W\d_][{_HIGH}{_LOW}]*)?\Z")

_AROUND_OPERATOR = re.compile(
    rf" *([-+,:…{re.escape(''.join(sorted({c for c in OPERATORS.values() if len(c) == 1})))}]) *"
)
_BEFORE_LETTER = re.compile(r"(?<![^\W\d_]{2})(?<=[^\W_]) (?=[^\W\d_](?!\w))")
_BEFORE_ROOT = re.compile(r"((?<![\w.^_√∛∜])\d+) (?=√)")
_OPEN_ENDED = re.compile(r"[√∛∜^_\\]")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}


def bracketed(text: str) -> str:
    """The text in brackets, unless it stands in one pair already."""
    return text if _BRACKETED.match(text) else f"({text})"


def tight(text: str) -> str:
    """The text without spaces around its operators, for places where a space would separate."""
    return _AROUND_OPERATOR.sub(r"\1", text) if " " in text else text


def closed_up(text: str) -> str:
    """The text without spaces between factors that need none: "2 a b" as "2ab", "3 √2" as "3√2"."""
    if " " not in text:
        return text
    if "√" in text:
        text = _BEFORE_ROOT.sub(r"\1", text)
    return text if _OPEN_ENDED.search(text) else _BEFORE_LETTER.sub("", text)


def fraction(above: str, below: str, *, word: bool = False) -> str:
    """above/below: above stays bare if it is a product without spaces, below if it binds as tightly as a power.

    `word` says that below is one word, not a product of letters.
    """
    if not _PRODUCT.match(above):
        above = f"({above})"
    if not (word or _FACTOR.match(below) or (_DERIVED.match(above) and _DIFFERENTIAL.match(below))):
        below = f"({below})"
    return f"{above}/{below}"


def base(text: str) -> str:
    """The text as something that may carry a script."""
    return text if _BASE.match(text) or not text else f"({text})"


def root(degree: str, radicand: str) -> str:
    """The root; as a power if its degree (empty for a square root) cannot be written small."""
    small = _small(tight(degree), SUPERSCRIPTS)
    if degree and not small:
        return f"{base(radicand)}^({fraction('1', degree)})"
    sign = _ROOTS.get(degree, f"{small}√")
    return sign + (radicand if _RADICAND.match(radicand) else f"({radicand})")


def scripts(below: str, above: str) -> tuple[str, str]:
    """A subscript and a superscript: in small characters if all of theirs have one, else spelled with _ and ^.

    Also what a following letter would seem to belong to: "_", "^" or "".
    """
    low, high = _small(below, SUBSCRIPTS), _small(above, SUPERSCRIPTS)
    if below and not low:
        high = ""  # a small superscript after a spelled subscript would seem to belong to it
    text = (low or spelled("_", below)) + (high or spelled("^", above))
    return text, "^" if above and not high else "_" if below and not low else ""


def spelled(mark: str, text: str) -> str:
    """A script as _ or ^ and its text; empty for none."""
    if not text:
        return ""
    return mark + (text if len(text) == 1 else bracketed(text))


def marked(name: str, text: str) -> str:
    """An accent or a line over (under, through) the text; by name where that would be unreadable."""
    if name in LINES and LINES[name] not in text:
        return "".join([c if c.isspace() or unicodedata.combining(c) else c + LINES[name] for c in text]) or "____"
    if name in ACCENTS and 0 < len(text) <= 3 and text.isalnum():
        return unicodedata.normalize("NFC", "".join([c + ACCENTS[name] for c in text]))
    return name + bracketed(text)


def _small(text: str, table: dict[str, str]) -> str:
    """The text in the table's small characters; empty if one of its characters has none."""
    try:
        return "".join([table[char] for char in text])
    except KeyError:
        return ""
