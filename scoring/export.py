"""Rows and their provenance as documents: CSV, JSON, JSON Lines, Markdown, LaTeX.

Files get texts as they are, with two exceptions: a CSV cell that a spreadsheet would run as a formula gets a leading
apostrophe, and Markdown and LaTeX escape what those languages would read as markup.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from scoring.files import write_atomically

_FORMULA = r"^[=+\-@\t\r]"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~$])")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
DIGITS = 4
"""Digits after the point in Markdown and LaTeX; CSV and JSON are unrounded."""


@dataclass(frozen=True, eq=False)
class Document:
    """Rows and how they came to be. `provenance` holds no time and no output path: the same command, the same bytes."""

    rows: pl.DataFrame
    provenance: Mapping[str, Any]
    raw: bool = False

    def render(self, form: str) -> str:
        """The document in one of FORMS."""
        return FORMS[form](self)

    def write(self, path: Path, form: str) -> None:
        """Write it whole or not at all; a CSV gets its provenance beside it, as NAME.provenance.json.

        Raises:
            UnwritableWorkspace: the file cannot be written.
        """
        write_atomically(path, self.render(form).encode("utf-8", errors="replace"))
        if form == "csv":
            beside = path.with_name(f"{path.stem}.provenance.json")
            write_atomically(beside, (_json(dict(self.provenance), indent=2) + "\n").encode())


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
    def cell(text: str) -> str:
        return _MARKDOWN.sub(r"\\\1", text).replace("\n", "<br>").replace("\r", "")

    frame = document.rows
    right = [dtype.is_numeric() for dtype in frame.dtypes]
    lines = [
        "| " + " | ".join(cell(name) for name in frame.columns) + " |",
        "|" + "|".join("---:" if side else "---" for side in right) + "|",
    ]
    lines += ["| " + " | ".join(cell(shown(value)) for value in row) + " |" for row in frame.iter_rows()]
    return "\n".join([*lines, "", *(f"> {cell(line)}  " for line in footer(document.provenance)), ""])


def _latex(document: Document) -> str:
    def cell(text: str) -> str:
        return re.sub(r"[\\{}$&%#_~^]", lambda match: _LATEX[match[0]], text).replace("\n", " ")

    frame = document.rows
    right = "".join("r" if dtype.is_numeric() else "l" for dtype in frame.dtypes)
    lines = [rf"\begin{{tabular}}{{{right}}}", r"\hline", " & ".join(map(cell, frame.columns)) + r" \\", r"\hline"]
    lines += [" & ".join(cell(shown(value)) for value in row) + r" \\" for row in frame.iter_rows()]
    lines += [r"\hline", r"\end{tabular}", ""]
    lines += ["% " + line.replace("\n", " ").replace("\r", " ") for line in footer(document.provenance)]
    return "\n".join(lines) + "\n"


def shown(value: Any) -> str:
    """A value for people: floats with four digits, null as nothing, lists with commas."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{DIGITS}f}"
    if isinstance(value, list):
        return ", ".join(shown(part) for part in value)
    return str(value)


def footer(provenance: Mapping[str, Any]) -> list[str]:
    """The provenance as lines of text; what is empty is left out."""
    lines = []
    for name, value in provenance.items():
        if value in (None, "", [], {}):
            continue
        if isinstance(value, Mapping):
            value = "; ".join(f"{key}: {part}" for key, part in value.items())
        elif isinstance(value, (list, tuple)):
            value = "; ".join(map(str, value))
        lines.append(f"{name.replace('_', ' ')}: {value}")
    return lines


FORMS: dict[str, Callable[[Document], str]] = {
    "csv": _csv,
    "json": _json_document,
    "jsonl": _json_lines,
    "markdown": _markdown,
    "latex": _latex,
}
