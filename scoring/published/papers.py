"""The papers and their tables, by number; titles in our words."""

from functools import cache
from importlib.resources import files
from typing import Literal

import polars as pl
from msgspec import Struct

Kind = Literal["first errors", "best thresholds", "error types", "step labels", "best of n", "statistics", "macro f1"]
"""What the figures of a table are made of, which says how ours are computed."""


class Table(Struct, frozen=True):
    """One printed table. `domain` is that of PRMBench-STEM, empty elsewhere.

    `cells` are the subsets and metrics of figures that are computed as a paper's own code does, while what the paper
    prints of them is not known here: its `number` is ours then.
    """

    number: int
    kind: Kind
    title: str
    domain: str = ""
    cells: tuple[tuple[str, str], ...] = ()


class Paper(Struct, frozen=True):
    """A benchmark's paper: its tables, and the figures (pictures) that print no number."""

    name: str
    title: str
    reference: str
    tables: tuple[Table, ...]
    pictures: tuple[int, ...] = ()

    @property
    def computed_only(self) -> bool:
        """Whether nothing that it prints is known here."""
        return all(table.cells for table in self.tables)

    def source(self, table: int) -> str:
        """Where a printed number stands, in words."""
        return f"{self.title} ({self.reference}), Table {table}"


_DETAILED = (
    *((15, "all classes"), (16, "redundency"), (17, "circular"), (18, "counterfactual"), (19, "step_contradiction")),
    *((20, "domain_inconsistency"), (21, "confidence"), (22, "missing_condition"), (23, "deception")),
)

_MACRO_F1 = tuple(("all", metric) for metric in ("solution_f1", "step_f1", "solution_auc", "step_auc"))

PAPERS: dict[str, Paper] = {
    paper.name: paper
    for paper in (
        Paper(
            "processbench",
            "ProcessBench",
            "arXiv 2412.06559",
            (
                Table(2, "statistics", "the cases by subset"),
                Table(3, "first errors", "F1 by subset and on average"),
                Table(4, "statistics", "solutions by generator"),
                Table(5, "first errors", "both accuracies and F1 on GSM8K and MATH"),
                Table(6, "best thresholds", "GSM8K and MATH at the best threshold of each subset"),
                Table(7, "first errors", "both accuracies and F1 on OlympiadBench and Omni-MATH"),
                Table(8, "best thresholds", "OlympiadBench and Omni-MATH at the best threshold of each subset"),
                Table(9, "first errors", "critics by one greedy answer"),
            ),
            pictures=(3, 4),
        ),
        Paper(
            "prmbench",
            "PRMBench",
            "arXiv 2501.03124",
            (
                Table(2, "statistics", "the cases by class"),
                Table(3, "step labels", "PRMScore by class and category"),
                Table(4, "step labels", "positive and negative accuracy, PRMScore and similarity"),
                Table(5, "step labels", "PRMScore by number of examples in the prompt"),
                Table(6, "best of n", "PRMScore beside Best-of-8"),
                Table(9, "statistics", "PRMBench-STEM by domain"),
                Table(10, "step labels", "PRMBench-STEM, biology: PRMScore by class and category", "Biology"),
                Table(11, "step labels", "PRMBench-STEM, chemistry: PRMScore by class and category", "Chemistry"),
                Table(12, "step labels", "PRMBench-STEM, physics: PRMScore by class and category", "Physics"),
                Table(13, "best of n", "PRMs: PRMScore beside Best-of-8 on four benchmarks"),
                Table(14, "best of n", "critics: PRMScore beside Best-of-8 on four benchmarks"),
                *(Table(number, "step labels", f"every figure on {name}") for number, name in _DETAILED),
            ),
            pictures=(3, 4),
        ),
        Paper(
            "socratic",
            "Socratic-PRMBench",
            "arXiv 2505.23474",
            (
                Table(2, "statistics", "the cases by pattern"),
                Table(3, "step labels", "PRM-Score by class"),
                Table(4, "step labels", "accuracy on right steps, on wrong steps and on all"),
            ),
            pictures=(3, 4),
        ),
        Paper(
            "grben",
            "GR-Ben",
            "arXiv 2605.01203",
            (
                Table(2, "statistics", "the cases by domain"),
                Table(3, "first errors", "F1 by domain and on average"),
                Table(4, "error types", "too early and too late or never, by type of error"),
                Table(5, "first errors", "F1 by domain without and with long thinking"),
                Table(6, "statistics", "science: solutions by generator"),
                Table(7, "statistics", "logic: solutions by generator"),
                Table(8, "statistics", "science: the cases by domain"),
                Table(9, "statistics", "logic: the cases by domain"),
                Table(10, "first errors", "both accuracies and F1 on biology, physics and chemistry"),
                Table(11, "first errors", "both accuracies and F1 on computer-science, Causelogics and Analobench"),
                Table(12, "first errors", "both accuracies and F1 on Logiqa, FOLIO and MIRAGE"),
            ),
        ),
        Paper(
            "mrmath",
            "ReasonEval",
            "arXiv 2404.05692",
            (Table(1, "macro f1", "macro F1 and AUC of invalid solutions and steps", cells=_MACRO_F1),),
        ),
        Paper(
            "mrmath_redundant",
            "ReasonEval",
            "arXiv 2404.05692",
            (Table(1, "macro f1", "macro F1 and AUC of redundant solutions and steps", cells=_MACRO_F1),),
        ),
    )
}
"""Benchmark -> its paper."""


# -- the printed statistics of the benchmarks as a frame


_SHARES = r"^(share_|agreement_|process_error_rate)"


@cache
def published_statistics() -> pl.DataFrame:
    """Every printed statistic, in the papers' order.

    Columns: those of `statistics.csv`, where `value` (Float64) is a fraction if it is a share, steps are 0-based, and
    `tolerance`: half a unit of the last printed digit, in the units of the value; `source`: where it stands.
    """
    text = files("scoring.published").joinpath("statistics.csv").read_bytes()
    frame = pl.read_csv(text, infer_schema_length=0).with_columns(pl.col("table").cast(pl.Int64))
    digits = pl.col("value").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0).cast(pl.Float64)
    scale = pl.when(pl.col("statistic").str.contains(_SHARES)).then(100.0).otherwise(1.0)
    sources = pl.Series(
        "source",
        [PAPERS[paper].source(table) for paper, table in frame.select("paper", "table").iter_rows()],
        dtype=pl.String,
    )
    return frame.with_columns(
        (pl.col("value").cast(pl.Float64) / scale).alias("value"),
        pl.col("group").fill_null(""),
        (0.5 * 10.0 ** -digits.max().over("paper", "table", "statistic") / scale).alias("tolerance"),
        sources,
    )


def beside(rows: pl.DataFrame) -> pl.DataFrame:
    """Computed statistics with `published` and `source` beside them, null where the papers print none.

    Args:
        rows: with `benchmark, subset, group, statistic`. A statistic that several tables print is that of the first. A
            figure of `all` cases is laid beside ours only where the benchmark here has no subset that the paper lacks.
    """
    known = published_statistics().unique(["paper", "subset", "group", "statistic"], keep="first", maintain_order=True)
    subsets = rows.select("benchmark", "subset").filter(pl.col("subset") != "all").unique()
    foreign = subsets.join(known, left_on=["benchmark", "subset"], right_on=["paper", "subset"], how="anti")
    wider = (pl.col("subset") == "all") & pl.col("benchmark").is_in(foreign["benchmark"].to_list())
    keys = ["benchmark", "subset", "group", "statistic"]
    known = known.select(
        pl.col("paper").alias("benchmark"), *keys[1:], pl.col("value").alias("published"), "source"
    ).filter(~wider)
    return rows.join(known, on=keys, how="left", maintain_order="left")
