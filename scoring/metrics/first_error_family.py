"""First errors as a family of metrics: each case is right or wrong on one side, which makes sums and draws fast."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.first_error import F1_SCORE, METRICS
from scoring.metrics.first_error_draws import Marks, with_draws
from scoring.metrics.kernel import FIRST_ERROR, Decided, NumberArray, Tally, Unparsed
from scoring.metrics.metric_family import MetricFamily
from scoring.metrics.moves import Moves, moves_of
from scoring.metrics.outcome_conditions import MEMBERS


class FirstErrorFamily(MetricFamily):
    """Accuracy on erroneous and on clean cases, and F1.

    Where no two cases are of one problem, the cases of each side of a subset are drawn by themselves.
    """

    metrics = METRICS
    leading = F1_SCORE
    counts = FIRST_ERROR
    cases = MEMBERS
    by_problem = False

    def contributions(self, decided: Decided) -> Floats:
        """Say on which side each case is, and whether it is right there."""
        return np.column_stack([decided.count(name) for name in FIRST_ERROR]).astype(np.float64)

    def sums(self, decided: Decided, rows: Bools, groups: Ints, n_groups: int) -> Mapping[str, NumberArray]:
        """Sum by outcomes: many times faster."""
        return decided.sums(decided.outcomes(rows, groups, n_groups))

    def sample(self, runs: Sequence[Decided], rows: Bools, groups: Ints, n_groups: int) -> Marks:
        """Take who is right."""
        return Marks.of(runs, rows, groups, n_groups)

    def with_draws(self, tally: Tally, seed: int) -> Tally:
        """Draw how many cases of each side are right."""
        return with_draws(tally, seed)

    def resample(
        self, moves: Moves, thresholds: Floats, groups: Ints, n_groups: int, problems: Ints, seed: int
    ) -> Tally:
        """Draw each side by itself where no two cases are of one problem."""
        if np.unique(problems).size < problems.size:
            return super().resample(moves, thresholds, groups, n_groups, problems, seed)
        sums = {name: counted.astype(np.int64) for name, counted in moves.at(thresholds, groups, n_groups).items()}
        return with_draws(Tally(sums), seed)

    def moves(self, evaluation: Evaluation, rows: Ints, unparsed: Unparsed) -> Moves | None:
        """Return where an error is found, where an earlier step is named, and where a step of a clean case is."""
        if not evaluation.rule.is_movable:
            return None
        decided = Decided(evaluation, unparsed)
        moving, member = evaluation.fixed_verdicts.by_threshold[rows], decided.members[rows]
        wrong, right = evaluation.gold.earliest[rows] >= 0, decided.right[rows]
        # Cases that were decided as given are as they are at every threshold.
        below = {
            "exact": right & wrong & ~moving,
            "erroneous": member & wrong,
            "clean_right": (right | moving) & member & ~wrong,
            "clean": member & ~wrong,
        }
        at, before, lowest = (
            side[rows] for side in (evaluation.floats.at, evaluation.floats.before, evaluation.floats.all)
        )
        changes = (
            ("exact", at, 1, moving & wrong),
            ("exact", before, -1, moving & wrong),
            ("clean_right", lowest, -1, moving & ~wrong),
            # A step that is named at last may change nothing, and is a decision too.
            ("exact", lowest, 0, moving & wrong),
        )
        return moves_of(below, changes, above=evaluation.rule.comparison == "<")


FIRST_ERRORS = FirstErrorFamily()
