"""Cases beside what one scorer gave them, one case at a time, for the formats that hold both."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from scoring.step_rewards import StepLabels, align, first_rows
from scoring.verdicts import AsGiven, Decision, Rule


@dataclass(frozen=True)
class Given:
    """What a scorer gave one case, None where there is nothing of the kind.

    `rewards` and `redundancy` are numbers, one a step, `labels` and `redundancy_labels` the scorer's own decisions,
    which may be more or fewer than the steps and count more than a threshold. `refused` says why the case was tried in
    vain; without it and without the others it was not tried.
    """

    rewards: list[float] | None = None
    redundancy: list[float] | None = None
    labels: list[bool] | None = None
    redundancy_labels: list[bool] | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Decided:
    """Who gave the rewards, a prompted judge or a PRM, and how they are decided."""

    scorer: str
    rule: Decision
    judge: bool = False


def beside(cases: pl.DataFrame, rewards: pl.DataFrame) -> Iterator[tuple[dict[str, Any], Given]]:
    """Every case (a row of `scoring.schema.METADATA`, in order) with what a rewards frame holds for it.

    What is not whole (a number for every step, numbers finite) is not there.
    """
    aligned = align(cases, rewards)
    joined = cases.hstack(first_rows(cases, rewards).select("redundancy"))
    labels, redundant = (_every(one) for one in (aligned.labels, aligned.redundant))
    for index, row in enumerate(joined.iter_rows(named=True)):
        redundancy = _whole(row.pop("redundancy"), row["n_steps"])
        # Labels that give no verdict still judge steps.
        refused = None if index in labels else aligned.reasons[index]
        yield row, Given(aligned.of(index), redundancy, labels.get(index), redundant.get(index), refused)


def _every(labels: StepLabels) -> dict[int, list[bool]]:
    """All labels of every row that has some, those beyond the last step too."""
    found = {int(row): labels.of(int(row)) or [] for row in labels.given.nonzero()[0]}
    for row, value in zip(labels.beyond.cases.tolist(), labels.beyond.values.tolist(), strict=True):
        found[row].append(value)
    return found


def _whole(values: list[Any] | None, n_steps: int) -> list[Any] | None:
    """The values where there is a usable one for every step."""
    if values is None or len(values) != n_steps or not all(_usable(value) for value in values):
        return None
    return values


def _usable(value: Any) -> bool:
    return value is not None and float("-inf") < value < float("inf")


def compared(rewards: list[float], rule: Decision) -> list[float]:
    """What the rule compares with its threshold: the rewards of a case, or their differences."""
    if isinstance(rule, AsGiven) or rule.on == "rewards":
        return rewards
    return [reward - before for reward, before in zip(rewards, [0.0, *rewards], strict=False)]


def on_the_edge(values: list[float], rule: Decision, comparison: str) -> int:
    """How many of what is compared stand exactly on the threshold, if the rule decides them otherwise than this one."""
    if not isinstance(rule, Rule) or rule.comparison == comparison:
        return 0
    return sum(value == rule.threshold for value in values)


def without_rewards(given: Given) -> str:
    """Why there are no rewards, in words that can be counted."""
    return "no step rewards" if given.refused is None else "refused by the scorer"
