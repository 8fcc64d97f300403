"""What a paper prints and what comes out here, side by side, as documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from inspector.analyses.stats import STATISTICS, described_cases
from inspector.label_set import other_labels
from inspector.papers.checking import Wholeness, agreement, statistics_amiss
from inspector.papers.printed import made_how, printed_for, table_figures
from inspector.papers.values import Asked, Ours, values_of
from inspector.provenance import program_version, provenance
from inspector.selection import Selection
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.metrics.kernel import Unparsed
from scoring.metrics.statistics import statistics_rows
from scoring.protocols import protocol_of
from scoring.published.figures import other_values
from scoring.published.papers import Paper, Table
from scoring.published.statistics import published_statistics
from scoring.twins import twin_evaluations
from scoring.verdicts import AsGiven

TABLES = {
    "paper": pl.String(),
    "table": pl.Int64(),
    "title": pl.String(),
    "printed": pl.Int64(),
    "computed": pl.String(),
}
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
_REASONEVAL = (
    "computed as mr-math_eval.py of GAIR-NLP/ReasonEval does; what its paper prints (arXiv 2404.05692) is not here",
    "a number that equals the threshold: the step is judged wrong, the solution neither right nor wrong",
    "words of critics are read tolerantly; its code takes only 'Correct', 'Wrong', 'Present' and 'Absent', as they are",
)
NOT_HERE = "not in this workspace"
NOT_KNOWN = "what the paper prints is not held here"
NOT_COMPUTED = "Best-of-8 needs several solutions of a problem, which this benchmark has not"


@dataclass(frozen=True, eq=False)
class Source:
    """A paper beside a workspace; `selection` holds the cases of its benchmark, None = they are not here."""

    paper: Paper
    selection: Selection | None
    everyone: bool = False

    @property
    def unparsed(self) -> Unparsed:
        """What becomes of cases without a readable verdict: as the paper does it, or as was asked."""
        asked = None if self.selection is None else self.selection.request.unparsed
        return asked or protocol_of(self.paper.name).unparsed

    @property
    def other_labels(self) -> str:
        """Why the figures here are not of the labels that the paper has; "" where they are."""
        return "" if self.selection is None else other_labels(self.selection.adjudicated)


def tables_document(source: Source, form: str = "") -> Document:
    """The tables of a paper that are known here, and of what ours are computed."""
    paper = source.paper
    rows = [
        {
            "paper": paper.name,
            "table": table.number,
            "title": table.title,
            "printed": _printed(paper, table).height,
            "computed": "" if table.kind == "best of n" else table.kind,
        }
        for table in paper.tables
    ]
    numbers = " and ".join(map(str, paper.pictures))
    notes = [f"Figures {numbers} are pictures: they print no number"] if paper.pictures else []
    notes += list(_REASONEVAL[:1]) if paper.computed_only else []
    return Document(pl.DataFrame(rows, schema=TABLES, orient="row"), _facts(source, (paper.name,), form, notes))


def table_document(source: Source, table: Table, form: str = "") -> Document:
    """One table: the scorers (or the statistics) here, with the printed figures beside."""
    words = (source.paper.name, str(table.number), *(["--all"] if source.everyone else []))
    if table.kind == "statistics":
        frame = pl.DataFrame(list(_statistic_rows(source, table)), schema=STATISTIC_CELLS, orient="row", strict=False)
    else:
        frame = pl.DataFrame(list(_cell_rows(source, table)), schema=CELLS, orient="row")
    printed = f"published: {source.paper.source(table.number)}, as printed"
    notes = [*(_REASONEVAL if table.cells else [printed]), *_how_the_paper_decides(source, table)]
    chosen = () if source.selection is None else source.selection.chosen_evaluations
    if table.kind != "statistics" and any(one.further for one in chosen):
        notes.append("value: the mean over all runs, undefined if it is so in one; sd: sample sd of the runs (n-1)")
    return Document(frame, _facts(source, words, form, notes))


def _how_the_paper_decides(source: Source, table: Table) -> Iterator[str]:
    """What a reader has to ask for where the paper decides otherwise than a scorer does by itself."""
    evaluations = () if source.selection is None else source.selection.chosen_evaluations
    if source.paper.name == "processbench" and table.kind == "first errors":
        why = "the paper cuts Skywork's rewards, which have no threshold of their own, where F1 on gsm8k is best"
        yield f"{why}: --protocol processbench, or --threshold SCORER=from:gsm8k"
    other = [
        one.scorer.name
        for one in evaluations
        if table.kind == "step labels" and not isinstance(one.rule, AsGiven) and one.rule.comparison == "<"
    ]
    if other:
        asked = f"--protocol {source.paper.name}"
        why = f"the paper's toolkit calls a reward that equals the threshold wrong, as {asked} does"
        yield f"{why}; not so here: {', '.join(other)}"


def _printed(paper: Paper, table: Table) -> pl.DataFrame:
    if table.kind != "statistics":
        return table_figures(paper.name, table.number)
    return published_statistics().filter((pl.col("paper") == paper.name) & (pl.col("table") == table.number))


def _facts(source: Source, words: Sequence[str], form: str, notes: list[str]) -> dict[str, Any]:
    if source.selection is None:
        line = " ".join(["prm-inspect", "paper", *words, *([f"--{form}"] if form else [])])
        return {"command": line, "version": program_version(), "data": "no cases", "notes": notes}
    command = source.selection.request.command("paper", *words, form=form)
    return {**provenance(source.selection, command, tuple(notes)), "unparsed": source.unparsed, "averaging": None}


# -- scorers


def _cell_rows(source: Source, table: Table) -> Iterator[dict[str, Any]]:
    printed = table_figures(source.paper.name, table.number)
    cells = list(table.cells) or list(dict.fromkeys(printed.select("subset", "metric").iter_rows()))
    taken: list[int] = []
    here = False
    for evaluation, asked in _asked(source, table):
        values = values_of(evaluation, asked, cells)
        if values is None:
            break
        here = True
        figures, why = printed_for(evaluation, printed)
        taken += figures["row"].to_list()
        whole = Wholeness(evaluation, asked, source.other_labels)
        known = {(row["subset"], row["metric"]): row for row in figures.iter_rows(named=True)}
        settings = figures["setting"].drop_nulls()
        line = {
            "paper": source.paper.name,
            "table": table.number,
            "scorer": evaluation.scorer.name,
            "setting": settings[0] if settings.len() else made_how(evaluation) or None,
        }
        for subset, metric in cells:
            cell = {"subset": subset, "metric": metric, **vars(values[subset, metric])}
            unknown = NOT_KNOWN if table.cells else why or "the table prints nothing here"
            yield {**line, **cell, **_beside(values[subset, metric], known.get((subset, metric)), whole, unknown)}
    if here and not source.everyone:
        return
    why = NOT_COMPUTED if table.kind == "best of n" else NOT_HERE
    for row in printed.filter(~pl.col("row").is_in(taken)).iter_rows(named=True):
        names = ("paper", "table", "block", "setting", "subset", "metric", "printed", "elsewhere")
        same = {name: row[name] for name in names}
        yield {**same, "published_as": row["scorer"], "reason": why, "published": row["value"], "unchecked": why}


def _asked(source: Source, table: Table) -> Iterator[tuple[Evaluation, Asked]]:
    """Every chosen scorer that has anything for the benchmark, and what its figures are made of."""
    selection, name = source.selection, source.paper.name
    if selection is None:
        return
    twins = _twins(selection, name) if table.kind == "step labels" else {}
    for one in selection.chosen_evaluations:
        yield one, Asked(name, table, selection.mask, source.unparsed, twins.get(one.scorer.name))


def _twins(selection: Selection, benchmark: str) -> dict[str, Evaluation]:
    return twin_evaluations(selection.workspace, benchmark, selection.chosen_evaluations, selection.folders)


def _beside(ours: Ours, printed: dict[str, Any] | None, whole: Wholeness, unknown: str) -> dict[str, Any]:
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


# -- the benchmark itself


def _statistic_rows(source: Source, table: Table) -> Iterator[dict[str, Any]]:
    printed, name = _printed(source.paper, table), source.paper.name
    ours: dict[tuple[str, str, str], dict[str, Any]] = {}
    amiss: dict[str, str] = {}
    if source.selection is not None:
        shown = described_cases(source.selection)
        ours = {(row["subset"], row["group"], row["statistic"]): row for row in statistics_rows(shown)}
        amiss = statistics_amiss(shown, name)
    for row in printed.iter_rows(named=True):
        found = ours.get((row["subset"], row["group"], row["statistic"]), {})
        value = found.get("value")
        # A subset that nothing is known of is none to check against.
        lacking = source.other_labels or amiss.get(row["subset"], "the paper does not say of how many cases")
        agrees, unchecked = agreement(value, [row["value"]], row["tolerance"], lacking)
        missing = NOT_HERE if not ours else "not computed here"
        yield {
            **{column: row[column] for column in ("paper", "table", "subset", "group", "statistic")},
            "value": value,
            "n": found.get("n"),
            "reason": found.get("reason") if found else missing,
            "published": row["value"],
            "difference": None if value is None else value - row["value"],
            "agrees": agrees,
            "unchecked": unchecked,
        }
