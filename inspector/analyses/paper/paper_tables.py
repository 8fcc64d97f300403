"""The tables of papers as people see them: what is here, what is printed and the difference, line by line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from inspector.analyses.stats import statistic_kind, statistic_link
from inspector.render.blocks import Block, Note
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, table, text
from inspector.state.case_links import OF_SIDE, figure_link, group_facets
from scoring.data.schema import Row
from scoring.formats.benchmarks import prmbench, socratic
from scoring.metrics.benchmark_metrics import own_cases
from scoring.selection.result_set import ResultSet

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
    "agentprocessbench": {
        "hotpotqa": "HotpotQA",
        "gaia_dev": "GAIA",
        "bfcl": "BFCL",
        "tau2": "tau2",
        "all": "Average",
    },
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
    "step_acc": "StepAcc",
    "first_error_acc": "FirstErrAcc",
}
AVERAGES = ("Avg.", "Average")
HERE, PUBLISHED, DIFFERENCE = "here", "published", "difference"
PaperLine = list[Cell]


def list_of_tables(title: str, rows: pl.DataFrame) -> Table:
    """List the tables of a paper."""
    lines = [
        [text(str(row["table"])), text(row["title"]), count(row["printed"]), text(row["computed"])]
        for row in rows.iter_rows(named=True)
    ]
    return table(title, [Column("table", right=True), "title", "printed", "computed"], lines)


def figure_blocks(results: ResultSet, rows: pl.DataFrame, title: str) -> Iterator[Block]:
    """Lay out three lines a scorer here and one a scorer that only the paper has: a column a printed cell.

    Beneath the table stands what cells without a figure lack.
    """
    heads = _heads(rows)
    lines: list[PaperLine] = []
    by_name = _by_name(rows)
    with_settings = any(line.setting for line in by_name)
    for (name, setting, _), cells in by_name.items():
        own = _lines_of(results, [cells.get(head) for head in heads])
        for number, (word, line) in enumerate(own.items()):
            height = 0 if number else len(own)
            labels = [Cell(name, rows=height, style="strong" if HERE in own else "dim")]
            labels += [Cell(setting, rows=height, style="dim")] if with_settings else []
            lines.append([*labels, text(word, "dim"), *line])
    columns = ["scorer", *(["made how"] if with_settings else []), ""]
    yield table(title, [*columns, *(Column(head, right=True) for head in heads)], lines, labels=len(columns))
    yield from (Note(sentence, "quiet") for sentence in _missing(rows, heads))


def _heads(rows: pl.DataFrame) -> dict[str, tuple[str, str]]:
    """What the columns of the table hold, by their heads: subset and metric."""
    one_metric, one_subset = rows["metric"].n_unique() == 1, rows["subset"].n_unique() == 1
    heads = {}
    for row in rows.iter_rows(named=True):
        subset = HEADS[row["paper"]].get(row["subset"], row["subset"])
        metric = METRIC_HEADS[row["metric"]]
        head = subset if one_metric else metric if one_subset else f"{subset} {metric}"
        heads[head] = (row["subset"], row["metric"])
    return heads


class _LineName(NamedTuple):
    """What tells the lines of scorers apart: `here` is not one that only the paper has."""

    name: str
    setting: str
    here: bool


def _by_name(rows: pl.DataFrame) -> dict[_LineName, dict[str, Row]]:
    """The cells, by their heads, of every line; a figure without a setting joins the only one there is."""
    head_of = {cell: head for head, cell in _heads(rows).items()}
    settings: dict[tuple[str, bool], set[str]] = {}
    for row in rows.iter_rows(named=True):
        settings.setdefault(_name(row), set()).update([row["setting"]] if row["setting"] else [])
    by_name: dict[_LineName, dict[str, Row]] = {}
    for row in rows.iter_rows(named=True):
        name, here = _name(row)
        several = settings[name, here]
        setting = row["setting"] or (next(iter(several)) if len(several) == 1 else "")
        by_name.setdefault(_LineName(name, setting, here), {})[head_of[row["subset"], row["metric"]]] = row
    return by_name


def _name(row: Row) -> tuple[str, bool]:
    """The name of a line, and whether it is a scorer's here; averages of several blocks of a table say of which."""
    if row["scorer"] is not None:
        return str(row["scorer"]), True
    name = str(row["published_as"])
    return (f"{name} {row['block']}" if name in AVERAGES else name), False


def _lines_of(results: ResultSet, cells: Sequence[Row | None]) -> dict[str, PaperLine]:
    """The lines of one name; one that says nothing is left out, of what is not printed or cannot be compared."""
    lines = {
        PUBLISHED: [_published(row) for row in cells],
        DIFFERENCE: [Cell(None if row is None else row["difference"], Kind.POINTS, reason="") for row in cells],
    }
    printed = {
        word: [cell if cell.value is not None else text("") for cell in line]
        for word, line in lines.items()
        if any(cell.value not in {None, ""} for cell in line)
    }
    if not any(row is not None and row["scorer"] is not None for row in cells):
        return printed
    return {HERE: [_here(results, row) for row in cells], **printed}


def _published(row: Row | None) -> Cell:
    if row is None or not row["printed"]:
        return text("")
    return Cell(row["printed"], style="dim", note=f"({row['elsewhere']})" if row["elsewhere"] else "")


def _here(results: ResultSet, row: Row | None) -> Cell:
    if row is None:
        return text("")
    if row["value"] == -1:
        # PRMBench's toolkit says -1 where a figure is undefined, which is no percentage.
        return text("-1", "strong")
    link = _link(results, row) if row["value"] is not None else None
    return Cell(row["value"], Kind.SHARE, sd=row["sd"], runs=row["runs"] or 1, link=link, style="strong")


def _link(results: ResultSet, row: Row) -> CaseLink | None:
    """Link to the cases that a figure of first errors, or one of the benchmark's own, is of; those of steps are of the
    steps that were judged.
    """
    if row["metric"] not in OF_SIDE and own_cases(row["paper"], row["metric"]) is None:
        return None
    groups = group_facets(results, row["paper"], row["subset"])
    if groups is None:
        return None
    return figure_link(results, results.evaluation(row["scorer"]), row["paper"], row["metric"], groups)


def _missing(rows: pl.DataFrame, heads: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """What cells without a figure lack, a sentence a reason."""
    head_of = {cell: head for head, cell in heads.items()}
    lacking = rows.filter(pl.col("scorer").is_not_null() & pl.col("value").is_null() & pl.col("reason").is_not_null())
    by_reason: dict[str, dict[str, list[str]]] = {}
    for row in lacking.iter_rows(named=True):
        columns = by_reason.setdefault(row["reason"], {}).setdefault(row["scorer"], [])
        columns.append(head_of[row["subset"], row["metric"]])
    for reason, by_scorer in by_reason.items():
        groups: dict[str, list[str]] = {}
        for scorer, columns in by_scorer.items():
            groups.setdefault(", ".join(columns), []).append(scorer)
        where = "; ".join(f"{columns} of {', '.join(scorers)}" for columns, scorers in groups.items())
        yield f"No figure in {where}: {reason}."


def statistic_blocks(results: ResultSet, rows: pl.DataFrame, title: str) -> Iterator[Block]:
    """Lay out two lines a statistic, ours and the printed one; one where nothing is here. A column a subset."""
    subsets = rows["subset"].unique(maintain_order=True).to_list()
    here = rows["value"].drop_nulls().len() > 0
    lines: list[PaperLine] = []
    for part in rows.partition_by("group", "statistic", maintain_order=True):
        cells = {row["subset"]: row for row in part.iter_rows(named=True)}
        first = next(iter(cells.values()))
        kind = statistic_kind(first["statistic"])
        words = first["statistic"].replace("share_steps_ge_", "steps >= ").replace("_", " ")
        name = " ".join(word for word in (first["group"], words) if word)
        name = f"{name}, %" if kind is Kind.SHARE else name
        if here:
            ours = [_statistic(results, cells.get(subset), kind) for subset in subsets]
            lines.append([Cell(name, rows=2), text(HERE, "dim"), *ours])
        printed = [
            Cell(cells[subset]["published"], kind, style="dim") if subset in cells else text("") for subset in subsets
        ]
        lines.append([Cell(name, rows=0 if here else 1), text(PUBLISHED, "dim"), *printed])
    columns: list[str | Column] = ["statistic", "", *(Column(subset, right=True) for subset in subsets)]
    yield table(title, columns, lines, labels=2)


def _statistic(results: ResultSet, row: Row | None, kind: Kind) -> Cell:
    if row is None:
        return text("")
    if row["value"] is None:
        return Cell(None, Kind.SHARE, style="dim")
    return Cell(row["value"], kind, link=statistic_link(results, row["paper"], row), style="strong")
