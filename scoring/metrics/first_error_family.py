"""First errors as a family of metrics: each case is right or wrong on one side, which makes sums and draws fast."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import Rule
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
        return with_draws(Tally(moves.at(thresholds, groups, n_groups)), seed)

    def moves(self, evaluation: Evaluation, rows: Ints, unparsed: Unparsed) -> Moves | None:
        """Return where an error is found, where an earlier step is named, and where a step of a clean case is."""
        if not isinstance(evaluation.rule, Rule):
            return None
        decided, floats = Decided(evaluation, unparsed), evaluation.floats
        moving = evaluation.fixed_verdicts.by_threshold[rows]
        wrong = evaluation.gold.earliest[rows] >= 0
        below: dict[str, NumberArray] = {name: decided.count(name, rows) for name in FIRST_ERROR}
        # Cases that were decided as given are as they are at every threshold.
        below["exact"] = below["exact"] & ~moving
        below["clean_right"] = (below["clean_right"] & ~moving) | (moving & ~wrong & below["clean"])
        changes = (
            ("exact", floats.at[rows], 1, moving & wrong),
            ("exact", floats.before[rows], -1, moving & wrong),
            ("clean_right", floats.all[rows], -1, moving & ~wrong),
            # A step that is named at last may change nothing, and is a decision too.
            ("exact", floats.all[rows], 0, moving & wrong),
        )
        return moves_of(below, changes, above=evaluation.rule.comparison == "<")


FIRST_ERRORS = FirstErrorFamily()
