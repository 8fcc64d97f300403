"""A paper's table for a person at a terminal: what is here, what is printed, and the difference, line by line."""

import polars as pl

from inspector.analyses.stats import statistic_text
from scoring.benchmarks import prmbench, socratic

HEADS: dict[str, dict[str, str]] = {
    "processbench": {
        "gsm8k": "GSM8K",
        "math": "MATH",
        "olympiadbench": "OlympiadBench",
        "omnimath": "Omni-MATH",
        "average": "Average",
    },
    "prmbench": {"all": "Overall", **{name: one.abbreviation for name, one in prmbench.CLASSES.items()}},
    "socratic": {"all": "Overall", **{name: one.abbreviation for name, one in socratic.CLASSES.items()}},
    "mrmath": {"all": "All"},
    "mrmath_redundant": {"all": "All"},
    "grben": {"processbench": "Math", "average": "Average", "all": "All"},
}
"""How the papers print the names of subsets and classes, where that is not as they are called here."""

METRIC_HEADS = {
    "error_acc": "error",
    "correct_acc": "correct",
    "f1": "F1",
    "prmscore": "PRMScore",
    "f1_positive": "F1+",
    "f1_negative": "F1-",
    "acc": "Acc",
    "positive_acc": "Acc+",
    "negative_acc": "Acc-",
    "first": "First",
    "similarity": "Sim.",
    "fp_rate": "FP",
    "fn_rate": "FN",
    "best_of_n_acc": "Bo8",
    "solution_f1": "solution F1",
    "step_f1": "step F1",
    "solution_auc": "solution AUC",
    "step_auc": "step AUC",
}
AVERAGES = ("Avg.", "Average")
HERE, PAPER, DIFFERENCE = "here", "paper", "difference"


def paper_table(rows: pl.DataFrame) -> pl.DataFrame:
    """Three lines a scorer here, one a scorer that only the paper has; in percent, a column a printed cell."""
    one_metric = rows["metric"].n_unique() == 1
    one_subset = rows["subset"].n_unique() == 1
    keyed: dict[tuple[str, str, str], dict[str, str]] = {}
    settings = _settings(rows)
    for row in rows.iter_rows(named=True):
        head = _head(row, one_metric=one_metric, one_subset=one_subset)
        name = _name(row)
        setting = row["setting"] or settings[name]
        for line, text in _lines(row).items():
            keyed.setdefault((name, setting, line), {})[head] = text
    _fold(keyed)
    heads = dict.fromkeys(head for cells in keyed.values() for head in cells)
    columns = {
        "scorer": [name for name, _, _ in keyed],
        "setting": [setting or None for _, setting, _ in keyed],
        "of": [line for _, _, line in keyed],
        **{head: [cells.get(head, "") for cells in keyed.values()] for head in heads},
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def cells_of(rows: pl.DataFrame) -> dict[str, tuple[str, str]]:
    """What a column of the table holds, by its head: subset and metric."""
    one_metric, one_subset = rows["metric"].n_unique() == 1, rows["subset"].n_unique() == 1
    return {
        _head(row, one_metric=one_metric, one_subset=one_subset): (str(row["subset"]), str(row["metric"]))
        for row in rows.iter_rows(named=True)
    }


def statistics_table(rows: pl.DataFrame) -> pl.DataFrame:
    """Two lines a statistic, a column a subset; shares in percent."""
    long = rows.select("group", "statistic", "subset", "value", "published")
    cells = [
        (group, statistic, line, subset, statistic_text(statistic, value))
        for group, statistic, subset, ours, theirs in long.iter_rows()
        for line, value in ((HERE, ours), (PAPER, theirs))
    ]
    schema = ["group", "statistic", "of", "subset", "cell"]
    frame = pl.DataFrame(cells, schema=dict.fromkeys(schema, pl.String), orient="row")
    if not rows["value"].drop_nulls().len():
        frame = frame.filter(pl.col("of") == PAPER)
    wide = frame.pivot("subset", index=schema[:3], values="cell", sort_columns=False)
    return wide.with_columns(pl.col("group").replace("", None), pl.exclude(schema[:3]).fill_null(""))


def _name(row: dict[str, object]) -> str:
    """The name of a line; averages, which several blocks of a table have, say of which."""
    name = str(row["scorer"] or row["published_as"])
    return f"{name} {row['block']}" if name in AVERAGES else name


def _settings(rows: pl.DataFrame) -> dict[str, str]:
    """The one setting of every name, "" where there are several or none: figures without one stand in its line."""
    found: dict[str, set[str]] = {}
    for row in rows.iter_rows(named=True):
        found.setdefault(_name(row), set()).update([row["setting"]] if row["setting"] else [])
    return {name: next(iter(several)) if len(several) == 1 else "" for name, several in found.items()}


def _head(row: dict[str, object], *, one_metric: bool, one_subset: bool) -> str:
    subset = HEADS[str(row["paper"])].get(str(row["subset"]), str(row["subset"]))
    metric = METRIC_HEADS[str(row["metric"])]
    if one_metric:
        return subset
    return metric if one_subset else f"{subset} {metric}"


def _lines(row: dict[str, object]) -> dict[str, str]:
    """The cell's text in each line that it has."""
    printed = str(row["printed"] or "")
    if row["elsewhere"]:
        printed += f" ({row['elsewhere']})"
    if row["scorer"] is None:
        return {PAPER: printed}
    difference = row["difference"]
    told = f"{100 * difference:+.1f}" if isinstance(difference, float) else ""
    return {HERE: _percent(row["value"]) or "-", PAPER: printed, DIFFERENCE: told}


def _percent(value: object) -> str:
    if not isinstance(value, float):
        return ""
    # PRMBench's toolkit says -1 where a figure is undefined, which is no percentage.
    return "-1" if value == -1 else f"{100 * value:.1f}"


def _fold(keyed: dict[tuple[str, str, str], dict[str, str]]) -> None:
    """Leave out lines that say nothing: of what is not printed, or cannot be compared."""
    for key in [key for key, cells in keyed.items() if not any(cells.values())]:
        del keyed[key]
