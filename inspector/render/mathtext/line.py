"""A formula as one line of text: which brackets and spaces its pieces need beside each other.

A whole fraction that something binds to is put in brackets ("(1/2)x", "sin (x/2)", "a ÷ (b/c)"), and so is a root that
carries a script; a space shows where a name, a bare root or a spelled exponent ends.
"""

import re
import unicodedata

from inspector.render.mathtext.symbols import ACCENTS, LINES, NAMES, OPERATORS, SUBSCRIPTS, SUPERSCRIPTS

# -- how a fraction, a root, a script or an accent is written flat: which brackets its parts need
#
# Brackets stand wherever the flat text could be read in another way than the printed formula.


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
    """Put the text in brackets, unless it stands in one pair already."""
    return text if _BRACKETED.match(text) else f"({text})"


def tight(text: str) -> str:
    """Drop the spaces around the operators of a text, for places where a space would separate."""
    return _AROUND_OPERATOR.sub(r"\1", text) if " " in text else text


def closed_up(text: str) -> str:
    """Drop the spaces between factors that need none: "2 a b" as "2ab", "3 √2" as "3√2"."""
    if " " not in text:
        return text
    if "√" in text:
        text = _BEFORE_ROOT.sub(r"\1", text)
    return text if _OPEN_ENDED.search(text) else _BEFORE_LETTER.sub("", text)


def fraction(above: str, below: str, *, word: bool = False) -> str:
    """Write above/below: above stays bare if it is a product without spaces, below if it binds as tightly as a power.

    `word` says that below is one word, not a product of letters.
    """
    if not _PRODUCT.match(above):
        above = f"({above})"
    if not (word or _FACTOR.match(below) or (_DERIVED.match(above) and _DIFFERENTIAL.match(below))):
        below = f"({below})"
    return f"{above}/{below}"


def base(text: str) -> str:
    """Write the text as something that may carry a script."""
    return text if _BASE.match(text) or not text else f"({text})"


def root(degree: str, radicand: str) -> str:
    """Write the root; as a power if its degree (empty for a square root) cannot be written small."""
    small = _small(tight(degree), SUPERSCRIPTS)
    if degree and not small:
        return f"{base(radicand)}^({fraction('1', degree)})"
    sign = _ROOTS.get(degree, f"{small}√")
    return sign + (radicand if _RADICAND.match(radicand) else f"({radicand})")


def scripts(below: str, above: str) -> tuple[str, str]:
    """Write a subscript and a superscript: in small characters if all of theirs have one, else spelled with _ and ^.

    Also what a following letter would seem to belong to: "_", "^" or "".
    """
    low, high = _small(below, SUBSCRIPTS), _small(above, SUPERSCRIPTS)
    if below and not low:
        high = ""  # a small superscript after a spelled subscript would seem to belong to it
    text = (low or spelled("_", below)) + (high or spelled("^", above))
    return text, "^" if above and not high else "_" if below and not low else ""


def spelled(mark: str, text: str) -> str:
    """Write a script as _ or ^ and its text; empty for none."""
    if not text:
        return ""
    return mark + (text if len(text) == 1 else bracketed(text))


def marked(name: str, text: str) -> str:
    """Write an accent or a line over (under, through) the text; by name where that would be unreadable."""
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


# What the line ends in, and so what the next thing would bind to. From NAME on the next thing needs care.
NOTHING, OPERAND, DIVISION, NAME, SIGN, QUOTIENT, ROOT, POWER = range(8)

_SIGNED = frozenset("±∓-+")
_TIMES_OR_SIGN = frozenset("+-−±∓·×*")
_CLOSE = frozenset("·±∓")  # written without spaces where the source has none
_OWN_MEANING = frozenset("÷∘∗⋆⊕⊖⊗⊘⊙")  # operators beside which a fraction is not just a factor
_BARS = frozenset("|‖")
# A fraction may stand bare after the one and before the other.
_FREE_BEFORE = frozenset(' \n\t+-−±∓=<>,;?"*…⋯.([{⌊⌈⟨⟦&') | {
    sign for sign in OPERATORS.values() if len(sign) == 1 and sign not in _OWN_MEANING and sign != "|"
}
_FREE_AFTER = (_FREE_BEFORE | set(")]}⌋⌉⟩⟧")) - set("([{⌊⌈⟨⟦")
# What is kept apart, besides letters and digits, from a text that ends so.
_APART = {NAME: "√∛∜∑∏∫", SIGN: "√∛∜∑∏∫(|", ROOT: "√∛∜(|", POWER: "√∛∜∑∏∫(|"}
_SPELLED = {"": OPERAND, "_": NAME, "^": POWER}
_WHOLE_NUMBER = re.compile(r"(?<![\w./^⁺⁻])(?<!\d,)\d+ ?\Z")
# In prose, after a space: a bracket or a single letter may be a factor, a word is not.
_FACTOR_AHEAD = re.compile(r" *(?:[(\[]|[A-Za-z](?![\w']))")


def is_letter(char: str) -> bool:
    """Return whether a reader would join the character to a letter or digit beside it; CJK stands by itself."""
    return char.isalnum() and not _is_cjk(char)


def _is_cjk(char: str) -> bool:
    return "\u2e80" <= char <= "\U0001d3ff"


def _ending(char: str) -> int:
    """What a text that ends in the character leaves for the next thing to bind to."""
    if char in "/÷:":
        return DIVISION
    return NOTHING if char in _FREE_BEFORE or _is_cjk(char) else OPERAND


class FormulaLine:
    """A formula as it grows from left to right."""

    __slots__ = ("at", "bars", "gap", "parts", "tail", "unsided")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.at = -1  # the index of the last part that is not a space
        self.tail = NOTHING
        self.gap = False  # whether a space there is already, or would be out of place
        self.bars = 0  # how many | are open
        self.unsided = 0  # how many of them came without a side

    def __str__(self) -> str:
        return "".join(self.parts)

    def at_start(self) -> bool:
        """Return whether nothing but spaces stands on the current line of text."""
        last = next((part for part in reversed(self.parts) if part.strip(" ")), "\n")
        return last.rstrip(" ").endswith("\n")

    def operand(self, text: str) -> None:
        """Append a symbol, or a run of the source's own characters."""
        if not text:
            return
        if self.tail >= NAME:
            self._meet(text[0])
        self._put(text, _ending(text[-1]))

    def prose(self, text: str) -> None:
        """Append characters outside any formula: words with their spaces, which only touch what they stand at."""
        if text.isspace() and "\n" not in text:
            self.space(text)
            return
        if self.gap:
            text = text.lstrip(" ")
        if self.tail >= NAME:
            self._meet("(" if self.tail == QUOTIENT and _FACTOR_AHEAD.match(text) else text[0])
        self._put(text, _ending(text[-1]))
        self.gap = text[-1] == " "

    def words(self, text: str) -> None:
        """Append text inside a formula, whose own spaces count."""
        first = " " if self.gap else text[:1]
        if self.gap:
            text = text.lstrip(" ")
        if text:
            self._meet(first)
            self._put(text, _ending(text[-1]))
            self.gap = text[-1] == " "

    def space(self, text: str = " ") -> None:
        """Append white space, unless there is as much already; line breaks always."""
        if self.gap and self.parts[-1:] == [" "] and "\n" not in text:
            self.parts[-1] = text
        elif not self.gap or "\n" in text:
            self.parts.append(text)
            self.gap = True

    def trim(self) -> None:
        """Take white space at the end away again."""
        del self.parts[self.at + 1 :]
        self.gap = False

    def operator(self, text: str) -> None:
        """Append a relation or binary operator, with a space on either side unless it is a sign before a number."""
        own = text in _OWN_MEANING
        if own and self.tail == QUOTIENT:
            self._wrap()
        before = self._last_char()
        if text in _CLOSE and not self.gap:
            spaced = text
        elif before and before not in _FREE_BEFORE:
            self._close_gap()
            spaced = f"{text} " if self.parts[-1][-1].isspace() else f" {text} "
        else:
            spaced = text if text in _SIGNED else f"{text} "
        self._put(spaced, DIVISION if own else NOTHING)
        self.gap = True

    def name(self, text: str) -> None:
        """Append a function's name: whatever follows, up to the next space, is what it is taken of."""
        self._meet(text[0])
        if self.tail == OPERAND and not self.gap and (is_letter(self.parts[-1][-1]) or self.parts[-1][-1] == ")"):
            self.parts.append(" ")
        self._put(text, NAME)

    def call(self, text: str) -> None:
        """Append a function with its arguments."""
        self.name(text)
        self.tail = OPERAND

    def sign(self, text: str) -> None:
        """Append a sum, an integral or a limit: it takes a whole term, so a fraction may follow bare."""
        self._meet(text[0])
        self._put(text, SIGN)

    def opener(self, text: str) -> None:
        """Append an opening bracket, without the spaces after it."""
        self._meet("(")
        if text in _BARS:
            if self.bars and self.tail == OPERAND and not self.gap:
                self.parts.append(" ")  # else it would seem to close the open one
            self.bars += 1
        self._put(text, NOTHING)
        self.gap = True

    def closer(self, text: str) -> None:
        """Append a closing bracket, without the spaces before it."""
        self._close_gap()
        if self.parts:
            self.parts[-1] = self.parts[-1].rstrip(" ")
        if text in _BARS:
            self.bars -= 1
        self._put(text, OPERAND)

    def bar(self, text: str, *, apart: bool = False) -> None:
        """Append a | on its own: it closes what is open if there is something to be closed, else opens.

        With spaces on either side (`apart`) it divides where none is open, as in {x | x > 0}.
        """
        if self.unsided and self.tail != NOTHING:
            self.unsided -= 1
            self.closer(text)
        elif apart and self.tail != NOTHING:
            self.operator(text)
        else:
            self.unsided += 1
            self.opener(text)

    def quotient(self, above: str, below: str, *, word: bool = False) -> None:
        """Append a fraction; a whole number before a fraction of whole numbers makes them one mixed number."""
        text = fraction(above, below, word=word)
        whole = _WHOLE_NUMBER.search(self.parts[self.at]) if self.parts and self.tail in {OPERAND, NOTHING} else None
        if whole and above.isdecimal() and below.isdecimal():
            text = f"{whole[0].strip()} {text}"
            self._back_to(whole.start())
        twice_signed = text[0] in _SIGNED and self._last_char() in _TIMES_OR_SIGN
        if self.tail in {NAME, SIGN} and not self.gap:
            self.parts.append(" ")
        if self.tail in {NOTHING, SIGN} and not twice_signed:
            self._put(text, QUOTIENT)
        else:
            self._meet("(")
            self._put(f"({text})", OPERAND)

    def root(self, degree: str, radicand: str) -> None:
        """Append a root; an empty degree means a square root."""
        text = root(degree, radicand)
        self._meet("√")
        if text[0] in SUPERS and self.tail not in {NOTHING, DIVISION} and not self.gap:
            self.parts.append(" ")  # else it would seem to be an exponent
        self._put(text, ROOT)

    def prime(self, count: int) -> None:
        """Append so many primes to what the line ends in."""
        self._meet("′")
        self._put("″" * (count // 2) + "′" * (count % 2), OPERAND)

    def script(self, below: str, above: str) -> None:
        """Append a subscript, a superscript or both ("" for none) to what the line ends in."""
        self._close_gap()
        if self.tail in {QUOTIENT, ROOT}:
            self._wrap()
        if below and self.tail == SIGN and self.parts[-1] == "lim":
            self._put(f" ({tight(below)})", SIGN)
            below = ""
        text, left_open = scripts(tight(below), tight(above))
        if above and self._last_char() in SUPERS:
            text = spelled("^", above)
        if text:
            self._put(text, self.tail if self.tail in {NAME, SIGN} else _SPELLED[left_open])

    def _put(self, text: str, tail: int) -> None:
        self.at = len(self.parts)
        self.parts.append(text)
        self.tail = tail
        self.gap = False

    def _meet(self, first: str) -> None:
        """Make the line's end ready for a text that begins with the character."""
        tail = self.tail
        if tail == QUOTIENT:
            if first not in _FREE_AFTER and not _is_cjk(first):
                self._wrap()
        elif tail == ROOT and first in "!%°′":
            self._wrap()
        elif tail >= NAME and not self.gap and (is_letter(first) or first in _APART[tail]):
            self.parts.append(" ")

    def _wrap(self) -> None:
        self.parts[self.at] = f"({self.parts[self.at]})"
        self.tail = OPERAND

    def _close_gap(self) -> None:
        if self.gap and self.parts and self.parts[-1].strip(" ") == "":
            self.parts.pop()
            self.gap = False

    def _last_char(self) -> str:
        return self.parts[self.at].rstrip(" ")[-1:] if self.parts else ""

    def _back_to(self, start: int) -> None:
        """Take the last part's text from `start` on away again, with the space after it."""
        kept = self.parts[self.at][:start]
        del self.parts[self.at :]
        before = kept or next((part for part in reversed(self.parts) if not part.isspace()), "")
        self._put(kept, _ending(before.rstrip(" ")[-1:] or " ") if not kept.endswith(" ") else NOTHING)
