"""What a critic still has to be asked: the votes and runs of distinct contents that the cache has no answer for."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import polars as pl

from scoring.cache import VoteParts

FAILED = "no answer: "
"""How the reason of an answer begins that did not come; it is asked for again."""
REFUSED = "refused: "
"""How it begins where asking again would not help; it is asked for again only if that is wished."""
_READ = ("key", "case", "vote", "run", "ballot", "verdict", "rewards", "reason")


@dataclass(frozen=True, slots=True)
class Missing:
    """Answers to one content in one run that are not there: their votes (0-based, ascending). `row` is in the cases."""

    row: int
    run: int
    votes: tuple[int, ...]


@dataclass(frozen=True)
class CriticPlan:
    """What is to be asked, run by run and within one in the order of the cases.

    `cached` contents have all their answers, `refused` lack some that asking again would not help.
    """

    missing: tuple[Missing, ...]
    cases: int
    contents: int
    cached: int
    refused: int
    notes: tuple[str, ...]

    @property
    def answers(self) -> int:
        """How many answers are missing."""
        return sum(len(one.votes) for one in self.missing)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of the contents that have something missing, in order."""
        return tuple(sorted({one.row for one in self.missing}))


def critic_plan(
    cases: pl.DataFrame, parts: VoteParts, *, votes: int, runs: int, retry_refused: bool = False
) -> CriticPlan:
    """What of the cases (column `key`) the cache lacks of so many votes in so many runs.

    An answer that could not be read is an answer: it is not asked for again.
    """
    found, notes = parts.read(_READ)
    distinct = cases.select("key").with_row_index("row").unique("key", keep="first", maintain_order=True)
    every = distinct.join(_range("run", runs), how="cross").join(_range("vote", votes), how="cross")
    reason = pl.col("reason").fill_null("")
    # What a file said of one case is no answer to the content.
    known = found.filter(pl.col("case").is_null()).select(
        "key", "vote", "run", _failed=reason.str.starts_with(FAILED), _refused=reason.str.starts_with(REFUSED)
    )
    joined = every.join(known, on=["key", "vote", "run"], how="left", maintain_order="left")
    refused = joined["_refused"].fill_null(value=False) & (not retry_refused)
    lacking = joined["_refused"].is_null() | joined["_failed"].fill_null(value=False)
    lacking |= joined["_refused"].fill_null(value=False) & retry_refused
    todo = joined.filter(lacking).sort("run", "row", "vote").select("run", "row", "vote")
    rows = set(todo["row"].to_list())
    hopeless = set(joined.filter(refused)["row"].to_list()) - rows
    return CriticPlan(
        tuple(_missing(todo)),
        cases.height,
        distinct.height,
        distinct.height - len(rows) - len(hopeless),
        len(hopeless),
        tuple(notes),
    )


def _range(name: str, length: int) -> pl.DataFrame:
    return pl.DataFrame({name: pl.int_range(length, dtype=pl.Int32, eager=True)})


def _missing(todo: pl.DataFrame) -> Iterator[Missing]:
    for (run, row), group in groupby(todo.iter_rows(), key=lambda one: one[:2]):
        yield Missing(row, run, tuple(vote for _, _, vote in group))
