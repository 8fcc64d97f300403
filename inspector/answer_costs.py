"""What a critic's answers cost, in tokens, as far as its server counted them."""

import numpy as np

from inspector.selection import Selection
from scoring.step_rewards import Floats


def answer_costs(selection: Selection, scorer: str) -> tuple[Floats, str | None]:
    """Tokens in and out of all answers to each case in the scorer's first run, shape (n,), NaN where not counted.

    With them the reason why none is known; None where one is.
    """
    evaluation = selection.evaluation(scorer)
    if evaluation.votes is None or scorer not in selection.folders:
        why = f"{scorer} gives no answers in words, whose tokens could be counted"
        return np.full(selection.height, np.nan), why
    counted = evaluation.column("tokens_in") + evaluation.column("tokens_out")
    if counted.null_count() == counted.len():
        return np.full(selection.height, np.nan), f"no tokens were counted of the answers of {scorer}"
    return counted.cast(float).to_numpy(), None
