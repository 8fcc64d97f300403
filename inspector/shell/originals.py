"""`show CASE --original`: the case against the solution that errors were put into, with what scorers gave to both."""

import argparse
from collections.abc import Iterator, Sequence
from typing import TypeVar

import polars as pl
from rich.text import Text

from inspector.case_view.manner import Manner
from inspector.case_view.open_case import open_case
from inspector.case_view.original import aligned
from inspector.case_view.original_lines import original_lines
from inspector.first_inspection import inspect
from inspector.original_track import original_evaluation, original_of
from inspector.paint import Brush
from inspector.provenance import program_version
from inspector.selection import Selection
from inspector.shell.output import form_of, put, say_facts
from inspector.shell.page import print_page, width_of
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.export import Document

ROWS = {
    # same, changed, removed (of the original) or added (to it).
    "change": pl.String(),
    "original_step": pl.Int32(),
    "step": pl.Int32(),
    "original_text": pl.String(),
    "text": pl.String(),
}
_Value = TypeVar("_Value")
PIPED = 100
"""Cells of a line where there is no terminal."""


def original(selection: Selection, row: int, args: argparse.Namespace) -> int:
    """Print or write the changes of the case in this row of the selection; the exit code.

    Raises:
        UsageError: the case has no original.
    """
    texts = selection.texts.row(row)
    found = original_of(texts)
    case = selection.cases["case"][row]
    if found is None:
        raise UsageError(f"{case} has no original: its benchmark gives the one solution only.", "Name another case.")
    command = selection.request.command("show", case, "--original", form=form_of(args))
    told = {"case": case, "original_problem": found[0], "problem": texts["problem"]}
    facts = {**told, "modified_steps": texts["modified_steps"], "version": program_version()}
    facts["command"] = f"{command} --raw" if args.raw else command
    if form_of(args):
        put(Document(_rows(selection, row, found, tuple(texts["steps"])), facts, raw=args.raw), args)
        return 0
    width = width_of(PIPED)
    manner = Manner(width, Brush(ascii_only=args.ascii), raw=args.raw or args.ascii)
    print_page(_page(selection, row, manner), width, pager=not args.quiet)
    say_facts(facts, args)
    return 0


def _page(selection: Selection, row: int, manner: Manner) -> Iterator[Text]:
    """The lines of the case screen, through the first scorer asked for."""
    for line in original_lines(open_case(inspect(selection), row, manner)):
        yield Text.assemble(*((text, "bold" if "strong" in names.split() else "") for text, names in line.parts))


def _rows(selection: Selection, row: int, found: tuple[str, tuple[str, ...]], steps: tuple[str, ...]) -> pl.DataFrame:
    """A row a step of either, in order, with the rewards of every scorer chosen."""
    pairs = aligned(found[1], steps)
    rows = pl.DataFrame(
        [
            {
                "change": pair.kind,
                "original_step": pair.before,
                "step": pair.after,
                "original_text": None if pair.before is None else found[1][pair.before],
                "text": None if pair.after is None else steps[pair.after],
            }
            for pair in pairs
        ],
        schema=ROWS,
    )
    for one in selection.chosen_evaluations:
        before = original_evaluation(selection, one, row, found)
        for name, evaluation, at, places in (
            ("original", before, 0, [pair.before for pair in pairs]),
            ("", one, row, [pair.after for pair in pairs]),
        ):
            rewards, wrong = _given(evaluation, at)
            lead = f"{one.scorer.name}.{name}{'_' if name else ''}"
            rows = rows.with_columns(
                pl.Series(f"{lead}reward", [_at(rewards, place) for place in places], dtype=pl.Float64),
                pl.Series(f"{lead}wrong", [_at(wrong, place) for place in places], dtype=pl.Boolean),
            )
    return rows


def _given(evaluation: Evaluation | None, row: int) -> tuple[list[float], list[bool | None]]:
    """Rewards and judgements of the steps of one case; of none where there is nothing."""
    if evaluation is None:
        return [], []
    rewards = evaluation.rewards
    return rewards.of(row) or rewards.first_of(row) or [], evaluation.judged_wrong(row) or []


def _at(values: Sequence[_Value], place: int | None) -> _Value | None:
    return values[place] if place is not None and place < len(values) else None
