"""Cases beside what one scorer gave them, one case at a time, for the formats that hold both."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from scoring.step_rewards import align
from scoring.verdicts import Decision, Rule

_REDUNDANCY = ("redundancy", "redundancy_labels")


@dataclass(frozen=True)
class Given:
    """What a scorer gave one case, each list with one entry a step, None where there is nothing of the kind.

    `rewards` and `redundancy` are numbers, `labels` and `redundancy_labels` the scorer's own decisions, which count
    more than a threshold. `refused` says why the case was tried in vain; without it and without the others it was not
    tried.
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
    """Every case (a row of `scoring.schema.METADATA`, in order) with what a rewards frame holds for its content.

    What is not whole (a number or label for every step, numbers finite) is not there.
    """
    aligned = align(cases, rewards)
    # As align does: of several votes the lowest counts.
    first = rewards.sort("vote", maintain_order=True).unique("key", keep="first", maintain_order=True)
    joined = cases.join(first.select("key", *_REDUNDANCY), on="key", how="left", maintain_order="left")
    for index, row in enumerate(joined.iter_rows(named=True)):
        second = {name: _whole(row.pop(name), row["n_steps"]) for name in _REDUNDANCY}
        labels = aligned.labels.of(index)
        yield row, Given(aligned.of(index), labels=labels, refused=aligned.reasons[index], **second)


def _whole(values: list[Any] | None, n_steps: int) -> list[Any] | None:
    """The values where there is a usable one for every step."""
    if values is None or len(values) != n_steps or not all(_usable(value) for value in values):
        return None
    return values


def _usable(value: Any) -> bool:
    return value is not None and float("-inf") < value < float("inf")


def on_the_edge(rewards: list[float], rule: Decision, comparison: str) -> int:
    """How many rewards stand exactly on the threshold, if `<` and `<=` decide them otherwise than the rule does."""
    if not isinstance(rule, Rule) or rule.comparison == comparison:
        return 0
    return sum(reward == rule.threshold for reward in rewards)


def without_rewards(given: Given) -> str:
    """Why there are no rewards, in words that can be counted."""
    return "no step rewards" if given.refused is None else "refused by the scorer"
