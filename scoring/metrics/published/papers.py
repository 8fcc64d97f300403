"""The papers: their tables by number, with titles in our words, and what these print, as frames."""

import re
from functools import cache
from importlib.resources import files
from typing import Literal

import polars as pl
from msgspec import Struct

TableKind = Literal[
    "first errors",
    "best thresholds",
    "error types",
    "step labels",
    "best of n",
    "statistics",
    "macro f1",
    "figures of its own",
]
"""What the figures of a table are made of, which says how ours are computed."""


class PrintedTable(Struct, frozen=True):
    """One printed table. `domain` is that of PRMBench-STEM, empty elsewhere.

    `cells` are the subsets and metrics of figures that are computed as a paper's own code does, while what the paper
    prints of them is not known here: its `number` is ours then, and so it is where the table is not `numbered`.
    """

    number: int
    kind: TableKind
    title: str
    domain: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    numbered: bool = True


class Paper(Struct, frozen=True):
    """A benchmark's paper: its tables, and the figures (pictures) that print no number."""

    name: str
    title: str
    reference: str
    tables: tuple[PrintedTable, ...]
    pictures: tuple[int, ...] = ()

    @property
    def computed_only(self) -> bool:
        """Whether nothing that it prints is known here."""
        return all(table.cells for table in self.tables)

    def source(self, table: int) -> str:
        """Return where a printed number stands, in words."""
        ours = any(printed.number == table and not printed.numbered for printed in self.tables)
        return f"{self.title} ({self.reference}), {'its table of judges' if ours else f'Table {table}'}"


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
                PrintedTable(2, "statistics", "the cases by subset"),
                PrintedTable(3, "first errors", "F1 by subset and on average"),
                PrintedTable(4, "statistics", "solutions by generator"),
                PrintedTable(5, "first errors", "both accuracies and F1 on GSM8K and MATH"),
                PrintedTable(6, "best thresholds", "GSM8K and MATH at the best threshold of each subset"),
                PrintedTable(7, "first errors", "both accuracies and F1 on OlympiadBench and Omni-MATH"),
                PrintedTable(8, "best thresholds", "OlympiadBench and Omni-MATH at the best threshold of each subset"),
                PrintedTable(9, "first errors", "critics by one greedy answer"),
            ),
            pictures=(3, 4),
        ),
        Paper(
            "prmbench",
            "PRMBench",
            "arXiv 2501.03124",
            (
                PrintedTable(2, "statistics", "the cases by class"),
                PrintedTable(3, "step labels", "PRMScore by class and category"),
                PrintedTable(4, "step labels", "positive and negative accuracy, PRMScore and similarity"),
                PrintedTable(5, "step labels", "PRMScore by number of examples in the prompt"),
                PrintedTable(6, "best of n", "PRMScore beside Best-of-8"),
                PrintedTable(9, "statistics", "PRMBench-STEM by domain"),
                PrintedTable(10, "step labels", "PRMBench-STEM, biology: PRMScore by class and category", "Biology"),
                PrintedTable(
                    11, "step labels", "PRMBench-STEM, chemistry: PRMScore by class and category", "Chemistry"
                ),
                PrintedTable(12, "step labels", "PRMBench-STEM, physics: PRMScore by class and category", "Physics"),
                PrintedTable(13, "best of n", "PRMs: PRMScore beside Best-of-8 on four benchmarks"),
                PrintedTable(14, "best of n", "critics: PRMScore beside Best-of-8 on four benchmarks"),
                *(PrintedTable(number, "step labels", f"every figure on {name}") for number, name in _DETAILED),
            ),
            pictures=(3, 4),
        ),
        Paper(
            "socratic",
            "Socratic-PRMBench",
            "arXiv 2505.23474",
            (
                PrintedTable(2, "statistics", "the cases by pattern"),
                PrintedTable(3, "step labels", "PRM-Score by class"),
                PrintedTable(4, "step labels", "accuracy on right steps, on wrong steps and on all"),
            ),
            pictures=(3, 4),
        ),
        Paper(
            "grben",
            "GR-Ben",
            "arXiv 2605.01203",
            (
                PrintedTable(2, "statistics", "the cases by domain"),
                PrintedTable(3, "first errors", "F1 by domain and on average"),
                PrintedTable(4, "error types", "too early and too late or never, by type of error"),
                PrintedTable(5, "first errors", "F1 by domain without and with long thinking"),
                PrintedTable(6, "statistics", "science: solutions by generator"),
                PrintedTable(7, "statistics", "logic: solutions by generator"),
                PrintedTable(8, "statistics", "science: the cases by domain"),
                PrintedTable(9, "statistics", "logic: the cases by domain"),
                PrintedTable(10, "first errors", "both accuracies and F1 on biology, physics and chemistry"),
                PrintedTable(
                    11, "first errors", "both accuracies and F1 on computer-science, Causelogics and Analobench"
                ),
                PrintedTable(12, "first errors", "both accuracies and F1 on Logiqa, FOLIO and MIRAGE"),
            ),
        ),
        Paper(
            "mrmath",
            "ReasonEval",
            "arXiv 2404.05692",
            (PrintedTable(1, "macro f1", "macro F1 and AUC of invalid solutions and steps", cells=_MACRO_F1),),
        ),
        Paper(
            "mrmath_redundant",
            "ReasonEval",
            "arXiv 2404.05692",
            (PrintedTable(1, "macro f1", "macro F1 and AUC of redundant solutions and steps", cells=_MACRO_F1),),
        ),
        Paper(
            "agentprocessbench",
            "AgentProcessBench",
            "arXiv 2603.14465",
            (PrintedTable(1, "figures of its own", "FirstErrAcc by collection, StepAcc in all", numbered=False),),
        ),
    )
}
"""Benchmark -> its paper."""


# -- the printed statistics of the benchmarks as a frame


_SHARES = r"^(share_|agreement_|process_error_rate)"


@cache
def published_statistics() -> pl.DataFrame:
    """Return every printed statistic, in the papers' order.

    Columns: those of `statistics.csv`, where `value` (Float64) is a fraction if it is a share, steps are 0-based, and
    `tolerance`: half a unit of the last printed digit, in the units of the value; `source`: where it stands.
    """
    text = files("scoring.metrics.published").joinpath("statistics.csv").read_bytes()
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


# -- which printed name a scorer here has: by its name without case and punctuation, or by a listed alias; else none


ALIASES: dict[str, tuple[str, ...]] = {
    "Math-Shepherd-PRM-7B": (
        "MathShepherd-Mistral-7B",
        "MathShepherd-7B",
        "MathShepherd",
        "Math-Shepherd-Mistral-7B-PRM",
    ),
    "RLHFlow-PRM-Mistral-8B": ("Llama3.1-8B-PRM-Mistral-Data",),
    # "RLHFlowPRM-8B" has the PRMScore of the DeepSeek one, in the same paper (PRMBench, Tables 3 and 6).
    "RLHFlow-PRM-Deepseek-8B": ("Llama3.1-8B-PRM-Deepseek-Data", "RLHFlow-DeepSeek-8B", "RLHFlowPRM-8B"),
    "Skywork-PRM-1.5B": ("Skywork-o1-Open-PRM-Qwen-2.5-1.5B",),
    "Skywork-PRM-7B": ("Skywork-o1-Open-PRM-Qwen-2.5-7B", "Skywork-7B"),
    "Qwen2.5-Math-7B-PRM800K": ("Qwen2.5-Math-7B-PRM800K (our trained)", "Qwen2.5-Math-PRM800K-7B"),
    "Qwen2.5-Math-PRM-7B": ("Qwen2.5-PRM-7B",),
    # "LlemmaPRM-7B" has the PRMScore of the one trained on PRM800K (PRMBench, Tables 3 and 6).
    "Llemma-PRM800K-7B": ("llemma-7b-prm-prm800k-level-1to3-hf", "LlemmaPRM-7B"),
    "Llemma-MetaMath-7B": ("llemma-7b-prm-metamath-level-1to3-hf",),
    "Llemma-OPRM-7B": ("llemma-7b-oprm-prm800k-level-1to3-hf",),
    "MATHMinos-Mistral-7B": ("MATHMinos-7B",),
    "VersaPRM": ("VersaPRM (8B)",),
    "GPT-4o-0806": ("gpt-4o-2024-08-06",),
    "Gemini-2.0-flash-exp": ("Gemini-2-flash",),
    "Gemini-2.0-thinking-exp-1219": ("Gemini-2-thinking", "gemini-2.0-flash-thinking-exp-1219"),
    "QwQ-32B-Preview": ("QwQ-Preview-32B",),
    "Llama-3.1-8B-Instruct": ("Meta-Llama-3.1-8B-Instruct",),
    "Llama-3.1-70B-Instruct": ("Meta-Llama-3.1-70B-Instruct",),
    "R1-Distill-Llama3.1-8B": ("DeepSeek-R1-Distill-Llama-8B",),
    "R1-Distill-Qwen-7B": ("DeepSeek-R1-Distill-Qwen-7B",),
    "R1-Distill-Qwen-32B": ("DeepSeek-R1-Distill-Qwen-32B",),
}
"""One name a model -> its other names: in other tables, in other papers, and of its checkpoint.

Equal but for case and punctuation needs no alias. Names that could be several models (`GPT-4o`, whose date one paper
gives and another does not) have none.
"""

NO_SCORERS = frozenset(
    {
        *("Avg.", "Average", "Pass@8", "Maj@8", "Random", "Human Performance"),
        *("Standard Dev (sigma)", "Standard Deviation (sigma)", "Somers' D", "Somers' D correlation"),
    }
)
"""Printed names of rows that are no scorer's."""


def normalised(name: str) -> str:
    """Normalise a name: without its organisation (`Qwen/`), case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].lower())


_ONE = {normalised(alias): normalised(name) for name, aliases in ALIASES.items() for alias in aliases}


def model_of(name: str) -> str:
    """Return what all names of one model have in common; a printed row that is no scorer's stands for itself alone."""
    if name in NO_SCORERS:
        return name
    plain = normalised(name)
    return _ONE.get(plain, plain)


# -- the printed figures of scorers as a frame, and what else a paper prints for the same cell


KEY = ("paper", "domain", "model", "setting", "subset", "metric")
"""What says which quantity a figure is. Several tables may print it."""


@cache
def figures() -> pl.DataFrame:
    """Return every printed figure, in the papers' order.

    Columns: those of `figures.csv` with null for empty, where `value` (Float64) is a fraction, and
    `model`: see `model_of`; `row`: position; `printed`: the text as printed, in percent;
    `tolerance`: half a unit of the last printed digit, as a fraction;
    `elsewhere`: other values that the same paper prints for the same quantity, with their tables; null where none is.
    Rows of standard deviations are percentage points like the others; Somers' D is no percentage and is as printed.
    """
    text = files("scoring.metrics.published").joinpath("figures.csv").read_bytes()
    frame = pl.read_csv(text, schema_overrides={"value": pl.String, "table": pl.Int64}, infer_schema_length=0)
    digits = pl.col("value").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0).cast(pl.Float64)
    scale = pl.when(pl.col("scorer").str.starts_with("Somers")).then(1.0).otherwise(100.0)
    models = {name: model_of(name) for name in frame["scorer"].unique()}
    frame = frame.with_row_index("row").with_columns(
        pl.col("table").cast(pl.Int64),
        pl.col("scorer").replace_strict(models, return_dtype=pl.String).alias("model"),
        pl.col("value").alias("printed"),
        (pl.col("value").cast(pl.Float64) / scale).alias("value"),
        # One row of a table has one number of digits, and a last 0 may be lost.
        (0.5 * 10.0 ** -digits.max().over("paper", "table", "scorer") / scale).alias("tolerance"),
    )
    return frame.join(_conflicts(frame), on="row", how="left", maintain_order="left")


def _conflicts(frame: pl.DataFrame) -> pl.DataFrame:
    """`row` and `elsewhere` of the figures that are printed with several values."""
    # An average over whatever benchmarks a table has is that table's own.
    comparable = ~pl.col("scorer").is_in(list(NO_SCORERS)) & ~(
        (pl.col("metric") == "best_of_n_acc") & (pl.col("subset") == "average")
    )
    cells = frame.filter(comparable).select("row", "table", "printed", *KEY)
    printed = cells.group_by(*KEY, "printed", maintain_order=True).agg(
        pl.col("table").unique().sort().cast(pl.String).str.join(", ").alias("tables")
    )
    several = cells.join(printed, on=list(KEY), nulls_equal=True, suffix="_other").filter(
        pl.col("printed") != pl.col("printed_other")
    )
    place = pl.format("{} in Table {}", "printed_other", "tables")
    return several.group_by("row", maintain_order=True).agg(place.str.join("; ").alias("elsewhere"))


def other_values(elsewhere: str | None) -> list[float]:
    """Return the values of `elsewhere` as fractions."""
    return [] if not elsewhere else [float(part.partition(" ")[0]) / 100 for part in elsewhere.split("; ")]
