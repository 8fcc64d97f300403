"""What a scorer said itself, beside what a threshold on its rewards says: who decides each case, and how."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import REWARDS, Bools, Floats, Ints, conform
from scoring.evaluation.step_rewards import (
    NOTHING_BEYOND,
    UNKNOWN_STEP,
    WRONG_STEP,
    Gold,
    LabelsPastEnd,
    StepLabels,
    StepRewards,
)
from scoring.evaluation.verdicts import (
    DEV,
    LABELS_AS_GIVEN,
    NO_VERDICT,
    REFUSED,
    SOLUTION_ONLY,
    UNPARSED,
    UNSCORED,
    ByThreshold,
    Codes,
    Decision,
    Rule,
    label_verdicts,
    outcomes,
    votes_as_given,
)
from scoring.workspace.cache import rows_of_cases

# -- a critic's votes become one verdict a case.
#
# Zheng et al., arXiv 2412.06559, `run_eval.py`: the texts that the answers vote with are counted, the most frequent
# one wins, of equally frequent ones the one seen first, and the winner alone is read as a number. Answers that vote
# with nothing do not vote.


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


class FixedVerdicts(Struct, frozen=True, eq=False, dict=True):
    """What no threshold changes, for n cases. Votes come before labels, and these before rewards.

    `verdicts` (n, int64) are those that the scorer gave itself, NO_VERDICT elsewhere. `by_label` (n) marks the cases
    whose steps its labels judge, `by_threshold` (n) those that a rule decides. `missing` (n, uint8) is the code to give
    where there is no verdict, `codes` (n, uint8) the outcome of every case that no rule decides.
    """

    verdicts: Ints
    by_label: Bools
    by_threshold: Bools
    missing: Codes
    codes: Codes

    @cached_property
    def answered(self) -> Bools:
        """Where there is a verdict. Shape (n,)."""
        answered: Bools = self.by_threshold | (self.verdicts != NO_VERDICT)
        return answered

    @cached_property
    def tried(self) -> Bools:
        """Where there is a verdict, or there should be one: refused and unparsed cases too. Shape (n,)."""
        tried: Bools = self.answered | ((self.missing != UNSCORED) & (self.missing != DEV))
        return tried

    def of_cases(self, rows: Ints) -> "FixedVerdicts":
        """Take that of some cases, by their row ids."""
        by_label, by_threshold = self.by_label[rows], self.by_threshold[rows]
        return FixedVerdicts(self.verdicts[rows], by_label, by_threshold, self.missing[rows], self.codes[rows])

    def without(self, rows: Bools) -> "FixedVerdicts":
        """Return the same without the cases of `rows` (n): they are DEV, and neither answered nor tried."""
        return replace(
            self,
            verdicts=np.where(rows, NO_VERDICT, self.verdicts),
            by_label=self.by_label & ~rows,
            by_threshold=self.by_threshold & ~rows,
            missing=np.where(rows, np.uint8(DEV), self.missing),
            codes=np.where(rows, np.uint8(DEV), self.codes),
        )


def given_of(gold: Gold, rewards: StepRewards, votes: Votes | None, *, critic: bool = False) -> FixedVerdicts:
    """Find who decides each case. A case that was voted on and has no verdict is unparsed, whatever else there is.

    The votes of a `critic` are compared with the label as it was given, also where it lies beyond the last step: GR-Ben
    does so for language models (`run_llm_eval.py`), and for PRMs it takes the last step in its place.
    """
    labels = rewards.labels.has_labels
    voted = np.zeros(labels.size, dtype=np.bool_) if votes is None else votes.answered
    verdicts = np.where(rewards.refused, NO_VERDICT, label_verdicts(rewards.labels))
    if votes is not None:
        verdicts = np.where(voted, votes.verdicts, verdicts)
    missing = np.select([voted, rewards.refused], [UNPARSED, REFUSED], UNSCORED).astype(np.uint8)
    codes = outcomes(verdicts, gold.earliest, gold.known, gold.n_steps, missing)
    if critic and voted.any():
        beyond = voted & gold.known & (gold.as_given != gold.earliest)
        # Between the last step and such a label a verdict is before it, as any other.
        n_steps = np.maximum(gold.n_steps, gold.as_given + 1)
        codes[beyond] = outcomes(verdicts, gold.as_given, gold.known, n_steps, missing)[beyond]
    return FixedVerdicts(verdicts, labels & ~voted, rewards.scored & ~labels & ~voted, missing, codes)


def decision_of(rule: Rule, rewards: StepRewards, votes: Votes | None, decided_by: FixedVerdicts) -> Decision:
    """Find how the scorer decides: by the rule as soon as it decides one case, or where nothing usable was given at
    all.
    """
    if decided_by.by_threshold.any():
        return rule
    if votes is not None and votes.answered.any():
        return votes_as_given(votes.most)
    if decided_by.by_label.any():
        return LABELS_AS_GIVEN
    return rule if np.isnan(rewards.solutions).all() else SOLUTION_ONLY


# -- what is decided of single steps, by a threshold or by a label


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


# -- answers that rate every step, read as step rewards


_CASE = ("key", "case")


def split(votes: pl.DataFrame, rewards: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Split what a run of a critic gives: a rewards frame, and the answers that vote or could not be read.

    Args:
        votes: the columns of `scoring.workspace.cache.BALLOTS`, one run, as `scoring.evaluation.given.by_run` gives it.
        rewards: what else the scorer gave.

    Where no answer rates steps both come back as they are. A case that answers rate has, step by step, the mean of all
    that can be read, whatever else was given; its other answers are left out. No answers are left = None. Generative
    PRMs are averaged so (GenPRM, ThinkPRM, R-PRM); a critic that rates steps is asked once.

    Of an answer whose rewards come with a reason (too many or too few for the steps, or out of range) the signs count,
    as labels, if there is no sound answer to the case: PRMBench's toolkit judges what is listed, whatever it is
    (`mr_eval/models/openai_models.py` of ssmisya/PRMBench), and so do the same answers where they are imported from its
    files (`scoring.formats.results.mr_eval`).
    """
    if "rewards" not in votes.columns or votes["rewards"].null_count() == votes.height:
        return rewards, votes
    rating = votes.filter(pl.col("rewards").is_not_null())
    ratings = conform(_one_each(rating).select(*_CASE, "vote", *_judgements()), REWARDS, "step ratings")
    # Rewards by content stay for other cases of it; for the rated one what names it counts.
    others = rewards.join(rating, on=_CASE, how="anti", nulls_equal=True)
    rest = votes.join(rating, on=_CASE, how="anti", nulls_equal=True)
    # What calls wrong first what is no step says so beside its ratings of the steps.
    rest = pl.concat([rest, rating.filter((pl.col("verdict") == -2) & pl.col("ballot").is_null())])
    return pl.concat([others, ratings]), rest if rest.height else None


def _one_each(rating: pl.DataFrame) -> pl.DataFrame:
    """One row a case: the lowest vote, with the mean rewards of all sound votes; the lowest unsound one without any.

    Votes of other lengths than the lowest one's are left out of the mean; only imported ones can be.
    """
    ordered = rating.sort(pl.col("reason").is_not_null(), "vote", maintain_order=True)
    lowest = ordered.unique(_CASE, keep="first", maintain_order=True)
    sound = ordered.filter(pl.col("reason").is_null())
    if sound.select(_CASE).is_unique().all():
        return lowest
    for numbers in ("rewards", "redundancy"):
        means = _means(sound, lowest, numbers)
        lowest = lowest.join(means, on=_CASE, how="left", nulls_equal=True, maintain_order="left").with_columns(
            pl.coalesce("_mean", numbers).alias(numbers)
        )
        lowest = lowest.drop("_mean")
    return lowest


def _means(sound: pl.DataFrame, lowest: pl.DataFrame, numbers: str) -> pl.DataFrame:
    """Each case and, step by step, the mean of a column's lists (`_mean`), where a list is not empty."""
    lengths = lowest.select(*_CASE, _length=pl.col(numbers).list.len())
    same = sound.join(lengths, on=_CASE, nulls_equal=True).filter(
        (pl.col(numbers).list.len() == pl.col("_length")) & (pl.col("_length") > 0)
    )
    steps = same.select(*_CASE, pl.col(numbers).alias("_mean"), _step=pl.int_ranges("_length")).explode(
        "_mean", "_step"
    )
    means = steps.group_by(*_CASE, "_step").agg(pl.col("_mean").mean())
    return means.sort("_step").group_by(_CASE, maintain_order=True).agg("_mean")


def _judgements() -> Iterator[pl.Expr]:
    """The columns of REWARDS: numbers of sound answers, labels of others; of what has gaps as it is."""
    for numbers, labels in (("rewards", "labels"), ("redundancy", "redundancy_labels")):
        with_gaps = pl.col(numbers).list.eval(pl.element().is_null()).list.any()
        sound = pl.col("reason").is_null() | with_gaps
        yield pl.when(sound).then(pl.col(numbers)).alias(numbers)
        yield pl.when(~sound).then(pl.col(numbers).list.eval(pl.element() > 0)).alias(labels)
    gaps = pl.col("rewards").list.eval(pl.element().is_null()).list.any()
    yield pl.when(gaps).then("reason").alias("reason")
