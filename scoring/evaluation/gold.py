"""Gold labels of cases, and which cases are of one problem."""

from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.data.schema import Bools, Ints
from scoring.data.storage.stored_frame import frame_blocks, group_numbers


def problems(cases: pl.DataFrame) -> pl.Series:
    """Name each case's problem: the names are equal within a benchmark for cases of one problem.

    It is `problem_id`, or else the id less its error type: PRMBench and Socratic-PRMBench call a case
    `{classification}_{idx}` and put several classes of error into the solution of one idx. The name of a case that
    shares its problem with none is its own.
    """
    bare = pl.coalesce(pl.col("id").str.strip_prefix(pl.format("{}_", pl.col("error_type"))), pl.col("id"))
    return cases.select(pl.format("{}/{}", "benchmark", pl.coalesce("problem_id", bare)).alias("problem"))["problem"]


def problem_numbers(names: pl.Series) -> Ints:
    """Number the names (0-based), equal ones alike. Shape (n,)."""
    return (names.rank("dense").cast(pl.Int64) - 1).to_numpy()


def natural_ranks(names: pl.DataFrame) -> Ints:
    """Rank (0-based) rows of texts, column by column; a number at the end of a text counts as one. Shape (n,)."""
    keys = []
    for name in names.columns:
        text = pl.col(name).cast(pl.String)
        end = text.str.extract(r"(\d{1,18})$")
        stem = text.str.strip_suffix(end.fill_null(""))
        keys += [stem.alias(f"{name} stem"), end.cast(pl.Int64).alias(f"{name} end"), text.alias(name)]
    by_key = names.select(keys).with_row_index("row")
    ranks = np.empty(names.height, dtype=np.int64)
    ranks[by_key.sort(*by_key.columns[1:], maintain_order=True)["row"].to_numpy()] = np.arange(names.height)
    return ranks


RIGHT_STEP, WRONG_STEP, UNKNOWN_STEP = 0, 1, -1
_STEP_LISTS = ("error_steps", "neutral_steps", "errors_so_far")


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
        as_given = self.cases[name].cast(pl.Int64)
        return np.where(as_given.is_null().to_numpy(), self.earliest, as_given.fill_null(-1).to_numpy())

    @cached_property
    def n_steps(self) -> Ints:
        """How many steps each case has."""
        return self.cases["n_steps"].cast(pl.Int64).to_numpy()

    def of_cases(self, rows: Ints) -> "Gold":
        """Return the labels of the steps of some cases, by their row ids: without subsets and problems."""
        labels = [self.cases[name].gather(rows) for name in _STEP_LISTS if name in self.cases.columns]
        some = Gold(pl.DataFrame(labels))
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
    def order(self) -> Ints:
        """The rank (0-based) of each case by benchmark and id, whatever the order of the rows. Shape (n,).

        A number at the end of an id counts as a number: `gsm8k-2` comes before `gsm8k-10`.
        """
        return natural_ranks(self.cases.select("benchmark", "id"))

    @cached_property
    def subsets(self) -> tuple[list[str | None], Ints]:
        """The subsets in order of appearance, and the number (0-based) of each case's. None = no subset."""
        names, numbers = group_numbers(self.cases, ("subset",))
        return [name for (name,) in names], numbers.astype(np.int64)

    @cached_property
    def subset_ranks(self) -> Ints:
        """The rank (0-based) of each of `subsets` by its name, whatever the order of the rows. Shape (subsets,)."""
        names = self.subsets[0]
        ranks = np.empty(len(names), dtype=np.int64)
        ranks[sorted(range(len(names)), key=lambda number: names[number] or "")] = np.arange(len(names))
        return ranks

    def has_subsets(self, rows: Bools) -> bool:
        """Return whether any of the cases `rows` (n) is in a subset."""
        return bool((rows & self.cases["subset"].is_not_null().to_numpy()).any())

    @cached_property
    def cells(self) -> npt.NDArray[np.int32]:
        """Twice the number of each case's subset, one more for clean cases; the last number where gold is unknown."""
        names, numbers = self.subsets
        cells = 2 * numbers.astype(np.int32) + (self.earliest < 0)
        cells[~self.known] = 2 * len(names)
        return cells

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
    def listed_sections(self) -> tuple[Ints, Ints]:
        """Every wrong section that is listed: row id and 0-based index, also where the rest is not labelled."""
        columns = [name for name in ("error_steps", "errors_so_far") if name in self.cases.columns]
        named = self.cases.select(step=pl.coalesce(columns)).with_row_index("row").explode("step").drop_nulls()
        return named["row"].cast(pl.Int64).to_numpy(), named["step"].cast(pl.Int64).to_numpy()

    @cached_property
    def step_labels(self) -> npt.NDArray[np.int8]:
        """One label a step of all cases, in order: RIGHT_STEP, WRONG_STEP or UNKNOWN_STEP.

        Where only the earliest error is labelled, the steps after it are unknown; where annotators stopped, those after
        the last error that they listed. So are neutral steps, which are neither. Steps beyond the last are not there.
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
        row, error = self._steps("errors_so_far")
        last = np.full(self.n_steps.size, -1)
        np.maximum.at(last, row, error)
        labels[(step < np.repeat(last, self.n_steps)) & (labels == UNKNOWN_STEP)] = RIGHT_STEP
        labels[starts[row] + error] = WRONG_STEP
        row, neutral = self.neutral
        labels[starts[row] + neutral] = UNKNOWN_STEP
        return labels

    @cached_property
    def neutral(self) -> tuple[Ints, Ints]:
        """Every step of the cases that is neither right nor wrong: row id, and 0-based index."""
        return self._steps("neutral_steps")

    def _steps(self, column: str) -> tuple[Ints, Ints]:
        """The steps that a column of lists names, as far as there are such: row id, and 0-based index."""
        nothing = np.empty(0, dtype=np.int64)
        if column not in self.cases.columns or not self.cases[column].count():
            return nothing, nothing
        named = self.cases.select(column).with_row_index("row").explode(column).drop_nulls()
        row, step = (named[name].cast(pl.Int64).to_numpy() for name in ("row", column))
        inside = (step >= 0) & (step < self.n_steps[row])
        return row[inside], step[inside]
