"""What the commands that take arguments write to a line."""

import re
import unicodedata
from collections.abc import Callable
from typing import Protocol

from inspector.render.mathtext import symbols
from inspector.render.mathtext.line import FormulaLine, base, bracketed, closed_up, is_letter, marked, spelled, tight
from inspector.render.mathtext.source import FormulaSource, TextSpan


class FormulaRenderer(Protocol):
    r"""What commands use of the renderer that calls them. Positions are those of `text`.

    `fences` holds what each open \left wrote; `nested` is above 0 where all rows go on one line.
    """

    source: FormulaSource
    text: str
    fences: list[str]
    nested: int

    def fill(self, line: FormulaLine, start: int, end: int) -> None:
        """Write mathematics from start to end to the line."""

    def argument(self, span: TextSpan) -> str:
        """Render mathematics on one line."""

    def prose(self, start: int, end: int) -> str:
        """Render words with formulas among them."""

    def raw(self, line: FormulaLine, start: int, pos: int, end: int) -> int:
        """Write the source from start to pos and the arguments after it unchanged; return where they end."""

    def scripted(self, pos: int, end: int) -> bool:
        """Return whether a script or a prime follows."""


# -- what environments write to a line: matrices, cases, tables and aligned rows


ROWS_IN_BRACE = "rows"  # an open brace in which rows stand, so that an invisible closing one is written after all
_EMPTY_CELL = "_"

_BEGIN = re.compile(r"\\begin\s*\{([^{}]*)\}")
_END = re.compile(r"\\end\s*\{[^{}]*\}")
_COLUMNS = re.compile(r"\s*(?:\[\w\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_COLUMN = re.compile(r"[lcrpm](?:\{[^{}]*\})?\s*(\|?)")
_TEXT_AHEAD = re.compile(r"\s*(?:\\(?:text|mbox|textrm|mathrm|quad)|[^\x00-\u2e7f])")
_RAN_ON = re.compile(r"[,;:，；。]\Z")
_RELATIONS = frozenset("=<>≤≥≠≡≈∼≅∈⊂⊆→⇒⟹⟺≪≫∝")


def environment(renderer: FormulaRenderer, line: FormulaLine, match: re.Match[str], end: int) -> int:
    """Render the environment that begins at the match; return where it ends."""
    text = renderer.text
    header = _BEGIN.match(text, match.start(), end)
    close = renderer.source.closes.get(match.start(), end)
    footer = _END.match(text, close, end)
    if header is None or footer is None:
        return renderer.raw(line, match.start(), match.end(), end)
    name, body = header[1], (header.end(), close)
    if name in symbols.VERBATIM:
        line.operand(text[match.start() : footer.end()])
    elif name in symbols.CASES:
        line.operand(f"{{ {_cases(renderer, body)} }}")
    elif name in symbols.MATRICES or (name in symbols.ALIGNED and _in_brace(line)):
        _grid(renderer, line, name, body)
    elif name in symbols.ALIGNED:
        _block(line, _aligned(renderer, body), text[footer.end() : min(end, footer.end() + 1)])
    elif name in symbols.TABLES:
        columns = _COLUMNS.match(text, *body)
        rows = (columns.end() if columns else body[0], close)
        _block(line, _table(renderer, rows, renderer.prose), text[footer.end() : min(end, footer.end() + 1)])
    else:
        return renderer.raw(line, match.start(), match.end(), end)
    return footer.end()


def _block(line: FormulaLine, text: str, after: str) -> None:
    """Rows on lines of their own; one row stands apart from the letters beside it."""
    apart = "\n" if "\n" in text else " "
    if (apart == "\n" and not line.at_start()) or (line.parts and is_letter(line.parts[-1][-1])):
        line.space(apart)
    line.operand(text)
    if (apart == "\n" and after.strip()) or is_letter(after):
        line.space(apart)


def _in_brace(line: FormulaLine) -> bool:
    return bool(line.parts) and line.parts[line.at] == "{"


def _grid(renderer: FormulaRenderer, line: FormulaLine, name: str, body: TextSpan) -> None:
    columns = _COLUMNS.match(renderer.text, *body) if name == "array" else None
    span = (columns.end() if columns else body[0], body[1])
    if _in_brace(line):
        if renderer.fences and renderer.fences[-1] == "{":
            renderer.fences[-1] = ROWS_IN_BRACE
        line.trim()
        line.operand(f" {_equations(renderer, span) if name in symbols.ALIGNED else _cases(renderer, span)}")
    elif name == "array" and "\\hline" in renderer.text[slice(*body)]:
        line.operand(_table(renderer, span, lambda start, stop: renderer.argument((start, stop))))
    else:
        opener, closer = symbols.MATRICES.get(name, ("", ""))
        line.operand(f"{opener}{_matrix(renderer, span, columns)}{closer}")


def _cases(renderer: FormulaRenderer, span: TextSpan) -> str:
    """Rows parted by semicolons, with a comma before the condition that a row names in its second cell."""
    rows = []
    for cells in renderer.source.rows(*span):
        row = ""
        for start, end in cells:
            text = renderer.argument((start, end))
            # More than two cells, or a relation on its own side of one, are an equation in columns.
            related = len(cells) > 2 or row[-1:] in _RELATIONS or text[:1] in _RELATIONS
            plain = related or _RAN_ON.search(row) or _TEXT_AHEAD.match(renderer.text, start, end)
            row += f"{(' ' if plain else ', ') if row and text else ''}{text}"
        if row:
            rows.append(row)
    return " ; ".join(rows)


def _equations(renderer: FormulaRenderer, span: TextSpan) -> str:
    """Aligned rows, parted by semicolons."""
    renderer.nested += 1
    text = _aligned(renderer, span)
    renderer.nested -= 1
    return text


def _matrix(renderer: FormulaRenderer, span: TextSpan, columns: re.Match[str] | None) -> str:
    joints = [" | " if bar else " " for bar in _COLUMN.findall(columns[1])] if columns else []
    rows = []
    for cells in renderer.source.rows(*span):
        texts = [tight(renderer.argument(cell)) for cell in cells]
        if any(texts):
            row = ""
            for i, text in enumerate(texts):
                joint = joints[i - 1] if 0 < i <= len(joints) else " "
                row += (joint if i else "") + (bracketed(text) if " " in text else text or _EMPTY_CELL)
            rows.append(row)
    return " ; ".join(rows)


def _table(renderer: FormulaRenderer, span: TextSpan, read: Callable[[int, int], str]) -> str:
    rows = []
    for cells in renderer.source.rows(*span):
        texts = [read(*cell).strip() for cell in cells]
        if any(texts):
            rows.append(" | ".join(texts))
    return _break(renderer).join(rows)


def _aligned(renderer: FormulaRenderer, span: TextSpan) -> str:
    rows = []
    for cells in renderer.source.rows(*span):
        row = FormulaLine()
        for i, cell in enumerate(cells):
            if i and i % 2 == 0:
                row.space("  ")
            renderer.fill(row, *cell)
        rows.append(str(row).strip())
    text = _break(renderer).join(row for row in rows if row)
    return text.replace("\n", " ") if renderer.nested else text


def _break(renderer: FormulaRenderer) -> str:
    return " ; " if renderer.nested else "\n"


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
