"""The gold labels of cases as flat arrays."""

from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.step_rewards import Bools, Ints
from scoring.stored_frame import frame_blocks, group_numbers

# -- which cases are of one problem: what is resampled as a whole, and what a case and its unharmed twin share


def problems(cases: pl.DataFrame) -> pl.Series:
    """A name for each case's problem, equal within a benchmark for cases of one problem.

    It is `problem_id`, or else the id less its error type: PRMBench and Socratic-PRMBench call a case
    `{classification}_{idx}` and put several classes of error into the solution of one idx. The name of a case that
    shares its problem with none is its own.
    """
    bare = pl.coalesce(pl.col("id").str.strip_prefix(pl.format("{}_", pl.col("error_type"))), pl.col("id"))
    return cases.select(pl.format("{}/{}", "benchmark", pl.coalesce("problem_id", bare)).alias("problem"))["problem"]


def problem_numbers(names: pl.Series) -> Ints:
    """A number (0-based) for each of the names, equal for equal ones. Shape (n,)."""
    return (names.rank("dense").cast(pl.Int64) - 1).to_numpy()


RIGHT_STEP, WRONG_STEP, UNKNOWN_STEP = 0, 1, -1


class Gold(Struct, frozen=True, eq=False, dict=True):
    """Gold labels of n cases, in their order.

    `earliest` (n, int64) is 0-based, -1 for clean cases and where `known` (n, bool) is false; `n_steps` (n, int64).
    """

    cases: pl.DataFrame

    @cached_property
    def known(self) -> Bools:
        """Where there is an earliest error, -1 included."""
        return self.cases["earliest_error"].is_not_null().to_numpy()

    @cached_property
    def earliest(self) -> Ints:
        """The earliest error."""
        return self.cases["earliest_error"].fill_null(-1).cast(pl.Int64).to_numpy()

    @cached_property
    def as_given(self) -> Ints:
        """The earliest error as the file gave it, which may be beyond a last step that `earliest` has in its place."""
        name = "earliest_error_as_given"
        if name not in self.cases.columns:
            return self.earliest
        given = self.cases[name].cast(pl.Int64)
        return np.where(given.is_null().to_numpy(), self.earliest, given.fill_null(-1).to_numpy())

    @cached_property
    def n_steps(self) -> Ints:
        """How many steps each case has."""
        return self.cases["n_steps"].cast(pl.Int64).to_numpy()

    def of_cases(self, rows: Ints) -> "Gold":
        """The labels of the steps of some cases, by their row ids: without subsets and problems."""
        some = Gold(pl.DataFrame([self.cases["error_steps"].gather(rows)]))
        vars(some).update({name: getattr(self, name)[rows] for name in ("known", "earliest", "n_steps", "listed")})
        return some

    @cached_property
    def problems(self) -> Ints:
        """The number (0-based) of each case's problem: solutions of one problem have one number."""
        return problem_numbers(problems(self.cases))

    @cached_property
    def related(self) -> bool:
        """Whether two cases are of one problem."""
        named = pl.col("problem_id").is_not_null() | pl.col("id").str.starts_with(pl.format("{}_", "error_type"))
        blocks = frame_blocks(self.cases, ("problem_id", "id", "error_type"))
        # Where no name is made of another, every problem is called by its case's id.
        if not any(block.select(named.any()).item() for block in blocks):
            return False
        return bool((np.bincount(self.problems) > 1).any())

    @cached_property
    def subsets(self) -> tuple[list[str | None], Ints]:
        """The subsets in order of appearance, and the number (0-based) of each case's. None = no subset."""
        names, numbers = group_numbers(self.cases, ("subset",))
        return [name for (name,) in names], numbers.astype(np.int64)

    @cached_property
    def cells(self) -> npt.NDArray[np.int32]:
        """Twice the number of each case's subset, one more for clean cases; the last number where gold is unknown."""
        names, numbers = self.subsets
        found = 2 * numbers.astype(np.int32) + (self.earliest < 0)
        found[~self.known] = 2 * len(names)
        return found

    @cached_property
    def listed(self) -> Bools:
        """Where every error step is listed, none of them being a list as well. Shape (n,)."""
        return self.cases["error_steps"].is_not_null().to_numpy()

    @cached_property
    def listed_errors(self) -> tuple[Ints, Ints]:
        """Every error step that is listed, whether there is such a step or not: row id, and 0-based index."""
        named = self.cases.select("error_steps").with_row_index("row").explode("error_steps").drop_nulls()
        return named["row"].cast(pl.Int64).to_numpy(), named["error_steps"].cast(pl.Int64).to_numpy()

    @cached_property
    def step_labels(self) -> npt.NDArray[np.int8]:
        """One label a step of all cases, in order: RIGHT_STEP, WRONG_STEP or UNKNOWN_STEP.

        Where only the earliest error is labelled, the steps after it are unknown. Steps beyond the last are not there.
        """
        total = int(self.n_steps.sum())
        starts = np.cumsum(self.n_steps) - self.n_steps
        labels = np.full(total, UNKNOWN_STEP, dtype=np.int8)
        step = np.arange(total) - np.repeat(starts, self.n_steps)
        last_right = np.where(self.listed | (self.known & (self.earliest == -1)), self.n_steps, self.earliest)
        labels[step < np.repeat(last_right, self.n_steps)] = RIGHT_STEP
        first = self.known & ~self.listed & (self.earliest >= 0) & (self.earliest < self.n_steps)
        labels[(starts + self.earliest)[first]] = WRONG_STEP
        row, error = self.listed_errors
        inside = (error >= 0) & (error < self.n_steps[row])
        labels[(starts[row] + error)[inside]] = WRONG_STEP
        return labels
