"""Columns that a scorer adds to the cases: their names and dtypes, and what it took to score each case."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import polars as pl
from msgspec import Struct

from scoring.data.schema import Ints
from scoring.workspace.cache import Parts, RewardParts, VoteParts
from scoring.workspace.rows_of_cases import rows_of_cases

# -- what it took to score each case: tokens, seconds and money, as far as they are stored beside what was computed.
#
# They are read from the parts when they are asked for: no figure hangs on them, and no evaluation waits for them.


SPENT: dict[str, pl.DataType] = {
    "seconds": pl.Float64(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    "cost": pl.Float64(),
    "currency": pl.String(),
}
"""Names and dtypes of columns a scorer, each prefixed `<scorer>.`: of a critic the sums over all answers of its first
run. Null where one of them was not stored; 0.1 stored none with rewards, and no seconds and no cost. A cost is in
`currency`; both are null where the answers to a case were priced in several.
"""
_SUMMED = tuple(name for name in SPENT if name != "currency")


class ScorerUsage(Struct, frozen=True, eq=False, dict=True):
    """What a scorer's parts in `folder` say of n cases.

    `cases` gives these: columns `case`, `benchmark` and `key`, the key being that of the scorer's rewards.
    """

    folder: Path
    cases: Callable[[], pl.DataFrame]

    def column(self, name: str) -> pl.Series:
        """Return one of SPENT, a value a case."""
        return self._sums[name]

    def of_cases(self, rows: Ints) -> "ScorerUsage":
        """Return the same of some cases, by their row ids."""
        return _SomeSpent(self.folder, self.cases, self, rows)

    @cached_property
    def stored(self) -> frozenset[str]:
        """Those of SPENT that are stored of any case, which is known sooner than what they are of each."""
        parts = self._parts()
        return parts.holding([name for name in SPENT if name in parts.kind.schema])

    def _parts(self) -> Parts:
        votes = VoteParts(self.folder)
        return votes if votes.parts() else RewardParts(self.folder)

    @cached_property
    def _sums(self) -> pl.DataFrame:
        parts = self._parts()
        kind = parts.kind
        stored = [name for name in SPENT if name in kind.schema]
        names = tuple(dict.fromkeys((*kind.identity, *kind.telling, "reason", *stored)))
        cases = self.cases()
        rows = rows_of_cases(cases, parts.read(names)[0])
        # Of several answers to one call the first has the tokens of all; a prompt of its own has more than none.
        first_has = (pl.col("tokens_in") == 0) & pl.col("tokens_out").is_null()
        rows = rows.with_columns(tokens_out=pl.when(first_has).then(0).otherwise("tokens_out"))
        # A PRM's rewards are not priced.
        rows = rows.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in SPENT.items() if name not in stored)
        if "run" in rows.columns:
            # Runs are counted within a benchmark: each has a first one.
            benchmark = cases["benchmark"].gather(rows["case_row"])
            rows = rows.filter(pl.col("run") == pl.col("run").min().over(benchmark))
        known = [pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum()).alias(name) for name in _SUMMED]
        same_currency = pl.col("currency").n_unique() == 1
        currency = pl.when(same_currency).then(pl.col("currency").first()).alias("currency")
        sums = rows.group_by("case_row").agg(*known, currency)
        sums = sums.with_columns(pl.when(pl.col("currency").is_not_null()).then("cost").alias("cost"))
        every = pl.select(case_row=pl.int_range(cases.height, dtype=pl.UInt32))
        return every.join(sums, on="case_row", how="left", maintain_order="left").select(
            pl.col(name).cast(dtype) for name, dtype in SPENT.items()
        )


class _SomeSpent(ScorerUsage, frozen=True, eq=False):
    """That of some cases of a whole, whose parts are read once for all."""

    whole: ScorerUsage
    rows: Ints

    @property
    def stored(self) -> frozenset[str]:
        return self.whole.stored

    def column(self, name: str) -> pl.Series:
        return self.whole.column(name).gather(self.rows)

    def of_cases(self, rows: Ints) -> ScorerUsage:
        return self.whole.of_cases(self.rows[rows])


PER_SCORER: dict[str, pl.DataType] = {
    "verdict": pl.Int32(),
    "outcome": pl.String(),
    "reward_at_gold": pl.Float64(),
    "margin": pl.Float64(),
    "step_accuracy": pl.Float64(),
}
"""Names and dtypes of the columns an evaluation adds to the cases, each prefixed `<scorer>.`; undefined is null."""

MEASURES: dict[str, pl.DataType] = {
    "abs_margin": pl.Float64(),
    "lowest_reward": pl.Float64(),
    "drop_at_gold": pl.Float64(),
    "solution": pl.Float64(),
    "decision_distance": pl.Float64(),
    "lowest_compared": pl.Float64(),
    "lowest_to_gold": pl.Float64(),
    "lowest_before_gold": pl.Float64(),
}
"""Names and dtypes of further columns a scorer, to sort and filter by, each prefixed `<scorer>.`; undefined is null.

| column | what |
| --- | --- |
| `abs_margin` | how far the threshold is from the nearest one that turns the case right or wrong; infinite: none |
| `lowest_reward` | the lowest reward of all steps |
| `drop_at_gold` | the reward of the step before the earliest error less that at it; null at the first step |
| `solution` | one number for the whole solution, where the scorer gives one |
| `decision_distance` | how far `lowest_compared` is from the threshold, whatever the gold label is |
| `lowest_compared` | the lowest of what the threshold is compared with: rewards, or what is made of them |
| `lowest_to_gold` | the same of the steps up to the earliest error, that step included; on clean cases of all steps |
| `lowest_before_gold` | the same of the steps before the earliest error; infinite at the first step |

The last four are null where no threshold decides the case. A case with an error is exact iff `lowest_to_gold` is under
the threshold and `lowest_before_gold` is not; where the error is beyond the last step, both are those of all steps.
Where the verdict is the lowest step, both are `lowest_compared` if that step is among these, and infinite if it is not.
"""

EVERY_COLUMN: dict[str, pl.DataType] = {**PER_SCORER, **MEASURES, **SPENT}
"""Those, the measures, and what it took, which conditions and lists may speak of as well."""
