"""Chosen cases: problem, steps with the rewards of scorers, what was predicted and what is gold."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses.show import LEGEND, case_block
from inspector.render.view import Block, Note, Section
from inspector.report.facts import OfBenchmark
from inspector.sentences import counted
from scoring.evaluation import Evaluation
from scoring.step_rewards import Bools, Ints
from scoring.verdicts import RIGHT, WRONG, AsGiven

BESIDE = 5
"""Scorers with a column beside the steps; of more, the best ones."""
BARS = "A bar beneath a reward is where it lies in the scorer's range."
WRITTEN = 350_000
"""Letters of LaTeX that a benchmark's cases show beside their readable texts; later cases name a command instead."""


class ChosenCases(Struct, frozen=True, eq=False):
    """Row ids of cases, and how they were chosen."""

    rows: Ints
    words: str


def chosen_cases(of: OfBenchmark, most: int) -> ChosenCases:
    """At most so many of the shown cases: in the order asked for; else the failures of the best scorer that teach most.

    Under a filter the cases that the best scorer has right follow its failures, since they were asked for.
    """
    request, best, shown = of.selection.request, of.first, of.shown
    if request.sort or best is None or not np.isin(best.codes[of.rows], (*RIGHT, *WRONG)).any():
        order = f"sorted by {request.sort}" if request.sort else "in the order of the file"
        rows = shown[:most]
        return ChosenCases(rows, f"{rows.size:,} of {counted(of.n, 'case')}, {order}.")
    ranked = best.instructive()
    ranked = ranked[of.rows[ranked]]
    wrong: Bools = np.isin(best.codes, WRONG)
    failures = int(wrong[ranked].sum())
    filtered = bool(request.where or request.search or request.subsets or request.slices)
    rows = (ranked if filtered else ranked[wrong[ranked]])[:most]
    told = f"{int(wrong[rows].sum()):,} of the {counted(failures, 'failure')} of {best.scorer.name}"
    right = rows.size - int(wrong[rows].sum())
    told += f", then {right:,} that the filter keeps and it has right" if right else ""
    order = "in the order of the file" if isinstance(best.rule, AsGiven) else "the largest miss first"
    return ChosenCases(rows, f"{told}: {order}.")


def case_sections(of: OfBenchmark, most: int) -> tuple[list[Block], tuple[Section, ...]]:
    """A sentence about the choice, and a section a case."""
    chosen = chosen_cases(of, most)
    if not chosen.rows.size:
        fails = f"{of.first.scorer.name} fails on no case with a verdict." if of.first else "There is no case."
        return [Note(fails if most else "No case was asked for.")], ()
    beside = [one for one in of.scorers if (one.answered & of.rows).any()][:BESIDE]
    said: list[Block] = [Note(chosen.words), Note(f"{LEGEND} {BARS}", "quiet")]
    if beside and len(beside) < len(of.scorers):
        names = ", ".join(one.scorer.name for one in beside)
        said.append(Note(f"Rewards are of {names}; of the others the outcomes are told.", "quiet"))
    return said, tuple(_sections(of, chosen.rows, beside))


def _sections(of: OfBenchmark, rows: Ints, beside: list[Evaluation]) -> Iterator[Section]:
    letters = 0
    for number, row in enumerate(rows.tolist(), 1):
        told = beside or list(of.scorers[:BESIDE])
        block = case_block(of.selection, row, beside, told, [one for one in of.scorers if one not in told])
        letters += sum(len(text) for _, text in block.written)
        if letters > WRITTEN:
            block = replace(block, written=(), command=of.selection.request.command("show", block.title))
        yield Section(f"{number}. {block.title}", of.anchor(f"case-{number}"), (block,))
