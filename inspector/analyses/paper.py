"""A paper's table for the scorers here, beside the printed figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl
from msgspec.structs import asdict, replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses.stats import STATISTICS, described_cases, statistic_kind, statistic_link
from inspector.render.blocks import (
    Block,
    Bullets,
    Cell,
    Column,
    Kind,
    Note,
    Section,
    Table,
    count,
    quiet_notes,
    table,
    text,
)
from inspector.render.lines import CaseLink
from inspector.render.view import View
from inspector.state.case_links import OF_SIDE, figure_link, group_facets, own_cases
from inspector.state.label_set import other_labels
from inspector.state.provenance import provenance
from inspector.state.query import Query
from inspector.state.result_set import ResultSet, decide, load, nothing_loaded, select
from inspector.state.workspace_place import find_workspace
from scoring import __version__
from scoring.data.errors import NoWorkspace, UsageError
from scoring.data.names import near_names, without
from scoring.data.schema import Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.twins import twin_evaluations
from scoring.evaluation.verdicts import ProvidedVerdicts
from scoring.formats.benchmarks import prmbench, socratic
from scoring.metrics.kernel import Unparsed
from scoring.metrics.official_rows import protocol_of
from scoring.metrics.paper_agreement import Wholeness, agreement, made_how, printed_for, statistics_amiss, table_figures
from scoring.metrics.paper_figures import ComputedCell, TableScope, values_of
from scoring.metrics.published.papers import PAPERS, Paper, other_values, published_statistics
from scoring.metrics.published.papers import PrintedTable as PaperTable
from scoring.metrics.statistics import statistics_rows

# -- the tables of papers as people see them: what is here, what is printed and the difference, line by line


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


# -- figures of scorers


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


# -- statistics of the benchmark


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
_UNLIKE_THE_SCRIPT = {
    "mrmath": "solution_f1 of critics is not the script's: 'correct' with a step, 'wrong' without are unparsed here",
    "mrmath_redundant": "step_f1 and solution_f1 of critics are not the script's: it reads 'absent' with a step",
}
NOT_HERE = "not in this workspace"
NOT_KNOWN = "what the paper prints is not held here"
NOT_COMPUTED = "Best-of-8 needs several solutions of a problem, which this benchmark has not"
NO_PAPER = "No tables of a paper on {} are known here. Those known are of {}."
NO_CASE = "No case passes the filter, so that it is not known which benchmark's paper is meant."
ONE, EVERY = "table", "tables"


class PaperSource(NamedTuple):
    """A paper beside a workspace; `results` hold the cases of its benchmark, or none where they are not here."""

    paper: Paper
    results: ResultSet
    everyone: bool = False

    @property
    def here(self) -> bool:
        """Say whether there are cases."""
        return self.results.height > 0

    @property
    def unparsed(self) -> Unparsed:
        """Tell what becomes of cases without a readable verdict: as the paper does it, or as was asked."""
        return self.results.query.unparsed or protocol_of(self.paper.name).unparsed

    @property
    def other_labels(self) -> str:
        """Say why the figures here are not of the labels that the paper has; "" where they are."""
        return other_labels(self.results.adjudicated)

    @property
    def scorers(self) -> tuple[Evaluation, ...]:
        """Give the chosen scorers that have anything for the benchmark."""
        return tuple(
            evaluation for evaluation in self.results.chosen_evaluations if evaluation.coverage.covers(self.paper.name)
        )


def _load(query: Query, params: Params) -> ResultSet:
    """The cases of the paper's benchmark, decided as the printed figures are; none where there are none here."""
    paper = PAPERS.get(params.get("name", ""))
    if paper is None:
        return load(query)
    if set(query.benchmarks) - {paper.name}:
        others = without("--benchmark", meaning=f"on {paper.name}")
        raise UsageError(f"the paper is of {paper.name}.", "Leave --benchmark out.", instead=others)
    problem = "" if params.get("table") is None else f"No case of {paper.name} is here: this is the paper alone."
    try:
        workspace = find_workspace(query.workspace)
    except NoWorkspace:
        if query.workspace is not None:
            raise
        return nothing_loaded(problem)
    if paper.name not in workspace.benchmarks():
        return nothing_loaded(problem)
    loaded = load(replace(_as_printed(query, paper.name), benchmarks=(paper.name,)))
    return replace(loaded, query=replace(loaded.query, benchmarks=()))


def _as_printed(query: Query, benchmark: str) -> Query:
    """The query with the boundary of the printed figures, where nobody asked for another."""
    comparison = protocol_of(benchmark).comparison
    if query.rules or query.protocol or comparison is None:
        return query
    return replace(query, rules=((None, str(comparison)),))


def _offered(results: ResultSet, params: Params) -> Iterator[OptionValue]:
    paper = PAPERS.get(params.get("name") or _benchmark(results))
    for printed in () if paper is None else paper.tables:
        yield OptionValue(str(printed.number), f"Table {printed.number}", printed.title)


@analysis(
    "Papers",
    (Page(ONE, "one table", takes="table"), Page(EVERY, "all tables")),
    options=(
        Option("name", "the paper's benchmark", choices=tuple(PAPERS), positional=True),
        Option(
            "table",
            "the table's number (default: list the tables)",
            title="Table",
            metavar="TABLE",
            words="?",
            positional=True,
            pages=(ONE,),
            offered=_offered,
        ),
        Option("all", "also the scorers that only the paper has", title="The paper's other scorers", pages=(ONE,)),
        Option("check", "exit with 1 if a figure does not round to the printed one", pages=(ONE,)),
    ),
    needs="",
    examples=("prm-inspect paper processbench", "prm-inspect paper processbench 3 --all"),
    loader=_load,
    help="The paper's tables for the scorers here. What is printed stands beneath what is here, dim and called "
    "published; a figure that is missing says why.",
)
def paper(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # papers print no intervals
    """Lay a table of a paper beside what comes out here, or list the paper's tables."""
    name = params.get("name") or _benchmark(results)
    printed = PAPERS.get(name)
    if printed is None:
        facts = provenance(results, results.query.command("paper", form=params.form))
        empty = NO_PAPER.format(name, ", ".join(PAPERS)) if name else NO_CASE
        return View(pl.DataFrame(schema=TABLES), facts, title="Papers", empty=empty)
    number = params.get("table")
    if params.get("check") and number is None:
        tables = [
            (str(table.number), f"table {table.number}") for table in printed.tables if table.kind != "statistics"
        ]
        raise UsageError("--check needs a table.", "Name one.", instead=tables[:3])
    query = _as_printed(results.query, name)
    if results.height and query != results.query:
        # Where they were loaded for this paper they are decided so already.
        results = select(decide(replace(results, query=query)))
    source = PaperSource(printed, results, bool(params.get("all")))
    if params.page == EVERY or (not params.page and number is None):
        return _list(source, params.form)
    return _table(source, _numbered(printed, number), params)


def _benchmark(results: ResultSet) -> str:
    """The one benchmark that is shown; "" where there is none, or several."""
    there = results.cases["benchmark"].gather(results.shown).unique().to_list() or results.benchmarks
    return str(there[0]) if len(there) == 1 else ""


def _numbered(paper: Paper, number: Any) -> PaperTable:
    """The table of that number; where none is asked for, the first on scorers.

    Raises:
        UsageError: the paper has none that is known here.
    """
    if number is None:
        return next((printed for printed in paper.tables if printed.kind != "statistics"), paper.tables[0])
    for printed in paper.tables:
        if str(number).strip().lower().removeprefix("table").strip() == str(printed.number):
            return printed
    numbers = ", ".join(str(printed.number) for printed in paper.tables)
    others = near_names(str(number), [str(printed.number) for printed in paper.tables], "table")
    raise UsageError(f"no table {number!r} of {paper.title} is known.", f"There are: {numbers}.", instead=others)


# -- the list of tables, and one of them


def _list(source: PaperSource, form: str) -> View:
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
    frame = pl.DataFrame(rows, schema=TABLES, orient="row")

    def sections() -> tuple[Section, ...]:
        blocks: list[Block] = [list_of_tables(f"Tables of {paper.title}", frame)]
        blocks += quiet_notes(notes)
        return (Section(paper.name, "paper", tuple(blocks)),)

    return View(frame, _facts(source, (paper.name,), form, notes), title=paper.title, lay_out=sections)


def _table(source: PaperSource, table: PaperTable, params: Params) -> View:
    """One table: the scorers (or the statistics) here, with the printed figures beside."""
    paper = source.paper
    words = (paper.name, str(table.number), *(["--all"] if source.everyone else []))
    if table.kind == "statistics":
        frame = pl.DataFrame(list(_statistic_rows(source, table)), schema=STATISTIC_CELLS, orient="row", strict=False)
    else:
        frame = pl.DataFrame(list(_cell_rows(source, table)), schema=CELLS, orient="row")
    notes = [*(_REASONEVAL if table.cells else [f"published: {paper.source(table.number)}, as printed"])]
    if any(evaluation.scorer.kind == "critic" for evaluation in source.results.chosen_evaluations):
        notes += [note for name, note in _UNLIKE_THE_SCRIPT.items() if name == paper.name]
    notes += _how_the_paper_counts(frame) if table.kind == "statistics" else _how_the_paper_decides(source, table)
    if table.kind != "statistics" and any(evaluation.further for evaluation in source.results.chosen_evaluations):
        notes.append("value: the mean over all runs, undefined if it is so in one; sd: sample sd of the runs (n-1)")
    code, sentences = check_of(frame)
    checked = bool(params.get("check"))
    # On a terminal the check's own sentences follow the page.
    follows = checked and not params.form

    def blocks() -> Iterator[Block]:
        title = f"Table {table.number} of {paper.title}: {table.title}"
        if frame.is_empty():
            yield Note(title, "lead")
            yield Note("The paper prints no number here.")
        elif table.kind == "statistics":
            yield from statistic_blocks(source.results, frame, title)
        else:
            yield from figure_blocks(source.results, frame, title)
        if not follows:
            yield Note(sentences[0], "quiet")
            yield from (Bullets(tuple(map(str.strip, sentences[1:]))),) if sentences[1:] else ()
        yield from quiet_notes(notes)

    return View(
        frame,
        _facts(source, words, params.form, notes),
        title=f"{paper.title}, Table {table.number}",
        lay_out=lambda: (Section(paper.name, "paper", tuple(blocks())),),
        exit_code=code if checked else 0,
        because=tuple(sentences) if checked else (),
    )


def check_of(rows: pl.DataFrame) -> tuple[int, list[str]]:
    """Return the exit code of a check and what it says: how many cells were checked, which differ, why not others."""
    checked = rows.filter(pl.col("agrees").is_not_null())
    differ = checked.filter(~pl.col("agrees"))
    printed = rows.filter(pl.col("published").is_not_null())
    sentences = [f"Checked {checked.height:,} of {printed.height:,} printed cells; differing: {differ.height:,}."]
    keys = [name for name in ("scorer", "subset", "group", "metric", "statistic") if name in rows.columns]
    for row in differ.iter_rows(named=True):
        place = ", ".join(str(row[name]) for name in keys if row[name])
        sentences.append(f"  {place}: {row['value']:.5g} here, {row['published']:.5g} printed")
    reasons = printed.filter(pl.col("agrees").is_null()).group_by("unchecked", maintain_order=True).len()
    sentences += [f"  {number:,} not checked: {why}" for why, number in reasons.iter_rows()]
    return (1 if differ.height else 0), sentences


def _how_the_paper_counts(rows: pl.DataFrame) -> Iterator[str]:
    """What is not as it is printed, and what the paper counts otherwise."""
    if rows["statistic"].is_in(["mean_earliest_error"]).any():
        yield "mean earliest error: steps are counted from 0, in what is published too, which is printed from 1"
    if rows["subset"].is_in([prmbench.CLEAN_CLASS]).any():
        yield (
            "mean error steps: the paper's is of all solutions, of which those without an error have 0; the one here is"
            " of erroneous ones alone"
        )


def _how_the_paper_decides(source: PaperSource, table: PaperTable) -> Iterator[str]:
    """What a reader has to ask for where the paper decides otherwise than a scorer does by itself."""
    if source.paper.name == "processbench" and table.kind == "first errors":
        why = "the paper cuts Skywork's rewards, which have no threshold of their own, where F1 on gsm8k is best"
        yield f"{why}: --protocol processbench, or --threshold SCORER=from:gsm8k"
    other = [
        evaluation.scorer.name
        for evaluation in source.results.chosen_evaluations
        if table.kind == "step labels"
        and not isinstance(evaluation.rule, ProvidedVerdicts)
        and evaluation.rule.comparison == "<"
    ]
    if other:
        protocol = f"--protocol {source.paper.name}"
        why = f"the paper's toolkit calls a reward that equals the threshold wrong, as {protocol} does"
        yield f"{why}; not so here: {', '.join(other)}"


def _printed(paper: Paper, table: PaperTable) -> pl.DataFrame:
    if table.kind != "statistics":
        return table_figures(paper.name, table.number)
    return published_statistics().filter((pl.col("paper") == paper.name) & (pl.col("table") == table.number))


def _facts(source: PaperSource, words: Sequence[str], form: str, notes: list[str]) -> dict[str, Any]:
    command = source.results.query.command("paper", *words, form=form)
    if not source.here:
        return {"command": command, "version": __version__, "data": "no cases", "notes": notes}
    return {**provenance(source.results, command, tuple(notes)), "unparsed": source.unparsed, "averaging": None}


# -- rows of scorers


def _cell_rows(source: PaperSource, table: PaperTable) -> Iterator[dict[str, Any]]:
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
        twins = twin_evaluations(results.workspace, name, source.scorers, results.folders)
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


# -- rows of the benchmark itself


def _statistic_rows(source: PaperSource, table: PaperTable) -> Iterator[dict[str, Any]]:
    printed = _printed(source.paper, table)
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
