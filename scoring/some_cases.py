"""An evaluation of some of the cases: what a screen of rows needs, however many cases there are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from scoring.case_floats import CaseFloats
from scoring.given import Given
from scoring.step_rewards import NOTHING_BEYOND, Beyond, Ints, StepLabels, StepNumbers, StepRewards
from scoring.verdicts import RuleByCase
from scoring.votes import Votes

if TYPE_CHECKING:
    from scoring.evaluation import Evaluation

Flat = TypeVar("Flat", bound=npt.NDArray[Any])


def some_cases(evaluation: "Evaluation", rows: Ints) -> "Evaluation":
    """The first run of an evaluation on the cases with these row ids, in their order and each at most once.

    What is decided of a case depends on no other, so that its row is what it was.
    """
    given, floats, votes, rule = evaluation.given, evaluation.floats, evaluation.votes, evaluation.rule
    return replace(
        evaluation,
        gold=evaluation.gold.of_cases(rows),
        rewards=_rewards(evaluation.rewards, rows),
        votes=None if votes is None else _votes(votes, rows),
        floats=CaseFloats(*(side[rows] for side in (floats.before, floats.at, floats.all))),
        given=Given(*(part[rows] for part in _parts(given))),
        rule=replace(rule, thresholds=rule.thresholds[rows]) if isinstance(rule, RuleByCase) else rule,
        codes=evaluation.codes[rows],
        whole=None,
        further=(),
        spent=None if evaluation.spent is None else evaluation.spent.of_cases(rows),
    )


def _parts(given: Given) -> tuple[Any, ...]:
    return given.verdicts, given.by_label, given.by_threshold, given.missing, given.codes


def _votes(votes: Votes, rows: Ints) -> Votes:
    reasons = _chosen(votes.reasons, rows)
    return replace(votes, verdicts=votes.verdicts[rows], tried=votes.tried[rows], reasons=reasons)


def _rewards(rewards: StepRewards, rows: Ints) -> StepRewards:
    values, offsets = flat_rows(rewards.values, rewards.offsets, rows)
    found = StepRewards(
        values=values,
        offsets=offsets,
        labels=_labels(rewards.labels, rows),
        solutions=rewards.solutions[rows],
        scored=rewards.scored[rows],
        refused=rewards.refused[rows],
        reasons=_chosen(rewards.reasons, rows),
        redundancy=_numbers(rewards.redundancy, rows),
        redundant=_labels(rewards.redundant, rows),
        truncated=_numbers(rewards.truncated, rows),
        truncated_redundancy=_numbers(rewards.truncated_redundancy, rows),
    )
    for made, whole in rewards.transformed.items():
        found.transformed[made] = replace(found, values=flat_rows(whole.values, whole.offsets, rows)[0])
    return found


def _numbers(numbers: StepNumbers, rows: Ints) -> StepNumbers:
    return StepNumbers(*flat_rows(numbers.values, numbers.offsets, rows), numbers.given[rows])


def _labels(labels: StepLabels, rows: Ints) -> StepLabels:
    values, offsets = flat_rows(labels.values, labels.offsets, rows)
    return StepLabels(values, offsets, labels.given[rows], _beyond(labels.beyond, rows))


def _beyond(beyond: Beyond, rows: Ints) -> Beyond:
    if not beyond.cases.size:
        return NOTHING_BEYOND
    case, place = np.nonzero(rows[:, None] == beyond.cases[None, :])
    return Beyond(case, beyond.steps[place], beyond.values[place])


def _chosen(reasons: Sequence[str | None], rows: Ints) -> list[str | None]:
    return [reasons[row] for row in rows.tolist()]


def flat_rows(values: Flat, offsets: Ints, rows: Ints) -> tuple[Flat, Ints]:
    """The parts of a flat array that belong to some rows, one after the other, and where each begins and ends.

    Args:
        values: row i's are `values[offsets[i]:offsets[i + 1]]`.
        offsets: (n + 1,).
        rows: (m,) row ids.
    """
    starts = offsets[rows]
    bounds = np.concatenate([[0], np.cumsum(offsets[rows + 1] - starts)]).astype(np.int64)
    places = np.repeat(starts - bounds[:-1], np.diff(bounds)) + np.arange(bounds[-1])
    return values[places], bounds
