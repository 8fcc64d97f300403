"""`check`: did a new scorer get worse than its baseline? For CI: 0 no, 1 yes, 2 it could not be decided."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from inspector.checking.condition import check_condition
from inspector.checking.document import LISTED, Check, cases_command, check, points
from inspector.loading import load
from inspector.request import request_of
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.shell.output import form_of, put, say
from inspector.shell.tables import print_table
from inspector.text import clean
from scoring.errors import UsageError
from scoring.export import Document, p_words
from scoring.metrics.first_error import SIDES
from scoring.names import match_name

SETTINGS = 4
"""Settings that a terminal names."""
WIDE = frozenset({"json", "jsonl", "csv"})
"""Forms that hold every figure; a page has room for those of ON_A_PAGE."""
ON_A_PAGE = (
    *("benchmark", "scorer", "baseline", "metric", "value", "baseline_value", "difference", "low", "high", "n"),
    *("newly_right", "newly_wrong", "coverage", "baseline_coverage", "comparable", "result", "fails"),
)


def run(args: argparse.Namespace) -> int:
    """Print or write the figures; the value is the exit code."""
    if args.scorer:
        raise UsageError("check compares two scorers, NEW and the baseline.", "Leave --scorer out.")
    if args.fail_if is not None:
        check_condition(args.fail_if)
    request = request_of(args)
    selection = load(replace(request, scorers=(args.new, args.old)))
    names = [one.scorer.name for one in selection.evaluations]
    new, old = (match_name(word, names, "scorer") for word in (args.new, args.old))
    found = check(selection, new, old, args.fail_if, form_of(args))
    document = found.document
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if form_of(args):
        put(document if form_of(args) in WIDE else on_a_page(document), args, selection.problems)
    else:
        say(selection.problems, args)
        _print(found, selection, new, old)
    # What decides the exit code is said even where quiet was asked for, as every other reason for a 2 is.
    for line in found.said:
        print(clean(line), file=sys.stderr)
    return found.code


def on_a_page(document: Document) -> Document:
    """The same with the figures that a page has room for."""
    return Document(document.rows.select(ON_A_PAGE), document.provenance, raw=document.raw)


def _print(found: Check, selection: Selection, new: str, old: str) -> None:
    """The figures for a person at a terminal, and what is to be known of them."""
    rows = list(found.document.rows.iter_rows(named=True))
    print_table(wide_check(rows))
    print()
    print_table(wide_sides(rows))
    facts = found.document.provenance
    for line in ["", *(words for row in rows for words in _of_benchmark(row, selection, new, old))]:
        print(clean(line))
    for words in _settings(facts["settings_that_differ"], new, old):
        print(clean(words))
    print(clean(f"Fails on: {facts['decides']}."))
    for note in facts["notes"]:
        print(clean(f"Note: {note}."))


def wide_check(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """A line a benchmark: the official figure of both, their difference with its interval, and what that says."""
    lines = [
        {
            "benchmark": row["benchmark"],
            "metric": row["metric"],
            row["scorer"]: _percent(row["value"]),
            f"{row['baseline']} (baseline)": _percent(row["baseline_value"]),
            "difference": points(row).removeprefix(f"{row['metric']} ").removesuffix(" points"),
            "n": row["n"],
            "left out": row["left_out"],
            "result": row["result"] + (" (few cases)" if row["small"] and row["low"] is not None else ""),
            "fails": {True: "yes", False: "no", None: "unknown"}[row["fails"]],
        }
        for row in rows
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def wide_sides(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Two lines a benchmark: erroneous and clean cases by who has their first error right, with McNemar's test."""
    lines = [
        {
            "benchmark": row["benchmark"],
            "cases": side,
            "accuracy (mean of subsets)": _change(row, metric),
            "both right": row[f"{side}_both_right"],
            "newly right": row[f"{side}_newly_right"],
            "newly wrong": row[f"{side}_newly_wrong"],
            "both wrong": row[f"{side}_both_wrong"],
            "p": p_words(row[f"{side}_p"]) or "-",
            "p (Holm)": p_words(row[f"{side}_p_holm"]) or "-",
        }
        for row in rows
        for side, metric in zip(SIDES, ("error_acc", "correct_acc"), strict=True)
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def _of_benchmark(row: Mapping[str, Any], selection: Selection, new: str, old: str) -> Iterator[str]:
    """Coverage, thresholds, warnings, and what became wrong, of one benchmark."""
    name = row["benchmark"]
    shares = [_percent(row[f"{before}coverage"]) for before in ("", "baseline_")]
    unread = [row[f"{before}unparsed"] for before in ("", "baseline_")]
    told = f", {unread[0]} and {unread[1]} tried without a verdict" if any(unread) else ""
    yield f"{name}: verdicts on {shares[0]}% (baseline {shares[1]}%) of {counted(row['cases'], 'case')}{told}."
    decided = [
        f"{_number(row[f'{before}threshold'])} ({row[f'{before}threshold_source']})" for before in ("", "baseline_")
    ]
    yield f"{name}: decided at {decided[0]}, the baseline at {decided[1]}."
    for warning in row["warnings"]:
        yield f"WARNING, not comparable as they stand: {warning}."
    if row["newly_wrong"]:
        cases = row["newly_wrong_cases"]
        first = "" if row["newly_wrong"] <= LISTED else f" first {len(cases)} of"
        yield f"{name}:{first} {counted(row['newly_wrong'], 'case')} that became wrong: {', '.join(cases)}"
        yield f"  all of them: {cases_command(selection, new, old, name)}"


def _settings(differing: Mapping[str, str], new: str, old: str) -> Iterator[str]:
    names = list(differing)
    if names:
        more = f" and {len(names) - SETTINGS} more" if len(names) > SETTINGS else ""
        yield f"{new} and {old} differ in: {', '.join(names[:SETTINGS])}{more} (--json has the values)."


def _change(row: Mapping[str, Any], metric: str) -> str:
    value, low, high = (row[f"{metric}_{part}"] for part in ("difference", "low", "high"))
    if value is None:
        return "-"
    interval = "" if low is None else f"  [{100 * low:+.1f}, {100 * high:+.1f}]"
    return f"{100 * value:+.1f}{interval}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return "no threshold" if value is None else f"{value:g}"
