"""The document of a report: `report_document` is what the command writes and a screen exports."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from inspector.analyses.stats import statistics_blocks, stats
from inspector.render.html import html_page
from inspector.render.markdown import markdown_page
from inspector.render.view import Block, Bullets, Command, Facts, Fold, Note, Report, Section
from inspector.report.board import board_blocks
from inspector.report.breaking_down import breakdown_blocks, offset_blocks
from inspector.report.cases import case_sections
from inspector.report.comparing import Comparison, comparison_blocks, comparison_of
from inspector.report.facts import OfBenchmark, benchmarks_of
from inspector.report.summary import summary_blocks
from inspector.report.thresholds import threshold_blocks
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.errors import UsageError
from scoring.export import Document, footer

CASES = 20
"""Cases of each benchmark, where no other number is asked for."""
NAMED = {"html": "report.html", "markdown": "report.md"}
"""What the file is called in the command that makes it again, whatever it was called."""
PAGES = {"html": html_page, "markdown": markdown_page}
APART = frozenset({"command", "version", "data", "notes"})
"""What of the provenance stands elsewhere."""


@dataclass(frozen=True)
class Choices:
    """What a report holds beside what its selection says: how many cases of each benchmark, and its title."""

    cases: int = CASES
    title: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The choices as words of a command line."""
        cases = () if self.cases == CASES else ("--cases", str(self.cases))
        return (*cases, *((f"--title={self.title}",) if self.title else ()))


@dataclass(frozen=True, eq=False)
class ReportDocument(Document):
    """A report as a document; its rows are those of `metrics`."""

    report: Report | None = None

    def render(self, form: str) -> str:
        """The report as `html` or `markdown`; its metrics in the other forms."""
        if self.report is None or form not in PAGES:
            return super().render(form)
        return PAGES[form](self.report)


def report_document(selection: Selection, choices: Choices | None = None, form: str = "html") -> ReportDocument:
    """The shown cases under the chosen scorers, as one page in the form that is named: `html` or `markdown`.

    The same selection and choices give the same bytes. Every number is that of the command that stands beneath it.

    Raises:
        UsageError: no such form, or a number of cases below 0.
    """
    choices = choices or Choices()
    if form not in PAGES:
        raise UsageError(f"a report is no {form or 'table'}.", f"It is: {', '.join(PAGES)}.")
    if choices.cases < 0:
        raise UsageError(f"{choices.cases} is no number of cases.", "Give 0 or more.")
    selection = replace(selection, request=replace(selection.request, by=()))
    command = selection.request.command("report", "-o", NAMED[form], *choices.words)
    found = benchmarks_of(selection)
    facts = {**(found[0].metrics.provenance if found else _nothing(selection)), "command": command}
    title = choices.title or _title(found)
    compared = comparison_of(found[0].selection) if any(of.scorers for of in found) else Comparison(None)
    made = Section("How this was made", "provenance", tuple(_provenance(facts, selection.problems)))
    sections = tuple(_sections(found, choices, compared))
    report = Report(title, tuple(_about(found, facts, compared)), (*sections, made))
    rows = found[0].metrics.rows if found else stats.view(selection).rows
    return ReportDocument(rows, facts, report=report)


def _nothing(selection: Selection) -> Mapping[str, Any]:
    return stats.view(selection).provenance


def _title(found: tuple[OfBenchmark, ...]) -> str:
    names = ", ".join(of.name for of in found) or "no case"
    scorers = {one.scorer.name for of in found for one in of.scorers}
    return f"{names}: {counted(len(scorers), 'scorer')}" if scorers else names


def _about(found: tuple[OfBenchmark, ...], facts: Mapping[str, Any], compared: Comparison) -> Iterator[Block]:
    """What the data are, how it was made, and what it comes to."""
    shown = ", ".join(f"{of.name} ({counted(of.n, 'case')})" for of in found) or "no case"
    filtered = str(facts.get("filter") or "none")
    yield Facts(
        (
            ("shown here", shown),
            ("in the workspace", str(facts["data"])),
            *((("filter", filtered),) if filtered != "none" else ()),
            ("made by", f"prm-inspect {facts['version']}"),
        )
    )
    yield Command(str(facts["command"]), "The same file")
    if not found:
        yield Note("No case is left by the filter, so there is nothing to report.", "warning")
    for of in found:
        yield from summary_blocks(of, compared, several=len(found) > 1)


def _sections(found: tuple[OfBenchmark, ...], choices: Choices, compared: Comparison) -> Iterator[Section]:
    """The sections; with several benchmarks each has a part a benchmark."""
    yield from _by_benchmark("Board", "board", found, lambda of: tuple(board_blocks(of)))
    if any(of.scorers for of in found):
        yield from _by_benchmark("Comparison", "compare", found, lambda of: tuple(comparison_blocks(of, compared)))
        yield from _by_benchmark("Breakdown", "breakdown", found, lambda of: tuple(breakdown_blocks(of)))
        yield from _by_benchmark("Detection latency", "offset", found, lambda of: tuple(offset_blocks(of)))
        yield from _by_benchmark("Thresholds", "threshold", found, lambda of: tuple(threshold_blocks(of)))
    yield from _case_sections(found, choices)
    yield from _by_benchmark("The data", "data", found, lambda of: tuple(_data(of)))


def _by_benchmark(
    title: str, anchor: str, found: tuple[OfBenchmark, ...], make: Callable[[OfBenchmark], tuple[Block, ...]]
) -> Iterator[Section]:
    if len(found) == 1:
        yield Section(title, anchor, make(found[0]))
    elif found:
        yield Section(title, anchor, (), tuple(Section(of.name, of.anchor(anchor), make(of)) for of in found))


def _case_sections(found: tuple[OfBenchmark, ...], choices: Choices) -> Iterator[Section]:
    made = [(of, *case_sections(of, choices.cases)) for of in found]
    if len(made) == 1:
        _, said, cases = made[0]
        yield Section("Chosen cases", "cases", tuple(said), cases)
    elif made:
        parts = tuple(Section(of.name, of.anchor("cases"), tuple(said), cases) for of, said, cases in made)
        yield Section("Chosen cases", "cases", (), parts)


def _data(of: OfBenchmark) -> Iterator[Block]:
    """Statistics of the shown cases."""
    view = stats.view(of.alone)
    rows = view.rows.filter(view.rows["benchmark"] == of.name)
    blocks = statistics_blocks(of.alone, rows, view.provenance["notes"])
    yield Fold(f"Statistics of the {counted(of.n, 'case')}", tuple(blocks))
    yield Command(view.provenance["command"])


def _provenance(facts: Mapping[str, Any], problems: tuple[str, ...]) -> Iterator[Block]:
    """How the numbers came to be, and what is to be known of them."""
    yield from (Note(problem, "warning") for problem in problems)
    lines = (line.partition(": ") for line in footer({name: facts[name] for name in facts if name not in APART}))
    yield Facts(tuple((name, value) for name, _, value in lines))
    notes = tuple(map(str, facts.get("notes") or ()))
    if notes:
        yield Note("What is to be known of the numbers:")
        yield Bullets(notes)
