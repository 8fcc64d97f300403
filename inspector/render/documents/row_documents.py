"""Rows and their provenance as documents: CSV, JSON, JSON Lines, Markdown, LaTeX.

Files get texts as they are, with two exceptions: a CSV cell that a spreadsheet would run as a formula gets a leading
apostrophe, and Markdown and LaTeX escape what those languages would read as markup.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct

from inspector.render.documents.literal_text import latex_text, markdown_code, markdown_text, one_line
from scoring.data.storage.files import write_atomically

_FORMULA = r"^[=+\-@\t\r]"
DIGITS = 4
"""Digits after the point in Markdown and LaTeX; CSV and JSON are unrounded."""
_P = frozenset({"p", "p_holm"})
"""Columns of p-values."""


class Document(Struct, frozen=True, eq=False):
    """Rows and how they came to be. `provenance` holds no time and no output path: the same command, the same bytes."""

    rows: pl.DataFrame
    provenance: Mapping[str, Any]
    raw: bool = False

    def render(self, form: str) -> str:
        """Render the document in one of FORMS."""
        return FORMS[form](self)

    def write(self, path: Path, form: str) -> None:
        """Write it whole or not at all; CSV and JSON Lines get their provenance beside it, as NAME.provenance.json.

        Raises:
            UnwritableWorkspace: the file cannot be written.
        """
        write_atomically(path, self.render(form).encode("utf-8", errors="replace"))
        if form in ROWS_ALONE:
            text = _json(_plain(self.provenance), indent=2) + "\n"
            write_atomically(provenance_beside(path), text.encode("utf-8", errors="replace"))


ROWS_ALONE = frozenset({"csv", "jsonl"})
"""Forms that hold rows and nothing else, by their names, which are also the endings of their files."""


def provenance_beside(path: Path) -> Path:
    """Name the file beside rows that tells how they were made."""
    return path.with_name(f"{path.stem}.provenance.json")


def _csv(document: Document) -> str:
    frame = document.rows.select(_csv_column(column, raw=document.raw) for column in document.rows)
    return frame.write_csv(line_terminator="\n", quote_style="necessary")


def _csv_column(column: pl.Series, *, raw: bool) -> pl.Series:
    """A column as CSV holds it: lists as JSON, texts guarded, numbers as they are."""
    if isinstance(column.dtype, (pl.List, pl.Struct)):
        texts = [None if value is None else _json(_plain(value)) for value in column.to_list()]
        column = pl.Series(column.name, texts, dtype=pl.String)
    if raw:
        return column
    if column.dtype == pl.String:
        guarded = pl.when(pl.col("text").str.contains(_FORMULA)).then("'" + pl.col("text")).otherwise(pl.col("text"))
        column = column.alias("text").to_frame().select(guarded.alias("text"))["text"].alias(column.name)
    return column.alias("'" + column.name) if re.match(_FORMULA, column.name) else column


def _json_document(document: Document) -> str:
    rows = [_plain(row) for row in document.rows.iter_rows(named=True)]
    body = ",\n".join("    " + _json(row) for row in rows)
    listed = f"[\n{body}\n  ]" if rows else "[]"
    return f'{{\n  "rows": {listed},\n  "provenance": {_json(_plain(dict(document.provenance)))}\n}}\n'


def _json_lines(document: Document) -> str:
    return "".join(_json(_plain(row)) + "\n" for row in document.rows.iter_rows(named=True))


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _plain(value: Any) -> Any:
    """The value as JSON knows it: numbers that are not finite become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _markdown(document: Document) -> str:
    frame = document.rows
    right = [dtype.is_numeric() for dtype in frame.dtypes]
    lines = [
        "| " + " | ".join(markdown_text(name) for name in frame.columns) + " |",
        "|" + "|".join("---:" if side else "---" for side in right) + "|",
    ]
    lines += ["| " + " | ".join(map(markdown_text, _shown_row(frame, row))) + " |" for row in frame.iter_rows()]
    return "\n".join([*lines, "", *markdown_footer(document.provenance), ""])


def markdown_footer(provenance: Mapping[str, Any]) -> list[str]:
    """Write the provenance as lines of a Markdown quotation; the command first, as it is typed."""
    facts = dict(provenance)
    command = str(facts.pop("command", ""))
    first = [f"> command: {markdown_code(one_line(command))}  "] if command else []
    return [*first, *(f"> {markdown_text(one_line(line))}  " for line in footer(facts))]


def _latex(document: Document) -> str:
    frame = document.rows
    right = "".join("r" if dtype.is_numeric() else "l" for dtype in frame.dtypes)
    header = " & ".join(map(latex_text, frame.columns)) + r" \\"
    lines = [rf"\begin{{tabular}}{{{right}}}", r"\hline", header, r"\hline"]
    lines += [" & ".join(map(latex_text, _shown_row(frame, row))) + r" \\" for row in frame.iter_rows()]
    lines += [r"\hline", r"\end{tabular}", ""]
    return "\n".join([*lines, *latex_footer(document.provenance)]) + "\n"


def latex_footer(provenance: Mapping[str, Any]) -> list[str]:
    """Write the provenance as lines of LaTeX comments."""
    return [f"% {one_line(line)}" for line in footer(provenance)]


def _shown_row(frame: pl.DataFrame, row: Sequence[Any]) -> list[str]:
    return [
        (p_words(value) or "") if name in _P else shown(value) for name, value in zip(frame.columns, row, strict=True)
    ]


def p_words(p: float | None) -> str | None:
    """Write a p-value with four digits, or that it is smaller than these can say; None where there is none."""
    return None if p is None else f"< {10**-DIGITS:.{DIGITS}f}" if p < 10**-DIGITS else f"{p:.{DIGITS}f}"


def shown(value: Any) -> str:
    """Write a value for people: floats with four digits, null as nothing, lists with commas."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:z.{DIGITS}f}"
    if isinstance(value, list):
        return ", ".join(shown(part) for part in value)
    return str(value)


def footer(provenance: Mapping[str, Any]) -> list[str]:
    """Write the provenance as lines of text; what is empty is left out."""
    lines = []
    for name, value in provenance.items():
        parts = value
        if isinstance(value, Mapping):
            parts = [f"{key}: {_inline(part)}" for key, part in value.items() if part is not None]
        if parts in (None, "", [], ()):
            continue
        text = "; ".join(map(str, parts)) if isinstance(parts, (list, tuple)) else str(parts)
        lines.append(f"{name.replace('_', ' ')}: {text}")
    return lines


def _inline(part: Any) -> str:
    """A value in a footer's line; what is named in it, with commas."""
    return ", ".join(f"{key} {value}" for key, value in part.items()) if isinstance(part, Mapping) else str(part)


FORMS: dict[str, Callable[[Document], str]] = {
    "csv": _csv,
    "json": _json_document,
    "jsonl": _json_lines,
    "markdown": _markdown,
    "latex": _latex,
}
