"""What a scoring run has to do: what the cache lacks of distinct contents among the cases."""

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.readout import BEYOND_MEMORY, BEYOND_SERVER, FAILED
from scoring.evaluation.step_rewards import align
from scoring.models.prms.base import OVER_LENGTH
from scoring.workspace.cache import Parts

REFUSED = "refused: "
"""How a reason begins where asking again would not help; it is asked for again only if that is wished."""
_READ = ("key", "case", "vote", "run", "ballot", "verdict", "rewards", "reason")
_ONCE = (0,)


class MissingAnswers(Struct, frozen=True):
    """Answers to one content in one run that are not there: their votes (0-based, ascending). `row` is in the cases.

    A PRM answers once: vote 0 of run 0.
    """

    row: int
    run: int = 0
    votes: tuple[int, ...] = _ONCE


class RunPlan(Struct, frozen=True, dict=True):
    """What is to be done, run by run and within one in the order of the cases.

    `cached` contents have all their answers, `refused` lack some that trying again would not help, and this run leaves
    them alone. `notes` are about parts of the cache that could not be read.
    """

    missing: tuple[MissingAnswers, ...]
    cases: int
    contents: int
    cached: int
    refused: int
    notes: tuple[str, ...]

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The rows of the contents that have something missing, in order."""
        return tuple(sorted({missing.row for missing in self.missing}))

    @property
    def answers(self) -> int:
        """How many answers are missing."""
        return sum(len(missing.votes) for missing in self.missing)


def reward_plan(cases: pl.DataFrame, parts: Parts, *, retry_refused: bool = False, truncate: bool = False) -> RunPlan:
    """Find which rewards of a PRM the cache lacks for the cases (columns `key`, `n_steps`).

    A cached row that does not fit its case (another number of rewards, or one that is not finite) is computed again; a
    refusal is kept unless `retry_refused`, it was for want of memory, a server's limit or its failure, or with
    `truncate` the case was too long and has not been truncated.
    """
    rewards, notes = parts.read()
    # What a file said of one case is none of what a model computes of a content.
    rewards = rewards.filter(pl.col("case").is_null())
    distinct = cases.select("key", "n_steps").with_row_index("_row").unique("key", keep="first", maintain_order=True)
    scored = align(distinct, rewards).scored
    kept = pl.col("reason").is_not_null() & (pl.col("vote") == 0)
    kept &= pl.col("reason").str.contains_any([BEYOND_MEMORY, BEYOND_SERVER]).not_()
    kept &= pl.col("reason").str.starts_with(FAILED).not_()
    if truncate:
        kept &= pl.col("reason").str.contains(OVER_LENGTH).not_()
    refused = distinct["key"].is_in(rewards.filter(kept)["key"].implode()).to_numpy() & np.bool_(not retry_refused)
    rows = distinct["_row"].filter(pl.Series(~scored & ~refused)).to_list()
    missing = tuple(MissingAnswers(row) for row in rows)
    return RunPlan(missing, cases.height, distinct.height, int(scored.sum()), int(refused.sum()), tuple(notes))


def vote_plan(cases: pl.DataFrame, parts: Parts, *, votes: int, runs: int, retry_refused: bool = False) -> RunPlan:
    """Find which of so many votes in so many runs the cache lacks for the cases (column `key`).

    An answer that could not be read is an answer: it is not asked for again.
    """
    kept, notes = parts.read(_READ)
    distinct = cases.select("key").with_row_index("row").unique("key", keep="first", maintain_order=True)
    every = distinct.join(_range("run", runs), how="cross").join(_range("vote", votes), how="cross")
    reason = pl.col("reason").fill_null("")
    # What a file said of one case is no answer to the content.
    known = kept.filter(pl.col("case").is_null()).select(
        "key", "vote", "run", _failed=reason.str.starts_with(FAILED), _refused=reason.str.starts_with(REFUSED)
    )
    joined = every.join(known, on=["key", "vote", "run"], how="left", maintain_order="left")
    refused = joined["_refused"].fill_null(value=False) & (not retry_refused)
    lacking = joined["_refused"].is_null() | joined["_failed"].fill_null(value=False)
    lacking |= joined["_refused"].fill_null(value=False) & retry_refused
    todo = joined.filter(lacking).sort("run", "row", "vote").select("run", "row", "vote")
    rows = set(todo["row"].to_list())
    hopeless = set(joined.filter(refused)["row"].to_list()) - rows
    return RunPlan(
        tuple(_missing(todo)),
        cases.height,
        distinct.height,
        distinct.height - len(rows) - len(hopeless),
        len(hopeless),
        tuple(notes),
    )


def _range(name: str, length: int) -> pl.DataFrame:
    return pl.DataFrame({name: pl.int_range(length, dtype=pl.Int32, eager=True)})


def _missing(todo: pl.DataFrame) -> Iterator[MissingAnswers]:
    for (run, row), group in groupby(todo.iter_rows(), key=lambda missing: missing[:2]):
        yield MissingAnswers(row, run, tuple(vote for _, _, vote in group))
