"""One case beside its scorers, as papers print it: a row a step, a column a scorer, and what each made of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from inspector.render.cells import share as written
from inspector.sentences import outcome_sentence, reward_words
from scoring.evaluation import Evaluation

ABSENT = "-"
"""Stands where there is no verdict and where step accuracy is undefined."""
LABELS = {True: "wrong", False: "right", None: ""}
"""What a scorer's own labels say of a step, by whether it is judged wrong."""


@dataclass(frozen=True)
class Judgement:
    """What a scorer said of one step: its reward, or `right` or `wrong` where it gave labels, or nothing.

    `wrong` says whether the step is judged wrong, None where no step is judged by itself; `verdict` whether it is the
    earliest error in the scorer's eyes. `truncated` marks a reward of a case whose later steps were cut off.
    """

    text: str
    wrong: bool | None
    verdict: bool
    truncated: bool = False


@dataclass(frozen=True)
class ScorerColumn:
    """One scorer's judgements, a step each; its verdict, its step accuracy and what happened, in words."""

    name: str
    judgements: tuple[Judgement, ...]
    verdict: str
    step_accuracy: str
    outcome: str


@dataclass(frozen=True)
class CaseTable:
    """The steps (0-based, in order) with their texts and words of gold (None = not labelled), and the scorers."""

    texts: tuple[str, ...]
    gold: tuple[str | None, ...]
    columns: tuple[ScorerColumn, ...]

    @property
    def truncated(self) -> bool:
        """Whether any reward in it is marked so."""
        return any(judgement.truncated for column in self.columns for judgement in column.judgements)


def case_table(rows: pl.DataFrame, evaluations: Sequence[Evaluation], row: int) -> CaseTable:
    """The table of the case with this row id; `rows` are those of its document, with `text` and `gold`."""
    columns = tuple(_column(one, row, rows.height) for one in evaluations)
    return CaseTable(tuple(rows["text"]), tuple(rows["gold"]), columns)


def _column(evaluation: Evaluation, row: int, n_steps: int) -> ScorerColumn:
    rewards, wrong = evaluation.rewards.of(row), evaluation.judged_wrong(row)
    verdict = evaluation.verdict_of(row)
    accuracy = float(evaluation.alone(row).step_accuracies[0])
    first = evaluation.rewards.first_of(row) or []
    shown = rewards or first
    judgements = []
    for step in range(n_steps):
        text = reward_words(shown[step], evaluation, row) if step < len(shown) else ""
        if wrong and evaluation.given.by_label[row]:
            text = {True: "wrong", False: "right", None: ""}[wrong[step]]
        judgements.append(Judgement(text, wrong[step] if wrong else None, step == verdict, step < len(first)))
    return ScorerColumn(
        evaluation.scorer.name,
        tuple(judgements),
        _verdict(verdict),
        _percent(accuracy),
        outcome_sentence(evaluation, row),
    )


def _verdict(verdict: int | None) -> str:
    """A verdict in one word: the step's number (0-based), `none` for no error, `no step` for one that names none."""
    if verdict is None:
        return ABSENT
    return {-1: "none", -2: "no step"}.get(verdict, str(verdict))


def _percent(share: float) -> str:
    """A share with one digit; all of them is `100%`, so that columns stay narrow."""
    if np.isnan(share):
        return ABSENT
    return "100%" if share == 1 else f"{written(share)}%"
