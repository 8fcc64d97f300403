"""A paper's table for the scorers here, beside the printed figures."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses.paper.paper_rows import (
    CELLS,
    STATISTIC_CELLS,
    PaperSource,
    cell_rows,
    printed_statistics,
    statistic_rows,
)
from inspector.analyses.paper.paper_tables import figure_blocks, list_of_tables, statistic_blocks
from inspector.render.blocks import (
    Block,
    Bullets,
    Note,
    Section,
    quiet_notes,
)
from inspector.render.view import View
from inspector.state.provenance import provenance
from scoring import __version__
from scoring.data.errors import NoWorkspace, UsageError
from scoring.data.names import near_names, without
from scoring.formats.benchmarks import prmbench
from scoring.metrics.official_protocols import protocol_of
from scoring.metrics.published.papers import PAPERS, Paper
from scoring.metrics.published.papers import PrintedTable as PaperTable
from scoring.selection.loading import load, nothing_loaded
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet, decide, select
from scoring.workspace.workspace_place import find_workspace

TABLES = {
    "paper": pl.String(),
    "table": pl.Int64(),
    "title": pl.String(),
    "printed": pl.Int64(),
    "computed": pl.String(),
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
NO_PAPER = "No tables of a paper on {} are known here. Those known are of {}."
NO_CASE = "No case passes the filter, so that it is not known which benchmark's paper is meant."
ONE, EVERY = "table", "tables"


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
    if results.evaluated.height and query != results.query:
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
            "printed": printed_statistics(paper, table).height,
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
        frame = pl.DataFrame(list(statistic_rows(source, table)), schema=STATISTIC_CELLS, orient="row", strict=False)
    else:
        frame = pl.DataFrame(list(cell_rows(source, table)), schema=CELLS, orient="row")
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
        if table.kind == "step labels" and evaluation.rule.by_threshold and evaluation.rule.comparison == "<"
    ]
    if other:
        protocol = f"--protocol {source.paper.name}"
        why = f"the paper's toolkit calls a reward that equals the threshold wrong, as {protocol} does"
        yield f"{why}; not so here: {', '.join(other)}"


def _facts(source: PaperSource, words: Sequence[str], form: str, notes: list[str]) -> dict[str, Any]:
    command = source.results.query.command("paper", *words, form=form)
    if not source.here:
        return {"command": command, "version": __version__, "data": "no cases", "notes": notes}
    return {**provenance(source.results, command, tuple(notes)), "unparsed": source.unparsed, "averaging": None}
