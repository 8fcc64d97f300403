"""The printed figures of scorers as a frame, and what else a paper prints for the same cell."""

import re
from functools import cache
from importlib.resources import files

import polars as pl

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
    """A name without its organisation (`Qwen/`), case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].lower())


_ONE = {normalised(alias): normalised(name) for name, aliases in ALIASES.items() for alias in aliases}


def model_of(name: str) -> str:
    """What all names of one model have in common; a printed row that is no scorer's stands for itself alone."""
    if name in NO_SCORERS:
        return name
    plain = normalised(name)
    return _ONE.get(plain, plain)


KEY = ("paper", "domain", "model", "setting", "subset", "metric")
"""What says which quantity a figure is. Several tables may print it."""


@cache
def figures() -> pl.DataFrame:
    """Every printed figure, in the papers' order.

    Columns: those of `figures.csv` with null for empty, where `value` (Float64) is a fraction, and
    `model`: see `model_of`; `row`: position; `printed`: the text as printed, in percent;
    `tolerance`: half a unit of the last printed digit, as a fraction;
    `elsewhere`: other values that the same paper prints for the same quantity, with their tables; null where none is.
    Rows of standard deviations are percentage points like the others; Somers' D is no percentage and is as printed.
    """
    text = files("scoring.published").joinpath("figures.csv").read_bytes()
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
    told = pl.format("{} in Table {}", "printed_other", "tables")
    return several.group_by("row", maintain_order=True).agg(told.str.join("; ").alias("elsewhere"))


def other_values(elsewhere: str | None) -> list[float]:
    """The values of `elsewhere` as fractions."""
    return [] if not elsewhere else [float(part.partition(" ")[0]) / 100 for part in elsewhere.split("; ")]
