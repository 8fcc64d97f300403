"""An evaluation: cases joined with one scorer's rewards, labels or votes under one decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from scoring.errors import UsageError
from scoring.given import Given, decision_of, given_of
from scoring.gold import UNKNOWN_STEP, WRONG_STEP, Gold
from scoring.scorer import Comparison, Scorer
from scoring.step_rewards import Bools, Floats, Ints, JudgedSteps, StepRewards, align
from scoring.verdicts import (
    DEV,
    NO_VERDICT,
    RIGHT,
    WRONG,
    AsGiven,
    ByThreshold,
    CaseFloats,
    Codes,
    Decision,
    Rule,
    RuleByCase,
    case_floats,
    margins,
    outcome_names,
    verdicts,
)
from scoring.votes import Votes, tally

PER_SCORER = ("verdict", "outcome", "reward_at_gold", "margin", "step_accuracy")
"""Names of the columns an evaluation adds to the cases, each prefixed `<scorer>.`."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One scorer on n cases. All arrays are in the order of the cases.

    `codes` (n, uint8) are outcome codes of `scoring.verdicts`. Moving the threshold gives a new evaluation that shares
    everything but them. `whole` is the same before cases were left out or thresholds differed; None = it is this one.
    """

    scorer: Scorer
    gold: Gold
    rewards: StepRewards
    votes: Votes | None
    floats: CaseFloats
    given: Given
    rule: Decision
    codes: Codes
    whole: "Evaluation | None" = None

    def at(self, threshold: float, source: str = "chosen") -> "Evaluation":
        """The same rewards decided at another threshold.

        Raises:
            UsageError: no threshold decides here.
        """
        return self._origin.under(self._one_rule.at(threshold, source))

    def compared(self, comparison: Comparison) -> "Evaluation":
        """The same threshold with another boundary: whether a reward that equals it is judged wrong.

        Raises:
            UsageError: no threshold decides here.
        """
        return self._origin.under(replace(self._one_rule, comparison=comparison))

    def by_case(self, thresholds: Floats, told: Mapping[str, float], source: str) -> "Evaluation":
        """The same rewards, each case decided at its own threshold; no case is left out.

        Args:
            thresholds: (n,), finite.
            told: the same by subset, for people.
            source: where the thresholds come from.

        Raises:
            UsageError: no threshold decides here.
        """
        decided = self._origin.under(RuleByCase(thresholds, self._one_rule.comparison, source, told))
        return replace(decided, whole=self._origin)

    def at_default(self) -> "Evaluation":
        """At the scorer's own threshold where one decides, else as it is; no case is left out."""
        if isinstance(self._origin.rule, AsGiven):
            return self
        return self.at(self.scorer.threshold, self.scorer.threshold_source)

    @property
    def _origin(self) -> "Evaluation":
        return self.whole or self

    @property
    def _one_rule(self) -> Rule:
        rule = self._origin.rule
        if not isinstance(rule, Rule):
            raise UsageError(f"{self.scorer.name} has no threshold to set: {rule.source}.", "Leave its threshold out.")
        return rule

    def without(self, rows: Bools) -> "Evaluation":
        """The same with the cases of `rows` (n) left out of every denominator, as DEV; unscored ones stay unscored."""
        given = self.given.without(rows & self.tried)
        gone = given.missing == DEV
        sides = (self.floats.before, self.floats.at, self.floats.all)
        floats = CaseFloats(*(np.where(gone, np.nan, side) for side in sides))
        rest = replace(self, given=given, floats=floats, codes=given.codes, whole=self._origin)
        return rest if isinstance(self.rule, AsGiven) else rest.under(self.rule)

    @property
    def left_out(self) -> int:
        """How many cases are left out because the threshold was tuned on them."""
        return int((self.given.missing == DEV).sum())

    def under(self, rule: ByThreshold) -> "Evaluation":
        """The same cases decided by another rule."""
        codes = self.floats.outcomes(rule, self.gold.earliest, self.gold.known, self.given.codes)
        # replace() would carry cached properties of the old rule along if it copied __dict__; it calls __init__.
        return replace(self, rule=rule, codes=codes)

    # -- who has a verdict

    @property
    def movable(self) -> bool:
        """Whether there is a threshold that could be moved."""
        return isinstance(self.rule, Rule)

    @property
    def answered(self) -> Bools:
        """The cases that have a verdict. Shape (n,)."""
        return self.given.answered

    @property
    def tried(self) -> Bools:
        """Those and the ones that should have one, refused or unparsed; not of a scorer that gives none. Shape (n,)."""
        return self.given.tried if self.nothing is None else self.given.answered

    @property
    def nothing(self) -> str | None:
        """Why the scorer gives no verdict on any case; None where it gives some, or only happens to have none."""
        return (self.rule.nothing or None) if isinstance(self.rule, AsGiven) else None

    @property
    def present(self) -> Bools:
        """The cases for which anything is cached, one number a solution included. Shape (n,)."""
        return self.rewards.present if self.votes is None else self.rewards.present | self.votes.tried

    @property
    def missing(self) -> Codes:
        """The outcome code of a case without a verdict: refused or unparsed where it was tried, else unscored. (n,)."""
        return self.given.missing

    @property
    def reasons(self) -> Sequence[str | None]:
        """Why a case that was tried has no verdict. Length n."""
        if self.votes is None:
            return self.rewards.reasons
        tried = self.votes.tried
        return [self.votes.reasons[row] if tried[row] else reason for row, reason in enumerate(self.rewards.reasons)]

    @property
    def coverage(self) -> int:
        """How many cases have a verdict."""
        return int(self.answered.sum())

    def covers(self, benchmark: str) -> bool:
        """Whether there is a verdict, or one number a solution, for any case of a benchmark."""
        rows = (self.gold.cases["benchmark"] == benchmark).to_numpy()
        return bool(((self.answered | np.isfinite(self.rewards.solutions)) & rows).any())

    # -- what was decided

    @cached_property
    def verdicts(self) -> Ints:
        """The predicted earliest error, 0-based, -1 none, NO_VERDICT where there is no verdict. Shape (n,)."""
        if isinstance(self.rule, AsGiven):
            return self.given.verdicts
        return np.where(self.given.by_threshold, verdicts(self.rewards, self.rule), self.given.verdicts)

    def judged_wrong(self, row: int) -> list[bool] | None:
        """For each step of a case whether it is judged wrong; None where no step is judged by itself."""
        if self.given.by_label[row]:
            return [not right for right in self.rewards.labels.of(row) or ()]
        if not self.given.by_threshold[row] or isinstance(self.rule, AsGiven):
            return None
        wrong: list[bool] = self.rule.of(row).wrong(np.array(self.rewards.of(row))).tolist()
        return wrong

    def threshold_at(self, row: int) -> float | None:
        """The threshold of one case; None where none decides."""
        return None if isinstance(self.rule, AsGiven) else self.rule.of(row).threshold

    @cached_property
    def margins(self) -> Floats:
        """See `scoring.verdicts.margins`; NaN throughout where no threshold decides."""
        if isinstance(self.rule, AsGiven):
            return np.full(self.codes.size, np.nan)
        return margins(self.floats, self.codes, self.rule.cut)

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
        """Share of the steps with a known gold label that are judged as labelled; NaN where none is.

        NaN too where only a verdict was given: what it says of the steps after it is not known. Shape (n,).
        """
        rows, wrong, offsets = self.judged_steps
        labels = self.gold.step_labels[np.repeat(rows, self.gold.n_steps)]
        known = labels != UNKNOWN_STEP
        right = known & (wrong == (labels == WRONG_STEP))
        sums = [np.concatenate([[0], np.cumsum(counts)]) for counts in (right, known)]
        n_right, n_known = (total[offsets[1:]] - total[offsets[:-1]] for total in sums)
        shares: Floats = np.divide(n_right, n_known, out=np.full(n_right.size, np.nan), where=n_known > 0)
        return shares

    @cached_property
    def judged_steps(self) -> JudgedSteps:
        """Every step that is judged by itself, by a threshold or by a label."""
        given, rewards, labels = self.given, self.rewards, self.rewards.labels
        rows = given.by_threshold | given.by_label
        rule = None if isinstance(self.rule, AsGiven) else self.rule
        if rule and np.array_equal(rows, rewards.scored) and not given.by_label.any():
            return JudgedSteps(rows, rule.steps_wrong(rewards), rewards.offsets)
        lengths = np.where(rows, self.gold.n_steps, 0)
        by_label = np.repeat(given.by_label, lengths)
        wrong = np.zeros(by_label.size, dtype=np.bool_)
        wrong[by_label] = ~labels.values[np.repeat(given.by_label, np.diff(labels.offsets))]
        if rule:
            kept = np.repeat(given.by_threshold, np.diff(rewards.offsets))
            wrong[~by_label] = rule.steps_wrong(rewards)[kept]
        return JudgedSteps(rows, wrong, np.concatenate([[0], np.cumsum(lengths)]))

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
        near = np.isfinite(margin)
        # Codes tell right from wrong, since a case on the edge has margin 0 either way.
        right, wrong = np.isin(self.codes, RIGHT), np.isin(self.codes, WRONG)
        group = np.select([wrong & near, wrong, right], [0, 1, 2], 3)
        within = np.where(near, margin, 0.0)
        order: Ints = np.lexsort((within, group))
        return order


def evaluate(
    gold: Gold,
    scorer: Scorer,
    rewards: pl.DataFrame,
    rule: Rule | None = None,
    votes: pl.DataFrame | None = None,
) -> Evaluation:
    """Join what a scorer gave to the cases of `gold` and decide them.

    Args:
        gold: n cases.
        scorer: whose threshold and comparison decide where no rule is given.
        rewards: a rewards frame. Labels in it are taken as they are and come before its rewards.
        rule: how rewards become verdicts.
        votes: the columns of `scoring.cache.BALLOTS`. They come before labels and rewards; None = there are none.
    """
    aligned = align(gold.cases, rewards)
    counted = tally(gold.cases, votes) if votes is not None and votes.height else None
    given = given_of(gold, aligned, counted)
    floats = case_floats(aligned, gold.earliest, given.by_threshold)
    asked = rule or Rule(scorer.threshold, scorer.comparison, scorer.threshold_source)
    decision = decision_of(asked, aligned, counted, given)
    found = Evaluation(scorer, gold, aligned, counted, floats, given, decision, given.codes)
    return found.under(decision) if isinstance(decision, Rule) else found
