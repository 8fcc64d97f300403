"""Chosen cases: problem, steps with the rewards of scorers, what was predicted and what is gold."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from inspector.case_pages import gold_word
from inspector.case_table import Judgement, ScorerColumn, case_table
from inspector.gold_words import counts_from_one, gold_words
from inspector.label_set import changed_words
from inspector.render.readable import readable
from inspector.render.view import Block, CaseBlock, Judged, Note, Section, Step
from inspector.report.facts import OfBenchmark
from inspector.sentences import GLYPHS, WORDS, counted, outcome_sentence
from scoring.evaluation import Evaluation
from scoring.step_rewards import Bools, Ints
from scoring.verdicts import OUTCOMES, RIGHT, WRONG, AsGiven

BESIDE = 5
"""Scorers with a column beside the steps; of more, the best ones."""
WRITTEN = 350_000
"""Letters of LaTeX that a benchmark's cases show beside their readable texts; later cases name a command instead."""
OTHER_BASE = "This text counts steps from 1, the report from 0."
LEGEND = (
    "Steps are numbered from 0. A number is the reward of the step, the bar beneath it where that lies in the scorer's"
    " range. ✗: judged wrong. ←: the verdict, the first error in the scorer's eyes. ▲: the gold error."
)


@dataclass(frozen=True, eq=False)
class ChosenCases:
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
    said: list[Block] = [Note(chosen.words), Note(LEGEND, "quiet")]
    if beside and len(beside) < len(of.scorers):
        names = ", ".join(one.scorer.name for one in beside)
        said.append(Note(f"Rewards are of {names}; of the others the outcomes are told.", "quiet"))
    return said, tuple(_sections(of, chosen.rows, beside))


def _sections(of: OfBenchmark, rows: Ints, beside: list[Evaluation]) -> Iterator[Section]:
    letters = 0
    for number, row in enumerate(rows.tolist(), 1):
        block = case_block(of, row, beside)
        letters += sum(len(text) for _, text in block.written)
        if letters > WRITTEN:
            block = replace(block, written=(), command=of.selection.request.command("show", block.title))
        yield Section(f"{number}. {block.title}", of.anchor(f"case-{number}"), (block,))


def case_block(of: OfBenchmark, row: int, beside: list[Evaluation]) -> CaseBlock:
    """The case with this row id."""
    case = of.selection.cases.row(row, named=True)
    texts = of.selection.texts.row(row)
    steps = texts["steps"] or []
    gold = [gold_word(case, step) for step in range(len(steps))]
    frame = pl.DataFrame({"text": pl.Series(steps, dtype=pl.String), "gold": pl.Series(gold, dtype=pl.String)})
    columns = case_table(frame, beside, row).columns
    told = beside or list(of.scorers[:BESIDE])
    judged = [_judged(one, column, row) for one, column in zip(beside, columns, strict=True)]
    return CaseBlock(
        title=case["case"],
        facts=tuple(_facts(case, len(steps))),
        problem=texts["problem"] or "",
        steps=tuple(
            Step(number, text or "", gold[number], tuple(of_one[number] for of_one in judged))
            for number, text in enumerate(steps)
        ),
        scorers=tuple(one.scorer.name for one in beside),
        verdicts=tuple(column.verdict for column in columns),
        outcomes=tuple(_outcome(one, row) for one in told),
        gold="; ".join(filter(None, (gold_words(case), changed_words(of.selection.adjudicated, case["case"])))),
        others=_others([one for one in of.scorers if one not in told], row),
        reason=texts["reason"] or "",
        reason_note=OTHER_BASE if counts_from_one(of.name, texts["reason"] or "") else "",
        written=tuple(_written(texts)),
    )


def _written(texts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts that are shown otherwise than they were written."""
    steps = ((f"step {number}", text) for number, text in enumerate(texts["steps"] or []))
    for name, text in (("problem", texts["problem"]), *steps, ("why", texts["reason"])):
        if text and text != readable(text):
            yield name, text


def _facts(case: Mapping[str, Any], n_steps: int) -> Iterator[str]:
    yield counted(n_steps, "step")
    for name in ("subset", "generator", "error_type", "error_kind", "pattern"):
        if case[name]:
            yield f"{name.replace('_', ' ')}: {case[name]}"
    if case["final_answer_correct"] is not None:
        yield f"final answer {'right' if case['final_answer_correct'] else 'wrong'}"


def _others(scorers: Sequence[Evaluation], row: int) -> str:
    """Which scorers have which outcome."""
    found: dict[str, list[str]] = {}
    for one in scorers:
        found.setdefault(WORDS[OUTCOMES[one.codes[row]]], []).append(one.scorer.name)
    return "; ".join(f"{word}: {', '.join(names)}" for word, names in found.items())


def _outcome(one: Evaluation, row: int) -> tuple[str, str, str]:
    return one.scorer.name, GLYPHS[OUTCOMES[one.codes[row]]].strip(), outcome_sentence(one, row)


def _judged(one: Evaluation, column: ScorerColumn, row: int) -> list[Judged]:
    """What a scorer says of each step of a case."""
    rewards = one.rewards.of(row) or one.rewards.first_of(row) or []
    shares = [_share(one, reward) for reward in rewards]
    shares += [None] * (len(column.judgements) - len(shares))
    return [_one(judgement, share) for judgement, share in zip(column.judgements, shares, strict=False)]


def _one(judgement: Judgement, share: float | None) -> Judged:
    text = f"{judgement.text} (truncated)" if judgement.truncated else judgement.text
    return Judged(text, share, bool(judgement.wrong), judgement.verdict)


def _share(one: Evaluation, reward: float) -> float | None:
    """Where a reward lies in the scorer's range."""
    low, high = one.scorer.low, one.scorer.high
    if not (math.isfinite(reward) and high > low):
        return None
    return min(1.0, max(0.0, (reward - low) / (high - low)))
