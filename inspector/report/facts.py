"""What the parts of a report are made from: one benchmark of a selection, with its scorers, the best first."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses.compare import compare
from inspector.analyses.metrics import metrics
from inspector.common_cases import best_first
from inspector.render.cells import interval, share
from inspector.render.view import View
from inspector.selection import Selection
from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.step_rewards import Bools, Ints
from scoring.verdicts import OUTCOMES

NAMES = {"f1": "F1", "prmscore": "PRMScore"}
"""Official figures as they are written."""
SIDES = {"f1": ("error_acc", "correct_acc"), "prmscore": ("negative_acc", "positive_acc")}
"""The accuracies behind them, on what is wrong and on what is right."""
Row = Mapping[str, Any]
UNKNOWN: Row = {"value": None, "low": None, "high": None, "reason": None}
"""Stands for a figure that there is not."""


class OfBenchmark(Struct, frozen=True, eq=False, dict=True):
    """One benchmark's shown cases (`rows` (n,), a mask over all) and the `metrics` of all benchmarks."""

    selection: Selection
    name: str
    number: int
    rows: Bools
    metrics: Document

    @property
    def n(self) -> int:
        """How many cases are shown."""
        return int(self.rows.sum())

    @property
    def head(self) -> str:
        """The official figure: `f1` or `prmscore`."""
        return "f1" if step_labelled(self.name) is None else "prmscore"

    @property
    def title(self) -> str:
        """The official figure as it is written."""
        return NAMES[self.head]

    @cached_property
    def figures(self) -> dict[tuple[str, str, str], Row]:
        """Rows of `metrics` by scorer, subset and metric."""
        own = self.metrics.rows.filter(pl.col("benchmark") == self.name)
        return {(row["scorer"], row["subset"], row["metric"]): row for row in own.iter_rows(named=True)}

    @cached_property
    def subsets(self) -> tuple[str, ...]:
        """The subsets that figures are told of, in order; not `all` and `average`."""
        found = dict.fromkeys(subset for _, subset, metric in self.figures if metric == self.head)
        return tuple(name for name in found if name not in {"all", "average"})

    @property
    def whole(self) -> str:
        """The subset that stands for the benchmark: the average where it is over several, else all."""
        return "average" if self.head == "f1" and len(self.subsets) > 1 else "all"

    def figure(self, scorer: str, metric: str = "", subset: str = "") -> Row | None:
        """A row of `metrics`; by default the official figure of the whole benchmark."""
        return self.figures.get((scorer, subset or self.whole, metric or self.head))

    @cached_property
    def scorers(self) -> tuple[Evaluation, ...]:
        """The chosen scorers that gave anything for these cases, the highest official figure first.

        Where it is undefined, as F1 is without clean cases, the accuracies behind it tell.
        """
        there = [one for one in self.selection.chosen_evaluations if (one.present & self.rows).any()]

        def place(one: Evaluation) -> tuple[bool, float, bool, float, str]:
            name = one.scorer.name
            value, *sides = (self._value(name, metric) for metric in (self.head, *SIDES[self.head]))
            told = [side for side in sides if side is not None]
            return value is None, -(value or 0.0), not told, -sum(told), name

        return tuple(sorted(there, key=place))

    @property
    def best(self) -> Evaluation | None:
        """The scorer with the highest official figure; None where none has one."""
        first = next(iter(self.scorers), None)
        figure = None if first is None else self.figure(first.scorer.name)
        return first if figure is not None and figure["value"] is not None else None

    @property
    def first(self) -> Evaluation | None:
        """The first of the scorers that has a verdict on any of the cases."""
        return next((one for one in self.scorers if (one.answered & self.rows).any()), None)

    def _value(self, scorer: str, metric: str) -> float | None:
        row = self.figure(scorer, metric)
        return None if row is None else row["value"]

    def outcomes(self, evaluation: Evaluation) -> dict[str, int]:
        """How many of the cases have each outcome."""
        counts = np.bincount(evaluation.codes[self.rows], minlength=len(OUTCOMES)).tolist()
        return dict(zip(OUTCOMES, counts, strict=True))

    @property
    def shown(self) -> Ints:
        """The row ids of the cases, in the order that was asked for."""
        shown = self.selection.shown
        return shown[self.rows[shown]]

    @property
    def alone(self) -> Selection:
        """The selection with none but these cases shown, as a command gets it that names the benchmark."""
        request = self.selection.request
        if len(self.selection.benchmarks) > 1:
            request = replace(request, benchmarks=(self.name,))
        return replace(self.selection, shown=self.shown, request=request)

    @property
    def ranked(self) -> Selection:
        """These cases, with the scorers that gave anything for them: the best first unless some were named."""
        selection = self.alone
        if selection.request.scorers or not self.scorers:
            return selection
        return replace(selection, chosen=tuple(one.scorer.name for one in self.scorers))

    @cached_property
    def comparison(self) -> View | str:
        """The scorers that have a verdict, compared, the best first unless some were named; or why there is nothing."""
        able = tuple(one.scorer.name for one in self.selection.chosen_evaluations if (one.answered & self.rows).any())
        if len(able) < 2:
            told = f"{able[0]} is the only scorer with a verdict here" if able else "no scorer has a verdict here"
            return f"No comparison: it needs two scorers, and {told}."
        chosen = replace(self.alone, chosen=able)
        named = chosen if chosen.request.scorers else best_first(chosen)
        # Named, so that no order is looked for again.
        request = replace(named.request, scorers=named.chosen)
        return compare.view(replace(named, request=request))

    def anchor(self, part: str) -> str:
        """An anchor for a part of the report that is about this benchmark."""
        return f"{part}-{self.number}"


def benchmarks_of(selection: Selection) -> tuple[OfBenchmark, ...]:
    """The benchmarks of which a case is shown, in the order of the cases."""
    figures, shown = metrics.view(selection), selection.mask
    found: list[OfBenchmark] = []
    for name in selection.benchmarks:
        rows = (selection.cases["benchmark"] == name).to_numpy() & shown
        if rows.any():
            found.append(OfBenchmark(selection, name, len(found) + 1, rows, figures))
    return tuple(found)


def percent(row: Row | None) -> str:
    """A figure in percent with its 95% interval; a dash where it is undefined."""
    if row is None or row["value"] is None:
        return "–"
    return f"{share(row['value'])} {interval(row['low'], row['high'])}".rstrip()
