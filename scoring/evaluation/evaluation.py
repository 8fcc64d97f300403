"""Evaluations: cases joined with what a scorer gave, its rewards, labels or votes, under one decision."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict, replace

from scoring.data.errors import UsageError
from scoring.data.reward_transforms import REWARDS, transform
from scoring.data.rules import DEFAULTS, NamedStep
from scoring.data.schema import Bools, Floats, Ints
from scoring.data.scorer import Comparison, Scorer
from scoring.data.storage.stored_frame import is_small, row_blocks
from scoring.evaluation.case_breakpoints import CaseBreakpoints, case_floats, decision_distances, margins
from scoring.evaluation.coverage import Coverage
from scoring.evaluation.fixed_verdicts import FixedVerdicts, decision_of, given_of
from scoring.evaluation.gold import Gold
from scoring.evaluation.judged_steps import JudgedSteps, judged_steps
from scoring.evaluation.measures import drops_at_gold, lowest_rewards, rewards_at_gold
from scoring.evaluation.scorer_columns import PER_SCORER, SPENT, ScorerUsage
from scoring.evaluation.step_ratings import split
from scoring.evaluation.step_rewards import Flat, StepRewards, align, let_go
from scoring.evaluation.verdicts import (
    ALL_REFUSED,
    DEV,
    NO_VERDICT,
    ByThreshold,
    Codes,
    Decision,
    Rule,
    RuleByCase,
    Untuned,
    outcome_names,
    verdicts,
)
from scoring.evaluation.votes import Votes, by_run, most_answers, tally


class Evaluation(Struct, frozen=True, eq=False, dict=True):
    """One scorer on n cases. All arrays are in the order of the cases.

    `codes` (n, uint8) are outcome codes of `scoring.evaluation.verdicts`. Moving the threshold gives a new evaluation
    that shares everything but them. `whole` is the same before cases were left out or thresholds differed; None = it is
    this one. `further` are the same scorer's independent repetitions after the first, which this is, decided alike;
    `unlike` says how many more there are that have another number of votes a case and so are left out. `answers` (n) is
    how many answers each case got in this run, None where all that got any got as many. `usage` is what it took, None
    where nothing is stored.
    """

    scorer: Scorer
    gold: Gold
    rewards: StepRewards
    votes: Votes | None
    floats: CaseBreakpoints
    fixed_verdicts: FixedVerdicts
    rule: Decision
    codes: Codes
    whole: "Evaluation | None" = None
    further: "tuple[Evaluation, ...]" = ()
    unlike: int = 0
    answers: Ints | None = None
    usage: ScorerUsage | None = None

    @property
    def runs(self) -> "tuple[Evaluation, ...]":
        """The first run, which this is, and the further ones."""
        return (self, *self.further)

    def at(self, threshold: float, source: str = "chosen", untuned: Untuned = (), tuned_on: str = "") -> "Evaluation":
        """Return the same rewards decided at another threshold; `untuned` and `tuned_on` are those of the rule.

        Raises:
            UsageError: no threshold decides here.
        """
        return _of_all_cases(self).under(self._one_rule.at(threshold, source, untuned, tuned_on))

    def compared(self, comparison: Comparison, on: str | None = None, step: NamedStep | None = None) -> "Evaluation":
        """Decide by another rule.

        Args:
            comparison: the boundary: whether what equals the threshold is judged wrong.
            on: what is compared with the threshold, which is the default one if this was something else before, by the
                name of a transform; None = what is compared already.
            step: which step the verdict names; None = as it is already.

        Raises:
            UsageError: no threshold decides here.
            PluginError: what is compared is the user's own code, and cannot be used.
        """
        rule = self._one_rule
        rule = replace(rule, comparison=comparison, step=step or rule.step)
        if on is not None and on != rule.on:
            rule = replace(rule, on=on).at(*_default_threshold(self.scorer, on))
        return _of_all_cases(self).under(rule)

    def by_case(
        self, thresholds: Floats, by_subset: Mapping[str, float], source: str, untuned: Untuned = ()
    ) -> "Evaluation":
        """Return the same rewards, each case decided at its own threshold; no case is left out.

        Args:
            thresholds: (n,), finite.
            by_subset: the same by subset, for people.
            source: where the thresholds come from.
            untuned: as that of the rule.

        Raises:
            UsageError: no threshold decides here.
        """
        rule = self._one_rule
        decided = _of_all_cases(self).under(
            RuleByCase(thresholds, rule.comparison, source, by_subset, on=rule.on, step=rule.step, untuned=untuned)
        )
        return replace(decided, whole=_of_all_cases(self))

    def at_default(self) -> "Evaluation":
        """Return the evaluation at the default threshold where one decides, else as it is; no case is left out."""
        return self if not _of_all_cases(self).rule.by_threshold else self.at(*self.default)

    @property
    def default(self) -> tuple[float, str]:
        """The default threshold and its source: the scorer's own, unless its own is on what is not compared here."""
        on = self.rule.on if self.rule.by_threshold else self.scorer.on
        return _default_threshold(self.scorer, on)

    @property
    def _one_rule(self) -> Rule:
        rule = _of_all_cases(self).rule
        if rule.movable is None:
            raise UsageError(f"{self.scorer.name} has no threshold to set: {rule.source}.", "Leave its threshold out.")
        return rule.movable

    def without(self, rows: Bools) -> "Evaluation":
        """Return the evaluation with the cases of `rows` (n) left out of every denominator, as DEV; unscored ones stay
        unscored.
        """
        remaining = self.fixed_verdicts.without(rows & self.coverage.tried)
        gone = remaining.missing == DEV
        sides = (self.floats.before, self.floats.at, self.floats.all)
        floats = CaseBreakpoints(*(np.where(gone, np.nan, side) for side in sides))
        further = tuple(run.without(rows) for run in self.further)
        rest = replace(
            self,
            fixed_verdicts=remaining,
            floats=floats,
            codes=remaining.codes,
            whole=_of_all_cases(self),
            further=further,
        )
        return rest if self.rule.comparing is None else rest.under(self.rule.comparing)

    def under(self, rule: ByThreshold) -> "Evaluation":
        """Return the same cases decided by another rule."""
        floats = self.floats
        if not self.rule.by_threshold or (rule.on, rule.step) != (self.rule.on, self.rule.step):
            floats = case_floats(
                self.rewards.on(rule.on), self.gold.earliest, self.fixed_verdicts.by_threshold, rule.step
            )
        codes = floats.outcomes(rule, self.gold.earliest, self.gold.known, self.fixed_verdicts.codes)
        # replace() would carry cached properties of the old rule along if it copied __dict__; it calls __init__.
        evaluation = replace(self, rule=rule, codes=codes, floats=floats)
        if "coverage" in vars(self) and self.rule.by_threshold:
            # Who has a verdict does not depend on the threshold.
            vars(evaluation)["coverage"] = self.coverage
        return evaluation

    @cached_property
    def coverage(self) -> Coverage:
        """Which cases have a verdict, a result, or neither."""
        nothing = self.rule.nothing or None
        return Coverage(self.scorer.name, self.gold, self.rewards, self.votes, self.fixed_verdicts, nothing)

    # -- what was decided

    @cached_property
    def verdicts(self) -> Ints:
        """The predicted earliest error, 0-based, -1 none, NO_VERDICT where there is no verdict. Shape (n,)."""
        rule = self.rule.comparing
        if rule is None:
            return self.fixed_verdicts.verdicts
        if not is_small(self.codes.size):
            return _block_by_block(self, lambda block: block.verdicts)
        return np.where(self.fixed_verdicts.by_threshold, verdicts(self.rewards, rule), self.fixed_verdicts.verdicts)

    @property
    def compared_values(self) -> StepRewards:
        """What the threshold is compared with: the rewards, or what is made of them in the place of them."""
        return self.rewards.on(self.rule.on) if self.rule.by_threshold else self.rewards

    def alone(self, row: int) -> "Evaluation":
        """Return the evaluation of one case, by its row id: what its screen asks for, however many cases there are."""
        if row not in self._alone:
            self._alone.clear()
            self._alone[row] = self.of_cases(np.array([row]))
        return self._alone[row]

    @cached_property
    def _alone(self) -> "dict[int, Evaluation]":
        return {}

    @cached_property
    def margins(self) -> Floats:
        """See `scoring.evaluation.case_breakpoints.margins`; NaN throughout where no threshold decides."""
        if not self.rule.by_threshold:
            return np.full(self.codes.size, np.nan)
        return margins(self.floats, self.codes, self.rule.cut)

    @cached_property
    def decision_distances(self) -> Floats:
        """See `scoring.evaluation.case_breakpoints.decision_distances`; NaN throughout where no threshold decides."""
        if not self.rule.by_threshold:
            return np.full(self.codes.size, np.nan)
        return decision_distances(self.floats, self.rule.cut)

    @cached_property
    def step_accuracies(self) -> Floats:
        """Share of the steps with a known gold label that are judged as labelled; NaN where none is.

        NaN too where only a verdict was given: what it says of the steps after it is not known. Shape (n,).
        """
        if not is_small(self.codes.size):
            return _block_by_block(self, lambda block: block.step_accuracies)
        return self.judged_steps.accuracies(self.gold)

    @cached_property
    def judged_steps(self) -> JudgedSteps:
        """Every step that is judged by itself, by a threshold or by a label."""
        return judged_steps(self.fixed_verdicts, self.rewards, self.rule.comparing)

    def column(self, name: str) -> pl.Series:
        """Return one of `scoring.evaluation.scorer_columns.EVERY_COLUMN`, by its name without the scorer's; called
        `<scorer>.<name>`.
        """
        column = f"{self.scorer.name}.{name}"
        if name in _NUMBERS:
            return pl.Series(column, _NUMBERS[name](self), nan_to_null=True)
        if name == "verdict":
            return _verdicts(self).alias(column)
        if name == "outcome":
            return outcome_names(self.codes).alias(column)
        spent = self.usage
        column_values = pl.Series([None] * self.codes.size, dtype=SPENT[name]) if spent is None else spent.column(name)
        return column_values.alias(column)

    def of_cases(self, rows: Ints) -> "Evaluation":
        """Take the first run on the cases with these row ids, in their order and each at most once.

        What is decided of a case depends on no other, so that its row is what it was.
        """
        rule = self.rule
        return replace(
            self,
            gold=self.gold.of_cases(rows),
            rewards=self.rewards.of_cases(rows),
            votes=None if self.votes is None else self.votes.of_cases(rows),
            floats=self.floats.of_cases(rows),
            fixed_verdicts=self.fixed_verdicts.of_cases(rows),
            rule=rule.of_cases(rows),
            codes=self.codes[rows],
            whole=None,
            further=(),
            answers=None if self.answers is None else self.answers[rows],
            usage=None if self.usage is None else self.usage.of_cases(rows),
        )


def _of_all_cases(evaluation: Evaluation) -> Evaluation:
    """The evaluation before cases were left out or thresholds differed."""
    return evaluation.whole or evaluation


def _default_threshold(scorer: Scorer, on: str) -> tuple[float, str]:
    """The default threshold on what is compared, by the name of its transform, and its source."""
    default = transform(on).default
    if on == scorer.on or (default is None and scorer.on == REWARDS):
        return scorer.threshold, scorer.threshold_source
    return default or DEFAULTS["rewards"]


def _block_by_block(evaluation: Evaluation, made: Callable[[Evaluation], Flat]) -> Flat:
    """Make something of all cases (n,) of as many at a time as may be in memory with all their steps."""
    blocks_made = []
    for rows in row_blocks(evaluation.codes.size):
        blocks_made.append(made(evaluation.of_cases(rows)))
        for array in (evaluation.rewards.values, evaluation.rewards.offsets, *asdict(evaluation.floats).values()):
            let_go(array)
    return np.concatenate(blocks_made)  # type: ignore[return-value]


def _verdicts(evaluation: Evaluation) -> pl.Series:
    verdicts = evaluation.verdicts
    none = verdicts == NO_VERDICT
    there = pl.Series(np.where(none, 0, verdicts).astype(np.int32))
    return there.set(pl.Series(none), None) if none.any() else there


_NUMBERS: dict[str, Callable[[Evaluation], Floats]] = {
    "reward_at_gold": lambda evaluation: rewards_at_gold(evaluation.rewards, evaluation.gold),
    "margin": lambda evaluation: evaluation.margins,
    "step_accuracy": lambda evaluation: evaluation.step_accuracies,
    "abs_margin": lambda evaluation: np.abs(evaluation.margins),
    "lowest_reward": lambda evaluation: lowest_rewards(evaluation.rewards),
    "drop_at_gold": lambda evaluation: drops_at_gold(evaluation.rewards, evaluation.gold),
    "solution": lambda evaluation: evaluation.rewards.solutions,
    "decision_distance": lambda evaluation: evaluation.decision_distances,
    "lowest_compared": lambda evaluation: evaluation.floats.all,
    "lowest_to_gold": lambda evaluation: evaluation.floats.at,
    "lowest_before_gold": lambda evaluation: evaluation.floats.before,
}


def columns_of(evaluation: Evaluation) -> pl.DataFrame:
    """Return the columns of PER_SCORER: `<scorer>.verdict` and so on; undefined is null."""
    return pl.DataFrame([evaluation.column(name) for name in PER_SCORER])


def evaluate(
    gold: Gold,
    scorer: Scorer,
    rewards: pl.DataFrame,
    rule: Rule | None = None,
    votes: pl.DataFrame | None = None,
    cases: pl.DataFrame | None = None,
) -> Evaluation:
    """Join what a scorer gave to the cases of `gold` and decide them.

    Args:
        gold: n cases.
        scorer: whose threshold and comparison decide where no rule is given.
        rewards: a rewards frame. Labels in it are taken as they are and come before its rewards.
        rule: how rewards become verdicts.
        votes: the columns of `scoring.workspace.cache.BALLOTS`. They come before labels and rewards; None = there are
            none. Each run of theirs is an evaluation, the later ones are `further`; rewards count in every run, but for
            cases that the run's own answers rate.
        cases: those of `gold` with the keys that the rewards have, where the scorer reads more than problem and steps
            (`scoring.data.texts`); None = with the keys they have.
    """
    keyed = gold.cases if cases is None else cases
    start = rule or Rule(scorer.threshold, scorer.comparison, scorer.threshold_source, scorer.on)
    vote_runs = [] if votes is None else by_run(keyed, votes)
    # Answers that vote decide otherwise than one alone: a mean over both would be of unlike things.
    alike = [run for run in vote_runs if most_answers(run) == most_answers(vote_runs[0])]
    runs = [(*split(run, rewards), _uneven(keyed, run)) for run in alike]
    evaluations = [
        replace(
            _decided(scorer, gold, align(keyed, run_rewards), None if silent is None else tally(keyed, silent), start),
            answers=answers,
        )
        for run_rewards, silent, answers in runs or [(rewards, None, None)]
    ]
    return replace(evaluations[0], further=tuple(evaluations[1:]), unlike=len(vote_runs) - len(alike))


def _decided(scorer: Scorer, gold: Gold, rewards: StepRewards, votes: Votes | None, rule: Rule) -> Evaluation:
    """Decide one run of a scorer: by what it says itself, and where that is rewards alone by the rule."""
    decided_by = given_of(gold, rewards, votes, critic=scorer.kind == "critic")
    floats = case_floats(rewards.on(rule.on), gold.earliest, decided_by.by_threshold, rule.step)
    decision = decision_of(rule, rewards, votes, decided_by)
    imported = scorer.kind == "prm" and "imported_from" in scorer.settings
    if imported and decision.by_threshold and rewards.refused.any() and not decided_by.answered.any():
        # Of a model that ran, refusals are results. A file of which nothing could be read says nothing of a model.
        decision = ALL_REFUSED
    evaluation = Evaluation(scorer, gold, rewards, votes, floats, decided_by, decision, decided_by.codes)
    return evaluation if decision.comparing is None else evaluation.under(decision.comparing)


def _uneven(cases: pl.DataFrame, run: pl.DataFrame) -> Ints | None:
    """How many answers each case got in a run, shape (n,); None where all that got any got as many."""
    sizes = cases.select("case").join(run.group_by("case").len(), on="case", how="left", maintain_order="left")["len"]
    return sizes.fill_null(0).cast(pl.Int64).to_numpy() if sizes.n_unique() - sizes.has_nulls() > 1 else None
