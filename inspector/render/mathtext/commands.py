"""What the commands that take arguments write to a line."""

import re
import unicodedata
from collections.abc import Callable

from inspector.render.mathtext import symbols
from inspector.render.mathtext.environments import ROWS_IN_BRACE, FormulaRenderer, environment
from inspector.render.mathtext.line import FormulaLine, base, bracketed, closed_up, marked, spelled, tight
from inspector.render.mathtext.source import TextSpan

Structure = Callable[[FormulaRenderer, FormulaLine, list[TextSpan]], None]
Special = Callable[[FormulaRenderer, FormulaLine, re.Match[str], int], int]

_WORD = re.compile(r"\s*\\(?:text|mathrm|mbox|textrm|operatorname)\s*\{\s*\w+\s*\}\s*\Z")
_STYLED_WORD = re.compile(r"\s*\{(~?)([A-Za-z]+)\}")
_FENCE = re.compile(r"\s*(?:\\([A-Za-z]+|.)|(.))", re.DOTALL)
_NEGATED = re.compile(r"\s*(?:\\([A-Za-z]+)|([=<>]))")


def _fraction(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    above, below = (closed_up(renderer.argument(span)) for span in spans)
    line.quotient(above, below, word=_WORD.match(renderer.text, *spans[1]) is not None)


def _binomial(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    above, below = (tight(renderer.argument(span)) for span in spans)
    line.call(f"C({above},{below})")


def _root(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    degree = renderer.argument(spans[1]) if len(spans) > 1 else ""
    line.root(degree, closed_up(renderer.argument(spans[0])))


def _text(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    line.words(renderer.prose(*spans[0]).replace("~", " "))


def _boxed(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    line.operand(f"⟦{renderer.argument(spans[0])}⟧")


def _modulus(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    line.space()
    line.operand(f"(mod {renderer.argument(spans[0])})")


def _tag(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    line.operand(f"  {bracketed(renderer.argument(spans[0]))}")


def _blank(_renderer: FormulaRenderer, line: FormulaLine, _spans: list[TextSpan]) -> None:
    line.space()


def _named(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    text = renderer.argument(spans[0])
    if text in symbols.SIGNS:
        line.sign(symbols.SIGNS[text])
    elif text:
        line.name(text)


def _over(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    _stacked(renderer, line, spans[1], above=renderer.argument(spans[0]))


def _under(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    _stacked(renderer, line, spans[1], below=renderer.argument(spans[0]))


def _stacked(renderer: FormulaRenderer, line: FormulaLine, span: TextSpan, above: str = "", below: str = "") -> None:
    text = renderer.argument(span)
    if text in _OPERATOR_SIGNS:
        line.operator(text + spelled("_", below) + spelled("^", above))
        return
    if text in _LIMITED:
        renderer.fill(line, *span)
    else:
        line.operand(base(text))
    line.script(below, above)


def _arrow(sign: str) -> Structure:
    def write(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
        above, *below = (renderer.argument(span) for span in spans)
        line.operator(sign + spelled("_", below[0] if below else "") + spelled("^", above))

    return write


def _substack(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
    rows = [renderer.argument(cell) for row in renderer.source.rows(*spans[0]) for cell in row]
    line.operand(", ".join(rows))


def _marked(name: str) -> Structure:
    def write(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
        text = renderer.argument(spans[0])
        after = spans[0][1] + 1
        written = marked(name, text)
        line.operand(f"({written})" if len(text) > 1 and renderer.scripted(after, len(renderer.text)) else written)

    return write


def _alphabet(name: str) -> Structure:
    def write(renderer: FormulaRenderer, line: FormulaLine, spans: list[TextSpan]) -> None:
        line.operand(renderer.argument(spans[0]).translate(symbols.ALPHABETS[name]))

    return write


def _style(renderer: FormulaRenderer, line: FormulaLine, match: re.Match[str], end: int) -> int:
    """A style that plain text does not show: its argument as if it stood there alone."""
    if word := _STYLED_WORD.match(renderer.text, match.end(), end):
        if word[1]:
            line.space()
        line.operand(word[2])
        return word.end()
    argument = renderer.source.argument(match.end(), end)
    if argument is None:
        return renderer.raw(line, match.start(), match.end(), end)
    span, after = argument
    if renderer.scripted(after, end):
        line.operand(base(renderer.argument(span)))
    else:
        renderer.fill(line, *span)
    return after


def _fence(match: re.Match[str] | None) -> str | None:
    """The bracket that follows "left" or "right": empty for the invisible one, None if it is no bracket."""
    if match is None:
        return None
    if match[1]:
        return symbols.FENCES.get(match[1])
    return {".": "", "<": "⟨", ">": "⟩"}.get(match[2], match[2] if match[2] in "()[]|/" else None)


def _left(renderer: FormulaRenderer, line: FormulaLine, match: re.Match[str], end: int) -> int:
    fence_match = _FENCE.match(renderer.text, match.end(), end)
    fence = _fence(fence_match)
    if fence_match is None or fence is None:
        return renderer.raw(line, match.start(), match.end(), end)
    renderer.fences.append(fence)
    if fence:
        line.opener(fence)
    return fence_match.end()


def _right(renderer: FormulaRenderer, line: FormulaLine, match: re.Match[str], end: int) -> int:
    fence_match = _FENCE.match(renderer.text, match.end(), end)
    fence = _fence(fence_match)
    if fence_match is None or fence is None:
        return renderer.raw(line, match.start(), match.end(), end)
    opened = renderer.fences.pop() if renderer.fences else ""
    if opened == ROWS_IN_BRACE and fence in {"", "}"}:
        line.trim()
        line.closer(" }")
    elif fence:
        line.closer(fence)
    return fence_match.end()


def _middle(renderer: FormulaRenderer, line: FormulaLine, match: re.Match[str], end: int) -> int:
    fence_match = _FENCE.match(renderer.text, match.end(), end)
    fence = _fence(fence_match)
    if fence_match is None or not fence:
        return renderer.raw(line, match.start(), match.end(), end)
    line.operator(fence)
    return fence_match.end()


def _not(renderer: FormulaRenderer, line: FormulaLine, match: re.Match[str], end: int) -> int:
    negated = _NEGATED.match(renderer.text, match.end(), end)
    sign = (symbols.OPERATORS.get(negated[1]) if negated[1] else negated[2]) if negated else None
    if negated is None or sign is None:
        return renderer.raw(line, match.start(), match.end(), end)
    line.operator(_NEGATIONS.get(sign) or unicodedata.normalize("NFC", sign + "\u0338"))
    return negated.end()


_NEGATIONS = {"|": "∤", "∥": "∦"}  # those that Unicode does not compose
_OPERATOR_SIGNS = frozenset(symbols.OPERATORS.values()) | frozenset("=<>+-")
_LIMITED = frozenset(symbols.NAMES.values()) | frozenset(symbols.SIGNS.values())

# Commands without an argument: the Line method that writes them, and the text.
SIMPLE: dict[str, tuple[Callable[[FormulaLine, str], None], str]] = {
    name: (method, text)
    for method, table in (
        (FormulaLine.operand, symbols.ORDINARY),
        (FormulaLine.operator, symbols.OPERATORS),
        (FormulaLine.sign, symbols.SIGNS),
        (FormulaLine.name, symbols.NAMES),
        (FormulaLine.opener, symbols.OPENERS),
        (FormulaLine.closer, symbols.CLOSERS),
        (FormulaLine.space, symbols.BLANKS),
        (FormulaLine.bar, {"|": "‖", "vert": "|", "Vert": "‖"}),
    )
    for name, text in table.items()
}
# Commands with the arguments that `source.ARGUMENTS` counts.
STRUCTURES: dict[str, Structure] = (
    dict.fromkeys(symbols.FRACTIONS, _fraction)
    | dict.fromkeys(symbols.BINOMIALS, _binomial)
    | dict.fromkeys(symbols.TEXTS, _text)
    | dict.fromkeys(symbols.SPACERS, _blank)
    | {name: _marked(name) for name in (*symbols.LINES, *symbols.ACCENTS)}
    | {name: _alphabet(name) for name in symbols.ALPHABETS}
    | {
        "boxed": _boxed,
        "fbox": _boxed,
        "operatorname": _named,
        "overset": _over,
        "pmod": _modulus,
        "pod": _modulus,
        "sqrt": _root,
        "stackrel": _over,
        "substack": _substack,
        "tag": _tag,
        "underset": _under,
        "xleftarrow": _arrow("←"),
        "xrightarrow": _arrow("→"),
    }
)
# Commands that read on in their own way.
SPECIAL: dict[str, Special] = {
    **dict.fromkeys(symbols.STYLES, _style),
    "begin": environment,
    "left": _left,
    "middle": _middle,
    "not": _not,
    "right": _right,
}
