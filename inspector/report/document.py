"""The document of a report: `report_document` is what the command writes and a screen exports."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses.stats import stats
from inspector.analysis_list import summaries
from inspector.render.html import html_page
from inspector.render.markdown import markdown_page
from inspector.render.view import Block, Bullets, Command, Facts, Note, Report, Section
from inspector.report.cases import case_sections
from inspector.report.facts import OfBenchmark, benchmarks_of
from inspector.report.parts import DATA, FIGURES, Part, further_part
from inspector.report.summary import summary_blocks
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


class Choices(Struct, frozen=True):
    """What a report holds beside what its selection says.

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
    for name in choices.analyses:
        if name not in summaries():
            raise UsageError(f"there is no analysis {name!r}.", f"There are: {', '.join(summaries())}.")
    if choices.cases < 0:
        raise UsageError(f"{choices.cases} is no number of cases.", "Give 0 or more.")
    selection = replace(selection, request=replace(selection.request, by=()))
    command = selection.request.command("report", "-o", NAMED[form], *choices.words)
    found = benchmarks_of(selection)
    facts = {**(found[0].metrics.provenance if found else _nothing(selection)), "command": command}
    title = choices.title or _title(found)
    made = Section("How this was made", "provenance", tuple(_provenance(facts, selection.problems)))
    sections = tuple(_sections(found, choices))
    report = Report(title, tuple(_about(found, facts)), (*sections, made))
    rows = found[0].metrics.rows if found else stats.view(selection).rows
    return ReportDocument(rows, facts, report=report)


def _nothing(selection: Selection) -> Mapping[str, Any]:
    return stats.view(selection).provenance


def _title(found: tuple[OfBenchmark, ...]) -> str:
    names = ", ".join(of.name for of in found) or "no case"
    scorers = {one.scorer.name for of in found for one in of.scorers}
    return f"{names}: {counted(len(scorers), 'scorer')}" if scorers else names


def _about(found: tuple[OfBenchmark, ...], facts: Mapping[str, Any]) -> Iterator[Block]:
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
        yield from summary_blocks(of, several=len(found) > 1)


def _sections(found: tuple[OfBenchmark, ...], choices: Choices) -> Iterator[Section]:
    scored = any(of.scorers for of in found)
    for part in FIGURES:
        if scored or not part.scorers:
            yield from _by_benchmark(part, found)
    yield from _case_sections(found, choices)
    for part in (*map(further_part, choices.analyses), DATA):
        yield from _by_benchmark(part, found)


def _by_benchmark(part: Part, found: tuple[OfBenchmark, ...]) -> Iterator[Section]:
    """Make a section; with several benchmarks it has a part for each."""
    if len(found) == 1:
        yield Section(part.title, part.anchor, tuple(part.blocks(found[0])))
    elif found:
        parts = tuple(Section(of.name, of.anchor(part.anchor), tuple(part.blocks(of))) for of in found)
        yield Section(part.title, part.anchor, (), parts)


def _case_sections(found: tuple[OfBenchmark, ...], choices: Choices) -> Iterator[Section]:
    made = [(of, *case_sections(of, choices.cases)) for of in found]
    if len(made) == 1:
        _, said, cases = made[0]
        yield Section("Chosen cases", "cases", tuple(said), cases)
    elif made:
        parts = tuple(Section(of.name, of.anchor("cases"), tuple(said), cases) for of, said, cases in made)
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
