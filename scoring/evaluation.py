"""An evaluation: cases joined with one scorer's rewards under one decision rule."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from scoring.gold import UNKNOWN_STEP, WRONG_STEP, Gold
from scoring.scorer import Scorer
from scoring.step_rewards import Floats, Ints, StepRewards, align
from scoring.verdicts import (
    NO_VERDICT,
    REFUSED,
    RIGHT,
    UNSCORED,
    CaseFloats,
    Codes,
    Rule,
    case_floats,
    margins,
    outcome_names,
    verdicts,
)

PER_SCORER = ("verdict", "outcome", "reward_at_gold", "margin", "step_accuracy")
"""Names of the columns an evaluation adds to the cases, each prefixed `<scorer>.`."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One scorer on n cases. All arrays are in the order of the cases.

    `codes` (n, uint8) are outcome codes of `scoring.verdicts`. Moving the threshold gives a new evaluation that shares
    everything but them.
    """

    scorer: Scorer
    gold: Gold
    rewards: StepRewards
    floats: CaseFloats
    rule: Rule
    codes: Codes

    def at(self, threshold: float, source: str = "chosen") -> "Evaluation":
        """The same rewards decided at another threshold."""
        return self._under(self.rule.at(threshold, source))

    def _under(self, rule: Rule) -> "Evaluation":
        codes = self.floats.outcomes(rule, self.gold.earliest, self.gold.known, self.missing)
        # replace() would carry cached properties of the old rule along if it copied __dict__; it calls __init__.
        return replace(self, rule=rule, codes=codes)

    @property
    def missing(self) -> Codes:
        """The outcome code of a case without a verdict: refused where it was tried, else unscored. Shape (n,)."""
        return np.where(self.rewards.refused, REFUSED, UNSCORED).astype(np.uint8)

    @property
    def coverage(self) -> int:
        """How many cases have a verdict."""
        return int(self.rewards.scored.sum())

    @cached_property
    def verdicts(self) -> Ints:
        """The predicted earliest error, 0-based, -1 none, NO_VERDICT where there is no verdict. Shape (n,)."""
        return verdicts(self.rewards, self.rule)

    @cached_property
    def margins(self) -> Floats:
        """See `scoring.verdicts.margins`."""
        return margins(self.floats, self.codes, self.rule.threshold)

    @cached_property
    def rewards_at_gold(self) -> Floats:
        """The reward of the earliest wrong step; NaN on clean cases and where there is none. Shape (n,)."""
        gold, n_steps = self.gold.earliest, self.gold.n_steps
        found = np.full(gold.size, np.nan)
        rows = np.flatnonzero(self.rewards.scored & (gold >= 0) & (gold < n_steps))
        found[rows] = self.rewards.values[self.rewards.offsets[rows] + gold[rows]]
        return found

    @cached_property
    def step_accuracies(self) -> Floats:
        """Share of the steps with a known gold label that are judged as labelled; NaN where none is. Shape (n,)."""
        scored = np.repeat(self.rewards.scored, self.gold.n_steps)
        labels = self.gold.step_labels[scored]
        known = labels != UNKNOWN_STEP
        right = known & (self.rule.wrong(self.rewards.values) == (labels == WRONG_STEP))
        bounds = self.rewards.offsets
        sums = [np.concatenate([[0], np.cumsum(counts)]) for counts in (right, known)]
        n_right, n_known = (total[bounds[1:]] - total[bounds[:-1]] for total in sums)
        shares: Floats = np.divide(n_right, n_known, out=np.full(n_right.size, np.nan), where=n_known > 0)
        return shares

    @cached_property
    def columns(self) -> pl.DataFrame:
        """The evaluation as columns beside the cases: `<scorer>.verdict` and so on; undefined is null."""
        prefix = f"{self.scorer.name}."
        verdict = pl.Series(np.where(self.verdicts == NO_VERDICT, 0, self.verdicts).astype(np.int32))
        values = {
            "verdict": verdict.set(pl.Series(self.verdicts == NO_VERDICT), None),
            "outcome": outcome_names(self.codes),
            "reward_at_gold": pl.Series(self.rewards_at_gold).fill_nan(None),
            "margin": pl.Series(self.margins).fill_nan(None),
            "step_accuracy": pl.Series(self.step_accuracies).fill_nan(None),
        }
        return pl.DataFrame({prefix + name: values[name] for name in PER_SCORER})

    def instructive(self) -> Ints:
        """Row ids, most instructive first.

        Wrong cases that some threshold would make right, the largest miss first; then wrong ones that no threshold
        mends; then right ones, the narrowest first; then cases without an outcome. Ties keep the order of the cases.
        """
        margin = self.margins
        impossible, unknown = np.isneginf(margin), np.isnan(margin)
        # Codes tell right from wrong, since a case on the edge has margin 0 either way.
        group = np.select([unknown, impossible, np.isin(self.codes, RIGHT)], [3, 1, 2], 0)
        within = np.where(unknown | impossible, 0.0, margin)
        order: Ints = np.lexsort((within, group))
        return order


def evaluate(gold: Gold, scorer: Scorer, rewards: pl.DataFrame, rule: Rule | None = None) -> Evaluation:
    """Join a scorer's rewards (a rewards frame) to the cases of `gold` and decide them, by default at its own cut."""
    rule = rule or Rule(scorer.threshold, source=scorer.threshold_source)
    aligned = align(gold.cases, rewards)
    floats = case_floats(aligned, gold.earliest)
    nothing = np.zeros(gold.earliest.size, dtype=np.uint8)
    return Evaluation(scorer, gold, aligned, floats, rule, nothing)._under(rule)  # noqa: SLF001  # its own class
