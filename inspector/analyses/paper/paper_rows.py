"""The rows of a paper's table: what is here beside what is printed, a row a cell."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import polars as pl
from msgspec.structs import asdict

from inspector.analyses.stats import STATISTICS, described_cases
from inspector.state.label_words import other_labels
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.twins import twin_evaluations
from scoring.metrics.kernel import Unparsed
from scoring.metrics.official_protocols import protocol_of
from scoring.metrics.paper_agreement import Wholeness, agreement, made_how, printed_for, statistics_amiss, table_figures
from scoring.metrics.paper_figures import ComputedCell, TableScope, values_of
from scoring.metrics.published.papers import Paper, other_values, published_statistics
from scoring.metrics.published.papers import PrintedTable as PaperTable
from scoring.metrics.statistics import statistics_rows
from scoring.selection.result_set import ResultSet

CELLS = {
    "paper": pl.String(),
    "table": pl.Int64(),
    "block": pl.String(),
    "scorer": pl.String(),
    "published_as": pl.String(),
    "setting": pl.String(),
    "subset": pl.String(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "n": pl.Int64(),
    "reason": pl.String(),
    "published": pl.Float64(),
    "printed": pl.String(),
    "difference": pl.Float64(),
    "elsewhere": pl.String(),
    "agrees": pl.Boolean(),
    "unchecked": pl.String(),
    "sd": pl.Float64(),
    "runs": pl.Int64(),
}
"""A row a cell: `value` is ours, `published` what this table prints, both fractions; `difference` is ours less theirs.

Of a scorer with several `runs` ours is their mean and `sd` their sample standard deviation (n-1).

`printed` is the text as printed, in percent. `block` is the part of the table in which it stands.

`elsewhere` names other values that the paper prints for the same cell. `agrees` is null where the two cannot be held
against each other, and `unchecked` says why.
"""
STATISTIC_CELLS = {
    **{name: CELLS[name] for name in ("paper", "table")},
    **{name: STATISTICS[name] for name in ("subset", "group", "statistic", "value", "n", "reason")},
    **{name: CELLS[name] for name in ("published", "difference", "agrees", "unchecked")},
}
NOT_HERE = "not in this workspace"
NOT_KNOWN = "what the paper prints is not held here"
NOT_COMPUTED = "Best-of-8 needs several solutions of a problem, which this benchmark has not"


class PaperSource(NamedTuple):
    """A paper beside a workspace; `results` hold the cases of its benchmark, or none where they are not here."""

    paper: Paper
    results: ResultSet
    everyone: bool = False

    @property
    def here(self) -> bool:
        """Say whether there are cases."""
        return self.results.evaluated.height > 0

    @property
    def unparsed(self) -> Unparsed:
        """Tell what becomes of cases without a readable verdict: as the paper does it, or as was asked."""
        return self.results.query.unparsed or protocol_of(self.paper.name).unparsed

    @property
    def other_labels(self) -> str:
        """Say why the figures here are not of the labels that the paper has; "" where they are."""
        return other_labels(self.results.labels.adjudicated)

    @property
    def scorers(self) -> tuple[Evaluation, ...]:
        """Give the chosen scorers that have anything for the benchmark."""
        return tuple(
            evaluation for evaluation in self.results.chosen_evaluations if evaluation.coverage.covers(self.paper.name)
        )


def printed_statistics(paper: Paper, table: PaperTable) -> pl.DataFrame:
    """Return the figures of a table, or its statistics where it is of the benchmark itself."""
    if table.kind != "statistics":
        return table_figures(paper.name, table.number)
    return published_statistics().filter((pl.col("paper") == paper.name) & (pl.col("table") == table.number))


def cell_rows(source: PaperSource, table: PaperTable) -> Iterator[dict[str, Any]]:
    """Make the rows of a table on scorers, for `CELLS`."""
    printed = table_figures(source.paper.name, table.number)
    cells = list(table.cells) or list(dict.fromkeys(printed.select("subset", "metric").iter_rows()))
    taken: list[int] = []
    here = False
    for evaluation, scope in _scopes(source, table):
        values = values_of(evaluation, scope, cells)
        if values is None:
            break
        here = True
        figures, why = printed_for(evaluation, printed)
        taken += figures["row"].to_list()
        whole = Wholeness(evaluation, scope, source.other_labels)
        known = {(row["subset"], row["metric"]): row for row in figures.iter_rows(named=True)}
        settings = figures["setting"].drop_nulls()
        line = {
            "paper": source.paper.name,
            "table": table.number,
            "scorer": evaluation.scorer.name,
            "setting": settings[0] if settings.len() else made_how(evaluation) or None,
        }
        for subset, metric in cells:
            cell = {"subset": subset, "metric": metric, **asdict(values[subset, metric])}
            unknown = NOT_KNOWN if table.cells else why or "the table prints nothing here"
            yield {**line, **cell, **_beside(values[subset, metric], known.get((subset, metric)), whole, unknown)}
    if here and not source.everyone:
        return
    why = NOT_COMPUTED if table.kind == "best of n" else NOT_HERE
    for row in printed.filter(~pl.col("row").is_in(taken)).iter_rows(named=True):
        names = ("paper", "table", "block", "setting", "subset", "metric", "printed", "elsewhere")
        same = {name: row[name] for name in names}
        yield {**same, "published_as": row["scorer"], "reason": why, "published": row["value"], "unchecked": why}


def _scopes(source: PaperSource, table: PaperTable) -> Iterator[tuple[Evaluation, TableScope]]:
    """Every scorer, and what its figures are made of."""
    results, name = source.results, source.paper.name
    twins: dict[str, Evaluation] = {}
    if table.kind == "step labels" and source.here:
        twins = twin_evaluations(results.loaded.workspace, name, source.scorers, results.loaded.folders)
    for evaluation in source.scorers:
        yield evaluation, TableScope(name, table, results.mask, source.unparsed, twins.get(evaluation.scorer.name))


def _beside(ours: ComputedCell, printed: dict[str, Any] | None, whole: Wholeness, unknown: str) -> dict[str, Any]:
    """The columns of CELLS that speak of a printed figure; where there is none, `unknown` says why."""
    if printed is None:
        return {"unchecked": unknown}
    values = [printed["value"], *other_values(printed["elsewhere"])]
    amiss = whole.amiss(printed["subset"], printed["metric"])
    agrees, unchecked = agreement(ours.value, values, printed["tolerance"], amiss)
    return {
        "block": printed["block"],
        "published_as": printed["scorer"],
        "published": printed["value"],
        "printed": printed["printed"],
        "difference": None if ours.value is None else ours.value - printed["value"],
        "elsewhere": printed["elsewhere"],
        "agrees": agrees,
        "unchecked": unchecked,
    }


def statistic_rows(source: PaperSource, table: PaperTable) -> Iterator[dict[str, Any]]:
    """Make the rows of a table on the benchmark itself, for `STATISTIC_CELLS`."""
    printed = printed_statistics(source.paper, table)
    ours: dict[tuple[str, str, str], dict[str, Any]] = {}
    amiss: dict[str, str] = {}
    if source.here:
        cases = described_cases(source.results)
        ours = {(row["subset"], row["group"], row["statistic"]): row for row in statistics_rows(cases)}
        amiss = statistics_amiss(cases, source.paper.name)
    for row in printed.iter_rows(named=True):
        own = ours.get((row["subset"], row["group"], row["statistic"]), {})
        value = own.get("value")
        # A subset that nothing is known of is none to check against.
        lacking = source.other_labels or amiss.get(row["subset"], "the paper does not say of how many cases")
        agrees, unchecked = agreement(value, [row["value"]], row["tolerance"], lacking)
        missing = "not computed here" if ours else NOT_HERE
        yield {
            **{column: row[column] for column in ("paper", "table", "subset", "group", "statistic")},
            "value": value,
            "n": own.get("n"),
            "reason": own.get("reason") if own else missing,
            "published": row["value"],
            "difference": None if value is None else value - row["value"],
            "agrees": agrees,
            "unchecked": unchecked,
        }
