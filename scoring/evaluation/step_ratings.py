"""Answers that rate every step, read as step rewards."""

from collections.abc import Iterator

import polars as pl

from scoring.data.schema import REWARDS, conform

_CASE = ("key", "case")


def split(votes: pl.DataFrame, rewards: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Split what a run of a critic gives: a rewards frame, and the answers that vote or could not be read.

    Args:
        votes: the columns of `scoring.workspace.cache.BALLOTS`, one run, as `scoring.evaluation.votes.by_run` gives it.
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
