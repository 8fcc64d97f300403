"""Which printed figures are those of a scorer here, and whether ours may be held against them.

A scorer is known by its name and by how its answers were made. Only where all that a printed figure is of is here and
scored do the two say the same thing.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks import prmbench, socratic
from scoring.metrics.paper_figures import TableScope
from scoring.metrics.published.papers import NO_SCORERS, figures, model_of
from scoring.metrics.whole_subsets import subsets_of, whole_subsets

_ROUNDING = 1e-9
"""Floats that stand for decimals are off by less."""


def table_figures(paper: str, table: int) -> pl.DataFrame:
    """Return the printed figures of a table, with the columns of `figures`."""
    return figures().filter((pl.col("paper") == paper) & (pl.col("table") == table))


def printed_for(evaluation: Evaluation, table: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Find the figures that a table prints for a scorer; and, where there is none, why.

    A row of the table that is no scorer's is nobody's, whatever the scorer is called.
    """
    named = table.filter(pl.col("model") == model_name(evaluation), ~pl.col("scorer").is_in(list(NO_SCORERS)))
    if not named.height:
        return named, "the table names no such scorer"
    fitting = [
        setting
        for setting in named["setting"].unique(maintain_order=True)
        if setting is None or fits(evaluation, setting)
    ]
    rows = named.filter(pl.col("setting").is_in(fitting, nulls_equal=True))
    if rows.height:
        return rows, None
    settings = ", ".join(named["setting"].unique(maintain_order=True))
    return (
        rows,
        f"the table prints it for {settings}, and this scorer is {made_how(evaluation) or 'not said to be so'}",
    )


def model_name(evaluation: Evaluation) -> str:
    """Return the scorer's model; a mode of thinking at the end of its name is a setting and no part of the name."""
    mode = thinking(evaluation)
    name = evaluation.scorer.name
    return model_of(name.removesuffix(f"-{mode}") if mode else name)


def fits(evaluation: Evaluation, setting: str) -> bool:
    """Return whether a scorer's answers were made as the paper says; what is not known does not fit.

    A single answer is greedy unless the scorer's settings say a temperature. A threshold can be the best one of each
    subset wherever there is one.
    """
    return evaluation.rule.is_movable if setting == "best threshold" else setting in made_how(evaluation).split(", ")


def made_how(evaluation: Evaluation) -> str:
    """Describe how a scorer's answers were made, in the words of the printed settings; "" where nothing is known."""
    settings = evaluation.scorer.settings
    most = 0 if evaluation.votes is None else evaluation.votes.most
    parts = [
        f"voting@{most}" if most > 1 else "greedy" if most == 1 and not settings.get("temperature") else "",
        thinking(evaluation),
        f"{settings['shots']}-shot" if isinstance(settings.get("shots"), int) else "",
    ]
    return ", ".join(part for part in parts if part)


def thinking(evaluation: Evaluation) -> str:
    """Return the mode of thinking that a critic's settings name (`fast` or `slow`); "" where they name none."""
    return str(evaluation.scorer.settings.get("thinking_mode") or "")


class Wholeness:
    """What of a benchmark is here and scored: only on whole subsets do figures say the same thing as the paper's."""

    def __init__(self, evaluation: Evaluation, scope: TableScope, labels: str = "") -> None:
        """`labels` says why the figures are not of the paper's labels; "" where they are."""
        self._evaluation, self._scope, self._labels = evaluation, scope, labels

    def amiss(self, subset: str, metric: str) -> str:
        """Describe what keeps a figure of a subset from being the paper's; "" where nothing does.

        A class, `average`, `all`, a category or a type of error is made of whatever subsets the table is about. The
        similarity needs the unharmed originals as well.
        """
        lacking = self._labels or self._subsets.get(subset, _together(self._subsets))
        return lacking or (self._twins if metric == "similarity" else "")

    @cached_property
    def _subsets(self) -> dict[str, str]:
        scope, cases = self._scope, self._evaluation.gold.cases
        whole = whole_subsets(cases.filter(pl.Series(scope.within)), scope.benchmark)
        return {name: whole[name] or self._unscored(name) for name in scope.subsets}

    def _unscored(self, subset: str) -> str:
        rows = self._scope.within & (self._evaluation.gold.cases["subset"] == subset).fill_null(value=False).to_numpy()
        tried = np.logical_and.reduce([run.coverage.tried for run in self._evaluation.runs])
        return _scored(int((rows & tried).sum()), int(rows.sum()), "cases")

    @property
    def _twins(self) -> str:
        twins = self._scope.twins
        if twins is None:
            return "no originals"
        tried = np.logical_and.reduce([run.coverage.tried for run in twins.runs])
        return _scored(int(tried.sum()), tried.size, "unharmed originals")


def statistics_amiss(cases: pl.DataFrame, benchmark: str) -> dict[str, str]:
    """Return the same without a scorer, for every subset that statistics are printed of, patterns and `all` too."""
    whole = whole_subsets(cases, benchmark)
    own = {name: whole[name] for name in subsets_of(benchmark)}
    if benchmark == prmbench.NAME:
        rows = prmbench.CLASSES[prmbench.CLEAN_CLASS].rows
        own[prmbench.CLEAN_CLASS] = f"the paper counts {rows} rows, of which {len(prmbench.REPEATED)} repeat an id"
    patterns = {pattern_class.pattern: own[name] for name, pattern_class in socratic.CLASSES.items() if name in own}
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
    """Return whether a figure rounds to a printed value; None, and why, where it cannot be held against them."""
    if ours is None:
        return None, "there is no figure here"
    if amiss:
        return None, amiss
    return any(abs(ours - value) <= tolerance + _ROUNDING for value in printed), None
