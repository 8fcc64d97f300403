"""A critic's votes, counted: one verdict a case.

Zheng et al., arXiv 2412.06559, `run_eval.py`: the texts that the answers vote with are counted, the most frequent
one wins, of equally frequent ones the one seen first, and the winner alone is read as a number. Answers that vote
with nothing do not vote.
"""

from collections.abc import Sequence

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Ints
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.workspace.rows_of_cases import rows_of_cases


class Votes(Struct, frozen=True, eq=False):
    """One critic's votes for n cases, in the order of the cases.

    `verdicts` (n, int64) are the winners': 0-based, -1 no error, -2 a number that names no step, NO_VERDICT where there
    is none. `answered` (n) marks cases with an answer, `reasons` (n) says why one has no verdict. `ballots` has a row
    for every text that a case was voted with: `case`, `ballot` (null = answers that vote with nothing), `count`,
    `verdict`; the winner of a case comes first and null last. `most` is the largest number of answers to one case.
    """

    verdicts: Ints
    answered: Bools
    reasons: Sequence[str | None]
    ballots: pl.DataFrame
    most: int

    def of(self, case: str) -> list[tuple[str | None, int, int | None]]:
        """(ballot, count, verdict) of what a case was voted, the winner first."""
        return self.ballots.filter(pl.col("case") == case).select("ballot", "count", "verdict").rows()

    def of_cases(self, rows: Ints) -> "Votes":
        """Take those of some cases, by their row ids; the ballots stay those of all."""
        reasons = [self.reasons[row] for row in rows.tolist()]
        return replace(self, verdicts=self.verdicts[rows], answered=self.answered[rows], reasons=reasons)


def by_run(cases: pl.DataFrame, votes: pl.DataFrame) -> list[pl.DataFrame]:
    """Return the votes of each run on the cases, first the lowest; [] without votes.

    Runs are counted within a benchmark, so that each has a first one whatever the others hold.

    Args:
        cases: with columns `case`, `key` and `benchmark`.
        votes: the columns of `scoring.workspace.cache.BALLOTS`, of any number of runs, and of other cases too.

    Returns:
        Frames with the columns of `votes`, whose rows all name a case: what was said of a content is there once for
        every case of it that has no votes of its own in that run.
    """
    if votes.is_empty():
        return []
    rows = rows_of_cases(cases, votes)
    benchmark = cases["benchmark"].gather(rows["case_row"])
    ranked = rows.with_columns(benchmark).with_columns(run=pl.col("run").rank("dense").over("benchmark"))
    ranked = ranked.drop("benchmark", "case_row")
    return [ranked.filter(pl.col("run") == run) for run in ranked["run"].unique().sort()]


def most_answers(votes: pl.DataFrame) -> int:
    """Return the largest number of answers to one case in a run, as `by_run` gives it."""
    most = votes.group_by("case").len()["len"].max() if votes.height else 0
    return most if isinstance(most, int) else 0


def tally(cases: pl.DataFrame, votes: pl.DataFrame) -> Votes:
    """Count the votes of one run for each case: those that name it, or else those of its content.

    Args:
        cases: with columns `case` and `key`.
        votes: with the columns `key, vote, run, ballot, verdict, reason` of `scoring.data.schema.VOTES`, and `case` if
            rows name one, one row an identity. A verdict without a ballot votes as its number.
    """
    in_order = pl.col("verdict", "reason").sort_by("vote").first()
    of_cases = rows_of_cases(cases, votes)
    ballots = (
        of_cases.with_columns(ballot=pl.coalesce("ballot", pl.col("verdict").cast(pl.String)))
        .group_by("case_row", "case", "ballot")
        .agg(pl.len().alias("count"), pl.col("vote").min().alias("_first"), in_order)
        .sort(
            "case_row",
            pl.col("ballot").is_null(),
            "count",
            "_first",
            descending=[False, False, True, False],
            maintain_order=True,
        )
    )
    winners = ballots.unique("case_row", keep="first", maintain_order=True).with_columns(
        _tried=pl.lit(value=True), _why=_why_unparsed()
    )
    every = pl.select(case_row=pl.int_range(cases.height, dtype=pl.UInt32))
    joined = every.join(winners, on="case_row", how="left", maintain_order="left")
    return Votes(
        verdicts=joined["verdict"].cast(pl.Int64).fill_null(NO_VERDICT).to_numpy(),
        answered=joined["_tried"].is_not_null().to_numpy(),
        reasons=joined["_why"].to_list(),
        ballots=ballots.select("case", "ballot", "count", "verdict"),
        most=most_answers(of_cases),
    )


def _why_unparsed() -> pl.Expr:
    """Why a winner has no verdict, as text; null where it has."""
    message = pl.format("the answer that won holds no whole number: {}", pl.col("ballot").str.slice(0, 40))
    silent = pl.lit("no answer could be read")
    return pl.when(pl.col("verdict").is_null()).then(pl.coalesce("reason", message, silent)).otherwise(None)
