"""Whether a figure here may be held against a printed one, and whether the two agree."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from inspector.papers.values import Asked
from scoring.benchmarks import prmbench, socratic
from scoring.evaluation import Evaluation
from scoring.published.official import subsets_of, whole_subsets

_ROUNDING = 1e-9
"""Floats that stand for decimals are off by less."""


class Wholeness:
    """What of a benchmark is here and scored: only on whole subsets do figures say the same thing as the paper's."""

    def __init__(self, evaluation: Evaluation, asked: Asked, labels: str = "") -> None:
        """`labels` says why the figures are not of the paper's labels; "" where they are."""
        self._evaluation, self._asked, self._labels = evaluation, asked, labels

    def amiss(self, subset: str, metric: str) -> str:
        """What keeps a figure of a subset from being the paper's; "" where nothing does.

        A class, `average`, `all`, a category or a type of error is made of whatever subsets the table is about. The
        similarity needs the unharmed originals as well.
        """
        lacking = self._labels or self._subsets.get(subset, _together(self._subsets))
        return lacking or (self._twins if metric == "similarity" else "")

    @cached_property
    def _subsets(self) -> dict[str, str]:
        asked, cases = self._asked, self._evaluation.gold.cases
        whole = whole_subsets(cases.filter(pl.Series(asked.within)), asked.benchmark)
        return {name: whole[name] or self._unscored(name) for name in asked.subsets}

    def _unscored(self, subset: str) -> str:
        rows = self._asked.within & (self._evaluation.gold.cases["subset"] == subset).fill_null(value=False).to_numpy()
        tried = np.logical_and.reduce([run.tried for run in self._evaluation.runs])
        return _scored(int((rows & tried).sum()), int(rows.sum()), "cases")

    @property
    def _twins(self) -> str:
        twins = self._asked.twins
        return _scored(int(twins.tried.sum()), twins.tried.size, "unharmed originals") if twins else "no originals"


def statistics_amiss(shown: pl.DataFrame, benchmark: str) -> dict[str, str]:
    """The same of a benchmark without a scorer: every subset that statistics are printed of, patterns and `all` too."""
    whole = whole_subsets(shown, benchmark)
    own = {name: whole[name] for name in subsets_of(benchmark)}
    if benchmark == prmbench.NAME:
        rows = prmbench.CLASSES[prmbench.CLEAN_CLASS].rows
        own[prmbench.CLEAN_CLASS] = f"the paper counts {rows} rows, of which {len(prmbench.REPEATED)} repeat an id"
    patterns = {one.pattern: own[name] for name, one in socratic.CLASSES.items() if name in own}
    return {**whole, **own, **patterns, "all": _together(own)}


def _together(subsets: Mapping[str, str]) -> str:
    """What is amiss with some of the subsets, in one line."""
    lacking = [name for name, why in subsets.items() if why]
    if len(lacking) > 2:
        return f"{len(lacking)} of {len(subsets)} subsets are not whole here"
    return "; ".join(f"{name}: {subsets[name]}" for name in lacking)


def _scored(tried: int, there: int, what: str) -> str:
    return "" if tried == there else f"{tried:,} of {there:,} {what} are scored"


def agreement(
    ours: float | None, printed: Sequence[float], tolerance: float, amiss: str
) -> tuple[bool | None, str | None]:
    """Whether a figure rounds to one of the printed values; None, and why, where it cannot be held against them."""
    if ours is None:
        return None, "there is no figure here"
    if amiss:
        return None, amiss
    return any(abs(ours - value) <= tolerance + _ROUNDING for value in printed), None


def verdict(rows: pl.DataFrame) -> tuple[int, list[str]]:
    """The exit code of a check and what it says: how many cells were checked, which differ, and why others were not."""
    checked = rows.filter(pl.col("agrees").is_not_null())
    differ = checked.filter(~pl.col("agrees"))
    printed = rows.filter(pl.col("published").is_not_null())
    lines = [f"Checked {checked.height:,} of {printed.height:,} printed cells; differing: {differ.height:,}."]
    who = [name for name in ("scorer", "subset", "group", "metric", "statistic") if name in rows.columns]
    for row in differ.iter_rows(named=True):
        place = ", ".join(str(row[name]) for name in who if row[name])
        lines.append(f"  {place}: {row['value']:.5g} here, {row['published']:.5g} printed")
    reasons = printed.filter(pl.col("agrees").is_null()).group_by("unchecked", maintain_order=True).len()
    lines += [f"  {count:,} not checked: {why}" for why, count in reasons.iter_rows()]
    return (1 if differ.height else 0), lines
