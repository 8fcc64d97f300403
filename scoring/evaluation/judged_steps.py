"""Single steps as a threshold or a label judges them."""

from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.fixed_verdicts import FixedVerdicts
from scoring.evaluation.gold import UNKNOWN_STEP, WRONG_STEP, Gold
from scoring.evaluation.step_rewards import NOTHING_BEYOND, LabelsPastEnd, StepLabels, StepRewards
from scoring.evaluation.verdicts import ByThreshold


class JudgedSteps(Struct, frozen=True, eq=False, dict=True):
    """What is decided of single steps of n cases.

    `rows` (n) marks the cases whose steps are judged one by one. Whether each of the first steps of row i is judged
    wrong is `wrong[offsets[i]:offsets[i + 1]]`: all its steps, or fewer where labels are fewer; a row that is not
    marked has nothing there. `beyond` are decisions that name no step, `values` being true where one says "wrong": the
    official figures of steps count them and nothing else does.
    """

    rows: Bools
    wrong: Bools
    offsets: Ints
    beyond: LabelsPastEnd = NOTHING_BEYOND

    @cached_property
    def lengths(self) -> Ints:
        """How many steps of each case are judged. Shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def cases(self) -> Ints:
        """The row id of each judged step, in the shape of `wrong`."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)

    @cached_property
    def steps(self) -> Ints:
        """The 0-based index of each judged step in its case, in the shape of `wrong`."""
        return np.arange(self.wrong.size) - np.repeat(self.offsets[:-1], self.lengths)

    def of(self, row: int, n_steps: int) -> list[bool | None] | None:
        """Return for each step of a case whether it is judged wrong, None = not judged; None where no step is."""
        if not self.rows[row]:
            return None
        is_wrong = self.wrong[self.offsets[row] : self.offsets[row + 1]].tolist()
        return [*is_wrong, *[None] * (n_steps - len(is_wrong))]

    def gold(self, gold: Gold) -> npt.NDArray[np.int8]:
        """Return the gold label of each judged step, in the shape of `wrong`."""
        if np.array_equal(self.lengths, gold.n_steps):
            return gold.step_labels
        starts = np.cumsum(gold.n_steps) - gold.n_steps
        return gold.step_labels[np.repeat(starts, self.lengths) + self.steps]

    def accuracies(self, gold: Gold) -> Floats:
        """Share of each case's judged steps with a known gold label that are judged as labelled; NaN: none is. (n,)."""
        labels = self.gold(gold)
        known = labels != UNKNOWN_STEP
        right = known & (self.wrong == (labels == WRONG_STEP))
        sums = [np.concatenate([[0], np.cumsum(counts)]) for counts in (right, known)]
        n_right, n_known = (total[self.offsets[1:]] - total[self.offsets[:-1]] for total in sums)
        shares: Floats = np.divide(n_right, n_known, out=np.full(n_right.size, np.nan), where=n_known > 0)
        return shares

    def with_labels(self, rows: Bools, said_wrong: StepLabels, *, negated: bool = False) -> "JudgedSteps":
        """Return the judged steps with other labels deciding the cases of `rows` (n), which have them: true = wrong, or
        right.
        """
        values = ~said_wrong.values if negated else said_wrong.values
        lengths = np.where(rows, np.diff(said_wrong.offsets), self.lengths)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        wrong = np.empty(int(offsets[-1]), dtype=np.bool_)
        labelled = np.repeat(rows, lengths)
        wrong[labelled] = values[np.repeat(rows, np.diff(said_wrong.offsets))]
        wrong[~labelled] = self.wrong[~np.repeat(rows, self.lengths)]
        own, other = self.beyond, said_wrong.beyond
        kept, added = ~rows[own.cases], rows[other.cases]
        beyond = LabelsPastEnd(
            np.concatenate([own.cases[kept], other.cases[added]]),
            np.concatenate([own.steps[kept], other.steps[added]]),
            np.concatenate([own.values[kept], other.values[added] ^ negated]),
        )
        return JudgedSteps(self.rows | rows, wrong, offsets, beyond)


def judged_steps(decided_by: FixedVerdicts, rewards: StepRewards, rule: ByThreshold | None) -> JudgedSteps:
    """Return every step that is judged by itself, by a threshold (None = there is none) or by a label."""
    rows = decided_by.by_threshold if rule else np.zeros_like(decided_by.by_threshold)
    if rule and np.array_equal(rows, rewards.scored):
        by_rule = JudgedSteps(rows, rule.steps_wrong(rewards), rewards.offsets)
    else:
        lengths = np.where(rows, np.diff(rewards.offsets), 0)
        kept = np.repeat(rows, np.diff(rewards.offsets))
        wrong = rule.steps_wrong(rewards)[kept] if rule else np.zeros(0, dtype=np.bool_)
        by_rule = JudgedSteps(rows, wrong, np.concatenate([[0], np.cumsum(lengths)]))
    if not decided_by.by_label.any():
        return by_rule
    return by_rule.with_labels(decided_by.by_label, rewards.labels, negated=True)
