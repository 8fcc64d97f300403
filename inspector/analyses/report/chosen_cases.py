"""Chosen cases of a report: problem, steps with the rewards of scorers, what was predicted and what is gold."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses.report.benchmark_report import BenchmarkReport
from inspector.analyses.show.show import LEGEND, case_block
from inspector.render.blocks import Block, Note, Section
from inspector.render.texts.sentences import counted
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.instructive import instructive
from scoring.evaluation.verdicts import RIGHT, WRONG

BESIDE = 5
"""Scorers with a column beside the steps; of more, the best ones."""
BARS = "A bar beneath a reward is where it lies in the scorer's range."
WRITTEN = 350_000
"""Letters of LaTeX that a benchmark's cases show beside their readable texts; later cases name a command instead."""


class ChosenCases(Struct, frozen=True, eq=False):
    """Row ids of cases, and how they were chosen."""

    rows: Ints
    words: str


def chosen_cases(of: BenchmarkReport, most: int) -> ChosenCases:
    """Choose at most so many of the shown cases: in the order asked for; else the best scorer's most telling failures.

    Under a filter the cases that the best scorer has right follow its failures, since they were asked for.
    """
    query, best, listed = of.results.query, of.first, of.shown
    if query.sort or best is None or not np.isin(best.codes[of.rows], (*RIGHT, *WRONG)).any():
        order = f"sorted by {query.sort}" if query.sort else "in the order of the file"
        rows = listed[:most]
        return ChosenCases(rows, f"{rows.size:,} of {counted(of.n, 'case')}, {order}.")
    ranked = instructive(best.margins, best.codes)
    ranked = ranked[of.rows[ranked]]
    wrong: Bools = np.isin(best.codes, WRONG)
    failures = int(wrong[ranked].sum())
    filtered = bool(query.where or query.search or query.subsets or query.slices)
    rows = (ranked if filtered else ranked[wrong[ranked]])[:most]
    choice = f"{int(wrong[rows].sum()):,} of the {counted(failures, 'failure')} of {best.scorer.name}"
    right = rows.size - int(wrong[rows].sum())
    choice += f", then {right:,} that the filter keeps and it has right" if right else ""
    order = "in the order of the file" if not best.rule.by_threshold else "the largest miss first"
    return ChosenCases(rows, f"{choice}: {order}.")


def case_sections(of: BenchmarkReport, most: int) -> tuple[list[Block], tuple[Section, ...]]:
    """Return a sentence about the choice, and a section a case."""
    chosen = chosen_cases(of, most)
    if not chosen.rows.size:
        fails = f"{of.first.scorer.name} fails on no case with a verdict." if of.first else "There is no case."
        return [Note(fails if most else "No case was asked for.")], ()
    beside = [evaluation for evaluation in of.scorers if (evaluation.coverage.answered & of.rows).any()][:BESIDE]
    notes: list[Block] = [Note(chosen.words), Note(f"{LEGEND} {BARS}", "quiet")]
    if beside and len(beside) < len(of.scorers):
        names = ", ".join(evaluation.scorer.name for evaluation in beside)
        notes.append(Note(f"Rewards are of {names}; of the others the outcomes are told.", "quiet"))
    return notes, tuple(_sections(of, chosen.rows, beside))


def _sections(of: BenchmarkReport, rows: Ints, beside: list[Evaluation]) -> Iterator[Section]:
    letters = 0
    for number, row in enumerate(rows.tolist(), 1):
        with_outcomes = beside or list(of.scorers[:BESIDE])
        block = case_block(
            of.results,
            row,
            beside,
            with_outcomes,
            [evaluation for evaluation in of.scorers if evaluation not in with_outcomes],
        )
        letters += sum(len(text) for _, text in block.written)
        if letters > WRITTEN:
            block = replace(block, written=(), command=of.results.query.command("show", block.title))
        yield Section(f"{number}. {block.title}", of.anchor(f"case-{number}"), (block,))


CASES = 20
"""Cases of each benchmark, where no other number is asked for."""
