"""`best-of-n`: a request is loaded and one document comes out."""

import argparse
from collections.abc import Iterator
from typing import Any

import polars as pl

from inspector.best_of_n import OFFICIAL, SD, SOMERS, best_of_n_document
from inspector.loading import load
from inspector.request import request_of
from inspector.shell.output import form_of, put, say
from inspector.shell.tables import print_table
from scoring.export import Document
from scoring.metrics.best_of_n import MAJORITY, MEAN, OVER_MEAN, PASS, PRM, PROBLEMS, TIED
from scoring.metrics.resampling import SMALL

_CHOSEN = (MEAN, MAJORITY, PASS, PRM)
_BESIDE = {OVER_MEAN: "over mean@1", TIED: "tied"}
_ASSOCIATED = {f"{SOMERS}_{metric}": f"Somers' D ({metric})" for metric in OFFICIAL.values()}
Line = dict[str, str | None]


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; a terminal shows a line a scorer and aggregation, and what holds over scorers."""
    selection = load(request_of(args))
    document = best_of_n_document(selection, args.of, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if not form_of(args):
        over = wide_over_scorers(document.rows)
        if over.height:
            print_table(over)
            print()
        say(told(document), args)
    put(document, args, selection.problems, wide_best_of_n(document.rows))
    return 0


def wide_best_of_n(rows: pl.DataFrame) -> pl.DataFrame:
    """A column a subset with the accuracy of the best of all responses in percent, then of fewer over `all`.

    The last rows of a figure are those of most responses. `~`: on fewer than SMALL problems.
    """
    lines: dict[tuple[str, ...], Line] = {}
    fewer: dict[tuple[str, ...], Line] = {}
    for row in rows.filter(pl.col("metric").is_in([*_CHOSEN, *_BESIDE])).iter_rows(named=True):
        scorer = row["scorer"] or "(no scorer)"
        key = (row["benchmark"], scorer, row["aggregation"] or ("" if row["scorer"] else row["metric"]))
        line = lines.setdefault(key, {})
        if row["metric"] in _CHOSEN:
            line[row["subset"]] = _cell(row)
            if row["subset"] == "all" and row["of"] is not None:
                fewer.setdefault(key, {})[f"of {row['of']}"] = _bare(row)
        elif row["subset"] == "all":
            line[_BESIDE[row["metric"]]] = _cell(row) if row["metric"] == OVER_MEAN else _bare(row)
        if row["subset"] == "all":
            line["left out"] = f"{row['left_out']} of {row['left_out'] + row['n']}" if row["left_out"] else None
    found = [{**line, **(fewer.get(key, {}) if len(fewer.get(key, {})) > 1 else {})} for key, line in lines.items()]
    last = [*_BESIDE.values(), "left out"]
    columns = sorted(dict.fromkeys(name for line in found for name in line), key=lambda name: _place(name, last))
    schema = dict.fromkeys(["benchmark", "scorer", "chosen by", *columns], pl.String())
    whole = [(*key, *(line.get(name) for name in columns)) for key, line in zip(lines, found, strict=True)]
    return pl.DataFrame(whole, schema=schema, orient="row")


def _place(column: str, last: list[str]) -> tuple[int, int]:
    """Where a column stands: subsets as they come, then fewer responses by their number, then the others."""
    number = column.removeprefix("of ")
    if number != column and number.isdecimal():
        return 1, int(number)
    return (2, last.index(column)) if column in last else (0, 0)


def wide_over_scorers(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a subset and aggregation where two scorers or more have figures: their spread in points, and Somers' D."""
    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows.filter(pl.col("metric").is_in([SD, *_ASSOCIATED])).iter_rows(named=True):
        line = lines.setdefault((row["benchmark"], row["subset"], row["aggregation"]), {})
        if row["metric"] == SD:
            spread = None if row["value"] is None else f"{100 * row['value']:.2f}"
            line |= {"scorers": row["n"], "sd of prm@n": spread}
        else:
            line[_ASSOCIATED[row["metric"]]] = None if row["value"] is None else f"{row['value']:.2f}"
    found = [
        {**dict(zip(("benchmark", "subset", "chosen by"), key, strict=True)), **line}
        for key, line in lines.items()
        if line["sd of prm@n"] is not None
    ]
    return pl.DataFrame(found, infer_schema_length=None)


def told(document: Document) -> Iterator[str]:
    """How many problems have how many responses, and what is odd about them."""
    counted = document.rows.filter((pl.col("metric") == PROBLEMS) & (pl.col("subset") == "all"))
    for (benchmark,), part in counted.group_by("benchmark", maintain_order=True):
        sizes = ", ".join(f"{n:,} with {of}" for of, n in part.select("of", "n").iter_rows())
        yield f"{benchmark}: {part['n'].sum():,} problems, {part['responses'].sum():,} responses ({sizes})"
    yield from document.provenance["oddities"]
    valued = document.rows.filter((pl.col("metric") == PRM) & pl.col("value").is_not_null())
    if (valued["n"] < SMALL).any():
        yield f"~ few: {SMALL - 1} problems or less"


def _cell(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return f"- ({row['reason']})"
    mark = " ~" if row["n"] < SMALL else ""
    return f"{_bare(row):>5}  [{100 * row['low']:.1f}, {100 * row['high']:.1f}]{mark}"


def _bare(row: dict[str, Any]) -> str:
    return "-" if row["value"] is None else f"{100 * row['value']:.1f}"
