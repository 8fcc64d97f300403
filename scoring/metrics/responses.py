"""Responses to problems: the solutions of one problem among which a scorer chooses, whose final answers are known."""

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.schema import Bools, Ints
from scoring.evaluation.gold import natural_ranks


class Responses(Struct, frozen=True, eq=False):
    """m responses to p problems, problem by problem; within a problem in file order.

    `rows` (m) are row ids of cases, 0-based; problem i has `rows[bounds[i]:bounds[i + 1]]`, two or more. `right` (m)
    says whose final answer is right. `subsets` (p) is the number of each problem's subset in `names`. `unknown` cases
    were left out because nothing says whether their final answer is right, `lacking` (p) of them from each problem;
    `alone` problems were because they have one response. `order` (p) ranks the problems independently of the order of
    rows; they are drawn by it.
    """

    rows: Ints
    bounds: Ints
    right: Bools
    subsets: Ints
    names: tuple[str | None, ...]
    lacking: Ints
    order: Ints
    unknown: int = 0
    alone: int = 0

    @property
    def sizes(self) -> Ints:
        """How many responses each problem has. Shape (p,)."""
        return np.diff(self.bounds)

    @property
    def problems(self) -> Ints:
        """The number of each response's problem, 0-based. Shape (m,)."""
        return np.repeat(np.arange(self.subsets.size), self.sizes)

    @property
    def n_right(self) -> Ints:
        """How many responses of each problem are right. Shape (p,)."""
        return np.bincount(self.problems[self.right], minlength=self.subsets.size)

    def keep(self, problems: Bools) -> "Responses":
        """Return the responses to some of the problems (p)."""
        responses = np.repeat(problems, self.sizes)
        bounds = np.concatenate([[0], np.cumsum(self.sizes[problems])])
        kept = (self.rows[responses], bounds, self.right[responses], self.subsets[problems])
        return Responses(*kept, self.names, self.lacking[problems], self.order[problems], self.unknown, self.alone)

    def whole(self, rows: Bools) -> Bools:
        """Return which of the problems (p) have all their responses among the marked cases (n)."""
        lacking = np.bincount(self.problems[~rows[self.rows]], minlength=self.subsets.size)
        return np.asarray(lacking == 0)


def responses_of(cases: pl.DataFrame, wording: pl.Series, rows: Bools) -> Responses:
    """Return the responses among some cases of one benchmark.

    Cases of a subset are of one problem where they have the same `problem_id` or, without one, the same wording.

    Args:
        cases: (n) with `subset, problem_id, final_answer_correct`.
        wording: (n,) the text of each problem; only read where there is no `problem_id`.
        rows: (n,) which of them take part.
    """
    named = pl.col("problem_id").is_not_null()
    frame = cases.select("subset", "problem_id", "final_answer_correct").with_row_index("row")
    frame = frame.with_columns(wording.alias("wording")).filter(pl.Series(rows))
    frame = frame.with_columns(pl.when(~named).then("wording"))
    known = pl.col("final_answer_correct").is_not_null()
    grouped = frame.group_by("subset", "problem_id", "wording", maintain_order=True).agg(
        pl.col("row").filter(known),
        pl.col("final_answer_correct").drop_nulls().alias("right"),
        (~known).sum().cast(pl.Int64).alias("lacking"),
    )
    several = grouped.filter(pl.col("row").list.len() > 1)
    names = several["subset"].unique(maintain_order=True)
    numbered = several.join(
        names.to_frame().with_row_index("number"), on="subset", how="left", nulls_equal=True, maintain_order="left"
    )
    flat = several.select("row", "right").explode("row", "right")
    return Responses(
        rows=flat["row"].cast(pl.Int64).to_numpy(),
        bounds=np.concatenate([[0], np.cumsum(several["row"].list.len().cast(pl.Int64).to_numpy())]).astype(np.int64),
        right=flat["right"].to_numpy(),
        subsets=numbered["number"].cast(pl.Int64).to_numpy(),
        names=tuple(names.to_list()),
        lacking=several["lacking"].to_numpy(),
        order=natural_ranks(several.select("subset", "problem_id", "wording")),
        unknown=int(grouped["lacking"].sum()),
        alone=int((grouped["row"].list.len() == 1).sum()),
    )
