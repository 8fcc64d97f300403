"""What a scorer gave, lined up with cases: flat arrays, because list columns are many times slower to decide on."""

import mmap
from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from math import isfinite
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.reward_transforms import REWARDS, RewardTransform, transform
from scoring.data.schema import Bools, Floats, Ints
from scoring.workspace.cache import why_refused
from scoring.workspace.rows_of_cases import case_rows

Flat = TypeVar("Flat", bound=npt.NDArray[Any])


def flat_rows(values: Flat, offsets: Ints, rows: Ints) -> tuple[Flat, Ints]:
    """Take the parts of a flat array that belong to some rows, one after the other, and where each begins and ends.

    Args:
        values: row i's are `values[offsets[i]:offsets[i + 1]]`.
        offsets: (n + 1,).
        rows: (m,) row ids.
    """
    if rows.size and rows[-1] - rows[0] + 1 == rows.size and (np.diff(rows) == 1).all():
        # Neighbours lie beside each other already.
        around = offsets[rows[0] : rows[-1] + 2]
        return values[around[0] : around[-1]], around - around[0]  # type: ignore[return-value]
    starts = offsets[rows]
    bounds = np.concatenate([[0], np.cumsum(offsets[rows + 1] - starts)]).astype(np.int64)
    places = np.repeat(starts - bounds[:-1], np.diff(bounds)) + np.arange(bounds[-1])
    return values[places], bounds


def let_go(array: npt.NDArray[Any]) -> None:
    """Keep nothing in memory of an array that is a file: what is asked for of it again is read again."""
    base: Any = array
    while base is not None and not isinstance(base, mmap.mmap):
        base = getattr(base, "base", None)
    # Not every system can be told so.
    if base is not None and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


class LabelsPastEnd(Struct, frozen=True, eq=False):
    """Labels that name no step of their case, since there are more of them than steps; usually none.

    One entry a label: `cases` are row ids, `steps` the 0-based indices, at or beyond the number of steps, and `values`
    what is said of each.
    """

    cases: Ints
    steps: Ints
    values: Bools

    def of_cases(self, rows: Ints) -> "LabelsPastEnd":
        """Take those of some cases, by their row ids."""
        if not self.cases.size:
            return self
        case, place = np.nonzero(rows[:, None] == self.cases[None, :])
        return LabelsPastEnd(case, self.steps[place], self.values[place])


NOTHING_BEYOND = LabelsPastEnd(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_))


class StepLabels(Struct, frozen=True, eq=False):
    """Labels of steps, as the scorer gave them, for n cases in their order: whether a step is right (or redundant).

    Row i's labels are `values[offsets[i]:offsets[i + 1]]`, those of its first steps: of all of them, unless fewer were
    given. `has_labels` (n) marks the rows that have labels. Labels that are more than the steps are in `beyond`.
    """

    values: Bools
    offsets: Ints
    has_labels: Bools
    beyond: LabelsPastEnd = NOTHING_BEYOND

    def of(self, row: int) -> list[bool] | None:
        """Return the labels of one case, or None."""
        if not self.has_labels[row]:
            return None
        labels: list[bool] = self.values[self.offsets[row] : self.offsets[row + 1]].tolist()
        return labels

    def of_cases(self, rows: Ints) -> "StepLabels":
        """Take those of some cases, by their row ids."""
        flat = flat_rows(self.values, self.offsets, rows)
        return StepLabels(*flat, self.has_labels[rows], self.beyond.of_cases(rows))


class StepNumbers(Struct, frozen=True, eq=False):
    """One number a step beside the rewards (Float64), for n cases in their order.

    Row i's numbers are `values[offsets[i]:offsets[i + 1]]`; `present` (n) marks the rows that have them.
    """

    values: Floats
    offsets: Ints
    present: Bools

    def of(self, row: int) -> list[float] | None:
        """Return the numbers of one case, or None."""
        if not self.present[row]:
            return None
        numbers: list[float] = self.values[self.offsets[row] : self.offsets[row + 1]].tolist()
        return numbers

    def of_cases(self, rows: Ints) -> "StepNumbers":
        """Take those of some cases, by their row ids."""
        return StepNumbers(*flat_rows(self.values, self.offsets, rows), self.present[rows])


class StepRewards(Struct, frozen=True, eq=False, dict=True):
    """One scorer's rewards for n cases, in the order of the cases.

    Row i's rewards are `values[offsets[i]:offsets[i + 1]]` (Float64); a row without usable rewards has none there.
    `labels` are judgements that came with no threshold, `solutions` (n, Float64) one number a solution, NaN where there
    is none. `scored` (n) marks rows with rewards, `refused` (n) rows that were tried and give no verdict: nothing in
    them is usable, or their labels are fewer than their steps and none is wrong. A row with none of all these is
    unscored. `reasons` (n) says why a row is refused. `redundancy` is a second number a step, where there are as many
    as steps, `redundant` are labels for it; without them a row is not refused. `truncated` are the rewards of the first
    steps of rows that are refused because the later ones were cut off: they are shown, and nothing is decided by them.
    Where single steps in between have none, these are NaN.
    `truncated_redundancy` are theirs.
    """

    values: Floats
    offsets: Ints
    labels: StepLabels
    solutions: Floats
    scored: Bools
    refused: Bools
    reasons: Sequence[str | None]
    redundancy: StepNumbers
    redundant: StepLabels
    truncated: StepNumbers
    truncated_redundancy: StepNumbers

    @property
    def present(self) -> Bools:
        """Where there is a row at all, usable or not. Shape (n,)."""
        rows: Bools = self.scored | self.refused | self.labels.has_labels | ~np.isnan(self.solutions)
        return rows

    @cached_property
    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest reward of all; None where there is none."""
        return (float(self.values.min()), float(self.values.max())) if self.values.size else None

    def on(self, name: str) -> "StepRewards":
        """Return the steps with what a threshold is compared with in the place of the rewards, by the name of its
        transform.

        Raises:
            PluginError: the transform is the user's own code, and raises or gives something else than one value a step.
        """
        if name == REWARDS:
            return self
        made = transform(name)
        if made not in self.transformed:
            self.transformed[made] = replace(self, values=made(self.values, self.offsets))
        return self.transformed[made]

    @cached_property
    def transformed(self) -> "dict[RewardTransform, StepRewards]":
        """What was asked for so far: it is computed once."""
        return {}

    def of(self, row: int) -> list[float] | None:
        """Return the rewards of one case, or None."""
        if not self.scored[row]:
            return None
        rewards: list[float] = self.values[self.offsets[row] : self.offsets[row + 1]].tolist()
        return rewards

    def of_cases(self, rows: Ints) -> "StepRewards":
        """Take those of some cases, by their row ids."""
        values, offsets = flat_rows(self.values, self.offsets, rows)
        step_rewards = StepRewards(
            values=values,
            offsets=offsets,
            labels=self.labels.of_cases(rows),
            solutions=self.solutions[rows],
            scored=self.scored[rows],
            refused=self.refused[rows],
            reasons=[self.reasons[row] for row in rows.tolist()],
            redundancy=self.redundancy.of_cases(rows),
            redundant=self.redundant.of_cases(rows),
            truncated=self.truncated.of_cases(rows),
            truncated_redundancy=self.truncated_redundancy.of_cases(rows),
        )
        for made, whole in self.transformed.items():
            step_rewards.transformed[made] = replace(
                step_rewards, values=flat_rows(whole.values, whole.offsets, rows)[0]
            )
        return step_rewards

    def first_of(self, row: int) -> list[float] | None:
        """Return the rewards of a truncated case's first steps, fewer than its steps; None if it was not truncated."""
        numbers = self.truncated.of(row)
        return None if numbers is None else [*takewhile(isfinite, numbers)] or None

    def redundancies_of(self, row: int) -> list[float] | None:
        """Return the second numbers of one case's steps, or of its first ones where truncated; None without any."""
        whole = self.redundancy.of(row)
        return self.truncated_redundancy.of(row) if whole is None else whole

    @cached_property
    def lists(self) -> pl.Series:
        """The rewards as a List(Float64) column, null where there are none."""
        lengths = np.diff(self.offsets)
        rows = np.repeat(np.arange(lengths.size), lengths)
        grouped = pl.DataFrame({"row": rows, "rewards": self.values}).group_by("row", maintain_order=True).all()
        frame = pl.DataFrame({"row": np.arange(lengths.size)}).join(
            grouped, on="row", how="left", maintain_order="left"
        )
        return frame["rewards"]


def align(cases: pl.DataFrame, rewards: pl.DataFrame) -> StepRewards:
    """Join a scorer's rewards to cases: those that name a case to it, the others on content.

    Args:
        cases: with columns `key` and `n_steps`, and `case` if rewards that name a case are to be joined.
        rewards: a rewards frame, one row an identity. Where there are several votes the lowest counts.

    A row whose rewards are not as many as its steps, or not all there and finite, is refused with a reason: it never
    gets a number. So is a case without steps. Labels may be more or fewer than the steps, and come before rewards.
    """
    joined = cases.select("n_steps").hstack(first_rows(cases, rewards))
    why, *facts = joined.select(pl.when("_tried").then(why_refused()), *_WHAT_IS_THERE)
    tried, labelled, reasoned, solutions, steps = (fact.to_numpy() for fact in facts)
    refused = np.zeros(tried.size, dtype=np.bool_) if why.null_count() == tried.size else why.is_not_null().to_numpy()
    usable = tried & ~refused
    labels = _labels(joined, "labels", usable & labelled, steps)
    lengths, redundancy = _lengths(joined, "rewards"), _lengths(joined, "redundancy")
    scored = usable & (lengths == steps)
    values, offsets = _flat(joined, "rewards", scored, steps)
    numbered = usable & _whole(joined, "redundancy") & (redundancy == steps)
    with_redundancy = usable & _whole(joined, "redundancy_labels") & (_lengths(joined, "redundancy_labels") > 0)
    silent = usable & _silent(labels, steps)
    cut = reasoned & (lengths > 0) & (lengths <= steps)
    whole = _whole(joined, "rewards") if cut.any() else cut
    # As many as the steps only with gaps: what else is as long and has a reason was refused for what it is.
    cut = cut & ((lengths < steps) | ~whole) & _with_gaps(joined, "rewards", whole) if cut.any() else cut
    cut_numbered = cut & _whole(joined, "redundancy") & (redundancy == lengths)
    reasons = why.to_list()
    for row in np.flatnonzero(silent):
        reasons[row] = f"labels for {labels.offsets[row + 1] - labels.offsets[row]} of {steps[row]} steps"
    return StepRewards(
        values=np.ascontiguousarray(values, dtype=np.float64),
        offsets=offsets,
        labels=labels,
        solutions=np.where(usable, solutions, np.nan),
        scored=scored,
        refused=refused | silent,
        reasons=reasons,
        redundancy=_numbers(joined, "redundancy", numbered, steps),
        redundant=_labels(joined, "redundancy_labels", with_redundancy, steps),
        truncated=_numbers(joined, "rewards", cut, lengths),
        truncated_redundancy=_numbers(joined, "redundancy", cut_numbered, lengths),
    )


def first_rows(cases: pl.DataFrame, rewards: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of a rewards frame, row for row with the cases: of several votes the lowest, nulls without
    any.

    `_tried` (Boolean) says where there is a row.
    """
    pairs = case_rows(cases, rewards)
    case, row = pairs["case_row"].to_numpy(), pairs["row"].to_numpy()
    order = np.argsort(rewards["vote"].to_numpy()[row], kind="stable")
    tried, lowest = np.unique(case[order], return_index=True)
    row_of_case = np.full(cases.height, -1)
    row_of_case[tried] = row[order][lowest]
    rows = pl.Series(row_of_case).cast(pl.UInt32, strict=False)
    return rewards.select(pl.all().gather(rows), _tried=pl.Series(row_of_case >= 0))


def _numbers(joined: pl.DataFrame, name: str, rows: Bools, lengths: Ints) -> StepNumbers:
    values, offsets = _flat(joined, name, rows, lengths)
    return StepNumbers(np.ascontiguousarray(values, dtype=np.float64), offsets, rows)


def _labels(joined: pl.DataFrame, name: str, rows: Bools, steps: Ints) -> StepLabels:
    """The labels of the chosen rows: those of steps, and those beyond them."""
    if not rows.any():
        return StepLabels(np.empty(0, dtype=np.bool_), np.zeros(rows.size + 1, dtype=np.int64), rows)
    lengths = np.where(rows, _lengths(joined, name), 0)
    every, offsets = _flat(joined, name, rows, lengths)
    values = np.ascontiguousarray(every, dtype=np.bool_)
    if (lengths <= steps).all():
        return StepLabels(values, offsets, rows)
    case = np.repeat(np.arange(rows.size), lengths)
    step = np.arange(values.size) - offsets[case]
    inside = step < steps[case]
    within = np.concatenate([[0], np.cumsum(np.minimum(lengths, steps))])
    return StepLabels(values[inside], within, rows, LabelsPastEnd(case[~inside], step[~inside], values[~inside]))


def _silent(labels: StepLabels, steps: Ints) -> Bools:
    """Where labels are fewer than the steps and none is wrong: whether there is an error was not said."""
    wrong = np.concatenate([[0], np.cumsum(~labels.values)])
    none: Bools = wrong[labels.offsets[1:]] == wrong[labels.offsets[:-1]]
    fewer: Bools = labels.has_labels & (np.diff(labels.offsets) < steps)
    return fewer & none


def _lengths(joined: pl.DataFrame, name: str) -> Ints:
    """How long each row's list is; -1 where there is none."""
    if joined[name].null_count() == joined.height:
        return np.full(joined.height, -1)
    return joined.select(pl.col(name).list.len().cast(pl.Int64).fill_null(-1))[name].to_numpy()


def _whole(joined: pl.DataFrame, name: str) -> Bools:
    """The rows whose list holds nothing but what is usable."""
    column, element = pl.col(name), pl.element()
    if joined[name].null_count() == joined.height:
        return np.zeros(joined.height, dtype=np.bool_)
    bad = element.is_null() | element.cast(pl.Float64).is_finite().not_()
    whole = column.list.eval(bad).list.any().not_()
    return joined.select(whole.fill_null(value=False))[name].to_numpy()


def _with_gaps(joined: pl.DataFrame, name: str, whole: Bools) -> Bools:
    """The rows that are whole, or whose list lacks nothing but single values, which are null."""
    if whole.all() or joined[name].null_count() == joined.height:
        return whole
    element = pl.element()
    usable = pl.col(name).list.eval(element.is_null() | element.is_finite()).list.all()
    return joined.select(usable.fill_null(value=False))[name].to_numpy()


_WHAT_IS_THERE = (
    pl.col("_tried"),
    pl.col("labels").is_not_null(),
    pl.col("reason").is_not_null(),
    pl.col("solution").fill_null(float("nan")),
    pl.col("n_steps").cast(pl.Int64),
)


def _flat(joined: pl.DataFrame, name: str, rows: Bools, lengths: Ints) -> tuple[np.ndarray[Any, Any], Ints]:
    """The lists of the chosen rows one after the other, and where each row's begin and end, shape (n + 1,)."""
    offsets = np.concatenate([[0], np.cumsum(np.where(rows, lengths, 0))]).astype(np.int64)
    if not rows.any():
        return np.empty(0), offsets
    return joined[name].filter(pl.Series(rows)).explode(empty_as_null=False).to_numpy(), offsets
