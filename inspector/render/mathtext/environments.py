"""What environments write to a line: matrices, cases, tables and aligned rows."""

import re
from collections.abc import Callable
from typing import Protocol

from inspector.render.mathtext import symbols
from inspector.render.mathtext.line import FormulaLine, bracketed, is_letter, tight
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
