"""Scorers without a threshold: labels a step, a critic's votes, one number a solution; and a workspace of them.

In the workspace `CASES` are c0 to c5. `labels` and `critic` are right on c0 and c2 alone; `critic` has five votes a
case, c4 with no readable winner and c5 with no readable answer; `number` gives numbers between 0 and 1.
"""

import polars as pl

import making
import reference
from scoring.data.schema import REWARDS, VOTES, conform
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.workspace.cache import RewardParts, VoteParts

CASES = [
    reference.Case(3, 1, (0.9, 0.2, 0.8)),
    reference.Case(3, 2, (0.9, 0.9, 0.8)),
    reference.Case(2, -1, (0.9, 0.8)),
    reference.Case(2, -1, (0.1, 0.8)),
    reference.Case(2, 0, (0.1, 0.8)),
    reference.Case(1, 0, refused="over length"),
]
LABELS = [(True, False, True), (False, True, True), (True, True), (True, False), (True, True), ()]
BALLOTS = [
    ["1", "1", "-1", "1", None],
    ["0", "1", "1", "0", "2"],
    ["-1"] * 5,
    ["1", "01", "01", "-1", "-5"],
    ["two", "two", "0", None, "1"],
    [None] * 5,
]
NUMBERS = [0.5, 0.25, 0.125, 0.75, 1.0, None]


def labels(keys, rows, rewards=None):
    """A rewards frame of labels, with rewards beside them where these are given."""
    made = pl.DataFrame({"key": keys, "labels": rows, "rewards": rewards or [None] * len(keys)}, strict=False)
    made = made.with_columns(vote=pl.lit(0, dtype=pl.Int32))
    return conform(made.cast({"labels": REWARDS["labels"], "rewards": REWARDS["rewards"]}), REWARDS, "labels")


def solutions(keys, numbers):
    """A rewards frame of one number a solution; None is a refusal."""
    made = pl.DataFrame({"key": keys, "solution": pl.Series(numbers, dtype=pl.Float64)}).with_columns(
        vote=pl.lit(0, dtype=pl.Int32),
        reason=pl.when(pl.col("solution").is_null()).then(pl.lit("the file has no number")),
    )
    return conform(made, REWARDS, "solutions")


def verdict_of(ballot):
    """0-based as it stands; what is below -1 names no step."""
    try:
        return max(int(ballot), -2)
    except (TypeError, ValueError):
        return None


def votes(keys, ballots, run=0):
    """A votes frame; ballots of None are answers that vote with nothing."""
    rows = [
        {
            "key": key,
            "vote": vote,
            "run": run,
            "answer": f"{'I think long. ' * 40}So of {key[:4]} answer {vote} is {ballot}",
            "ballot": ballot,
            "verdict": verdict_of(ballot),
            "reason": None if verdict_of(ballot) is not None else "no number in the box",
        }
        for key, answers in zip(keys, ballots, strict=True)
        for vote, ballot in enumerate(answers)
    ]
    return pl.DataFrame(rows, schema={**VOTES}, orient="row") if rows else pl.DataFrame(schema=VOTES)


def workspace(root, **columns):
    """A workspace with the scorers `moving` (by threshold), `labels`, `critic` and `number`."""
    made = making.workspace(root, CASES, [(making.scorer("moving"), CASES)], **columns)
    keys = making.full_frame(CASES, **columns)["key"]
    for name, kind, frame in (
        ("labels", "prm", labels(keys, LABELS)),
        ("critic", "critic", votes(keys, BALLOTS)),
        ("number", "baseline", solutions(keys, NUMBERS)),
    ):
        scorer = making.scorer(name, kind=kind)
        folder = root / "rewards" / scorer.folder
        (VoteParts(folder) if name == "critic" else RewardParts(folder)).append(frame)
        scorer.save(folder)
    return made


def critic(cases, verdicts):
    """Evaluation of a critic that gives each case this verdict; None is an answer that cannot be read."""
    gold = Gold(making.frame(cases))
    ballots = [[None if verdict is None else str(verdict)] for verdict in verdicts]
    answers = votes(gold.cases["key"], ballots)
    return evaluate(gold, making.scorer("a critic"), pl.DataFrame(schema=REWARDS), votes=answers)
