r"""A parser of final answers in LaTeX or plain text, which writes them in one spelling.

It reads numbers, fractions, roots, scripts, brackets, units and products, and evaluates nothing but fractions of two
numbers. `scoring.formats.reading.answer_forms` says which spellings are equal.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import zip_longest

from msgspec import Struct

_DEEPEST, _MOST_DIGITS = 40, 60
"""Limits of nesting and of digits, beyond which nothing is read."""

_THOUSANDS = "\u2063"
"""Stands for a separator of thousands that cannot be anything else."""
_SIGNS = {
    "\u2212": "-",
    "\u2010": "-",
    "\u2011": "-",
    "\u2013": "-",
    "\u00d7": r"\times ",
    "\u22c5": r"\cdot ",
    "\u00b7": r"\cdot ",
    "\u00f7": "/",
    "\u2044": "/",
    "\u00b0": r"^{\circ}",
    "\u221a": r"\sqrt ",
    "\u221e": r"\infty ",
    "\u2264": r"\le ",
    "\u2265": r"\ge ",
    "\u2260": r"\ne ",
    "\u222a": r"\cup ",
    "\u2229": r"\cap ",
    "\u2208": r"\in ",
    "\u2205": r"\emptyset ",
    "\u03c0": r"\pi ",
    "\u03b8": r"\theta ",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\u00a0": r"\,",
}
_SPELLED = str.maketrans(_SIGNS)
_RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070-\u207b]+")
_LOWERED = re.compile("[\u2080-\u208b]+")
_FRACTION_SIGN = re.compile("[\u00bc-\u00be\u2150-\u215e]")
_SKIPPED = re.compile(
    r"\\(?:left|right)(?![A-Za-z])\.?"
    r"|\\(?:bigg?|Bigg?)[lrm]?(?![A-Za-z])|\\(?:displaystyle|textstyle|limits|nolimits|rm|bf|it)(?![A-Za-z])"
    r"|(?<!\\)\\[!()\[\]]"
    r"|(?<!\\)\$"
)
_THIN = re.compile(r"(?<=\d)(?:\{,\}|\\,|~)(?=\d{3}(?!\d))")
_BLANKS_IN_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.]*\d)")
_BLANK = re.compile(r"(?<!\\)\\[,;: ]|\\q?quad(?![A-Za-z])|[~\s]+")
_TOKEN = re.compile(
    r"(?P<command>\\[A-Za-z]+|\\.)"
    rf"|(?P<thousands>\d{{1,3}}(?:,\d{{3}})+(?![\d,]*\d)(?:\.\d+)?)"
    rf"|(?P<number>\d[\d{_THOUSANDS}]*(?:\.\d+)?|\.\d+)"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<blank>\s+)"
    r"|(?P<sign><=|>=|!=|.)",
    re.DOTALL,
)
_ALIASES = {
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\leq": r"\le",
    r"\geq": r"\ge",
    r"\leqslant": r"\le",
    r"\geqslant": r"\ge",
    r"\neq": r"\ne",
    "<=": r"\le",
    ">=": r"\ge",
    "!=": r"\ne",
    r"\lt": "<",
    r"\gt": ">",
    r"\times": "*",
    r"\cdot": "*",
    r"\ast": "*",
    r"\div": "/",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\lparen": "(",
    r"\rparen": ")",
    r"\vert": "|",
    r"\mid": "|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\varnothing": r"\emptyset",
    r"\rightarrow": r"\to",
    r"\%": "%",
    r"\#": "#",
    r"\&": "&",
    r"\_": "_",
    "sqrt": r"\sqrt",
    "infinity": r"\infty",
    **{name: f"\\{name}" for name in ("pi", "theta", "alpha", "beta", "gamma", "delta", "lambda", "infty")},
}
_WRAPPERS = {
    *(f"\\text{style}" for style in ("", "bf", "it", "rm", "sf", "tt", "normal", "up")),
    *(f"\\math{style}" for style in ("rm", "bf", "it", "sf", "tt", "normal")),
    *(r"\mbox", r"\hbox", r"\operatorname", r"\boldsymbol", r"\boxed", r"\fbox", r"\emph"),
}
_ACCENTS = {
    *(r"\overline", r"\underline", r"\vec", r"\hat", r"\bar", r"\tilde", r"\dot", r"\widehat", r"\overrightarrow"),
    *(r"\mathbb", r"\mathcal", r"\mathfrak", r"\overset", r"\underset", r"\begin", r"\end"),
}
_REPEATING = {r"\overline", r"\dot", r"\bar"}
_OPENING = ("(", "[", r"\{")
_CLOSING = {"(": ")]", "[": ")]", r"\{": (r"\}",), "{": "}"}
_UNITS = {
    "mm": "millimeter millimetre",
    "cm": "centimeter centimetre",
    "km": "kilometer kilometre",
    "meters": "meter metre m",
    "inches": "inch in",
    "feet": "foot ft",
    "yards": "yard yd",
    "miles": "mile mi",
    "mg": "milligram",
    "grams": "gram g",
    "kg": "kilogram",
    "ounces": "ounce oz",
    "pounds": "pound lb",
    "ml": "milliliter millilitre mL",
    "liters": "liter litre L",
    "gallons": "gallon gal",
    "seconds": "second sec s",
    "minutes": "minute min",
    "hours": "hour hr h",
    "days": "day",
    "weeks": "week",
    "months": "month",
    "years": "year yr",
    "miles/hours": "milesperhours mph",
    "km/hours": "kmperhours kmph kph",
    "units": "unit",
    "dollars": "dollar USD usd",
    "cents": "cent",
    "euros": "euro EUR",
    "degrees": "degree deg",
    "C": "Celsius celsius",
    "F": "Fahrenheit fahrenheit",
    "percent": "% percentage",
}
_UNIT_NAMES = {
    spelling: name
    for name, others in _UNITS.items()
    for other in (name, *others.split())
    for spelling in ((other, f"{other}s") if len(other) > 1 else (other,))
}
_POWERS = {"square": "^2", "sq": "^2", "cubic": "^3", "cu": "^3"}
_DEGREES = r"^{\circ}"
_WORD_OF_UNIT, _MOST_WORDS = 4, 3
"""Letters from which a word after a number is no product of variables, and how many words may be a unit."""
_SEPARATING_WORDS = {"or", "and"}
_RELATIONS = {"<", ">", r"\le", r"\ge", r"\ne", "=", ":"}
PERCENT = "percent"


class AnswerForm(Struct, frozen=True):
    """The normal form of an answer.

    Attributes:
        value: The answer without its unit, spelled in one way; "" is no answer.
        unit: Its unit; "" without one.
        kind: "number"; "choice", a single capital letter; the brackets of an interval, tuple, list or set of numbers;
            "" is any other text, of which two that differ may still be equal.
        number: The value of a number.
    """

    value: str
    unit: str = ""
    kind: str = ""
    number: Fraction | None = None

    def __str__(self) -> str:
        """Spell the form as an answer, whose normal form is the same."""
        return f"{self.value}\\text{{ {self.unit}}}" if self.unit else self.value


class _Token(Struct, frozen=True):
    kind: str
    text: str


class _Item(Struct):
    """One factor or sign of an element.

    `spelling` is in normal form, `number` the value of a number, `children` are the forms of what brackets hold, and
    `worded` says that it was written as a text, `spaced` that it is a word after a blank,
    and `is_ratio` that it was written as a fraction.
    """

    kind: str
    spelling: str
    number: Fraction | None = None
    children: tuple[AnswerForm, ...] = ()
    worded: bool = False
    spaced: bool = False
    is_ratio: bool = False


class _UnreadableError(Exception):
    """The brackets of an answer do not close, or are nested too deeply."""


def parsed_answer(text: str) -> AnswerForm | None:
    """Parse an answer; None if its brackets do not close or are nested too deeply."""
    if not text.isascii():
        text = _in_latex(text)
    text = text.replace(r"\degree", _DEGREES)
    text = _THIN.sub(_THOUSANDS, _SKIPPED.sub("", text.replace(",\\!", _THOUSANDS)).strip())
    text = _BLANKS_IN_NUMBER.sub(lambda match: match[0].replace(" ", _THOUSANDS), text)
    text = _BLANK.sub(" ", text).strip(" ")
    try:
        elements = _Parser(_tokens(text.lstrip(" :").rstrip(" .,;:\\"))).elements((), 0)
    except _UnreadableError:
        return None
    elements = _without_variable(elements)
    forms = [_element(items) for items in elements]
    forms = [form for form in forms if form.value or form.unit]
    if not forms:
        return AnswerForm("")
    if len(forms) == 1:
        return forms[0]
    kind = "," if all(form.kind == "number" for form in forms) else ""
    return AnswerForm(", ".join(map(str, _sorted(forms) if kind else forms)), kind=kind)


def _sorted(forms: Iterable[AnswerForm]) -> list[AnswerForm]:
    return sorted(forms, key=lambda form: (form.number is None, form.number or 0, str(form)))


def _in_latex(text: str) -> str:
    """Write signs of Unicode as LaTeX does."""
    text = _RAISED.sub(lambda match: f"^{{{match[0]}}}", _LOWERED.sub(lambda match: f"_{{{match[0]}}}", text))
    # A fraction after an integer is the rest of a mixed number.
    text = _FRACTION_SIGN.sub(lambda match: f" {match[0]}", text.translate(_SPELLED))
    return unicodedata.normalize("NFKC", text).translate(_SPELLED)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        token = _ALIASES.get(token, token)
        if token in _OPENING:
            depth += 1
        elif token in {")", "]", r"\}"}:
            depth = max(0, depth - 1)
        if kind == "thousands":
            if depth:
                # Within brackets a comma separates elements.
                for place, part in enumerate(token.split(",")):
                    tokens += [_Token("sign", ","), _Token("number", part)] if place else [_Token("number", part)]
                continue
            kind, token = "number", token.replace(",", "")
        elif kind == "number":
            token = token.replace(_THOUSANDS, "")
        elif kind == "word" and token in _SEPARATING_WORDS:
            kind, token = "sign", ","
        elif token.startswith("\\") and len(token) > 1:
            kind = "command"
        tokens.append(_Token(kind, token))
    return tokens


def _number(digits: str) -> Fraction | None:
    """Return the value of a number; None with zeros in front, which are no spelling of a number, or too many digits."""
    whole, _, decimals = digits.partition(".")
    if (len(whole) > 1 and whole.startswith("0")) or not (whole or decimals):
        return None
    decimals = decimals.rstrip("0")
    if len(whole) + len(decimals) > _MOST_DIGITS or not (whole + decimals).isascii():
        return None
    return Fraction(int((whole + decimals) or "0"), 10 ** len(decimals))


def _spelled(number: Fraction) -> str:
    sign, size = "-" if number < 0 else "", abs(number)
    return f"{sign}{size}" if size.denominator == 1 else f"{sign}\\frac{{{size.numerator}}}{{{size.denominator}}}"


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens[::-1]

    def elements(self, closing: Sequence[str], depth: int) -> list[list[_Item]]:
        """Read the items of each element up to a closing bracket, which is not consumed."""
        if depth > _DEEPEST:
            raise _UnreadableError
        elements: list[list[_Item]] = [[]]
        blank = False
        while self._tokens and not (self._tokens[-1].text in closing and self._tokens[-1].kind != "word"):
            token = self._tokens.pop()
            if token.kind == "blank":
                blank = True
                continue
            if token == _Token("sign", ","):
                elements.append([])
            else:
                items = self._items(token, depth)
                if blank and items and elements[-1] and items[0].kind == elements[-1][-1].kind == "number":
                    elements[-1].append(_Item("blank", " "))
                for item in items[:1]:
                    item.spaced = blank and item.kind == "word"
                elements[-1] += items
            blank = False
        return elements

    def _items(self, token: _Token, depth: int) -> list[_Item]:
        text = token.text
        if token.kind == "number":
            repeating = self._tokens and self._tokens[-1].text in _REPEATING
            value = None if repeating else _number(text)
            return [_Item("number", text if value is None else _spelled(value), value)]
        if text in _WRAPPERS:
            items = self._argument(depth)
            for item in items:
                item.worded = True
            return items
        if text == "{":
            return self._group(depth)
        if text in _OPENING:
            return [self._bracket(text, depth)]
        if text in {"}", ")", "]", r"\}"}:
            raise _UnreadableError
        return [self._command(text, depth) or _Item("other" if token.kind == "command" else token.kind, text)]

    def _command(self, text: str, depth: int) -> _Item | None:
        """Read a command with its arguments; None for one without any."""
        if text == r"\frac":
            return _fraction(self._argument(depth), self._argument(depth))
        if text == r"\sqrt":
            return self._root(depth)
        if text in {"^", "_"}:
            return _Item("script", f"{text}{{{_inner(self._argument(depth, whole=True))}}}")
        if text in _ACCENTS:
            argument = _joined(self._argument(depth)).replace("bmatrix", "pmatrix")
            return _Item("other", f"{text}{{{argument}}}")
        return _Item("dollar", "") if text == r"\$" else None

    def _group(self, depth: int) -> list[_Item]:
        items = [item for element in self.elements(("}",), depth + 1) for item in [*element, _Item("sign", ",")]][:-1]
        self._close()
        # An empty group keeps numbers apart.
        return items or [_Item("gap", "")]

    def _close(self) -> str:
        if not self._tokens:
            raise _UnreadableError
        return self._tokens.pop().text

    def _argument(self, depth: int, *, whole: bool = False) -> list[_Item]:
        """Read the argument of a command: a group, else one sign or digit; `whole` takes all of a number."""
        while self._tokens and self._tokens[-1].kind == "blank":
            self._tokens.pop()
        if not self._tokens:
            return []
        token = self._tokens.pop()
        if token.text == "{":
            return self._group(depth)
        if depth > _DEEPEST:
            raise _UnreadableError
        if whole and token.text in {"-", "+"}:
            return [_Item("sign", token.text), *self._argument(depth + 1, whole=True)]
        if token.kind in {"number", "word"} and len(token.text) > 1 and not (whole and token.kind == "number"):
            self._tokens.append(_Token(token.kind, token.text[1:]))
            token = _Token(token.kind, token.text[:1])
        return self._items(token, depth + 1)

    def _root(self, depth: int) -> _Item:
        index = ""
        if self._tokens and self._tokens[-1].text == "[":
            self._tokens.pop()
            index = f"[{', '.join(map(_joined, self.elements((']',), depth + 1)))}]"
            self._close()
        while self._tokens and self._tokens[-1].kind == "blank":
            self._tokens.pop()
        return _Item("root", f"\\sqrt{index}{{{_inner(self._argument(depth))}}}")

    def _bracket(self, opening: str, depth: int) -> _Item:
        elements = self.elements(_CLOSING[opening], depth + 1)
        closing = self._close()
        if opening != r"\{" and len(elements) > 1:
            forms = [_element(items) for items in elements]
        else:
            forms = [form for items in elements if (form := _element(items)).value or form.unit]
        if opening == r"\{":
            forms = _sorted(set(forms))
            if not forms:
                return _Item("other", r"\emptyset")
        inner = ", ".join(map(str, forms))
        return _Item("bracket", f"{opening}{inner}{closing}", children=tuple(forms))


def _fraction(above: list[_Item], below: list[_Item]) -> _Item:
    top, bottom = _element(above), _element(below)
    if top.number is not None and bottom.number and not (top.unit or bottom.unit):
        number = top.number / bottom.number
        # Within an element a sign in front would be that of a difference.
        negative = f"\\frac{{{number.numerator}}}{{{number.denominator}}}"
        return _Item("number", negative if number < 0 else _spelled(number), number, is_ratio=True)
    return _Item("fraction", f"\\frac{{{top}}}{{{bottom}}}")


def _inner(items: Sequence[_Item]) -> str:
    return str(_element(items))


def _joined(items: Sequence[_Item]) -> str:
    """Spell items one after the other, so that they are read as the same items again."""
    text = ""
    before: _Item | None = None
    for item in items:
        spelling = item.spelling
        if before is not None and spelling:
            both_numbers = before.kind == item.kind == "number"
            if both_numbers:
                text += "{}"
            elif re.search(r"\\[A-Za-z]+\Z", text) and spelling[0].isalpha():
                text += " "
        text += ", " if item.kind == "sign" and spelling == "," else spelling
        before = item
    return text


def _without_variable(elements: list[list[_Item]]) -> list[list[_Item]]:
    r"""Drop `x =` and `x \in` in front, where all elements that have one name the same variable."""
    named = [(_variable(items), items) for items in elements]
    names = {name for (name, _), _ in named if name}
    if len(names) != 1 or any(not name and _has_relation(items) for (name, _), items in named):
        return elements
    return [items[length:] if name else items for (name, length), items in named]


def _has_relation(items: Iterable[_Item]) -> bool:
    return any(item.spelling in _RELATIONS for item in items)


def _variable(items: Sequence[_Item]) -> tuple[str, int]:
    """Return the variable that an element says it is equal to, and how many items say so; ("", 0) without one."""
    end = 0
    while end < len(items) and _names_variable(items[end], first=not end):
        end += 1
    rest = items[end + 1 :]
    if not end or not rest or items[end].spelling not in {"=", r"\in"} or _has_relation(rest):
        return "", 0
    return _joined(items[:end]), end + 1


def _names_variable(item: _Item, *, first: bool) -> bool:
    r"""Whether an item is part of a name such as `x`, `\theta`, `x_1`, `f(x)` or `(x, y)`."""
    if item.kind == "bracket":
        return item.spelling[:1] == "(" and all(len(str(form)) == 1 and str(form).isalpha() for form in item.children)
    if not first:
        return item.spelling == "'" or item.spelling[:1] == "_"
    is_letter = item.kind == "word" and len(item.spelling) == 1
    return not item.worded and (is_letter or (item.kind == "other" and item.spelling[1:].isalpha()))


def _element(items: Sequence[_Item]) -> AnswerForm:
    """Return the form of the items between two commas."""
    items = [item for item in items if item.spelling or item.kind in {"dollar", "gap"}]
    unit = ""
    if dollars := [item for item in items if item.kind == "dollar"]:
        items = [item for item in items if item.kind != "dollar"]
        unit = "dollars" if len(dollars) == 1 else ""
    items = _without_products(_mixed(items))
    while len(items) > 1 and items[0].spelling == "+":
        items = items[1:]
    is_base = len(items) > 1 and items[1].kind == "script"
    if items and items[0].number is not None and items[0].number < 0 and not is_base:
        items = [_Item("sign", "-"), _Item("number", _spelled(-items[0].number), -items[0].number), *items[1:]]
    if len(items) == 1 and len(items[0].children) == 1 and items[0].spelling[0] + items[0].spelling[-1] == "()":
        inner = items[0].children[0]
        # Parentheses around the whole answer: (A), (5), (x+1).
        return inner if not unit or inner.unit else AnswerForm(inner.value, unit, inner.kind, inner.number)
    length, number = _leading_number(items)
    rest = items[length:]
    if number is not None and rest and (named := _unit(rest)):
        unit, rest = named, []
    if number is not None and not rest:
        return AnswerForm(_spelled(number), unit, "number", number)
    items = _with_fractions(items)
    text = _joined(items)
    if not items:
        return AnswerForm("")
    if unit and not any(character.isdigit() for character in text):
        unit = ""
    return AnswerForm(text, unit, _kind(items, text))


def _kind(items: Sequence[_Item], text: str) -> str:
    if len(text) == 1 and "A" <= text <= "Z":
        return "choice"
    if text.lstrip("-") == r"\infty":
        return "number"
    parts = [item for item in items if item.spelling != r"\cup"]
    if parts and all(item.kind == "bracket" and item.children for item in parts):
        known = all(child.kind == "number" for item in parts for child in item.children)
        several = all(len(item.children) > 1 or item.spelling[:1] == "\\" for item in parts)
        brackets = "{" if parts[0].spelling[:1] == "\\" else "("
        return brackets if known and several and (brackets == "(" or len(parts) == 1) else ""
    return ""


def _leading_number(items: Sequence[_Item]) -> tuple[int, Fraction | None]:
    """Return how many items say the number that an element begins with, and its value."""
    signed = bool(items) and items[0].spelling == "-"
    place = int(signed)
    if place >= len(items) or items[place].kind != "number":
        return 0, None
    number = items[place].number
    return place + 1, None if number is None else -number if signed else number


def _unit(items: Sequence[_Item]) -> str:
    """Return the unit that items after a number name; "" where they name none."""
    if len(items) == 1 and items[0].spelling == "%":
        return PERCENT
    if items[0].kind != "word" and items[0].spelling != _DEGREES:
        return ""
    if any(item.kind not in {"word", "script"} and item.spelling not in {"/", "."} for item in items):
        return ""
    unknown = [item for item in items if item.kind == "word" and item.spelling not in _UNIT_NAMES]
    if items[0].worded:
        is_unit = all(item.worded for item in unknown)
    else:
        # Short words after a number may be a product of variables, and many words are a sentence.
        lengths = [len(item.spelling) for item in items if item.kind == "word"]
        is_known = not unknown and (items[0].spelling == _DEGREES or lengths[0] > 1)
        are_words = 0 < len(lengths) <= _MOST_WORDS and min(lengths) > 1 and max(lengths) >= _WORD_OF_UNIT
        is_unit = is_known or (are_words and items[0].spaced)
    if not is_unit:
        return ""
    names = [_unit_name(item) for item in items if item.spelling != "."]
    if len(names) == 2 and names[0] in _POWERS:
        names = [names[1], _POWERS[names[0]]]
    unit = "".join(names)
    return _UNIT_NAMES.get(unit, unit)


def _unit_name(item: _Item) -> str:
    if item.spelling == _DEGREES:
        return "degrees"
    return _UNIT_NAMES.get(item.spelling, item.spelling).replace("{", "").replace("}", "")


def _mixed(items: Sequence[_Item]) -> list[_Item]:
    """Add an integer and a proper fraction after it, the way mixed numbers are written; blanks and gaps go."""
    made: list[_Item] = []
    whole: Fraction | None = None
    for item in _with_plain_fractions(items):
        if item.kind == "blank":
            continue
        part = item.number if item.is_ratio else None
        if whole is not None and part is not None and 0 < part < 1:
            made[-1] = _Item("number", _spelled(whole + part), whole + part)
            whole = None
            continue
        is_whole = item.number is not None and item.number > 0 and item.number.denominator == 1 and not item.is_ratio
        whole = item.number if is_whole and not (made and made[-1].spelling == "/") else None
        if item.kind != "gap":
            made.append(item)
    return made


def _with_plain_fractions(items: Sequence[_Item]) -> list[_Item]:
    """Read `3/4` as a number where nothing binds more tightly to either side."""
    made: list[_Item] = []
    left = list(items)
    while left:
        is_factor = bool(made) and made[-1].spelling in {"/", "*"}
        if not is_factor and len(left) > 2 and left[1].spelling == "/" and _stands_alone(left):
            made.append(_fraction([left[0]], [left[2]]))
            left = left[3:]
        else:
            made.append(left.pop(0))
    return made


def _stands_alone(items: Sequence[_Item]) -> bool:
    """Whether a number, a slash and a number are a fraction: 1/2 cm and 1/2+x are, 1/2x, 1/2^3 and 1/2! are not."""
    if items[0].number is None or not items[2].number:
        return False
    after = items[3] if len(items) > 3 else None
    if after is None or after.kind == "sign":
        return after is None or after.spelling not in {"/", "!"}
    return after.kind == "word" and (len(after.spelling) > 1 or after.worded)


def _without_products(items: Sequence[_Item]) -> list[_Item]:
    """Drop the signs of products that are read as products without them; after a slash they say what is divided."""
    kept: list[_Item] = []
    has_slash = False
    for item, after in zip_longest(items, items[1:]):
        has_slash |= item.spelling == "/"
        between = kept and after is not None and kept[-1].kind != "sign" and after.kind not in {"sign", "number"}
        if item.spelling != "*" or has_slash or not between:
            kept.append(item)
    return kept


def _with_fractions(items: Sequence[_Item]) -> list[_Item]:
    r"""Write `a/b` as `\frac{a}{b}` where the element is one fraction, whose denominator is one factor."""
    slashes = [place for place, item in enumerate(items) if item.spelling == "/"]
    if len(slashes) != 1:
        return list(items)
    (slash,) = slashes
    start = int(items[0].spelling == "-")
    above, below = list(items[start:slash]), list(items[slash + 1 :])
    signs = any(item.kind == "sign" or item.spelling in _RELATIONS for item in (*above, *below))
    if signs or not above or len(below) != 1 or above[0].kind == "script" or any(item.worded for item in items):
        return list(items)
    if below[0].kind == "word" and len(below[0].spelling) > 1:
        return list(items)
    return [*items[:start], _fraction(above, below)]
