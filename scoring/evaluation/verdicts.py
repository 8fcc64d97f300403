"""Decision rules: step rewards become a verdict (the earliest error a scorer predicts), a verdict becomes an outcome.

A rule compares rewards with a threshold; where a scorer gave labels or verdicts itself, these are taken as they are.
Everything is 0-based; a verdict of -1 says that no step is wrong, -2 is an answer that names no step.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.reward_transforms import REWARDS, transform
from scoring.data.rules import NamedStep, spelled_rule, when_wrong, which_step
from scoring.data.schema import Bools, Floats, Ints
from scoring.data.scorer import Comparison
from scoring.evaluation.step_rewards import StepLabels, StepRewards

Codes = npt.NDArray[np.uint8]

OUTCOMES: tuple[str, ...] = (
    "exact",
    "early",
    "late",
    "missed",
    "clean",
    "false_alarm",
    "unparsed",
    "refused",
    "unscored",
    "no_gold",
    "dev",
)
"""Outcomes in the order of their codes.

`no_gold`: the labels name no step, so there is nothing to be right about. `dev`: the scorer's threshold was tuned on
the case, so that it is reported on the others alone.
"""

EXACT, EARLY, LATE, MISSED, CLEAN, FALSE_ALARM, UNPARSED, REFUSED, UNSCORED, NO_GOLD, DEV = range(len(OUTCOMES))
ON_ERRONEOUS = (EXACT, EARLY, LATE, MISSED)
ON_CLEAN = (CLEAN, FALSE_ALARM)
WRONG = (EARLY, LATE, MISSED, FALSE_ALARM)
RIGHT = (EXACT, CLEAN)

NO_VERDICT = np.iinfo(np.int32).min
"""Stands for null in arrays of verdicts."""


Untuned = tuple[tuple[str, str], ...]
"""Subsets, called as dev sets are, and why each was not tuned."""


class Rule(Struct, frozen=True):
    """A step is judged wrong iff what is compared is `comparison` the threshold; the verdict names one such step.

    The comparison belongs to the protocol (GR-Ben `<`, PRMBench `<=`), the threshold to scorer and protocol.
    `source` says where the threshold came from, `on` what is compared, by the name of a transform of the rewards
    (`scoring.data.rules`), and `step` whether the verdict is the first such step or the lowest one. `untuned`
    are the subsets that were to be tuned on dev sets and are not, each with the reason; `tuned_on` is the benchmark
    whose cases the threshold is the best on, where there are others.
    """

    threshold: float
    comparison: Comparison = "<"
    source: str = "default"
    on: str = REWARDS
    step: NamedStep = "first"
    untuned: Untuned = ()
    tuned_on: str = ""

    by_threshold: ClassVar[bool] = True
    is_movable: ClassVar[bool] = True
    by_subset: ClassVar[Mapping[str, float]] = MappingProxyType({})
    nothing: ClassVar[str] = ""

    def at(self, threshold: float, source: str, untuned: Untuned = (), tuned_on: str = "") -> "Rule":
        """Return the rule with another threshold."""
        return replace(self, threshold=float(threshold), source=source, untuned=untuned, tuned_on=tuned_on)

    def wrong(self, values: Floats) -> Bools:
        """Return which of the values fall under the rule: rewards, or what is compared in their place."""
        return under(values, self.threshold, self.comparison)

    def steps_wrong(self, rewards: StepRewards) -> Bools:
        """Return which of all steps fall under the rule, in the shape of `rewards.values`."""
        return self.wrong(rewards.on(self.on).values)

    @property
    def movable(self) -> "Rule":
        """The rule, whose one threshold decides and can be moved."""
        return self

    @property
    def comparing(self) -> "Rule":
        """The rule, which compares."""
        return self

    def of(self, _row: int) -> "Rule":
        """Return the rule of one case, which is that of all."""
        return self

    def of_cases(self, _rows: Ints) -> "Rule":
        """Return the rule of some cases, which is that of all."""
        return self

    @property
    def spelled(self) -> str:
        """The rule in few characters: how what is compared stands to the threshold where a step is wrong."""
        return spelled_rule(self.comparison, self.on, self.step)

    def threshold_of(self, _row: int) -> float:
        """Return the threshold of a case, which is the same for all."""
        return self.threshold

    @property
    def cut(self) -> float:
        """What rewards are compared with."""
        return self.threshold

    def __str__(self) -> str:
        return f"{when_wrong(self.on, self.comparison)}; {which_step(self.step)}"


class RuleByCase(Struct, frozen=True, eq=False):
    """A rule whose threshold differs from case to case: `thresholds` (n, float64), in the order of the cases.

    `by_subset` says which thresholds these are, by subset, and `untuned` is that of a `Rule`. There is no one threshold
    to show or to move.
    """

    thresholds: Floats
    comparison: Comparison
    source: str
    by_subset: Mapping[str, float]
    threshold: None = None
    on: str = REWARDS
    step: NamedStep = "first"
    untuned: Untuned = ()

    by_threshold: ClassVar[bool] = True
    is_movable: ClassVar[bool] = False
    tuned_on: ClassVar[str] = ""
    nothing: ClassVar[str] = ""

    def steps_wrong(self, rewards: StepRewards) -> Bools:
        """Return which of all steps fall under the rule, in the shape of `rewards.values`."""
        cuts = np.repeat(self.thresholds, np.diff(rewards.offsets))
        return under(rewards.on(self.on).values, cuts, self.comparison)

    @property
    def movable(self) -> None:
        """None: no one threshold decides."""

    @property
    def comparing(self) -> "RuleByCase":
        """The rule, which compares."""
        return self

    def of(self, row: int) -> Rule:
        """Return the rule of one case."""
        return Rule(float(self.thresholds[row]), self.comparison, self.source, self.on, self.step)

    def of_cases(self, rows: Ints) -> "RuleByCase":
        """Return the rule of some cases, by their row ids."""
        return replace(self, thresholds=self.thresholds[rows])

    @property
    def spelled(self) -> str:
        """The rule in few characters, as that of a `Rule`."""
        return spelled_rule(self.comparison, self.on, self.step)

    def threshold_of(self, row: int) -> float:
        """Return the threshold of one case."""
        return float(self.thresholds[row])

    @property
    def cut(self) -> Floats:
        """What the rewards of each case are compared with."""
        return self.thresholds

    def __str__(self) -> str:
        words = when_wrong(self.on, self.comparison, "threshold of its subset")
        return f"{words}; {which_step(self.step)}"


def under(values: Floats, cut: float | Floats, comparison: Comparison) -> Bools:
    """Return which values are on the wrong side of the cut: one for all, or one a value."""
    judged: Bools = values < cut if comparison == "<" else values <= cut
    return judged


def compared_words(rule: "Decision") -> str:
    """Describe what a threshold is on, in a few words; "" where it is the rewards, and a verdict names the first step.

    So "on differences", "of the lowest step" and "on z-scores of the lowest step".
    """
    on = "" if rule.on == REWARDS else f"on {transform(rule.on).plural}"
    return " ".join(part for part in (on, "of the lowest step" if rule.step == "lowest" else "") if part)


class ProvidedVerdicts(Struct, frozen=True):
    """The verdict is what the scorer said, so that no threshold can move it.

    `source` says in a few words where verdicts come from, `words` how; `nothing`, of a scorer that gives none, why.
    """

    source: str
    words: str
    nothing: str = ""

    threshold: ClassVar[None] = None
    comparison: ClassVar[None] = None
    cut: ClassVar[float] = np.nan
    on: ClassVar[str] = REWARDS
    step: ClassVar[NamedStep] = "first"
    untuned: ClassVar[Untuned] = ()
    tuned_on: ClassVar[str] = ""
    by_subset: ClassVar[Mapping[str, float]] = MappingProxyType({})
    by_threshold: ClassVar[bool] = False
    is_movable: ClassVar[bool] = False
    movable: ClassVar[None] = None
    comparing: ClassVar[None] = None
    spelled: ClassVar[None] = None

    def of_cases(self, _rows: Ints) -> "ProvidedVerdicts":
        """Return what decides some cases, which is what decides all."""
        return self

    def threshold_of(self, _row: int) -> None:
        """Return None: no threshold decides."""

    def __str__(self) -> str:
        return self.words


ByThreshold = Rule | RuleByCase
"""Decisions that compare rewards with a threshold."""
Decision = ByThreshold | ProvidedVerdicts
"""What decides the cases of a scorer. Whoever has one asks it, and not for its class:

| | `Rule` | `RuleByCase` | `ProvidedVerdicts` |
| --- | --- | --- | --- |
| `by_threshold`: thresholds decide | yes | yes | no |
| `comparing`: the rule of these | itself | itself | None |
| `is_movable`: one threshold does, and can be moved | yes | no | no |
| `movable`: the rule of that one | itself | None | None |
| `threshold`, `comparison` | both | the latter | None |
| `cut`: what rewards are compared with | the threshold | (n,) | NaN |
| `by_subset`: thresholds by subset, for people | none | some | none |
| `nothing`: why there is no verdict | "" | "" | perhaps |
"""

LABELS_AS_GIVEN = ProvidedVerdicts(
    "labels as given", "the verdict is the first step that the scorer labelled wrong; no threshold was applied"
)
SOLUTION_ONLY = ProvidedVerdicts(
    "one number a solution",
    "no verdict: one number a solution names no step",
    nothing="one number a solution, no step rewards",
)
ALL_REFUSED = ProvidedVerdicts(
    "every result was refused", "no verdict: every result was refused", nothing="every result was refused"
)


def votes_as_given(votes: int) -> ProvidedVerdicts:
    """Verdicts of a critic by the vote of up to so many answers a case."""
    if votes <= 1:
        return ProvidedVerdicts(
            "verdicts as given", "the verdict is the step that its output names; no threshold was applied"
        )
    words = "the verdict is the step that the most frequent answer names, of equally frequent ones the first"
    return ProvidedVerdicts(f"verdicts as given (vote of {votes})", words)


def verdicts(rewards: StepRewards, rule: ByThreshold) -> Ints:
    """Return the step of each case that the rule names, -1 if none is judged wrong, NO_VERDICT without rewards. Shape
    (n,).
    """
    wrong = rule.steps_wrong(rewards)
    if rule.step == "lowest":
        wrong &= is_lowest(rewards.on(rule.on))
    return _first(wrong, rewards.offsets, rewards.scored)


def is_lowest(compared: StepRewards) -> Bools:
    """Return which steps have the lowest value of their case, in the shape of `values`; several do where these are
    equal.
    """
    lengths = np.diff(compared.offsets)
    if not compared.values.size:
        return np.zeros(0, dtype=np.bool_)
    lowest = np.minimum.reduceat(compared.values, compared.offsets[:-1][lengths > 0])
    lowest_steps: Bools = compared.values == np.repeat(lowest, lengths[lengths > 0])
    return lowest_steps


def label_verdicts(labels: StepLabels) -> Ints:
    """Return each case's first step labelled wrong, -1 if no label is wrong, NO_VERDICT where there are no labels."""
    return _first(~labels.values, labels.offsets, labels.has_labels)


def _first(wrong: Bools, offsets: Ints, there: Bools) -> Ints:
    """The first wrong step of each row of a flat array."""
    hits = np.flatnonzero(wrong)
    starts, ends = offsets[:-1], offsets[1:]
    slot = np.searchsorted(hits, starts)
    first_hits = np.append(hits, np.iinfo(np.int64).max)[slot]
    first = np.where(first_hits < ends, first_hits - starts, -1)
    return np.where(there, first, NO_VERDICT)


def outcomes(verdict: Ints, gold: Ints, has_gold: Bools, n_steps: Ints, missing: Codes) -> Codes:
    """Outcome codes of any verdicts, a critic's included. All arrays of shape (n,).

    Args:
        verdict: 0-based; -1 no error, -2 an answer that names no step, NO_VERDICT none.
        gold: earliest errors.
        has_gold: where there is one, -1 included.
        n_steps: a verdict at or beyond it names a step that is not there: late on erroneous cases, whatever the gold.
        missing: the code to give where there is no verdict (unparsed, refused or unscored).
    """
    erroneous = gold >= 0
    on_error = np.select(
        [verdict == -1, verdict >= n_steps, verdict < gold, verdict == gold], [MISSED, LATE, EARLY, EXACT], LATE
    )
    on_clean = np.where(verdict == -1, CLEAN, FALSE_ALARM)
    code = np.where(erroneous, on_error, on_clean)
    code = np.where(has_gold, code, NO_GOLD)
    return np.where(verdict == NO_VERDICT, missing, code).astype(np.uint8)


def outcome_names(codes: Codes) -> pl.Series:
    """Outcome codes as words."""
    return pl.Series("outcome", OUTCOMES, dtype=pl.String).gather(codes)
