"""The document of a report: `report_document` is what the command writes and a screen exports."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses.report.benchmark_report import BenchmarkReport, benchmarks_of
from inspector.analyses.report.chosen_cases import CASES, case_sections
from inspector.analyses.report.report_board import percent
from inspector.analyses.report.report_parts import DATA, FIGURES, ReportPart, further_part
from inspector.analyses.stats import stats
from inspector.render.analysis_list import summaries
from inspector.render.blocks import Block, Bullets, CommandLine, Facts, Note, Report, Section
from inspector.render.documents.html import html_page
from inspector.render.documents.markdown import markdown_page
from inspector.render.documents.row_documents import Document, footer
from inspector.render.texts.sentences import WORDS, counted
from inspector.render.view import View
from scoring.data.errors import UsageError
from scoring.evaluation.case_counts import runs_among
from scoring.evaluation.verdicts import OUTCOMES, REFUSED, RIGHT, UNPARSED, WRONG
from scoring.metrics.paired import tied_name
from scoring.selection.result_set import ResultSet

# -- what a benchmark's figures come to, in a few sentences


def summary_blocks(of: BenchmarkReport, *, several: bool) -> Iterator[Block]:
    """Say who is best and who is not told apart from it, and in which way the best one fails most."""
    about = f"{of.name}: " if several else ""
    yield Bullets(tuple(f"{about}{sentence}" for sentence in (*_highest(of), *_tied(of), *_failures(of))))


def _highest(of: BenchmarkReport) -> Iterator[str]:
    best, (ranked, others) = of.best, of.ranked_scorers
    if best is None:
        nobody = f"No scorer is ranked: {others}." if others else "No scorer has a figure here."
        yield nobody if of.scorers else "No scorer has anything for these cases yet."
        return
    names = [evaluation.scorer.name for evaluation in ranked]
    values = {name: (of.figure(name) or {}).get("value") for name in names}
    equal = [name for name in names if values[name] == values[best.scorer.name]]
    among = f"Highest {of.title} of {counted(len(names), 'scorer')} with one" if len(names) > 1 else of.title
    row = of.figure(best.scorer.name)
    why = f" ({row['reason']})" if row is not None and row["reason"] else ""
    also = f"; {others}" if others else ""
    yield f"{among}: {', '.join(equal)}, {percent(row)} in percent, with its 95% interval{why}{also}."


def _tied(of: BenchmarkReport) -> Iterator[str]:
    """Which scorers the comparison on common cases does not tell apart from the best one there."""
    # A comparison ranks by no figure of a benchmark's own.
    if not isinstance(of.comparison, View):
        return
    behind, tied = f"{of.head}_behind_best", tied_name(of.head)
    rows = of.comparison.rows.filter(pl.col("value").is_not_null())
    best = next(iter(rows.filter(pl.col("metric") == behind)["other"].drop_nulls()), None)
    others = rows.filter(pl.col("metric") == tied, pl.col("scorer") != (best or "")).select("scorer", "value").rows()
    if best is None or not others:
        return
    close = [name for name, value in others if value]
    whom = f"none of {len(others)} others" if not close else f"{len(close)} of {len(others)} others: {', '.join(close)}"
    # The figures beside this are means over runs.
    by = ", by first runs," if any(runs_among(evaluation, of.rows) > 1 for evaluation in of.scorers) else ""
    yield f"On common cases{by} {best} is first; the 95% interval of the difference to it holds 0 for {whom}."


def _failures(of: BenchmarkReport) -> Iterator[str]:
    """In which ways the best scorer fails."""
    if of.best is None:
        return
    name, counts = of.best.scorer.name, of.outcomes(of.best)
    total = sum(counts[OUTCOMES[code]] for code in (*RIGHT, *WRONG))
    failures = {OUTCOMES[code]: counts[OUTCOMES[code]] for code in WRONG if counts[OUTCOMES[code]]}
    parts = ", ".join(f"{WORDS[outcome]} {count:,}" for outcome, count in failures.items())
    silent = sum(counts[OUTCOMES[code]] for code in (UNPARSED, REFUSED))
    also = f"; {silent:,} more are unparsed or refused" if silent else ""
    if failures:
        yield f"{name} fails on {sum(failures.values()):,} of {counted(total, 'case')} with a verdict: {parts}{also}."


NAMED = {"html": "report.html", "markdown": "report.md"}
"""What the file is called in the command that makes it again, whatever it was called."""
PAGES = {"html": html_page, "markdown": markdown_page}
APART = frozenset({"command", "version", "data", "notes"})
"""What of the provenance stands elsewhere."""


class Choices(Struct, frozen=True):
    """What a report holds beside what its result set says.

    `cases` are so many of each benchmark; `analyses` are names of analyses that it has besides its own parts.
    """

    cases: int = CASES
    title: str = ""
    analyses: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The choices as words of a command line."""
        cases = () if self.cases == CASES else ("--cases", str(self.cases))
        further = tuple(word for name in self.analyses for word in ("--with", name))
        return (*cases, *further, *((f"--title={self.title}",) if self.title else ()))


class ReportDocument(Document, frozen=True, eq=False):
    """A report as a document; its rows are those of `metrics`."""

    report: Report | None = None

    def render(self, form: str) -> str:
        """Render the report as `html` or `markdown`, or its metrics in the other forms."""
        if self.report is None or form not in PAGES:
            return super().render(form)
        return PAGES[form](self.report)


def report_document(results: ResultSet, choices: Choices | None = None, form: str = "html") -> ReportDocument:
    """Report the shown cases under the chosen scorers, as one page in the form that is named: `html` or `markdown`.

    The same result set and choices give the same bytes. Every number is that of the command that stands beneath it.

    Raises:
        UsageError: no such form, or a number of cases below 0.
    """
    choices = choices or Choices()
    if form not in PAGES:
        raise UsageError(f"a report is no {form or 'table'}.", f"It is: {', '.join(PAGES)}.")
    for name in choices.analyses:
        if name not in summaries():
            raise UsageError(f"there is no analysis {name!r}.", f"There are: {', '.join(summaries())}.")
    if choices.cases < 0:
        raise UsageError(f"{choices.cases} is not a number of cases.", "Give 0 or more.")
    results = replace(results, query=replace(results.query, by=()))
    command = results.query.command("report", "-o", NAMED[form], *choices.words)
    benchmarks = benchmarks_of(results)
    facts = {**(benchmarks[0].metrics.provenance if benchmarks else _nothing(results)), "command": command}
    title = choices.title or _title(benchmarks)
    made = Section("How this was made", "provenance", tuple(_provenance(facts, results.problems)))
    sections = tuple(_report_sections(benchmarks, choices))
    report = Report(title, tuple(_about(benchmarks, facts)), (*sections, made))
    rows = benchmarks[0].metrics.rows if benchmarks else stats.view(results).rows
    return ReportDocument(rows, facts, report=report)


def _nothing(results: ResultSet) -> Mapping[str, Any]:
    return stats.view(results).provenance


def _title(benchmarks: tuple[BenchmarkReport, ...]) -> str:
    names = ", ".join(of.name for of in benchmarks) or "no case"
    scorers = {evaluation.scorer.name for of in benchmarks for evaluation in of.scorers}
    return f"{names}: {counted(len(scorers), 'scorer')}" if scorers else names


def _about(benchmarks: tuple[BenchmarkReport, ...], facts: Mapping[str, Any]) -> Iterator[Block]:
    """What the data are, how it was made, and what it comes to."""
    names = ", ".join(f"{of.name} ({counted(of.n, 'case')})" for of in benchmarks) or "no case"
    filtered = str(facts.get("filter") or "none")
    yield Facts(
        (
            ("shown here", names),
            ("in the workspace", str(facts["data"])),
            *((("filter", filtered),) if filtered != "none" else ()),
            ("made by", f"prm-inspect {facts['version']}"),
        )
    )
    yield CommandLine(str(facts["command"]), "The same file")
    if not benchmarks:
        yield Note("No case is left by the filter, so there is nothing to report.", "warning")
    for of in benchmarks:
        yield from summary_blocks(of, several=len(benchmarks) > 1)


def _report_sections(benchmarks: tuple[BenchmarkReport, ...], choices: Choices) -> Iterator[Section]:
    scored = any(of.scorers for of in benchmarks)
    for part in FIGURES:
        if scored or not part.scorers:
            yield from _by_benchmark(part, benchmarks)
    yield from _case_sections(benchmarks, choices)
    for part in (*map(further_part, choices.analyses), DATA):
        yield from _by_benchmark(part, benchmarks)


def _by_benchmark(part: ReportPart, benchmarks: tuple[BenchmarkReport, ...]) -> Iterator[Section]:
    """Make a section; with several benchmarks it has a part for each."""
    if len(benchmarks) == 1:
        yield Section(part.title, part.anchor, tuple(part.blocks(benchmarks[0])))
    elif benchmarks:
        parts = tuple(Section(of.name, of.anchor(part.anchor), tuple(part.blocks(of))) for of in benchmarks)
        yield Section(part.title, part.anchor, (), parts)


def _case_sections(benchmarks: tuple[BenchmarkReport, ...], choices: Choices) -> Iterator[Section]:
    made = [(of, *case_sections(of, choices.cases)) for of in benchmarks]
    if len(made) == 1:
        _, notes, cases = made[0]
        yield Section("Chosen cases", "cases", tuple(notes), cases)
    elif made:
        parts = tuple(Section(of.name, of.anchor("cases"), tuple(notes), cases) for of, notes, cases in made)
        yield Section("Chosen cases", "cases", (), parts)


def _provenance(facts: Mapping[str, Any], problems: tuple[str, ...]) -> Iterator[Block]:
    """How the numbers came to be, and what is to be known of them."""
    yield from (Note(problem, "warning") for problem in problems)
    lines = (line.partition(": ") for line in footer({name: facts[name] for name in facts if name not in APART}))
    yield Facts(tuple((name, value) for name, _, value in lines))
    notes = tuple(map(str, facts.get("notes") or ()))
    if notes:
        yield Note("What is to be known of the numbers:")
        yield Bullets(notes)
