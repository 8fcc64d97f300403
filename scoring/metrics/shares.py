"""Shares of cases as pairs of masks: which cases are counted, and among which; cells are made of these."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.evaluation import Evaluation
from scoring.metrics.first_error import Unparsed
from scoring.step_rewards import Bools
from scoring.verdicts import CLEAN, EXACT, ON_CLEAN, ON_ERRONEOUS, OUTCOMES, REFUSED, UNPARSED

NO_ERRONEOUS, NO_CLEAN = "no erroneous case was scored", "no clean case was scored"


@dataclass(frozen=True, eq=False)
class Share:
    """`hits` among `among`, both (n,); every hit is among them. `empty` says why there is no share without any."""

    name: str
    hits: Bools
    among: Bools
    empty: str


def members(evaluation: Evaluation, unparsed: Unparsed) -> Bools:
    """The cases that stand in denominators: gold is known, and the scorer has a verdict or should have one. Shape (n,).

    With `drop`, refused and unparsed cases do not. Unscored ones never do.
    """
    there: Bools = evaluation.gold.known & (evaluation.tried if unparsed == "wrong" else evaluation.answered)
    return there


def side_shares(evaluation: Evaluation, unparsed: Unparsed) -> tuple[Share, Share]:
    """error_acc and correct_acc (arXiv 2412.06559, section 3.3)."""
    member, erroneous = members(evaluation, unparsed), evaluation.gold.earliest >= 0
    return (
        _share(evaluation, "error_acc", EXACT, member & erroneous, NO_ERRONEOUS),
        _share(evaluation, "correct_acc", CLEAN, member & ~erroneous, NO_CLEAN),
    )


def outcome_shares(evaluation: Evaluation, unparsed: Unparsed) -> Iterator[Share]:
    """`share_<outcome>` of all cases in the denominators, erroneous and clean alike; they add up to 1."""
    member = members(evaluation, unparsed)
    for code in (*ON_ERRONEOUS, *ON_CLEAN, UNPARSED, REFUSED):
        yield _share(evaluation, f"share_{OUTCOMES[code]}", code, member, "no case was scored")


def process_error_shares(evaluation: Evaluation, unparsed: Unparsed) -> tuple[Share, Share]:
    """Wrong processes among right final answers (arXiv 2412.06559, Table 2 and Figure 4), and those found exactly.

    `process_error_rate` is a property of the data: every case whose gold and final answer are known counts, scored or
    not. `process_error_exact` is the scorer's: among the cases with a right final answer and a wrong process.
    """
    gold = evaluation.gold
    right = gold.cases["final_answer_correct"].fill_null(value=False).to_numpy() & gold.known
    wrong_process = right & (gold.earliest >= 0)
    no_answer = "no case is known to end in the right answer"
    nothing = "no erroneous case that ends in the right answer was scored"
    return (
        Share("process_error_rate", wrong_process, right, no_answer),
        _share(evaluation, "process_error_exact", EXACT, wrong_process & members(evaluation, unparsed), nothing),
    )


def _share(evaluation: Evaluation, name: str, code: int, among: Bools, empty: str) -> Share:
    # A scorer that gives no verdict at all says so itself.
    hits = among & (evaluation.codes == np.uint8(code))
    return Share(name, hits, among, evaluation.nothing or empty)
