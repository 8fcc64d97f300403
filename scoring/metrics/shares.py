"""Shares of cases as pairs of masks: of each side, of outcomes, and of types of error."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import EXACT, ON_CLEAN, ON_ERRONEOUS, OUTCOMES, REFUSED, UNPARSED
from scoring.metrics.first_error import NO_CLEAN, NO_ERRONEOUS, NOTHING
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.outcome_conditions import BY_TYPE


class Share(Struct, frozen=True, eq=False):
    """`hits` among `among`, both (n,); every hit is among them. `empty` says why there is no share without any."""

    name: str
    hits: Bools
    among: Bools
    empty: str


def side_shares(evaluation: Evaluation, unparsed: Unparsed) -> tuple[Share, Share]:
    """Return error_acc and correct_acc (arXiv 2412.06559, section 3.3)."""
    decided = Decided(evaluation, unparsed)
    # A scorer that gives no verdict at all says so itself.
    nothing = evaluation.coverage.nothing
    return (
        Share("error_acc", decided.count("exact"), decided.count("erroneous"), nothing or NO_ERRONEOUS),
        Share("correct_acc", decided.count("clean_right"), decided.count("clean"), nothing or NO_CLEAN),
    )


def outcome_shares(evaluation: Evaluation, unparsed: Unparsed) -> Iterator[Share]:
    """Give `share_<outcome>` of all cases in the denominators, erroneous and clean alike; they add up to 1."""
    members = Decided(evaluation, unparsed).members
    for code in (*ON_ERRONEOUS, *ON_CLEAN, UNPARSED, REFUSED):
        hits = members & (evaluation.codes == np.uint8(code))
        yield Share(f"share_{OUTCOMES[code]}", hits, members, evaluation.coverage.nothing or NOTHING)


def error_type_shares(evaluation: Evaluation, unparsed: Unparsed) -> Iterator[Share]:
    """Yield the metrics of BY_TYPE, each among the erroneous cases in the denominators.

    An answer that names no step (-2) counts as early and one beyond the last step as late, as their outcomes do. With
    `drop`, which is what GR-Ben does, cases without a verdict are left out and `unanswered` is 0.
    """
    decided = Decided(evaluation, unparsed)
    among = decided.count("erroneous")
    for name, outcomes in BY_TYPE.items():
        hits = among & np.isin(evaluation.codes, [OUTCOMES.index(outcome) for outcome in outcomes])
        yield Share(name, hits, among, evaluation.coverage.nothing or NO_ERRONEOUS)


def process_error_shares(evaluation: Evaluation, unparsed: Unparsed) -> tuple[Share, Share]:
    """Return wrong processes among right final answers (arXiv 2412.06559, Table 2 and Figure 4), and those found
    exactly.

    `process_error_rate` is a property of the data: every case whose gold and final answer are known counts, scored or
    not. `process_error_exact` is the scorer's: among the cases with a right final answer and a wrong process.
    """
    gold = evaluation.gold
    right = gold.cases["final_answer_correct"].fill_null(value=False).to_numpy() & gold.known
    wrong_process = right & (gold.earliest >= 0)
    scored = wrong_process & Decided(evaluation, unparsed).members
    nothing = evaluation.coverage.nothing
    return (
        Share("process_error_rate", wrong_process, right, "no case is known to end in the right answer"),
        Share(
            "process_error_exact",
            scored & (evaluation.codes == np.uint8(EXACT)),
            scored,
            nothing or "no erroneous case that ends in the right answer was scored",
        ),
    )
