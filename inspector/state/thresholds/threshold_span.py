"""The range in which the threshold of a scorer moves."""

from scoring.evaluation.evaluation import Evaluation


def threshold_span(evaluation: Evaluation | None) -> tuple[float, float]:
    """Return lowest and highest of what the threshold is compared with; never empty, and (0, 1) without a scorer.

    The range of rewards is the scorer's own, widened to rewards beyond it; that of differences holds the default.
    """
    if evaluation is None:
        return 0.0, 1.0
    scorer, compared, default = evaluation.scorer, evaluation.compared_values, evaluation.default[0]
    own = (scorer.low, scorer.high) if compared is evaluation.rewards else (default, default)
    there = compared.range or own
    low, high = min(own[0], there[0]), max(own[1], there[1])
    return (low, high) if low < high else (low, low + 1.0)
